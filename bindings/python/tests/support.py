"""What the tests of the Python binding share."""

import unittest
from pathlib import Path

import kith

try:
    import numpy as np
except ImportError:
    np = None

TOP = Path(__file__).resolve().parents[3]
with_numpy = unittest.skipIf(np is None, "numpy is missing")


class WithWorld(unittest.TestCase):
    def setUp(self):
        self.world = kith.World()

    def tearDown(self):
        if not self.world._closed():
            self.world.check()
            self.world.close()
