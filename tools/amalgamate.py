#!/usr/bin/env python3
"""Writes kith as one header and one source, for projects that compile kith with their own files.

    tools/amalgamate.py DIRECTORY

writes there

    kith.cpp             the library: core, text, values, schedule and the C API
    kith.hpp             what <kith/kith.hpp> includes
    kith_text.hpp        the public headers that it leaves out (worlds as text, std::format and others),
                         because they include large headers of the standard
    kith_interop.hpp     for programs that mix C and C++
    kith.h, ecs.h        for C

Includes of kith are replaced by the files, each at its first use. The output depends on the sources alone.
"""

import argparse
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ROOTS = ("src/core", "src/dsl", "src/values", "src/schedule", "src/capi")
# Definitions of the library's own build: it contains the functions that kith.h inlines.
DEFINITIONS = ("KITH_WITH_TEXT", "KITH_BUILDS_C_LIBRARY", "KITH_NO_INLINE")
FOR_C = ("kith.h", "ecs.h")
INCLUDE = re.compile(r'^#include (?:<(kith/[^>]+)>|"([^"]+)")\s*$')
STANDARD = re.compile(r"^#include <[\w./]+>\s*$")
CONDITION = re.compile(r"^#\s*(if|ifdef|ifndef|endif)\b")


class Writer:
    """The text of one file; included files are written once."""

    def __init__(self, top, known=()):
        self.top = top
        self.written = set(known)
        self.includes = set()
        self.lines = []

    def resolve(self, name, path, root):
        """The file that `path` includes: public, in the sources of its part, or in its own folder."""
        for folder in (self.top / "include", self.top / (root or "include"), path.parent):
            found = (folder / name).resolve()
            if found.is_file():
                return found
        raise SystemExit(f"{path}: there is no {name}")

    def add(self, path, root=None):
        """Appends a file, with its includes before their use."""
        if path in self.written:
            return
        self.written.add(path)
        self.lines.append(f"// -- {path.relative_to(self.top).as_posix()}")
        depth = 0
        for line in path.read_text(encoding="utf-8").splitlines():
            condition = CONDITION.match(line)
            if condition:
                depth += -1 if condition[1] == "endif" else 1
            include = INCLUDE.match(line)
            if include and (include[1] or "").removeprefix("kith/") in FOR_C:
                self.add_once(f'#include "{Path(include[1]).name}"')
            elif include:
                self.add(self.resolve(include[1] or include[2], path, root), root)
            elif line.startswith("#pragma once"):
                continue
            elif STANDARD.match(line) and depth == 0:
                self.add_once(line)
            else:
                self.lines.append(line)

    def add_once(self, include):
        if include not in self.includes:
            self.includes.add(include)
            self.lines.append(include)

    def text(self, opening):
        return "\n".join([*opening, *self.lines, ""])


def version_of(top):
    return re.search(r"project\(kith VERSION ([\d.]+)", (top / "CMakeLists.txt").read_text())[1]


def amalgamate(top):
    """From the names of the files to their texts."""
    about = f"// kith {version_of(top)} as one {{}}, made by tools/amalgamate.py: change the files that it names."
    include = top / "include/kith"
    header = Writer(top)
    header.add(include / "kith.hpp")
    interop = Writer(top, header.written)
    interop.add(include / "interop.hpp")
    text = Writer(top, header.written | {include / "interop.hpp"})
    for path in sorted([*include.glob("*.hpp"), *include.glob("syntax/*.hpp")]):
        text.add(path)
    source = Writer(top, text.written)
    for root in ROOTS:
        for path in sorted((top / root).rglob("*.cpp")):
            source.add(path, root)
    once = [about.format("header"), "#pragma once"]
    definitions = [f"#define {name}" for name in DEFINITIONS]
    return {
        "kith.hpp": header.text(once),
        "kith_text.hpp": text.text([*once, '#include "kith.hpp"']),
        "kith_interop.hpp": interop.text([*once, '#include "kith.hpp"']),
        "kith.cpp": source.text([about.format("source"), *definitions, '#include "kith_text.hpp"']),
        **{name: (include / name).read_text().replace("<kith/kith.h>", '"kith.h"') for name in FOR_C},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    for name, text in amalgamate(TOP).items():
        (options.directory / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
