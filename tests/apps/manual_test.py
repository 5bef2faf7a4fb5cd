#!/usr/bin/env python3
"""The man page and the completions have the commands and options that the program has."""
# spec 438

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "apps/kith/kith.1"
PROGRAM = None
SHELLS = ("bash", "zsh", "fish")


def kith(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, encoding="utf-8", check=True)
    return done.stdout


def commands():
    listed = kith("--help").split("Subcommands:")[1]
    return re.findall(r"^  (\w+) ", listed, re.MULTILINE)


def options(*command):
    return set(re.findall(r"--[a-z][a-z-]+", "\n".join(re.findall(r"^  (?:-\w,)?--.*", kith(*command, "--help"), re.MULTILINE))))


class Page(unittest.TestCase):
    def test_it_has_all_options_and_no_other(self):
        shown = set().union(options(), *(options(command) for command in commands()))
        described = {"-" + name for name in re.findall(r"^\.It Fl (-[a-z-]+)", PAGE.read_text(), re.MULTILINE)}
        described |= {"-" + name for name in re.findall(r"^\.It .*, Fl (-[a-z-]+)", PAGE.read_text(), re.MULTILINE)}
        self.assertEqual(described, shown)

    def test_it_has_all_commands_and_no_other(self):
        self.assertEqual(sorted(re.findall(r"^\.It Cm (\w+)", PAGE.read_text(), re.MULTILINE)), sorted(commands()))
        for command in commands():
            self.assertIn(f".It Cm {command}\n", PAGE.read_text())

    def test_it_has_the_commands_of_the_shell(self):
        lines = subprocess.run([PROGRAM, "shell"], input=":help\n", capture_output=True, text=True, check=True).stdout
        for command in re.findall(r"^ *(:\w+)", lines, re.MULTILINE):
            self.assertRegex(PAGE.read_text(), rf"\.It .*Ic {command}\b")

    @unittest.skipUnless(shutil.which("man"), "there is no man")
    def test_man_formats_it_without_warnings(self):
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", PAGE], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Completions(unittest.TestCase):
    def test_they_name_each_command_and_option(self):
        for shell in SHELLS:
            script = kith("completions", shell)
            for command in commands():
                self.assertIn(command, script)
                for option in options(command) - {"--help"}:
                    self.assertRegex(script, option if shell != "fish" else f"-l {option[2:]}")

    def test_they_are_scripts_of_their_shells(self):
        for shell in SHELLS:
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=kith("completions", shell), text=True, check=True)

    def complete(self, *words, files=()):
        """What bash offers for the last word."""
        with tempfile.TemporaryDirectory() as folder:
            for name in files:
                (Path(folder) / name).touch()
            script = kith("completions", "bash") + '\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kith; printf "%s\\n" "${COMPREPLY[@]}"'
            done = subprocess.run(["bash", "-c", script, "bash", *words], cwd=folder, capture_output=True, text=True, check=True)
        return done.stdout.split()

    def test_bash_offers_commands_options_values_and_files(self):
        self.assertEqual(self.complete("kith", "que"), ["query"])
        self.assertIn("--version", self.complete("kith", "--v"))
        self.assertEqual(self.complete("kith", "query", "--format", "j"), ["json"])
        self.assertEqual(self.complete("kith", "query", "--lim"), ["--limit"])
        self.assertEqual(self.complete("kith", "completions", "z"), ["zsh"])
        self.assertEqual(self.complete("kith", "check", "", files=["a.kith", "b.txt", "c.kithb"]), ["a.kith", "c.kithb"])


class Version(unittest.TestCase):
    def test_verbose_adds_the_build(self):
        short = kith("--version").strip()
        self.assertRegex(short, r"^kith \d+\.\d+\.\d+$")
        lines = kith("--version", "--verbose").splitlines()
        self.assertEqual(lines[0], short)
        self.assertEqual([line.split(":")[0] for line in lines[1:]], ["compiler", "asserts", "exceptions", "commit"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    options_given, rest = parser.parse_known_args()
    PROGRAM = options_given.program
    unittest.main(argv=[sys.argv[0], *rest])
