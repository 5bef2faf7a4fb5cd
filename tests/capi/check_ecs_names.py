#!/usr/bin/env python3
"""Fails if a name of <kith/ecs.h> is used by no test: a macro that nobody expands is not even compiled.

Fails also if an example of the notes is named by no test of tests/seeds/c: there are 127 programs, five functions
that they define, and the one of systems.
"""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent


def names(header):
    """Macros, functions and types; those that end with an underscore are internal."""
    found = set(re.findall(r"^#define ((?:ecs|ECS|Ecs)\w+)", header, re.MULTILINE))
    found |= set(re.findall(r"^static inline [^(;]*?\b(ecs_\w+)\(", header, re.MULTILINE))
    found |= set(re.findall(r"\b(ecs_\w+_t|EcsComponent);", header))
    return {name for name in found if not name.endswith("_")}


def main():
    wanted = names((TOP / "include/kith/ecs.h").read_text(encoding="utf-8"))
    of_notes = [*TOP.glob("tests/seeds/c/*_test.c")]
    labels = {label.upper() for test in of_notes
              for label in re.findall(r"\b[RQOrqo]\d{2,4}\b", test.read_text(encoding="utf-8"))}
    tests = [*TOP.glob("tests/capi/ecs_*_test.c"), *of_notes]
    used = set(re.findall(r"\w+", " ".join(test.read_text(encoding="utf-8") for test in tests)))
    for name in sorted(wanted - used):
        print(f"{name} is used by no test: tests/capi/ecs_*_test.c")
    print(f"{len(wanted)} names, {len(labels)} examples of the notes")
    return 0 if wanted <= used and len(wanted) > 390 and len(labels) == 133 else 1


if __name__ == "__main__":
    sys.exit(main())
