#!/usr/bin/env python3
"""Checks that comments have nouns and that documents name files that exist.

Fails on
  - a comment sentence of src/ or include/ with eight words or more, of which a share of LIMIT or more
    are indefinite (what, which, that, those, it, all, one ...: house.py has the list);
  - a document, or a comment of src/ or include/, that names a file which does not exist;
  - a document that calls an existing folder of src/ "to come", "planned" or "not yet" there;
  - a table of docs/architecture.md with a column `files` that names an unknown file, and a file of
    src/core or src/dsl that no such table names;
  - a walk of that page (columns `file` and `function`) with a function that is not in the file.
"""

import argparse
import os
import re
import sys
from pathlib import Path

import house

TOP = Path(__file__).resolve().parent.parent
ARCHITECTURE = "docs/architecture.md"
LIMIT = 0.3
EXTENSIONS = "cpp|hpp|py|md|cmake|kq|txt|svg|sh"
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
FILE = re.compile(rf"[\w./-]*\w\.(?:{EXTENSIONS})")
FOLDERS = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?|[\w-]+/")
COMMENT_FILE = re.compile(r"(?<![\w./<*-])[\w/-]+\.(?:cpp|hpp)\b(?!>)")
FUTURE = re.compile(r"\b(to come|planned|not yet|to be written)\b", re.IGNORECASE)
SKIPPED = {"build", "node_modules", "__pycache__"}


class Tree:
    """The files below a folder, found by the end of their path."""

    def __init__(self, root):
        self.root = root
        self.files = []
        for folder, inner, names in os.walk(root):
            inner[:] = [name for name in inner if name not in SKIPPED and not name.startswith(".")]
            self.files += [(Path(folder) / name).relative_to(root).as_posix() for name in names]
        # "/a/b.cpp", "/a/b", "/a": with and without the extension, and folders.
        self.ends = {"/" + path for path in self.files}
        self.ends |= {os.path.splitext(path)[0] for path in self.ends}
        self.folders = {"/" + parent.as_posix() for path in self.files for parent in Path(path).parents}
        self.folder_names = {folder.rsplit("/", 1)[1] for folder in self.folders}
        self.suffixes = {
            "/".join(parts[i:]) for parts in (end.split("/") for end in self.ends | self.folders)
            for i in range(1, len(parts))
        }

    def has(self, name):
        return name.strip("/").removeprefix("./") in self.suffixes

    def pages(self):
        names = [name for name in self.files if name.startswith("docs/") and name.endswith(".md")]
        return sorted(names + [name for name in ("README.md", "CONTRIBUTING.md") if name in self.files])

    def sources(self):
        return sorted(name for name in self.files if re.match(r"(src|include)/.*\.[ch]pp$", name))

    def read(self, name):
        return (self.root / name).read_text(encoding="utf-8")


def check_sentences(tree, limit=LIMIT):
    for name in tree.sources():
        for line, sentence in house.sentences(house.Source(tree.root / name)):
            share = house.indefinite_share(sentence)
            if share is not None and share >= limit:
                yield f"{name}:{line}: {share:.0%} of the words are indefinite; name the subject: {sentence}"


def check_comment_files(tree):
    for name in tree.sources():
        for line, sentence in house.sentences(house.Source(tree.root / name)):
            for file in COMMENT_FILE.findall(sentence):
                if not tree.has(file):
                    yield f"{name}:{line}: the comment names {file}, which does not exist"


def lines_of(text):
    """(number, line) of the lines outside of code blocks."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside:
            yield number, line


def sentences_of(text):
    """(number, sentence) of paragraphs, list items and rows of tables; wrapped lines are joined."""
    block, begin = [], 0
    for number, line in [*lines_of(text), (0, "")]:
        starts = not line.strip() or re.match(r"\s*([|#]|[-*] |\d+\. )", line)
        if block and starts:
            for sentence in re.split(r"(?<=[.!?;])\s+", " ".join(block)):
                yield begin, sentence
            block = []
        if line.strip():
            begin = begin if block else number
            block.append(line.strip())


def is_file_name(tree, span):
    """True for `a/b.cpp`, `b.hpp`, and for `exec/scan` where `exec` is a folder."""
    if FILE.fullmatch(span):
        return "NN_" not in span
    return bool(FOLDERS.fullmatch(span)) and span.split("/")[0] in tree.folder_names


def check_page_files(tree, page):
    for number, line in lines_of(tree.read(page)):
        for span in SPAN.findall(line):
            header = re.fullmatch(r"<(kith/[\w/]+\.hpp)>", span)
            file = "include/" + header.group(1) if header else span.split(" ")[0]
            if (header or is_file_name(tree, file)) and not tree.has(file):
                yield f"{page}:{number}: names {file}, which does not exist"
        for target in LINK.findall(line):
            if "://" not in target and not target.startswith("mailto:"):
                if not (tree.root / page).parent.joinpath(target).exists():
                    yield f"{page}:{number}: links to {target}, which does not exist"


def check_page_future(tree, page):
    """Folders of src/ that a sentence or a row of a table says are still to be made."""
    modules = {folder.strip("/") for folder in tree.folders if folder.startswith("/src/")}
    for number, sentence in sentences_of(tree.read(page)):
        future = FUTURE.search(SPAN.sub(" ", sentence))
        for span in SPAN.findall(sentence) if future else []:
            if any(("/" + module).endswith("/" + span.strip("/")) for module in modules):
                yield f"{page}:{number}: calls {span} {future.group()}, but it exists"


def tables_of(text):
    """(number, row) of the rows of tables; a row is a dictionary from the heads of its columns."""
    heads = None
    for number, line in lines_of(text):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        if cells and heads and not set(line) <= set("|-: "):
            yield number, dict(zip(heads, cells))
        heads = (heads or cells) if cells else None


def check_walks(tree, page=ARCHITECTURE):
    """A file stands for itself and its header."""
    for number, row in tables_of(tree.read(page)) if page in tree.files else []:
        if "file" not in row or "function" not in row:
            continue
        files = [Path(span).with_suffix("").as_posix() for span in SPAN.findall(row["file"])]
        code = "".join(tree.read(name) for name in tree.sources()
                       if any(("/" + name).rsplit(".", 1)[0].endswith("/" + file) for file in files))
        for function in SPAN.findall(row["function"]):
            if not re.search(rf"\b{re.escape(re.split('::|~', function)[-1])}\b", code):
                yield f"{page}:{number}: {row['file']} has no {function}"


def check_module_table(tree, page=ARCHITECTURE):
    if page not in tree.files:
        return
    sources = {Path(name).stem for name in tree.files if re.match(r"src/(core|dsl)/.*\.[ch]pp$", name)}
    named = set()
    for number, row in tables_of(tree.read(page)):
        for span in SPAN.findall(row.get("files", "")):
            named.add(Path(span).stem)
            if Path(span).stem not in sources and not ("/" in span and tree.has(span)):
                yield f"{page}:{number}: the table names {span}, which does not exist"
    for stem in sorted(sources - named):
        yield f"{page}: no table names {stem}"


def check(tree, limit=LIMIT):
    yield from check_sentences(tree, limit)
    yield from check_comment_files(tree)
    for page in tree.pages():
        yield from check_page_files(tree, page)
        yield from check_page_future(tree, page)
    yield from check_module_table(tree)
    yield from check_walks(tree)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--root", type=Path, default=TOP, help="top of the tree to check")
    parser.add_argument("--limit", type=float, default=LIMIT, help="the share of indefinite words that fails")
    arguments = parser.parse_args()
    errors = list(check(Tree(arguments.root.resolve()), arguments.limit))
    for error in errors:
        print(error)
    print(f"{len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
