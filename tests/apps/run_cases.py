#!/usr/bin/env python3
"""Runs the command line tool on the cases of *.cases beside this script, and compares.

    # why
    $ kith query people.kith Person --format json
    < a line of standard input
    > a line of standard output
    ! a line of standard error
    ? 1

`?` is the exit code, 0 if it is left out. Commands run in a folder that has the files of files/ and
of examples/worlds/, a `folder`, and `binary`, which is no text. Times are masked: `N ms`. A carriage
return is written \\r. With --fix, what the program does becomes what is expected.
"""

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORLDS = HERE.parent.parent / "examples/worlds"
MARKS = {">": "stdout", "!": "stderr", "<": "stdin"}


class Case:
    def __init__(self, why, command):
        self.why = why
        self.command = command
        self.stdin, self.stdout, self.stderr = [], [], []
        self.exit_code = 0

    def text(self):
        lines = [f"# {line}" for line in self.why] + [f"$ {self.command}"]
        lines += [f"< {line}".rstrip() for line in self.stdin]
        lines += [f"> {line}".rstrip() for line in self.stdout]
        lines += [f"! {line}".rstrip() for line in self.stderr]
        lines += [f"? {self.exit_code}"] if self.exit_code else []
        return "\n".join(lines) + "\n"


def read_cases(path):
    cases, why = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        mark, content = line[:1], line[2:]
        if mark == "#":
            why.append(content)
        elif mark == "$":
            cases.append(Case(why, content))
            why = []
        elif mark in MARKS:
            getattr(cases[-1], MARKS[mark]).append(content)
        elif mark == "?":
            cases[-1].exit_code = int(content)
        elif line:
            sys.exit(f"{path}: what is this? {line}")
    return cases


def make_folder(where):
    for source in [*(HERE / "files").iterdir(), *WORLDS.glob("*.kith")]:
        shutil.copy(source, where)
    (where / "folder").mkdir()
    (where / "binary").write_bytes(bytes(range(256)))


def lines_of(output):
    text = re.sub(r"\d+\.\d\d ms", "N ms", output.decode("utf-8").replace("\r", "\\r"))
    lines = text.split("\n")
    return [line.rstrip() for line in (lines[:-1] if lines[-1] == "" else lines)]


def run(case, program, where):
    """The case as it turns out."""
    words = shlex.split(case.command)
    assert words[0] == "kith", case.command
    stdin = "".join(line + "\n" for line in case.stdin).encode("utf-8")
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(where)}
    done = subprocess.run([program, *words[1:]], input=stdin, capture_output=True, cwd=where, env=environment,
                          timeout=300)
    actual = Case(case.why, case.command)
    actual.stdin = case.stdin
    actual.stdout, actual.stderr = lines_of(done.stdout), lines_of(done.stderr)
    actual.exit_code = done.returncode
    return actual


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, help="the command line tool")
    parser.add_argument("--fix", action="store_true", help="expect what happens")
    arguments = parser.parse_args()

    program, count, failed = arguments.program.resolve(), 0, 0
    for path in sorted(HERE.glob("*.cases")):
        texts = []
        with tempfile.TemporaryDirectory() as folder:
            make_folder(Path(folder))
            for case in read_cases(path):
                actual = run(case, program, Path(folder))
                texts.append(actual.text())
                count += 1
                if actual.text() != case.text():
                    failed += 1
                    print(f"{path.name}: expected\n{case.text()}but it was\n{actual.text()}")
        if arguments.fix:
            path.write_text("\n".join(texts), encoding="utf-8")
    print(f"{count} cases, {failed} differ")
    return 1 if failed and not arguments.fix else 0


if __name__ == "__main__":
    sys.exit(main())
