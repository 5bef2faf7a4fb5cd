#!/usr/bin/env python3
"""Keeps the binary interface of <kith/kith.h>: compares it with abi/libkith-c.abi and abi/libkith-c.numbers, those
of the last release.

    tools/abi_baseline.py            fails if a function, a struct or the number of a macro was changed or removed;
                                     more are fine
    tools/abi_baseline.py --write    renews the files: at a release

The interface is read by abidw (Debian: abigail-tools) from a library that is made of the header alone, with a
function of no effect for each declaration; tests/capi/check_symbols.py holds the real library to the header.
Ends with 77 if the tools are missing.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import c_reference

TOP = Path(__file__).resolve().parent.parent
BASELINE = TOP / "abi/libkith-c.abi"
NUMBERS = TOP / "abi/libkith-c.numbers"


def stubs():
    """C source with a definition of every function that the header declares and does not define."""
    header = (TOP / c_reference.HEADER).read_text(encoding="utf-8")
    lines = ["#define KITH_NO_INLINE", "#include <kith/kith.h>"]
    for match in re.finditer(r"^KITH_API\s+([^;{]*?\))\s*;", header, re.MULTILINE | re.DOTALL):
        signature = re.sub(r"\s+", " ", match[1])
        kind = re.match(r"(.*?)\b(kith_\w+)\(", signature)
        result = kind[1].strip()
        body = "" if result == "void" else f"static {result} none; return none;"
        lines.append(f"{signature} {{ {body} }}")
    return "\n".join(lines) + "\n"


def make_library(folder):
    source, library = folder / "stubs.c", folder / "libkith-c.so.0"
    source.write_text(stubs(), encoding="utf-8")
    subprocess.run(["gcc", "-std=c99", "-g", "-w", "-fPIC", "-shared", f"-I{TOP / 'include'}",
                    "-Wl,-soname,libkith-c.so.0", str(source), "-o", str(library)], check=True)
    return library


def numbers(folder):
    """Lines "KithChildOf 270": the macros that are numbers, builtin ids and codes among them, as gcc sees them."""
    header = (TOP / c_reference.HEADER).read_text(encoding="utf-8")
    names = re.findall(r"^#define (K(?:ith|ITH_)\w+) (?=\(?UINT|Kith|\d)", header, re.MULTILINE)
    source, program = folder / "numbers.c", folder / "numbers"
    calls = "".join(f'    printf("{name} %llu\\n", (unsigned long long)({name}));\n' for name in names)
    source.write_text(f"#include <kith/kith.h>\n#include <stdio.h>\nint main(void) {{\n{calls}    return 0;\n}}\n", encoding="utf-8")
    subprocess.run(["gcc", "-std=c99", "-w", "-c", f"-I{TOP / 'include'}", str(source), "-o", f"{program}.o"], check=True)
    subprocess.run(["gcc", f"{program}.o", "-o", str(program)], check=True)
    return subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout


def check_numbers(current):
    """Numbers of the last release stay what they were."""
    now = dict(line.split() for line in current.splitlines())
    changed = [f"{name} was {number} and is {now.get(name, 'gone')}"
               for name, number in (line.split() for line in NUMBERS.read_text(encoding="utf-8").splitlines())
               if now.get(name) != number]
    print("\n".join(changed + [f"{len(now)} numbers"]))
    return 1 if changed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    missing = [tool for tool in ("gcc", "abidw", "abidiff") if shutil.which(tool) is None]
    if "gcc" in missing:
        print("not checked: gcc missing")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        current = numbers(Path(folder))
        if write:
            NUMBERS.write_text(current, encoding="utf-8")
        elif check_numbers(current):
            return 1
        if missing:
            print(f"functions and structs are not checked: {', '.join(missing)} missing")
            return 77
        library = make_library(Path(folder))
        if write:
            command = ["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--type-id-style", "hash",
                       str(library), "--out-file", str(BASELINE)]
            subprocess.run(command, check=True)
            return 0
        return subprocess.run(["abidiff", "--no-added-syms", str(BASELINE), str(library)]).returncode


if __name__ == "__main__":
    sys.exit(main())
