#!/usr/bin/env python3
"""Prints measures of how readable the library is: sizes, comments, asserts, include circles, wording.

Not a test: the figures are for people, who compare them over time (docs/design). Functions and
classes are found by their braces and the words in front of them, which is exact enough for counts.
"""

import argparse
import re
from collections import Counter, defaultdict
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
INDEFINITE = set("""what whatever which who whom whose that those this these it its they them their all
any anything anybody some something somebody one ones other others another everything everybody nothing
nobody none""".split())
PROPERTIES = ["with", "exclusive", "symmetric"]

PIECE = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r'|(?P<string>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\')',
    re.DOTALL,
)
NOT_FUNCTIONS = {"if", "for", "while", "switch", "catch", "return", "sizeof", "alignof", "decltype", "requires"}


def code_only(text):
    """The text with comments and strings blanked out, lines kept."""

    def blank(match):
        # Digits with separators look like the start of a character literal.
        return re.sub(r"[^\n]", " ", match.group())

    return PIECE.sub(blank, re.sub(r"(?<=\d)'(?=\d)", "0", text))


class Source:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.code = code_only(self.text)
        self.lines = self.text.count("\n")

    def comment_lines(self):
        """Lines with nothing but a comment. The style knows `//` alone: a line that begins with `*` is code."""
        return sum(1 for line in self.text.splitlines() if re.match(r"\s*//", line))

    def asserts(self):
        return len(re.findall(r"^(?!\s*#\s*define).*\bKITH_ASSERT\s*\(", self.code, re.MULTILINE))

    def blocks(self):
        """(head, first line, last line, body) of each pair of braces, inner ones before outer ones."""
        stack = []
        head_begin = 0
        for at, char in enumerate(self.code):
            if char == "{":
                stack.append((self.code[head_begin:at], at))
                head_begin = at + 1
            elif char == "}":
                if stack:
                    head, begin = stack.pop()
                    first = self.code.count("\n", 0, begin) + 1
                    last = self.code.count("\n", 0, at) + 1
                    yield head.strip(), first, last, self.code[begin + 1 : at]
                head_begin = at + 1
            elif char == ";":
                head_begin = at + 1

    def functions(self):
        for head, first, last, _ in self.blocks():
            head = re.sub(r"^\s*#[^\n]*$", "", head, flags=re.MULTILINE).strip()
            call = re.search(r"([~\w]+|operator\s*\S+)\s*\(", head)
            if not call or call.group(1) in NOT_FUNCTIONS or head.startswith(("namespace", "enum")):
                continue
            if re.search(r"(^|[^=!<>])=\s*$", head) or re.match(r"\s*(else|do|try)\b", head):
                continue
            if re.match(r"(template\s*<.*>\s*)?(class|struct|union)\b[^()]*$", head, re.DOTALL):
                continue
            yield call.group(1), last - first + 1

    def classes(self):
        """(name, declared methods, public fields) of each class."""
        for head, _, _, body in self.blocks():
            found = re.search(r"\b(class|struct)\s+(?:\[\[[^\]]*\]\]\s*)?([\w:]+)[^;()]*$", head)
            if not found or "enum" in head.split():
                continue
            yield found.group(2), *members(body, found.group(1) == "struct")


def members(body, is_public):
    """Methods, and fields that are public, at the outermost level of a class."""
    flat, depth = [], 0
    for char in body:
        depth -= char == "}"
        if depth == 0:
            flat.append(char if char != "}" else ";")
        depth += char == "{"
    methods = fields = 0
    for part in "".join(flat).split(";"):
        for access in re.findall(r"\b(public|private|protected)\s*:(?!:)", part):
            is_public = access == "public"
        part = re.sub(r"\b(public|private|protected)\s*:(?!:)", "", part).strip()
        part = re.sub(r"^#[^\n]*$", "", part, flags=re.MULTILINE).strip()
        if not part or re.match(r"(using|friend|static_assert|enum|typedef)\b", part):
            continue
        if re.match(r"(template\s*<.*>\s*)?(class|struct|union)\b[^()]*$", part, re.DOTALL):
            continue
        if "(" in part.split("=")[0] and not re.match(r"[\w:<>,\s*&]+\(\*", part):
            methods += 1
        elif is_public and not re.match(r"static\b|inline static\b|static constexpr\b", part) and len(part.split()) > 1:
            fields += 1
    return methods, fields


def sentences(source):
    """The sentences of the comments, each with its line number."""
    block, begin = [], 0
    for number, line in enumerate(source.text.splitlines() + [""], 1):
        found = re.match(r"\s*//+ ?(.*)$", line)
        if found:
            begin = begin if block else number
            block.append(found.group(1))
        elif block:
            for sentence in re.split(r"(?<=[.!?:;])\s+(?=[A-Z`(])", " ".join(block)):
                yield begin, sentence.strip()
            block = []


def indefinite_share(sentence):
    # Code and variables of queries, such as $this, are names.
    words = re.findall(r"[A-Za-z_']+", re.sub(r"`[^`]*`|\$\w+", " name ", sentence))
    if len(words) < 8:
        return None
    return sum(word.lower() in INDEFINITE for word in words) / len(words)


def include_circles(root):
    """Sets of files (a header and its .cpp count as one) that include each other in a circle."""
    graph = defaultdict(set)
    for path in root.rglob("*.[ch]pp"):
        unit = str(path.relative_to(root).with_suffix(""))
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            if (root / name).exists():
                graph[unit].add(str(Path(name).with_suffix("")))
    return [sorted(part) for part in components(graph) if len(part) > 1]


def components(graph):
    """The strongly connected components, by Kosaraju's two passes without recursion."""
    nodes = set(graph) | {n for to in graph.values() for n in to}
    backward = defaultdict(set)
    for node, to in graph.items():
        for other in to:
            backward[other].add(node)

    def finish_order(starts, edges, seen):
        order = []
        for start in starts:
            if start in seen:
                continue
            seen.add(start)
            stack = [(start, iter(sorted(edges[start])))]
            while stack:
                node, rest = stack[-1]
                following = next((n for n in rest if n not in seen), None)
                if following is None:
                    stack.pop()
                    order.append(node)
                else:
                    seen.add(following)
                    stack.append((following, iter(sorted(edges[following]))))
        return order

    seen = set()
    parts = []
    for node in reversed(finish_order(sorted(nodes), graph, set())):
        if node not in seen:
            parts.append(finish_order([node], backward, seen))
    return parts


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worst", type=int, default=5, help="how many of the worst of each kind")
    parser.add_argument("--sentences", action="store_true", help="all sentences of indefinite words")
    arguments = parser.parse_args()

    library = [Source(p) for top in ("src", "include") for p in sorted((TOP / top).rglob("*.[ch]pp"))]
    inside = [s for s in library if s.path.is_relative_to(TOP / "src")]
    lines = sum(s.lines for s in library)
    print(f"files {len(library)}, lines {lines}, of these in src/ {sum(s.lines for s in inside)}")
    lengths = [s.lines for s in library]
    print(f"file length: median {percentile(lengths, .5)}, p90 {percentile(lengths, .9)}, max {max(lengths)}")
    functions = [(length, name, s.path) for s in library for name, length in s.functions()]
    sizes = [length for length, _, _ in functions]
    print(f"functions {len(functions)}: p50 {percentile(sizes, .5)}, p90 {percentile(sizes, .9)}, "
          f"p99 {percentile(sizes, .99)}, max {max(sizes)}")
    for length, name, path in sorted(functions, key=lambda f: -f[0])[: arguments.worst]:
        print(f"  {length:4} {name}  {path.relative_to(TOP)}")
    print(f"comment lines: {100 * sum(s.comment_lines() for s in library) / lines:.1f} %")
    asserts = sum(s.asserts() for s in library)
    print(f"asserts: {asserts}, {1000 * asserts / lines:.2f} per 1,000 lines")

    classes = [(methods, fields, name, s.path) for s in inside for name, methods, fields in s.classes()]
    print("classes of src/ by declared methods:")
    for methods, _, name, path in sorted(classes, key=lambda c: -c[0])[: arguments.worst]:
        print(f"  {methods:4} {name}  {path.relative_to(TOP)}")
    print("classes of src/ by public fields:")
    for _, fields, name, path in sorted(classes, key=lambda c: -c[1])[: arguments.worst]:
        print(f"  {fields:4} {name}  {path.relative_to(TOP)}")

    print("include circles in src/core:")
    for circle in include_circles(TOP / "src/core"):
        print(f"  {len(circle)}: {' '.join(circle)}")
    print("files of src/core that interpret a property of relationships:")
    for name in PROPERTIES:
        files = [s.path.relative_to(TOP / "src/core") for s in inside if re.search(rf"\btrait_{name}\b", s.code)]
        print(f"  {name}: {len(files)}")

    shares = []
    for s in library:
        for line, sentence in sentences(s):
            share = indefinite_share(sentence)
            if share is not None:
                shares.append((share, s.path, line, sentence))
    vague = [entry for entry in shares if entry[0] >= 0.25]
    print(f"comment sentences of 8 words or more: {len(shares)}, mean share of indefinite words "
          f"{sum(entry[0] for entry in shares) / len(shares):.3f}, at least a quarter: {len(vague)} "
          f"({100 * len(vague) / len(shares):.1f} %)")
    if arguments.sentences:
        for share, path, line, sentence in vague:
            print(f"  {path.relative_to(TOP)}:{line}: {share:.2f} {sentence}")


if __name__ == "__main__":
    main()
