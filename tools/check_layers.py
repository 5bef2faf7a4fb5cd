#!/usr/bin/env python3
"""Checks who includes whom.

1. In src/core and src/schedule, a module includes only modules above it in tools/layers.txt, and
   spells an internal include from the module's name on: "storage/table.hpp".
2. Nothing outside src/core includes a header of src/core, and no library one of another's private
   headers. Tests may.
3. Public headers (include/) include public headers only.
4. No file includes itself, directly or through others.
5. In src/core, no file calls a function that a module below it implements although a public header
   declares it: the functions of include/kith/detail/*ops.hpp that the last module (api) defines.
   Lines `allow FILE FUNCTION` of layers.txt list the exceptions.
"""

import argparse
import os
import re
import sys
from pathlib import Path, PurePosixPath

TOP = Path(__file__).resolve().parent.parent
FOLDERS = ["include", "src", "apps", "examples", "bench", "fuzz", "tests"]
SUFFIXES = {".hpp", ".h", ".cpp", ".c", ".inl"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
# Functions at the outermost level of a namespace, whose lines are not indented.
DECLARATION = re.compile(r"^(?!inline\b|template\b)[\w\[][^;{}()=]*?[\s*&](\w+)\([^;{}]*\)[^;{}]*;", re.MULTILINE)
DEFINITION = re.compile(r"^(?!inline\b|template\b|static\b)[\w\[][^;{}()=]*?[\s*&](\w+)\([^;{}]*\)[^;{}]*\{", re.MULTILINE)
INLINE = re.compile(r"^inline\b[^;{}()=]*?[\s*&](\w+)\([^;{}]*\)[^;{}]*\{(.*?)^\}", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?<![\w:.>])(\w+)\s*\(")
QUALIFIED = re.compile(r"\bdetail::(\w+)")


class Layers:
    """The order of modules and the exceptions to it, as layers.txt gives them."""

    def __init__(self, text):
        self.order = []
        self.forbidden = []
        self.allowed = set()  # (file relative to src/core, function of the last module)
        for line in text.splitlines():
            words = line.split("#")[0].split()
            if len(words) == 1:
                self.order.append(words[0])
            elif len(words) == 3 and words[0] == "forbid":
                self.forbidden.append((words[1], words[2]))
            elif len(words) == 3 and words[0] == "allow":
                self.allowed.add((words[1], words[2]))
            elif words:
                raise SystemExit(f"layers: cannot read the line '{line}'")

    def module_of(self, path):
        """The module that `path` (relative to src/core) belongs to, or None."""
        folders = PurePosixPath(path).parent.parts
        for length in range(len(folders), 0, -1):
            name = "/".join(folders[:length])
            if name in self.order:
                return name
        return None

    def objection(self, user, used):
        """Why module `user` may not include module `used`; None if it may."""
        for a, b in self.forbidden:
            if within(user, a) and within(used, b):
                return f"{a}/ must not include {b}/"
        if self.order.index(used) > self.order.index(user):
            return f"{user}/ must not include {used}/, which is below it in tools/layers.txt"
        return None


def within(path, folder):
    return path == folder or path.startswith(folder + "/")


class Checker:
    def __init__(self, root, layers):
        self.root = root
        self.layers = layers
        self.errors = []
        self.files = {}  # path relative to the root -> its includes, as (line, quote, text)
        for folder in FOLDERS:
            for path in sorted((root / folder).rglob("*")):
                if path.suffix in SUFFIXES and path.is_file():
                    name = path.relative_to(root).as_posix()
                    self.files[name] = read_includes(path)
        self.libraries = sorted({"/".join(f.split("/")[:2]) for f in self.files if within(f, "src")})

    def resolve(self, user, quote, text):
        """The file of ours that an include means, or None (a system header, or a missing file)."""
        folders = [os.path.dirname(user)] if quote == '"' else []
        folders += ["include", library_of(user), "src", *self.libraries, "tests", "."]
        for folder in folders:
            candidate = os.path.normpath(os.path.join(folder, text))
            if candidate in self.files:
                return candidate
        return None

    def check(self):
        graph = {}
        for user, includes in self.files.items():
            graph[user] = []
            for line, quote, text in includes:
                used = self.resolve(user, quote, text)
                if used is not None:
                    graph[user].append(used)
                objection = self.objection(user, quote, text, used)
                if objection:
                    self.errors.append(f'{user}:{line}: "{text}": {objection}')
            if layered_path(user) and self.layers.module_of(layered_path(user)) is None:
                self.errors.append(f"{user}: is in no module of tools/layers.txt")
        self.check_calls()
        cycle = find_cycle(graph)
        if cycle:
            self.errors.append("include cycle: " + " -> ".join(cycle))
        return self.errors

    def check_calls(self):
        """Reports calls of functions of the last module by the modules above it."""
        last = [name for name in self.layers.order if not within(name, "schedule")][-1]
        code = {f: read_code(self.root / f) for f in self.files if within(f, "src/core")}
        of_last = [f for f in code if within(core_path(f), last)]
        headers = [f for f in self.files if re.fullmatch(r"include/\w+/detail/\w*ops\.hpp", f)]
        declared = {f: read_code(self.root / f) for f in headers}
        defined = set().union(*[defined_functions(code[f]) for f in of_last])
        upward = {name for text in declared.values() for name in DECLARATION.findall(text)} & defined
        for text in declared.values():  # an inline function that calls such a function is one, too
            upward |= {name for name, body in INLINE.findall(text) if upward & set(CALL.findall(body))}
        unused = set(self.layers.allowed)
        for user in sorted(set(code) - set(of_last)):
            called = set(QUALIFIED.findall(code[user]))
            for body in re.findall(r"namespace \w+::detail \{(.*)", code[user], re.DOTALL):
                called |= set(CALL.findall(body))
            for name in sorted(called & upward):
                unused.discard((core_path(user), name))
                if (core_path(user), name) not in self.layers.allowed:
                    self.errors.append(f"{user}: calls detail::{name}(), which {last}/ implements")
        for user, name in sorted(unused):
            self.errors.append(f"tools/layers.txt: {user} does not call {name}() any more")

    def objection(self, user, quote, text, used):
        if within(user, "tests"):
            return None
        if within(user, "include"):
            if used is None and quote == "<" and not within(text, "core"):
                return None  # a standard header
            if used is None or not within(used, "include"):
                return "a public header may include public headers only"
            return None
        if within(user, "src/core"):
            return self.core_objection(user, quote, text, used)
        if "src/core/" in text or within(text, "core"):
            return "only src/core may include core's headers; use <kith/...>"
        if within(user, "src/schedule") and used is not None and within(used, "src/schedule"):
            own, named = (self.layers.module_of(layered_path(path)) for path in (user, used))
            return self.layers.objection(own, named) if own and named else None
        if used is not None and within(used, "src") and library_of(used) != library_of(user):
            return f"private to {library_of(used)}; use <kith/...>"
        return None

    def core_objection(self, user, quote, text, used):
        # A file that does not exist (yet) is judged by its name.
        named = self.layers.module_of(text)
        if used is None and named is None:
            return "there is no such file" if quote == '"' else None
        if used is not None and within(used, "include"):
            return None
        if used is not None and not within(used, "src/core"):
            return "core includes public headers and its own, nothing else"
        if used is not None and core_path(used) != text:
            return f'write "{core_path(used)}"'
        own = self.layers.module_of(core_path(user))
        return self.layers.objection(own, named) if own and named else None


def layered_path(path):
    """The path from the name of the module on, or None outside of libraries with modules."""
    if within(path, "src/schedule"):
        return path.removeprefix("src/")
    return core_path(path) if within(path, "src/core") else None


def core_path(path):
    return path.removeprefix("src/core/")


def library_of(path):
    """"src/dsl" for a file of that library; its top folder for any other file."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in ("src", "apps") else parts[0]


def read_includes(path):
    text = path.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, match.start(1)) + 1, match.group(1), match.group(2))
        for match in INCLUDE.finditer(text)
    ]


def read_code(path):
    """The text of a file without comments and strings."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def defined_functions(code):
    """The functions that a file defines for others: those outside of unnamed namespaces."""
    return set(DEFINITION.findall(re.sub(r"^namespace \{.*?^\}", "", code, flags=re.MULTILINE | re.DOTALL)))


def find_cycle(graph):
    """One cycle as a list of files that begins and ends with the same one; None if there is none."""
    done = set()
    for start in graph:
        # Depth first without recursion: the path, and per step the neighbours still to visit.
        path, pending = [start], [iter(graph[start])]
        while path:
            neighbour = next(pending[-1], None)
            if neighbour is None:
                done.add(path.pop())
                pending.pop()
            elif neighbour in path:
                return path[path.index(neighbour):] + [neighbour]
            elif neighbour not in done:
                path.append(neighbour)
                pending.append(iter(graph[neighbour]))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--root", type=Path, default=TOP, help="top of the tree to check")
    parser.add_argument("--layers", type=Path, default=TOP / "tools/layers.txt")
    arguments = parser.parse_args()

    checker = Checker(arguments.root.resolve(), Layers(arguments.layers.read_text(encoding="utf-8")))
    errors = checker.check()
    for error in errors:
        print(error)
    print(f"{len(checker.files)} files, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
