#!/usr/bin/env python3
"""Writes docs/manual/c-reference.md: every function of <kith/kith.h> with its comment and the threads
that may call it. --check fails if the page is out of date, or if a function has no comment.
"""

import argparse
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
HEADER = "include/kith/kith.h"
PAGE = "docs/manual/c-reference.md"
HEAD = """# The C API: reference

All functions of `<kith/kith.h>`, generated from its comments by `tools/c_reference.py`.
[The C API](c-api.md) explains their rules. A function whose last word is `_w_size` is the exported form of
the one without it: it gets the size of the descriptor, which the inlined form passes by itself.

| threads | meaning |
|---|---|
| any | at any time |
| readers | any number of threads, while none changes the world |
| writer | one thread, while no other uses the world |
| its own | the thread that began the iterator |
"""
# Functions whose parameters do not tell: they begin or end something, read through a pointer, or use what
# belongs to the world while they read (docs/manual/threads.md).
THREADS = {
    "kith_check": "writer", "kith_save_text": "writer", "kith_query_changed": "writer",
    "kith_get_pipeline": "writer",
    "kith_fini": "writer", "kith_ref_get_id": "readers", "kith_ref_update": "readers",
    "kith_query_ref": "any", "kith_query_fini": "writer", "kith_monitor_fini": "writer",
    "kith_traversal_next": "readers", "kith_traversal_fini": "any", "kith_reset": "writer",
    "kith_query_iter": "readers", "kith_query_bind": "readers", "kith_each_id": "readers",
    "kith_sources": "readers", "kith_children": "readers", "kith_quit": "any",
    "kith_query_to_json": "readers", "kith_iter_to_json": "its own", "kith_snapshot_restore": "writer", "kith_snapshot_fini": "any",
}


def threads_of(name, parameters):
    if name in THREADS:
        return THREADS[name]
    if re.search(r"\bkith_iter_t ?\*", parameters):
        return "its own"
    if re.search(r"\bconst kith_(world|query)_t ?\*", parameters):
        return "readers"
    if re.search(r"\bkith_(world|query|monitor)_t ?\*", parameters):
        return "writer"
    return "any"


def clean(comment):
    text = re.sub(r"\s*\n\s*\*?\s*", " ", comment).strip()
    return text.replace("|", "\\|")


def read(header):
    """(chapter, [(name, signature, comment, threads)]) in the order of the header."""
    text = header.read_text(encoding="utf-8")
    text = text[text.index("/* -- library"):text.index("/* -- macros")]
    token = re.compile(
        r"/\*(?P<comment>.*?)\*/"
        r"|^#(?:[^\n\\]|\\\n)*$"
        r"|^KITH_(?:API|INLINE)\s+(?P<function>[^;{]*?\))\s*(?:;|\{(?P<body>.*?)^\})"
        r"|(?P<blank>\n[ \t]*\n)",
        re.DOTALL | re.MULTILINE,
    )
    chapters, comment = [], ""
    for match in token.finditer(text):
        if match["comment"] is not None:
            comment = clean(match["comment"])
            if comment.startswith("-- "):
                chapters.append((comment[3:], []))
                comment = ""
        elif match["blank"]:
            comment = ""
        elif match["function"]:
            signature = re.sub(r"\s+", " ", match["function"])
            name = re.search(r"(kith_\w+)\(", signature)[1]
            parameters = signature[signature.index("("):]
            chapters[-1][1].append((name, signature, comment, threads_of(name, parameters)))
            comment = ""  # each function has its own
    return chapters


def is_documented(name, comment, names):
    """The exported form of an inlined function needs no comment of its own."""
    return comment or (name.endswith("_w_size") and name.removesuffix("_w_size") in names)


def write(chapters):
    lines = [HEAD]
    for chapter, functions in chapters:
        title, _, rest = chapter.partition(". ")
        lines += [f"## {title[0].upper()}{title[1:]}", ""]
        if rest:
            lines += [f"{rest}.", ""]
        lines += ["| function | what it does | threads |", "|---|---|---|"]
        for name, signature, comment, threads in functions:
            if not name.endswith("_w_size"):
                lines.append(f"| `{signature}` | {comment} | {threads} |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing")
    check = parser.parse_args().check
    chapters = read(TOP / HEADER)
    names = {name for _, functions in chapters for name, *_ in functions}
    errors = [
        f"{HEADER}: {name} has no comment"
        for _, functions in chapters
        for name, _, comment, _ in functions
        if not is_documented(name, comment, names)
    ]
    page, text = TOP / PAGE, write(chapters)
    if check and (not page.is_file() or page.read_text(encoding="utf-8") != text):
        errors.append(f"{PAGE} is out of date: run tools/c_reference.py")
    elif not check:
        page.write_text(text, encoding="utf-8")
    for error in errors:
        print(error)
    print(f"{len(names)} functions")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
