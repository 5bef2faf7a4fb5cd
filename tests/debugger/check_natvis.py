#!/usr/bin/env python3
"""Checks debugger/kith.natvis without a debugger that reads it: its expressions are C++.

    check_natvis.py --natvis kith.natvis --compiler g++ --include DIRECTORY --library libkith.a --work DIRECTORY
                    [--define KITH_ASSERTS=1]

Each type of the file becomes a class whose functions are the expressions; private members are accessible
(-fno-access-control). The program shows handles of a world by them, and the lines have to be those below.
"""

import argparse
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# spec 440
MAIN = """
struct Position { float x, y; };
struct Damaged {};

int main() {
    kith::world world;
    auto earth = world.entity("Earth");
    auto ship = world.entity("Ship").set(Position{1, 2}).add<Damaged>().add(world.entity("DockedTo"), earth);
    auto nameless = world.entity();
    auto dead = world.entity();
    dead.destruct();
    show_kith_id(ship);
    expand_kith_id(ship);
    show_kith_id(kith::id(world.c_ptr(), kith::make_pair(world.lookup("DockedTo"), earth)));
    show_kith_id(kith::id(world.c_ptr(), kith::make_pair(nameless, nameless)));
    show_kith_id(nameless);
    show_kith_id(dead);
    show_kith_id(kith::entity());
    show_kith_id(kith::id(7));
    show_kith_world(world);
    world.defer_begin();
    show_kith_world(world);
    world.defer_end();
    show_kith_table(ship.table());
    show_kith_table(kith::table());
    show_kith_string(ship.path());
    show_kith_string_view(ship.name());
    show_kith_error(kith::error(kith::errc::invalid_id, "a text"));
}
"""
# Numbers of entities and tables are left out of the comparison.
EXPECTED = """Ship (##)
- Position: 8 bytes
- Damaged: 0 bytes
- (Identifier,Name): 8 bytes
- (DockedTo,Earth): 0 bytes
(DockedTo,Earth)
(##,##)
##
## (generation ##, not alive)
null
##, no world
world
world, deferred
table ##, ## rows, ## ids
no table
::Ship
Ship
a text
"""
OPENING = """#include <kith/kith.hpp>
#include <cstdio>

namespace {

void put(const char* text) { std::printf("%s", text); }
void put(unsigned number) { std::printf("#%u", number); }
void put(kith::errc code) { put(kith::to_string(code)); }

"""


def strip_format(text):
    """An expression without its format: `name(id_),sb`, `bytes,[4]`. The second is the size, or None."""
    found = re.fullmatch(r"(.*),(?:sb?|s8b?|\[(.*)\])", text.strip(), re.DOTALL)
    return (found[1], found[2]) if found else (text.strip(), None)


def show_text(text):
    """Statements that print a text with expressions in braces."""
    statements = []
    for part in re.split(r"(\{[^{}]*\})", text or ""):
        if part.startswith("{"):
            statements.append(f"put({strip_format(part[1:-1])[0]});")
        elif part:
            statements.append(f'put("{part}");')
    return " ".join(statements)


def tag_of(element):
    return element.tag.rsplit("}", 1)[-1]


def function_of(intrinsic):
    parameters = ", ".join(f"{found.get('Type')} {found.get('Name')}" for found in intrinsic)
    return f"    auto {intrinsic.get('Name')}({parameters}) const {{ return {intrinsic.get('Expression')}; }}"


def statements_of(element):
    """The children of an element of <CustomListItems> as statements."""
    lines = []
    for child in element:
        tag = tag_of(child)
        condition = child.get("Condition")
        if tag == "Variable":
            lines.append(f"int {child.get('Name')} = {child.get('InitialValue')};")
        elif tag in ("Loop", "If", "Elseif", "Else"):
            word = {"Loop": "while", "If": "if", "Elseif": "else if", "Else": "else"}[tag]
            lines.append(f"{word} {f'({condition})' if condition else ''} {{")
            lines += [*statements_of(child), "}"]
        elif tag == "Item":
            value, size = strip_format(child.text)
            lines.append(f'put("- "); {show_text(child.get("Name"))}')
            lines.append(f'(void)({value}); std::printf(": %d bytes\\n", int({size}));')
        elif tag == "Exec":
            lines.append(f"{child.text};")
        else:
            raise SystemExit(f"<{tag}> is not known to this test")
    return lines


def class_of(type):
    """A class that shows values of one <Type>."""
    name = type.get("Name")
    short = name.replace("::", "_")
    shows, expands, intrinsics = [], [], []
    for child in type:
        condition = child.get("Condition")
        if tag_of(child) == "Intrinsic":
            intrinsics.append(function_of(child))
        elif tag_of(child) == "DisplayString":
            shown = f"{show_text(child.text)} std::puts(\"\"); return;"
            shows.append(f"        if ({condition}) {{ {shown} }}" if condition else f"        {shown}")
        elif tag_of(child) == "Expand":
            for list in child:
                if tag_of(list) == "CustomListItems":
                    lines = statements_of(list)
                else:
                    lines = [f"(void)({part.text});" for part in list]
                expands += [f"        if ({list.get('Condition')}) {{", *lines, "        }"]
    return "\n".join(
        [f"struct view_{short} : {name} {{", *intrinsics]
        + ["    void show() const {", *shows, "    }", "    void expand() const {", *expands, "    }", "};"]
        + [f"void {action}_{short}(const {name}& shown) {{ static_cast<const view_{short}&>(shown).{action}(); }}"
           for action in ("show", "expand")]
    )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("natvis", "compiler", "include", "library", "work"):
        parser.add_argument(f"--{option}", type=Path, required=True)
    parser.add_argument("--define", nargs="*", default=[])
    options = parser.parse_args()
    top = ElementTree.parse(options.natvis).getroot()
    classes = [class_of(found) for found in top if tag_of(found) == "Type"]
    options.work.mkdir(parents=True, exist_ok=True)
    source = options.work / "natvis.cpp"
    source.write_text(OPENING + "\n\n".join(classes) + "\n\n}  // namespace\n" + MAIN)
    program = options.work / "natvis"
    command = [options.compiler, "-std=c++20", "-O0", "-w", "-fno-access-control", f"-I{options.include}"]
    command += [f"-D{definition}" for definition in options.define]
    subprocess.run([*command, source, options.library, "-ldl", "-lpthread", "-o", program], check=True)
    shown = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    plain = re.sub(r"#?#\d+", "##", shown)
    if plain != EXPECTED:
        print(f"-- expected\n{EXPECTED}-- shown\n{shown}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
