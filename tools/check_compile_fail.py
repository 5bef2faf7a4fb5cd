#!/usr/bin/env python3
"""Checks that a source file does not compile, for the reason that it gives.

The first line of the file is `// expect: REGEX`; the compiler must fail with a message that the
regular expression finds. A second line `// lines: N` says how long its output may be.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

EXPECT = re.compile(r"^// expect: (\S.*)$")
LINES = re.compile(r"^// lines: (\d+)$")


def check(source, compiler, include):
    """The error, or None if the file fails as it should."""
    first, second = source.read_text(encoding="utf-8").split("\n", 2)[:2]
    expect = EXPECT.match(first.rstrip())
    most = LINES.match(second.rstrip())
    if not expect:
        return "the first line must be `// expect: REGEX`"
    # Messages in English and without typographic quotes, whatever the user's language is.
    result = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", source],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    if result.returncode == 0:
        return "compiles, but must not"
    if not re.search(expect[1], result.stderr):
        return f"fails without the message `{expect[1]}`:\n{result.stderr}"
    if most and result.stderr.count("\n") > int(most[1]):
        return f"fails with more than {most[1]} lines:\n{result.stderr}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", type=Path, required=True)
    parser.add_argument("source", type=Path)
    arguments = parser.parse_args()

    error = check(arguments.source, arguments.compiler, arguments.include)
    if error:
        print(f"{arguments.source}: {error}")
    return 1 if error else 0


if __name__ == "__main__":
    sys.exit(main())
