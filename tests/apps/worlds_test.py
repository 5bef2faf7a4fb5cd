#!/usr/bin/env python3
"""The sample worlds: made by their script, without mistakes, formatted, and the same once saved."""

import argparse
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WORLDS = Path(__file__).resolve().parent.parent.parent / "examples/worlds"
PROGRAM = None


def kith(*arguments, lines=""):
    done = subprocess.run([PROGRAM, *arguments], input=lines, capture_output=True, text=True, encoding="utf-8")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


class Worlds(unittest.TestCase):
    def test_the_trade_empire_is_what_its_script_writes(self):
        written = subprocess.run([sys.executable, "-B", WORLDS / "generate.py", "--stdout"], check=True,
                                 capture_output=True, text=True, encoding="utf-8").stdout
        # No assertEqual: its message would be the whole file.
        self.assertTrue(written == (WORLDS / "trade_empire.kith").read_text(encoding="utf-8"),
                        "run examples/worlds/generate.py")

    def test_they_have_no_mistakes(self):
        for world in WORLDS.glob("*.kith"):
            self.assertIn(" facts, ", kith("check", str(world)))

    def test_they_are_formatted(self):
        for world in WORLDS.glob("*.kith"):
            self.assertTrue(kith("fmt", str(world)) == world.read_text(encoding="utf-8"), f"kith fmt {world.name}")

    def test_saved_and_loaded_they_answer_the_same(self):
        for world in WORLDS.glob("*.kith"):
            with tempfile.TemporaryDirectory() as folder:
                saved = f"{folder}/saved.kith"
                kith("shell", str(world), lines=f":save {saved}\n")
                for query in ("(*, *)", "*", "Prefab, (*, *)"):
                    answers = [kith("query", path, query, "--format", "csv") for path in (str(world), saved)]
                    self.assertTrue(answers[0] == answers[1], f"{world.name}: {query}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="the command line tool")
    arguments, rest = parser.parse_known_args()
    PROGRAM = arguments.program.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
