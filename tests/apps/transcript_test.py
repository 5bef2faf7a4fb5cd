#!/usr/bin/env python3
"""Executes what docs/manual/shell.md and README.md show, and compares.

Blocks of the language `console` begin with `$ kith …`. A `kith shell` runs in a pseudo-terminal: what
stands behind its prompts is typed, and everything that is seen must be what the block shows. Other
commands run as they are. `$ cat FILE` shows a file that a command wrote. Times are masked. --fix writes
what happens into the pages.
"""

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from terminal import PROMPTS, Session

TOP = Path(__file__).resolve().parent.parent.parent
PAGES = ["docs/manual/shell.md", "README.md"]
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"\d+\.\d\d ms")


def commands_of(block):
    """(command, lines shown below it) of each `$ …`."""
    parts = []
    for line in block.splitlines():
        if line.startswith("$ "):
            parts.append((line[2:], []))
        else:
            parts[-1][1].append(line)
    return parts


def typed(line):
    """What was typed at a prompt, None if the line has none."""
    for prompt in PROMPTS:
        if line == prompt or line.startswith(prompt + " "):
            return line[len(prompt) + 1:]
    return None


def run_shell(program, arguments, shown, folder):
    with Session(str(program), arguments, folder) as session:
        session.wait_for_prompt()
        lines = [text for text in map(typed, shown) if text is not None]
        for line in lines:
            if line == ":quit":
                break
            session.enter(line)
        session.end()
        seen = session.screen.text()
        while seen and not seen[-1]:
            seen.pop()
        return seen


def run(program, command, shown, folder):
    words = shlex.split(command)
    if words[0] == "cat":
        return (folder / words[1]).read_text(encoding="utf-8").splitlines()
    assert words[0] == "kith", command
    if words[1] == "shell":
        return run_shell(program, words[1:], shown, folder)
    done = subprocess.run([program, *words[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300)
    return [line.rstrip() for line in done.stdout.decode("utf-8").splitlines()]


def with_known_times(lines, shown):
    """Lines that differ in times only are those that are shown."""
    known = {TIME.sub("N", line): line for line in shown}
    return [known.get(TIME.sub("N", line), line) for line in lines]


def executed(program, block):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for files in ("examples/worlds", "tests/apps/files"):
            shutil.copytree(TOP / files, folder / files)
        lines = []
        for command, shown in commands_of(block):
            lines.append("$ " + command)
            lines += with_known_times(run(program, command, shown, folder), shown)
        return "".join(line + "\n" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, help="the command line tool")
    parser.add_argument("--fix", action="store_true", help="write what happens into the pages")
    arguments = parser.parse_args()

    program, count, failed = arguments.program.resolve(), 0, 0
    for page in map(TOP.joinpath, PAGES):
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.findall(text):
            count += 1
            actual = executed(program, block)
            if actual != block:
                failed += 1
                print(f"{page.name} shows\n{block}but it is\n{actual}")
                text = text.replace(block, actual)
        if arguments.fix:
            page.write_text(text, encoding="utf-8")
    print(f"{count} transcripts, {failed} differ")
    return 1 if (failed and not arguments.fix) or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
