#!/usr/bin/env python3
"""Checks what including <kith/kith.hpp> costs: the lines of `g++ -std=c++20 -E` that are not blank.

The preprocessor turns comments into blank lines; those cost the compiler nothing.
"""

import argparse
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent


def preprocessed_lines(compiler, include, header):
    command = [compiler, "-std=c++20", "-E", "-x", "c++", f"-I{include}", "-"]
    source = f"#include <{header}>\n".encode()
    output = subprocess.run(command, input=source, stdout=subprocess.PIPE, check=True).stdout
    return sum(1 for line in output.splitlines() if line.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", type=Path, default=TOP / "include")
    parser.add_argument("--header", default="kith/kith.hpp")
    parser.add_argument("--limit", type=int, default=14_000, help="this many lines are too many")
    arguments = parser.parse_args()

    lines = preprocessed_lines(arguments.compiler, arguments.include, arguments.header)
    print(f"<{arguments.header}>: {lines} lines; the limit is {arguments.limit}")
    return 0 if lines < arguments.limit else 1


if __name__ == "__main__":
    sys.exit(main())
