"""Ends of worlds and queries, threads, memory."""

import copy
import ctypes
import gc
import pickle
import threading
import unittest

import kith
from support import np, with_numpy


class Lives(unittest.TestCase):
    def test_after_the_end(self):
        world = kith.World()
        e, query = world.entity("E"), world.query("Prefab")
        world.close()
        world.close()
        for call in (lambda: world.entity(), lambda: e.add(e), lambda: query.count(), lambda: list(query),
                     lambda: e.name):
            with self.assertRaises(kith.InvalidEntity):
                call()
        self.assertIn("ended", repr(e) + repr(query) + repr(world))

    def test_a_loop_is_ended_with_its_world(self):
        with kith.World() as world:
            world.entity().add(kith.Prefab)
            query = world.query("Prefab")
            loop = iter(query)
            next(loop)
        with self.assertRaises(kith.InvalidEntity):
            next(loop)

    def test_garbage_in_any_order(self):
        for order in range(3):
            world = kith.World()
            things = [world, world.query("Prefab"), world.entity()]
            del world
            del things[order]
            gc.collect()
            del things[0]
            gc.collect()

    def test_threads(self):
        world = kith.World()
        e = world.entity().add(kith.Prefab)
        query = world.query("Prefab")
        loop = iter(query)
        next(loop)
        problems, kept = [], [loop]
        del loop

        def use():
            try:
                e.add(e)
            except kith.WrongThread as problem:
                problems.append(problem)
            kept.clear()  # the loop is ended here, on another thread

        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        self.assertEqual(len(problems), 1)
        world.entity()
        e.remove(kith.Prefab)  # the table is not locked any more
        world.share()
        thread = threading.Thread(target=lambda: e.add(kith.Prefab))
        thread.start()
        thread.join()
        self.assertTrue(e.has(kith.Prefab))
        world.close()

    @with_numpy
    def test_what_other_threads_drop_keeps_its_callbacks(self):
        """A finalizer on another thread cannot end anything; until the owner does, callbacks may be called."""
        with kith.World() as world:
            position, calls = world.component("Position", "f8"), []

            def compare(e1, v1, e2, v2):
                calls.append("compare")
                return -1 if v1 < v2 else 1

            things = [world.query("Position").monitor(enter=lambda batch: calls.append("enter")),
                      world.query("Position", order_by=(position, compare))]
            thread = threading.Thread(target=things.clear)
            thread.start()
            thread.join()
            gc.collect()
            for value in range(3):
                world.entity().set(position, value)
            self.assertNotIn("compare", calls)
            world.check()

    @with_numpy
    def test_a_shared_world_serializes_calls_and_loops(self):
        with kith.World() as world:
            position = world.component("Position", x="f8", y="f8")
            ids = world.bulk(Position=np.zeros(100, position.dtype))
            world.share()
            problems = []

            def work(number):
                try:
                    tag = world.entity(f"Tag{number}")
                    for round_ in range(30):
                        e = world.entity().set(position, number, round_)
                        self.assertEqual(e.get(position).y, round_)
                        for batch in world.query("Position"):
                            batch["Position"]["x"] += 1
                        e.add(tag)
                        e.delete()
                except BaseException as problem:
                    problems.append(problem)

            threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(problems, [])
            self.assertEqual(world.get(position, ids)["x"].tolist(), [120.0] * 100)
            world.check()

    def test_copies_are_refused(self):
        with kith.World() as world:
            for thing in (world, world.entity(), world.query("Prefab")):
                for copied in (pickle.dumps, copy.copy, copy.deepcopy):
                    with self.assertRaises(TypeError):
                        copied(thing)

    def test_memory_of_the_program(self):
        blocks, allowed = {}, [10**9]

        def alloc(size, alignment):
            if allowed[0] == 0:
                return None
            allowed[0] -= 1
            block = ctypes.create_string_buffer(size + alignment)
            address = -(-ctypes.addressof(block) // alignment) * alignment
            blocks[address] = block
            return address

        with kith.World(memory=(alloc, lambda address, size, alignment: blocks.pop(address))) as world:
            self.assertTrue(blocks)
            allowed[0] = 0
            with self.assertRaises(MemoryError):
                for _ in range(100_000):
                    world.entity()
            allowed[0] = 10**9
            world.check()
        self.assertEqual(blocks, {})
