"""Worlds and queries, many after another, leave nothing behind."""

import gc
import os
import tracemalloc
import unittest
from pathlib import Path

import kith


class Growth(unittest.TestCase):
    def test_many_worlds_do_not_grow(self):
        def make():
            with kith.World() as world:
                world.observe("Prefab", kith.OnAdd, lambda batch: None)
                world.entity().add(kith.Prefab)

        make()
        gc.collect()
        tracemalloc.start()
        for _ in range(20):
            make()
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(2_000):
            make()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertLess(after - before, 40_000)

    def test_many_queries_do_not_grow(self):
        with kith.World() as world:
            def use():
                for _ in range(200):
                    query = world.query("Prefab")
                    with query.monitor(enter=lambda batch: None):
                        list(query)

            use()
            gc.collect()
            tracemalloc.start()
            before, bytes_before = tracemalloc.get_traced_memory()[0], world.stats().bytes_total
            for _ in range(10):
                use()
            gc.collect()
            after, bytes_after = tracemalloc.get_traced_memory()[0], world.stats().bytes_total
            tracemalloc.stop()
            self.assertLess(after - before, 40_000)
            self.assertEqual(bytes_before, bytes_after)

    @unittest.skipUnless(Path("/proc/self/statm").exists(), "the size of the process is not known")
    def test_many_worlds_in_a_row(self):
        def resident():
            return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def make(count):
            for _ in range(count):
                with kith.World() as world:
                    world.entity("Ship").add(kith.Prefab)

        make(1_000)
        before = resident()
        make(10_000)
        self.assertLess(resident() - before, 4_000_000)
