#!/usr/bin/env python3
"""Checks that every test case belongs to the suite that ctest runs for its file.

ctest runs one suite per file and takes the suite's name from the file's path:
tests/unit/storage/table_test.cpp is "unit.storage.table", tests/model/random_test.cpp is "model.random".
A file that names its suite otherwise would never run.

The files are checked by their text, and with --program also by what the test program lists, which
finds test cases outside of any suite.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

TOP = Path(__file__).resolve().parent.parent
SUITE = re.compile(r'^\s*TEST_SUITE(?:_BEGIN)?\("([^"]*)"\)', re.MULTILINE)


def suite_of(path):
    """The suite of a test file; `path` is relative to tests/. tests/suites.cmake has the same rule."""
    name = path.as_posix().removesuffix("_test.cpp")
    return name.replace("/", ".")


def check_files(tests):
    errors = []
    for path in sorted(tests.rglob("*_test.cpp")):
        wanted = suite_of(path.relative_to(tests))
        found = SUITE.findall(path.read_text(encoding="utf-8"))
        if found != [wanted]:
            has = ", ".join(f'"{name}"' for name in found) or "no suite"
            errors.append(f'{path}: needs one TEST_SUITE("{wanted}"), has {has}')
    return errors


def check_program(tests, program):
    listing = subprocess.run(
        [program, "--list-test-cases", "--reporters=xml", "--no-skip"],
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    return check_listing(tests, listing)


def check_listing(tests, listing):
    errors = []
    cases = list(ElementTree.fromstring(listing).iter("TestCase"))
    for case in cases:
        path = Path(case.get("filename")).resolve()
        if not path.is_relative_to(tests) or not path.name.endswith("_test.cpp"):
            errors.append(f'{path}:{case.get("line")}: test cases belong into *_test.cpp files')
            continue
        wanted, found = suite_of(path.relative_to(tests)), case.get("testsuite") or ""
        if found != wanted:
            errors.append(
                f'{path}:{case.get("line")}: "{case.get("name")}" is in the suite "{found}"'
                f' and would not run; put it into "{wanted}"'
            )
    if not cases:
        errors.append("the test program lists no test cases")
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tests", type=Path, default=TOP / "tests", help="folder of the tests")
    parser.add_argument("--program", type=Path, help="the built test program")
    arguments = parser.parse_args()

    tests = arguments.tests.resolve()
    errors = check_files(tests)
    if arguments.program:
        errors += check_program(tests, arguments.program)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
