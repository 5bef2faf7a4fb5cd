#!/usr/bin/env python3
"""Checks docs/capabilities.md against the tests.

The page has a row per capability: `| 41 | get_mut + modified, refs | done |`. A test that covers a
row says so in a comment, `// spec 41` or `// spec 41, 12`, in C `/* spec 41 */`, in CMake `# spec 41`. Every row that is done must be named by a
test, and every row that a test names must be done.
"""

import argparse
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ROW = re.compile(r"^\|\s*(\d+)\s*\|.*\|\s*([^|]*?)\s*\|\s*$")
SPEC = re.compile(r"(?://|/\*|#)\s*spec\s+(\d+(?:\s*,\s*\d+)*)")


def read_rows(page):
    """Number -> state, and the errors found on the way."""
    rows, errors = {}, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        row = ROW.match(line)
        if row and int(row[1]) in rows:
            errors.append(f"{page}:{number}: row {row[1]} appears twice")
        elif row:
            rows[int(row[1])] = row[2]
    if not rows:
        errors.append(f"{page}: has no rows")
    return rows, errors


def read_specs(tests):
    """Number -> the first place that names it."""
    specs = {}
    for path in sorted(tests.rglob("*")):
        if path.suffix not in (".cpp", ".hpp", ".c", ".cmake"):
            continue
        for line_number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for match in SPEC.finditer(line):
                for number in match[1].split(","):
                    specs.setdefault(int(number), f"{path}:{line_number}")
    return specs


def check(root):
    page = root / "docs/capabilities.md"
    if not page.is_file():
        return [f"{page}: does not exist"]
    rows, errors = read_rows(page)
    specs = read_specs(root / "tests")
    for number, state in rows.items():
        if state == "done" and number not in specs:
            errors.append(f"{page}: row {number} is done, but no test says `// spec {number}`")
    for number, place in sorted(specs.items()):
        if number not in rows:
            errors.append(f"{place}: spec {number} is no row of {page.name}")
        elif rows[number] != "done":
            errors.append(f"{place}: spec {number} is '{rows[number]}' in {page.name}, not 'done'")
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--root", type=Path, default=TOP, help="top of the tree to check")
    errors = check(parser.parse_args().root.resolve())
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
