#!/usr/bin/env python3
"""Checks what including headers of kith costs: the lines of `g++ -std=c++20 -E` that are not blank.

The preprocessor turns comments into blank lines; those cost the compiler nothing. Optional headers are
counted on top of the headers that a program has included before them.
"""

import argparse
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
WITH_TEXT = ["kith/kith.hpp", "kith/reflect.hpp", "string", "string_view"]
# A header, those that stand before it, and the number of lines that is too many.
LIMITS = [
    ("kith/kith.hpp", [], 14_000),
    ("kith/reflect.hpp", ["kith/kith.hpp"], 1_800),
    ("kith/meta.hpp", ["kith/kith.hpp", "kith/reflect.hpp"], 400),
    ("kith/units.hpp", ["kith/kith.hpp", "kith/meta.hpp"], 250),
    ("kith/value.hpp", WITH_TEXT, 400),
]
# Headers of the standard library that only programs pay for that ask for them.
HEAVY = ["iostream", "vector", "map", "functional", "variant", "optional", "charconv", "string"]


def preprocessed(compiler, include, headers):
    command = [compiler, "-std=c++20", "-E", "-x", "c++", f"-I{include}", "-"]
    source = "".join(f"#include <{header}>\n" for header in headers).encode()
    output = subprocess.run(command, input=source, stdout=subprocess.PIPE, check=True).stdout
    return output.splitlines()


def count(compiler, include, headers):
    return sum(1 for line in preprocessed(compiler, include, headers) if line.strip())


def included_heavy(compiler, include, header):
    lines = preprocessed(compiler, include, [header])
    return [name for name in HEAVY if any(line.endswith(f'/{name}" 1 3'.encode()) for line in lines)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", type=Path, default=TOP / "include")
    parser.add_argument("--limit", type=int, help="of <kith/kith.hpp>, which alone is checked then")
    arguments = parser.parse_args()

    limits = LIMITS if arguments.limit is None else [("kith/kith.hpp", [], arguments.limit)]
    failed = False
    for header, before, limit in limits:
        lines = count(arguments.compiler, arguments.include, before + [header])
        lines -= count(arguments.compiler, arguments.include, before) if before else 0
        failed |= lines >= limit
        print(f"<{header}>: {lines} lines{' more' if before else ''}; the limit is {limit}")
    for header in [header for header, before, _ in limits if before != WITH_TEXT]:
        for name in included_heavy(arguments.compiler, arguments.include, header):
            print(f"<{header}> includes <{name}>")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
