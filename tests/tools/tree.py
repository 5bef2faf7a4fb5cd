"""Helpers for testing the scripts in tools/: small trees of files, written from dictionaries."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools"))


class TreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()

    def write(self, files):
        """Writes `files`, a dictionary from path to text, below self.root."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def assert_one_error(self, errors, fragment):
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(fragment, errors[0])

    def run_main(self, module, *arguments):
        """What module.main() returns and prints when called with `arguments`."""
        output = io.StringIO()
        old, sys.argv = sys.argv, [module.__name__, *map(str, arguments)]
        try:
            with contextlib.redirect_stdout(output):
                return module.main(), output.getvalue()
        finally:
            sys.argv = old
