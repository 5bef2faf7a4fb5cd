#!/usr/bin/env python3
"""Writes include/kith/fields.hpp: how many members an aggregate has, and references to them.

C++20 has no packs of structured bindings, so each number of members needs a line of its own.
`--check` fails if the file differs from what the script would write.
"""

import argparse
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FILE = TOP / "include/kith/fields.hpp"
MOST = 64

HEAD = """// The members of aggregates, by number: whether `{}` can be written for so many, and references to
// them. Written by tools/generate_fields.py: a structured binding has a fixed number of names.
#pragma once

// clang below 16 cannot ask about a binding: bit-fields are errors there.
#if defined(__clang__)
#define KITH_IF_VALID(...) if constexpr (true)
#else
#define KITH_IF_VALID(...) if constexpr (requires { __VA_ARGS__; })
#endif

namespace kith::detail {

// clang-format off
// bind() calls f with the members as references; their declared types are template arguments. The
// result is no_fields if a member has no address: a bit-field.
struct no_fields {};
template <int Count>
struct fields;
template <>
struct fields<0> {
    template <class T> static constexpr bool makes = requires { T{}; };
    template <class T, class F> static constexpr auto bind(T&, F f) { return f.template operator()<>(); }
};
"""

TAIL = """// clang-format on

inline constexpr int most_fields = %d;

}  // namespace kith::detail

#undef KITH_IF_VALID
""" % MOST


def written():
    parts = [HEAD]
    for count in range(1, MOST + 2):
        braces = ", ".join(["{}"] * count)
        lines = [
            "template <>",
            f"struct fields<{count}> {{",
            f"    template <class T> static constexpr bool makes = requires {{ T{{{braces}}}; }};",
        ]
        if count <= MOST:
            names = [f"m{i}" for i in range(count)]
            types = ", ".join(f"decltype({name})" for name in names)
            lines.append(
                "    template <class T, class F> static constexpr auto bind(T& value, F f) { "
                f"auto& [{', '.join(names)}] = value; "
                f"KITH_IF_VALID(f.template operator()<{types}>({', '.join(names)})) "
                f"return f.template operator()<{types}>({', '.join(names)}); else return no_fields{{}}; }}"
            )
        lines.append("};")
        parts.append("\n".join(lines) + "\n")
    parts.append(TAIL)
    return "".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = written()
    if arguments.check:
        return 0 if FILE.read_text() == text else f"{FILE}: run tools/generate_fields.py"
    FILE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
