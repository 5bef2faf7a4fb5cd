#!/usr/bin/env python3
"""Writes kith as one header and one source, for projects that compile kith with their own files.

    tools/amalgamate.py DIRECTORY             writes the files below there
    tools/amalgamate.py --parts 4 DIRECTORY   the source as kith_1.cpp ... kith_4.cpp, for parallel builds
    tools/amalgamate.py --archive DIRECTORY   writes kith-VERSION-single.tar.gz there: these files, the
                                              licence, and packaging/single/ for Meson and CMake
    tools/amalgamate.py --check               only checks that the sources can be joined: no name is
                                              defined in the unnamed namespaces of two files

The files are

    kith.cpp             the library: core, text, values, schedule and the C API
    kith.hpp             what <kith/kith.hpp> includes
    kith_text.hpp        the public headers that it leaves out (worlds as text, std::format and others),
                         because they include large headers of the standard
    kith_interop.hpp     for programs that mix C and C++
    kith.h, ecs.h        for C

Includes of kith are replaced by the files, each at its first use. The output depends on the sources alone.
"""

import argparse
import gzip
import io
import re
import sys
import tarfile
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


def without_comments(text):
    """The text with comments of C++ and the contents of literals left out; lines stay lines."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''

    def replace(match):
        kept = '""' if match[0][0] in "R\"'" else ""
        return kept + "\n" * match[0].count("\n")

    return re.sub(pattern, replace, text, flags=re.DOTALL)


def names_of_unnamed(text):
    """(namespace, name) of what the unnamed namespaces of a source define. Functions count with the
    text of their parameters: overloads in different files are different functions."""
    found = set()
    outer = ""
    inside = False
    depth = 0
    statement = ""
    for line in without_comments(text).splitlines():
        named = re.match(r"^namespace ([\w:]+) \{", line)
        if named:
            outer = named[1]
        elif re.match(r"^namespace \{", line):
            inside, depth, statement = True, 0, ""
        elif inside and depth == 0 and line.startswith("}"):
            inside = False
        elif inside and not line.startswith("#"):
            if depth == 0:
                statement += " " + line.strip()
            depth += line.count("{") - line.count("}")
            if depth == 0 and statement.rstrip().endswith((";", "}")) or depth > 0 and statement:
                found.update((outer, name) for name in defined_names(statement))
                statement = ""
    return found


def defined_names(statement):
    """What one declaration at namespace scope defines."""
    head = re.split(r"[={]", statement, maxsplit=1)[0].strip()
    head = re.sub(r"^template <.*?> (?=struct|class|[\w:]+ )", "", head)
    kind = re.match(r"(?:struct|class|enum class|enum|union) (\w+)\b", head)
    if kind:
        return [] if statement.rstrip().endswith(";") and "{" not in statement else [kind[1]]
    alias = re.match(r"using (\w+)$", head)
    if alias:
        return [alias[1]]
    if head.startswith(("using", "static_assert", "friend", "}")):
        return []
    function = re.match(r"[^()]*?[\s*&](\w+)\((.*)\)", head)
    if function:
        return [f"{function[1]}({' '.join(function[2].split())})"]
    if head.endswith(" const") or head.endswith(" noexcept"):
        return []  # the end of a function whose parameters take several lines
    variable = re.match(r".*[\s*&](\w+)(?:\[.*\])?;?$", head)
    return [variable[1]] if variable else []


def clashes(top):
    """Lines that name what two sources define."""
    where = {}
    for root in ROOTS:
        for path in sorted((top / root).rglob("*.cpp")):
            for key in names_of_unnamed(path.read_text(encoding="utf-8")):
                where.setdefault(key, []).append(path.relative_to(top).as_posix())
    return [
        f"{namespace}::{name} is defined in the unnamed namespaces of {' and '.join(files)}"
        for (namespace, name), files in sorted(where.items())
        if len(files) > 1
    ]


def split(paths, count):
    """The paths, in order, as `count` lists of about the same size."""
    total = sum(path.stat().st_size for _, path in paths)
    parts = [[] for _ in range(count)]
    begun = 0
    for root, path in paths:
        parts[min(begun * count // total, count - 1)].append((root, path))
        begun += path.stat().st_size
    return parts


def amalgamate(top, parts=1):
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
    paths = [(root, path) for root in ROOTS for path in sorted((top / root).rglob("*.cpp"))]
    sources = []
    for part in split(paths, parts):
        sources.append(Writer(top, text.written))
        for root, path in part:
            sources[-1].add(path, root)
    once = [about.format("header"), "#pragma once"]
    opening = [about.format("source"), *(f"#define {name}" for name in DEFINITIONS), '#include "kith_text.hpp"']
    names = ["kith.cpp"] if parts == 1 else [f"kith_{number}.cpp" for number in range(1, parts + 1)]
    return {
        "kith.hpp": header.text(once),
        "kith_text.hpp": text.text([*once, '#include "kith.hpp"']),
        "kith_interop.hpp": interop.text([*once, '#include "kith.hpp"']),
        **{name: source.text(opening) for name, source in zip(names, sources)},
        **{name: (include / name).read_text().replace("<kith/kith.h>", '"kith.h"') for name in FOR_C},
    }


def write(top, directory, parts=1):
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in amalgamate(top, parts).items():
        (directory / name).write_text(text, encoding="utf-8")


def write_archive(top, directory):
    """The single-file form with build files. The bytes depend on the sources alone."""
    version = version_of(top)
    files = {f"kith/{name}": text for name, text in amalgamate(top).items()}
    for path in sorted((top / "packaging/single").iterdir()):
        files[path.name] = path.read_text().replace("@VERSION@", version)
    files["LICENSE"] = (top / "LICENSE").read_text()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            data = files[name].encode()
            member = tarfile.TarInfo(f"kith-{version}/{name}")
            member.size, member.mode = len(data), 0o644
            archive.addfile(member, io.BytesIO(data))
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / f"kith-{version}-single.tar.gz"
    target.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, nargs="?")
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--archive", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not options.check and not options.directory or options.parts < 1:
        parser.error("a directory is needed, and at least one part")
    problems = clashes(TOP) if options.check else []
    for problem in problems:
        print(problem)
    if options.archive:
        print(write_archive(TOP, options.directory))
    elif options.directory:
        write(TOP, options.directory, options.parts)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
