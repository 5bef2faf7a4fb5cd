#!/usr/bin/env python3
"""Checks that packaging/module/kith.cppm exports the names of <kith/kith.hpp>.

    tools/check_module.py            compares the names
    tools/check_module.py --fix      writes the file
    tools/check_module.py --compile DIRECTORY
                                     also compiles the module and a program that imports it, by clang 16 or
                                     later; ends with 77 if there is none

Names are those that the headers declare in namespace kith itself. Macros are no part of a module.
"""
# spec 438

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "tools"))
import amalgamate  # noqa: E402  (tools are no package)

MODULE = TOP / "packaging/module/kith.cppm"
OPENING = """// The module kith: `import kith;` instead of `#include <kith/kith.hpp>`. The list of names is written by
// tools/check_module.py --fix. Macros are no part of a module: include <kith/reflect.hpp> for those.
module;

#include <kith/kith.hpp>

export module kith;

export namespace kith {

"""
PROGRAM = """import kith;

struct Position {
    double x, y;
};

int main() {
    kith::world world;
    auto earth = world.entity("Earth").set(Position{3, 4});
    double sum = 0;
    world.each([&](const Position& p) { sum += p.x + p.y; });
    return earth.has<Position>() && sum == 7 ? 0 : 1;
}
"""


def statements(text):
    """The heads of declarations in namespace kith: what is in front of `{`, `=` or `;` at its level."""
    spaces = []  # for each open brace: the namespace that it opens, None for others
    head = ""
    for token in re.findall(r"[{};]|[^{};]+", text):
        inside = spaces == ["kith"]
        if token == "{":
            opened = re.search(r"(?:inline )?namespace ([\w:]+)\s*$", head.strip())
            spaces.append(opened[1] if opened else None)
            if inside and not opened:
                yield head
            head = ""
        elif token == "}":
            spaces.pop()
            head = ""
        elif token == ";":
            if inside:
                yield head
            head = ""
        elif inside or not spaces:
            head += token


def name_of(head):
    """The name that a declaration introduces; None for those that introduce none for users."""
    head = " ".join(re.sub(r"^\s*#.*$", "", head, flags=re.MULTILINE).split())
    head = re.sub(r"\[\[.*?\]\]|alignas\(.*?\)|\bKITH_[A-Z_]+\b", "", head).strip()
    while head.startswith("template"):
        head = head[end_of_brackets(head) :].strip()
        head = re.sub(r"^requires\b.*?(?=(?:class|struct|using|inline|constexpr|auto|[\w:]+(?:<[^()]*>)?[ &*]+\w+\())", "", head)
    kind = re.match(r"(?:enum class|enum struct|enum|class|struct|union|concept)\s+([\w:]+)", head)
    if kind:
        specialized = head[kind.end() :].lstrip().startswith("<")
        return None if specialized or "::" in kind[1] else kind[1]
    alias = re.match(r"using (\w+)\s*=", head)
    if alias:
        return alias[1]
    if re.match(r"(using|friend|static_assert|namespace|extern)\b", head):
        return None
    operator = re.search(r"\boperator\s*(\"\"\s*\w+|[^\s(\w]+|\(\))\s*\(", head)
    if operator:
        return "operator" + operator[1].replace(" ", "")
    function = re.match(r"[^=(]*?(?<![\w:])(\w+)\s*\(", head)
    if function and not re.search(r"\w+::" + function[1] + r"\s*\(", head):
        return function[1]
    variable = re.match(r"(?:inline|constexpr|extern|const|constinit|static|\s)+.*?(\w+)\s*(?:=|$)", head)
    return variable[1] if variable else None


def end_of_brackets(text):
    """The position behind the first <...>."""
    depth = 0
    for at, one in enumerate(text):
        depth += (one == "<") - (one == ">" and text[at - 1] != "-")
        if one == ">" and depth == 0:
            return at + 1
    return len(text)


def public_names():
    header = amalgamate.Writer(TOP)
    header.add(TOP / "include/kith/kith.hpp")
    text = amalgamate.without_comments("\n".join(header.lines))
    text = re.sub(r"^\s*#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)
    # Declarations whose heads the patterns above cannot read end in one of these words.
    return sorted({name for name in map(name_of, statements(text)) if name} - {"const", "noexcept", "requires"})


def module_text():
    return OPENING + "".join(f"using kith::{name};\n" for name in public_names()) + "\n}  // namespace kith\n"


def compile_module(directory):
    compiler = next(filter(None, (shutil.which(f"clang++-{version}") for version in range(30, 15, -1))), None)
    if not compiler:
        print("there is no clang of version 16 or later: the module was not compiled")
        return 77
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / "program.cpp"
    program.write_text(PROGRAM)
    built = directory / "kith.pcm"
    flags = [compiler, "-std=c++20", f"-I{TOP / 'include'}"]
    subprocess.run([*flags, "--precompile", MODULE, "-o", built], check=True)
    subprocess.run([*flags, f"-fmodule-file=kith={built}", "-c", program, "-o", directory / "program.o"], check=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--compile", type=Path)
    options = parser.parse_args()
    if options.fix:
        MODULE.write_text(module_text())
    if not MODULE.is_file() or MODULE.read_text() != module_text():
        print(f"{MODULE.relative_to(TOP)} does not have the names of <kith/kith.hpp>: run tools/check_module.py --fix")
        return 1
    return compile_module(options.compile) if options.compile else 0


if __name__ == "__main__":
    sys.exit(main())
