#!/usr/bin/env python3
"""Compares the functions that libkith-c.so shows with those that <kith/kith.h> declares."""

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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--header", type=Path, required=True)
    arguments = parser.parse_args()
    wanted, found = declared(arguments.header), shown(arguments.library)
    for name in sorted(wanted - found):
        print(f"{name} is declared, and the library does not have it")
    for name in sorted(found - wanted):
        print(f"{name} is shown by the library, and no function of the header")
    print(f"{len(wanted)} functions")
    return 0 if wanted and wanted == found else 1


if __name__ == "__main__":
    sys.exit(main())
