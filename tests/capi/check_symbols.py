#!/usr/bin/env python3
"""Compares the functions that libkith-c.so shows with those that <kith/kith.h> declares.

Fails also if a function of the header is missing in the program that refuses each allocation of each call.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path


def declared(header):
    """Names behind KITH_API and KITH_INLINE."""
    text = re.sub(r"/\*.*?\*/", " ", header.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"^\s*#(?:[^\n\\]|\\\n|\\.)*$", "", text, flags=re.MULTILINE)
    return set(re.findall(r"\bKITH_(?:API|INLINE)\b[^;{(]*?\b(kith_\w+)\s*\(", text))


def shown(library):
    lines = subprocess.run(
        ["nm", "-D", "--defined-only", "--with-symbol-versions", library],
        stdout=subprocess.PIPE, text=True, check=True,
    ).stdout.splitlines()
    names = [line.split()[-1] for line in lines]
    return {re.sub(r"@.*", "", name) for name in names} - {"KITH_C_0"}


# Functions that no program can call with too little memory: they read or store a number.
without_memory = {
    "kith_version", "kith_version_number", "kith_abi_version", "kith_build_flags", "kith_set_error_action",
    "kith_set_log",
}


def called(program):
    """The functions that a program names; a function with a size is called by the one without."""
    names = set(re.findall(r"\bkith_\w+", program.read_text(encoding="utf-8")))
    return names | {name + "_w_size" for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--header", type=Path, required=True)
    parser.add_argument("--allocation", type=Path, required=True)
    arguments = parser.parse_args()
    wanted, found = declared(arguments.header), shown(arguments.library)
    for name in sorted(wanted - found):
        print(f"{name} is declared, and the library does not have it")
    for name in sorted(found - wanted):
        print(f"{name} is shown by the library, and no function of the header")
    untried = wanted - called(arguments.allocation) - without_memory
    for name in sorted(untried):
        print(f"{name} is not called by {arguments.allocation.name}: add an operation that calls it")
    print(f"{len(wanted)} functions")
    return 0 if wanted and wanted == found and not untried else 1


if __name__ == "__main__":
    sys.exit(main())
