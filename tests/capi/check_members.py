#!/usr/bin/env python3
"""Compares the public members of the C++ classes with tests/capi/cpp_members.txt, which says what C has for each.

A new member, or class with members, that the file does not mention fails, and so does an entry for a member that
is gone, and a name that <kith/kith.h> does not have.
"""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
HEADERS = TOP / "include/kith"
TABLE = Path(__file__).resolve().parent / "cpp_members.txt"
# Macros and specifiers with arguments of their own, which are no members.
ARGUMENTS = re.compile(r"\b(?:requires|noexcept|decltype|alignas|sizeof|KITH_\w+)\b\s*\((?:[^()]|\([^()]*\))*\)")
CLASS = re.compile(r"^(?:class|struct) (?:\[\[\w+\]\] |KITH_\w+ )*(?P<name>\w+)[^;{\n]*\{\n(?P<body>.*?)^\};", re.MULTILINE | re.DOTALL)


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def members_of(name, body, public):
    """The names of public member functions; the house's format has one declaration per line."""
    found = set()
    for line in body.split("\n"):
        access = re.match(r" *(public|private|protected):", line)
        if access:
            public = access[1] == "public"
        elif public and re.match(r" {4}\S", line):
            call = re.search(r"(?<![\w:~])([a-z]\w*)\(", ARGUMENTS.sub("", line))
            if call and call[1] not in ("requires", "return", "if", "for", "static_assert", name):
                found.add(call[1])
    return found


def classes():
    """Class: its public members, of all headers outside of detail."""
    found = {}
    for header in sorted(HEADERS.glob("*.hpp")):
        for match in CLASS.finditer(without_comments(header.read_text(encoding="utf-8"))):
            members = members_of(match["name"], match["body"], match[0].startswith("struct"))
            if members:
                found.setdefault(match["name"], set()).update(members)
    return found


def mentioned(problems):
    """Class: its members in the table, or None for a class that C has nothing for."""
    known = set(re.findall(r"\w+", without_comments((HEADERS / "kith.h").read_text(encoding="utf-8"))))
    found, current = {}, None
    for number, line in enumerate(TABLE.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        left, _, right = line.strip().rpartition(":")
        if line.startswith("-- "):
            found.update(dict.fromkeys(right.split()))
        elif not line.startswith(" "):
            current = found.setdefault(line.strip(), set())
        else:
            current.update(right.split())
            if not left.startswith("- "):
                problems += [f"{TABLE.name}:{number}: kith.h has no {word}"
                             for word in re.findall(r"\w+", left) if word not in known]
    return found


def main():
    problems = []
    there, table = classes(), mentioned(problems)
    for name in sorted(there.keys() - table.keys()):
        problems.append(f"{name}: the class is not mentioned; it has {' '.join(sorted(there[name]))}")
    for name in sorted(table.keys() - there.keys()):
        problems.append(f"{name}: there is no such class with members")
    for name in sorted(there.keys() & table.keys()):
        if table[name] is None:
            continue
        problems += [f"{name}::{member} is not mentioned: what has C for it?" for member in sorted(there[name] - table[name])]
        problems += [f"{name}::{member} is mentioned, and is no member" for member in sorted(table[name] - there[name])]
    print("\n".join(problems))
    print(f"{sum(map(len, there.values()))} members of {len(there)} classes, {len(problems)} errors in {TABLE.name}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
