#!/usr/bin/env python3
"""Checks that all C++ and C is formatted as .clang-format says; --fix formats it.

Other versions of clang-format lay out a few constructs differently, so only 14 counts.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FOLDERS = ["include", "src", "apps", "tests", "bench", "examples", "fuzz", "bindings"]
SUFFIXES = {".hpp", ".h", ".cpp", ".c", ".inl"}
VERSION = "14"


def find_clang_format():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        program = shutil.which(name)
        if program:
            version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True).stdout
            if re.search(rf"version {VERSION}\.", version):
                return program
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--fix", action="store_true", help="format the files in place")
    arguments = parser.parse_args()

    program = find_clang_format()
    if program is None:
        print(f"clang-format {VERSION} is missing; on Debian: apt-get install clang-format-{VERSION}")
        return 1
    files = [
        path
        for folder in FOLDERS
        for path in sorted((TOP / folder).rglob("*"))
        if path.suffix in SUFFIXES and path.is_file()
    ]
    if not files:
        return 0
    mode = ["-i"] if arguments.fix else ["--dry-run", "-Werror"]
    result = subprocess.run([program, *mode, *files]).returncode
    if result != 0:
        print("run tools/check_format.py --fix")
    return 1 if result != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
