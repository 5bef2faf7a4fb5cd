#!/usr/bin/env python3
"""Checks that the C++ and C in README.md and docs/manual/*.md is code that is compiled and run.

Each ```cpp or ```c block follows a comment that names a region of an example:

    <!-- example: examples/01_tour.cpp#create -->

and equals, dedented, the lines of that file between `// [create]` and `// [/create]`. Regions may
nest; lines that mark other regions are left out. --fix copies the regions into the pages.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(?P<indent>\s*)(?P<fence>```+)\s*(?P<language>[^\s`]*)\s*$")
CPP = {"cpp", "c++", "cxx", "cc", "c"}
SOURCE = re.compile(r"^\s*<!--\s*example:\s*(?P<path>[^\s#]+)#(?P<region>[\w-]+)\s*-->\s*$")
MARKER = re.compile(r"^\s*// \[(?P<name>/?[\w-]+)\]\s*$")


class Problem(Exception):
    pass


def read_region(path, region):
    """The dedented lines of a region. Raises Problem if it is not there exactly once."""
    if not path.is_file():
        raise Problem(f"there is no file {path.name}")
    lines, inside, opened, closed = [], False, 0, 0
    for line in path.read_text(encoding="utf-8").splitlines():
        marker = MARKER.match(line)
        if not marker:
            if inside:
                lines.append(line)
        elif marker["name"] == region:
            inside, opened = True, opened + 1
        elif marker["name"] == "/" + region:
            inside, closed = False, closed + 1
    if (opened, closed) != (1, 1) or inside:
        raise Problem(f"{path.name} needs one `// [{region}]` and one `// [/{region}]`")
    return textwrap.dedent("\n".join(lines)).splitlines()


def check_page(page, root):
    """Returns (errors, number of snippets, the page's lines with all snippets up to date)."""
    lines = page.read_text(encoding="utf-8").splitlines()
    errors, snippets, fixed, i = [], 0, [], 0
    while i < len(lines):
        fence = FENCE.match(lines[i])
        fixed.append(lines[i])
        i += 1
        if not fence:
            continue
        first = i
        while i < len(lines) and lines[i].strip() != fence["fence"]:
            i += 1
        body, closing = lines[first:i], lines[i:i + 1]
        i += 1
        if fence["language"].lower() in CPP:
            snippets += 1
            try:
                if not closing:
                    raise Problem("the block does not end")
                indent = fence["indent"]
                wanted = [(indent + line).rstrip() for line in read_source(lines[:first - 1], root)]
                if wanted != body:
                    errors.append(f"{page}:{first}: differs from its example; run {Path(__file__).name} --fix")
                body = wanted
            except Problem as problem:
                errors.append(f"{page}:{first}: {problem}")
        fixed += body + closing
    return errors, snippets, fixed


def read_source(lines_before, root):
    above = next((line for line in reversed(lines_before) if line.strip()), "")
    source = SOURCE.match(above)
    if not source:
        raise Problem("the block needs a comment <!-- example: examples/NN_topic.cpp#region --> above it")
    return read_region(root / source["path"], source["region"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--root", type=Path, default=TOP, help="top of the tree to check")
    parser.add_argument("--fix", action="store_true", help="copy the examples' regions into the pages")
    arguments = parser.parse_args()

    root = arguments.root.resolve()
    pages = [root / "README.md", *sorted((root / "docs/manual").glob("*.md"))]
    all_errors, count = [], 0
    for page in filter(Path.is_file, pages):
        errors, snippets, fixed = check_page(page, root)
        count += snippets
        if errors and arguments.fix:
            page.write_text("\n".join(fixed) + "\n", encoding="utf-8")
            errors = check_page(page, root)[0]
        all_errors += errors
    for error in all_errors:
        print(error)
    print(f"{count} snippets, {len(all_errors)} errors")
    return 1 if all_errors else 0


if __name__ == "__main__":
    sys.exit(main())
