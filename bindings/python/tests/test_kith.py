"""Tests of the Python binding: python3 -m unittest, with kith.py in PYTHONPATH and KITH_LIBRARY set."""

import contextlib
import copy
import ctypes
import inspect
import dataclasses
import gc
import io
import os
import pickle
import random
import re
import subprocess
import sys
import threading
import tracemalloc
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


class Entities(WithWorld):
    def test_tags_and_pairs(self):
        world = self.world
        likes, bob, tag = world.entity("Likes"), world.entity("Bob"), world.entity("Tag")
        e = world.entity().add(tag).add(likes, bob)
        self.assertTrue(e.has(tag) and e.has(likes, bob) and e.has(likes, kith.Wildcard))
        self.assertEqual(e.target(likes), bob)
        self.assertEqual(e.targets(likes), [bob])
        self.assertIsNone(e.target(tag))
        self.assertEqual(bob.sources(likes), [e])
        self.assertEqual([str(one) for one in e.ids], ["Tag", "(Likes,Bob)"])
        pair = e.ids[1]
        self.assertTrue(pair.is_pair)
        self.assertEqual((pair.first, pair.second), (likes, bob))
        e.remove(likes, bob).remove(tag)
        self.assertEqual(e.ids, [])

    def test_numbers(self):
        world = self.world
        first = world.entity()
        number = int(first)
        first.delete()
        second = world.entity()
        self.assertEqual((second.index, second.generation), (first.index, first.generation + 1))
        self.assertEqual(world.entity(int(second)), second)
        self.assertFalse(world.entity(number).alive)
        for wrong in (1.5, [1], object()):
            with self.assertRaises(TypeError):
                world.entity(wrong)

    def test_counts_and_deletion_by_id(self):
        world = self.world
        tag, likes, bob = world.entity("Tag"), world.entity("Likes"), world.entity("Bob")
        some = [world.entity().add(tag).add(likes, bob) for _ in range(3)]
        some[0].remove(likes, bob)
        self.assertEqual((world.count(tag), world.count(likes, bob), world.count(likes, kith.Wildcard)), (3, 2, 2))
        world.delete_with(likes, kith.Wildcard)
        self.assertEqual([e.alive for e in some], [True, False, False])
        world.delete_with(tag)
        self.assertEqual((world.count(tag), some[0].alive), (0, False))
        with kith.World() as other:
            for call in (world.count, world.delete_with):
                with self.assertRaises(kith.InvalidEntity):
                    call(other.entity())

    def test_ids_of_the_table(self):
        world = self.world
        tag, loose = world.entity("Tag"), world.entity("Loose").add(kith.Sparse)
        e = world.entity().add(tag).add(loose)
        self.assertEqual(([str(one) for one in e.table_ids], sorted(str(one) for one in e.ids)),
                         (["Tag"], ["Loose", "Tag"]))
        self.assertEqual(world.entity().table_ids, [])
        e.delete()
        with self.assertRaises(kith.InvalidEntity):
            e.table_ids

    def test_names_and_trees(self):
        world = self.world
        earth = world.entity("Sun::Earth")
        sun = world.lookup("Sun")
        self.assertEqual((earth.parent, sun.children), (sun, [earth]))
        self.assertEqual((earth.name, earth.path, str(earth), repr(earth)),
                         ("Earth", "Sun.Earth", "Earth", "<kith Sun.Earth>"))
        earth.name = "Terra"
        self.assertEqual(world.lookup("Sun::Terra"), earth)
        self.assertIsNone(world.lookup("Nobody"))
        moon = world.entity("Sun::Terra::Moon")
        self.assertEqual(list(moon.walk_up(kith.ChildOf)), [earth, sun])
        with self.assertRaises(kith.Limit):
            list(moon.walk_up(kith.ChildOf, limit=1))
        self.assertEqual(list(sun.traverse(kith.ChildOf)), [(0, sun), (1, earth), (2, moon)])
        self.assertEqual((sun.depth(kith.ChildOf), moon.depth(kith.ChildOf)), (0, 2))
        with self.assertRaises(kith.Error):
            moon.depth(kith.Wildcard)
        with self.assertRaises(kith.NameTaken):
            world.entity("Sun::Mars").name = "Terra"

    def test_lives(self):
        e = self.world.entity()
        self.assertTrue(e.alive and e.enabled)
        self.assertFalse(e.disable().enabled)
        e.enable()
        other = e.clone()
        e.delete()
        self.assertFalse(e.alive)
        self.assertRegex(repr(e), "^<kith #[0-9]+, not alive>$")
        with self.assertRaises(kith.InvalidEntity) as failure:
            e.add(other)
        self.assertEqual((failure.exception.code, failure.exception.status), ("invalid_entity", 1))
        self.assertIn("not alive", str(failure.exception))
        self.assertTrue(issubclass(kith.InvalidEntity, kith.Error))

    def test_managers(self):
        world = self.world
        tag, scope = world.entity("Tag"), world.entity("Scope")
        with world.scope(scope), world.using(tag):
            e = world.entity("Inner")
        self.assertEqual(e.parent, scope)
        self.assertTrue(e.has(tag))
        with world.defer():
            e.remove(tag)
            self.assertTrue(e.has(tag))
        self.assertFalse(e.has(tag))
        with self.assertRaises(ZeroDivisionError), world.defer():
            e.add(tag)
            raise ZeroDivisionError
        self.assertTrue(e.has(tag))

    def test_relations_and_enums(self):
        world = self.world
        docked = world.relation("DockedTo", exclusive=True)
        a, b = world.entity(), world.entity()
        e = world.entity().add(docked, a).add(docked, b)
        self.assertEqual(e.targets(docked), [b])
        with self.assertRaises(TypeError):
            world.relation("Odd", colour=True)
        below = world.relation("Below", acyclic=True)
        a.add(below, b)
        with self.assertRaises(kith.Cycle):
            b.add(below, a)
        color = world.enum("PyColor", Red=1, Green=2)
        self.assertIsNone(e.get_enum(color))
        e.set_enum(color, "Red").set_enum(color, 2)
        self.assertEqual(e.get_enum(color), "Green")
        self.assertTrue(e.has(color, color.Green))

    def test_wrong_types_are_type_errors(self):
        e = self.world.entity()
        for wrong in ("text", None, 1.5, [1]):
            with self.assertRaises((TypeError, ctypes.ArgumentError)):
                e.add(wrong)

    def test_entities_of_another_world_are_refused(self):
        with kith.World() as other:
            foreign, own, e = other.entity("Foreign"), self.world.entity("Own"), self.world.entity()
            for call in (lambda: e.add(foreign), lambda: e.add(own, foreign), lambda: e.remove(foreign),
                         lambda: e.has(foreign, own), lambda: e.owns(foreign),
                         lambda: list(self.world.query("(Own, $x)").batches(x=foreign))):
                with self.assertRaises(kith.InvalidEntity):
                    call()
            self.assertEqual(e.ids, [])


@with_numpy
class Values(WithWorld):
    def setUp(self):
        super().setUp()
        self.position = self.world.component("Position", x="f8", y="f8")
        self.velocity = self.world.component("Velocity", x="f8", y="f8")

    def test_records(self):
        e = self.world.entity().set(self.position, x=1, y=2)
        self.assertEqual((e.get(self.position).x, e.get(self.position)["y"]), (1, 2))
        e.set(self.position, 3, 4)
        self.assertEqual(e.get("Position").tolist(), (3, 4))
        e.set("Position", self.position(5, 6))
        self.assertEqual(e.get(self.position).y, 6)
        self.assertIsNone(e.get(self.velocity))
        likes = self.world.entity()
        e.set(self.position, 7, 8, target=likes)
        self.assertEqual(e.get(self.position, target=likes).x, 7)
        self.world.singleton[self.velocity] = self.velocity(1, 2)
        self.assertEqual(self.world.singleton[self.velocity].y, 2)

    def test_wrong_values(self):
        e = self.world.entity()
        for call in (lambda: e.set(self.position, z=1), lambda: e.set(self.position, 1, 2, 3),
                     lambda: e.set(self.position, np.zeros(1, [("a", "f8")])[0]),
                     lambda: e.set(self.position, 1, x=1)):
            with self.assertRaises(TypeError):
                call()
        tag = self.world.component("JustATag")
        with self.assertRaises(kith.WrongType):
            e.set(tag, 1)
        with self.assertRaises(kith.InvalidName):
            e.set("Nobody", 1)
        self.assertEqual(e.ids, [])

    def test_kinds_of_descriptions(self):
        @dataclasses.dataclass
        class Mass:
            tons: "f4"
            crew: "i4"

        class Box(ctypes.Structure):
            _fields_ = [("w", ctypes.c_int8), ("h", ctypes.c_double)]

        mass, box = self.world.component("Mass", Mass), self.world.component("Box", Box)
        single = self.world.component("Heat", "f4")
        self.assertEqual((mass.dtype.itemsize, box.dtype.itemsize, single.dtype.itemsize), (8, 16, 4))
        e = self.world.entity().set(mass, 1.5, 3).set(box, w=1, h=2).set(single, 9)
        self.assertEqual((e.get(mass).crew, e.get(box).h, e.get(single)), (3, 2, 9))
        self.assertEqual(self.world.component("Mass"), mass)
        with self.assertRaises(kith.TypeConflict):
            self.world.component("Mass", a="f8", b="f8")
        with self.assertRaises(TypeError):
            self.world.component("Objects", "O")

    def test_wrong_dtypes(self):
        world = self.world
        ids = world.bulk(Position=np.zeros(2, self.position.dtype))
        count = world.component("Count", "i4")
        grid = world.component("Grid", cells=("f4", (2, 2)))
        for call in (lambda: world.set(count, ids, np.array([1.5, 2.5])),  # would lose their fractions
                     lambda: world.set(count, ids, [1.5, 2.5]),
                     lambda: world.set(count, ids, np.array(["1", "2"])),
                     lambda: world.set(count, ids, np.zeros(2, self.position.dtype)),
                     lambda: world.set(self.position, ids, np.zeros(2)),
                     lambda: world.set(grid, ids, np.zeros(2, [("cells", "f4", (3,))])),
                     lambda: world.add(np.array(["a"]), kith.Prefab),
                     lambda: world.add(np.array([None]), kith.Prefab),
                     lambda: world.get(count, [0.5]),
                     lambda: world.component("Bare", ("f8", 3)),
                     lambda: world.component("Nothing", "S0"),
                     lambda: world.component("Python", "O"),
                     lambda: world.query("Position", order_by=world.component("Swapped", ">f8"))):
            with self.assertRaises(TypeError):
                call()
        for call in (lambda: world.set(count, ids, np.zeros((2, 1), "i4")),
                     lambda: world.bulk(Count=np.zeros((2, 2), "i4")),
                     lambda: world.delete(np.zeros((1, 2), np.uint64)),
                     lambda: world.delete(7)):
            with self.assertRaises(ValueError):
                call()
        world.set(count, ids, np.array([1, 2], "i8"))
        world.set(grid, ids, np.ones(2, grid.dtype))
        self.assertEqual(world.get(count, ids).tolist(), [1, 2])
        for batch in world.query("Grid"):
            self.assertEqual(batch["Grid"]["cells"].shape, (2, 2, 2))
        self.assertEqual(world.get(count, []).tolist(), [])
        with kith.World() as other:
            foreign = other.component("Count", "i4")
            for call in (lambda: world.get(foreign, ids), lambda: world._entity(int(ids[0])).set(foreign, 1),
                         lambda: world._entity(int(ids[0])).get(foreign)):
                with self.assertRaises(kith.InvalidEntity):
                    call()

    def test_a_type_that_takes_the_number_of_another(self):
        """Pairs have no generation: the same number may have values of another size later."""
        world, rows = self.world, []
        likes = world.entity("Likes")
        for name, kind in (("Small", "i1"), ("Large", "f8")):
            component = world.component(name, kind)
            e = world.entity().set(component, 3, target=likes)
            for batch in world.query("($any, Likes)"):
                rows.append((batch[1].itemsize, batch[1].tolist()))
            e.delete()
            component.delete()
        self.assertEqual(rows, [(1, [3]), (8, [3.0])])

    def test_emplace_and_addresses(self):
        world, likes = self.world, self.world.entity("Likes")
        e = world.entity().emplace(self.position, x=1, y=2)
        self.assertEqual(e.get(self.position).tolist(), (1, 2))
        with self.assertRaises(kith.AlreadyExists):
            e.emplace(self.position, 3, 4)
        self.assertEqual(e.get(self.position).tolist(), (1, 2))
        e.emplace(self.position, 5, 6, target=likes)
        self.assertEqual(e.get(self.position, target=likes).x, 5)
        self.assertEqual(ctypes.c_double.from_address(e.address(self.position)).value, 1)
        self.assertEqual(ctypes.c_double.from_address(e.address(self.position, target=likes)).value, 5)
        self.assertIsNone(e.address(self.velocity))
        with self.assertRaises(kith.WrongType):
            e.emplace(world.component("JustATag"), 1)

    def test_each(self):
        world, likes = self.world, self.world.entity("Likes")
        e = world.entity().set(self.position, 1, 2).add(likes, likes).set(self.velocity, 3, 4, target=likes)
        for what, expected in (((self.position,), [(1, 2)]), ((likes, kith.Wildcard), None),
                               ((self.velocity, likes), [(3, 4)])):
            found = [(list(batch), None if batch[1] is None else batch[1].tolist()) for batch in world.each(*what)]
            self.assertEqual(found, [([e], expected)])
        for batch in world.each(self.position):
            self.assertEqual((list(batch), batch["Position"].tolist()), ([e], [(1, 2)]))
            with self.assertRaises(ValueError):
                batch["Position"]["x"] = 0
            with self.assertRaises(kith.Locked):
                e.remove(self.position)
            break
        e.remove(self.position)
        self.assertEqual(list(world.each(self.position)), [])
        with kith.World() as other, self.assertRaises(kith.InvalidEntity):
            world.each(other.entity())

    def test_many_at_once(self):
        world = self.world
        ids = world.bulk(Position=np.array([(1, 2), (3, 4)], self.position.dtype))
        self.assertEqual(world.get(self.position, ids)["y"].tolist(), [2, 4])
        tag = world.entity("Tag")
        world.add(ids, tag)
        world.set(self.velocity, ids, np.ones(2, self.velocity.dtype))
        self.assertEqual(len(world.query("Position, Velocity, Tag")), 2)
        with self.assertRaises(ValueError):
            world.set(self.velocity, ids, np.ones(3, self.velocity.dtype))
        with self.assertRaises(TypeError):
            world.bulk(Position=np.zeros(2, [("a", "f8"), ("b", "f8")]))
        with self.assertRaises(ValueError):
            world.bulk(Position=np.zeros(2, self.position.dtype), Velocity=np.zeros(3, self.velocity.dtype))
        world.delete(ids)
        self.assertEqual(len(world.query("Position")), 0)
        with self.assertRaises(kith.InvalidEntity):
            world.get(self.position, ids)


@with_numpy
class Queries(WithWorld):
    def setUp(self):
        super().setUp()
        world = self.world
        self.position = world.component("Position", x="f8", y="f8")
        self.velocity = world.component("Velocity", x="f8", y="f8")
        self.ids = world.bulk(Position=np.array([(i, 0) for i in range(5)], self.position.dtype),
                              Velocity=np.ones(5, self.velocity.dtype))
        self.moving = world.query("Position, [in] Velocity")

    def test_columns_are_views(self):
        for batch in self.moving:
            self.assertEqual((len(batch), batch.entities.tolist()), (5, self.ids.tolist()))
            batch["Position"]["x"] += batch["Velocity"]["x"]
            with self.assertRaises(ValueError):
                batch["Velocity"]["x"] = 0
            with self.assertRaises(KeyError):
                batch["Mass"]
            with self.assertRaises(IndexError):
                batch[3]
            self.assertIsNone(batch.source(1))
            self.assertEqual(str(batch.id(1)), "Position")
        self.assertEqual(self.world.get(self.position, self.ids)["x"].tolist(), [1, 2, 3, 4, 5])

    def test_checked_mode_spoils_arrays_that_are_kept(self):
        kept = []
        for batch in self.moving:
            kept.append(batch["Position"])
        if kith.CHECKED:
            self.assertFalse(kept[0].flags.writeable)
            self.assertNotEqual(kept[0]["x"][0], 0)

    def test_rows_and_arrays(self):
        world = self.world
        docked, earth = world.entity("DockedTo"), world.entity("Earth")
        ship = world.entity("Ship").set(self.position, 1, 2).add(docked, earth)
        rows = list(world.query("(DockedTo, $where), Position, ?Velocity").rows())
        self.assertEqual([(row["this"], row["where"]) for row in rows], [(ship, earth)])
        self.assertEqual((rows[0]["Position"].y, rows[0]["Velocity"]), (2, None))
        self.assertEqual(list(world.query("(DockedTo, $where)").rows(where=world.entity("Mars"))), [])
        with self.assertRaises(TypeError):
            list(world.query("(DockedTo, $where)").rows(nowhere=earth))
        arrays = self.moving.arrays()
        self.assertEqual(arrays["Position"]["x"].tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(arrays["this"].tolist(), self.ids.tolist())
        self.assertEqual(list(self.moving.arrays(columns=["Velocity"])), ["this", "Velocity"])
        self.assertEqual(len(world.query("Prefab").arrays()["this"]), 0)

    def test_questions(self):
        query, first = self.moving, self.world._entity(int(self.ids[0]))
        self.assertEqual((query.count(), len(query), bool(query), query.first()), (5, 5, True, first))
        self.assertTrue(query.matches(first))
        self.assertEqual((str(query), query.fields, query.variables),
                         ("Position, [in] Velocity", ["Position", "Velocity"], []))
        self.assertTrue(query.explain() and query.explain(first))
        self.assertEqual(sum(len(batch) for batch in query.page(1, 3)), 3)
        self.assertFalse(self.world.query("Prefab"))
        self.assertTrue(query.changed)
        list(query)
        self.assertFalse(query.changed)

    def test_order_and_groups(self):
        world = self.world
        at, a, b = world.entity("At"), world.entity("a"), world.entity("b")
        world.add(self.ids[:2], at, b)
        world.add(self.ids[2:], at, a)
        groups = [(batch.group, len(batch)) for batch in world.query("Position, (At, *)", group_by=at)]
        self.assertEqual(groups, [(int(a), 3), (int(b), 2)])
        descending = world.query("Position", order_by=(self.position, lambda e1, v1, e2, v2: v2.x - v1.x))
        self.assertEqual(descending.arrays()["Position"]["x"].tolist(), [4, 3, 2, 1, 0])
        ascending = world.query("Position", order_by=self.position)
        self.assertEqual(ascending.arrays()["Position"]["x"].tolist(), [0, 1, 2, 3, 4])

        for scale in (1e-3, 1e300):  # the sign decides, however small or large the number is
            descending = world.query("Position",
                                     order_by=(self.position, lambda e1, v1, e2, v2: (v2.x - v1.x) * scale))
            self.assertEqual(descending.arrays()["Position"]["x"].tolist(), [4, 3, 2, 1, 0])

        def broken(*_):
            raise LookupError("no order")

        with self.assertRaises(LookupError):
            world.query("Position", order_by=(self.position, broken)).arrays()

    def test_batches_that_are_kept_too_long(self):
        kept = []
        for batch in self.moving:
            kept.append(batch)
        loop = iter(self.moving)
        kept.append(next(loop))
        loop.close()
        self.world.observe("Position", kith.OnSet, kept.append)
        first = self.world._entity(int(self.ids[0])).set(self.position, 1, 2)
        self.position.on_set(kept.append)
        first.set(self.position, 3, 4)
        self.assertEqual(len(kept), 5)
        for batch in kept:
            for call in (lambda: len(batch), lambda: batch.entities, lambda: list(batch), lambda: batch["Position"],
                         lambda: batch[1], lambda: batch.id(1), lambda: batch.source(1), lambda: batch.changed,
                         batch.skip, lambda: batch.event, lambda: batch.group, lambda: batch.is_set(1)):
                with self.assertRaises(kith.InvalidOperation):
                    call()
            self.assertEqual(repr(batch), "<kith batch, ended>")

    def test_arrays_that_outlive_a_structural_change(self):
        """A change is refused while a batch is current. In checked mode a late write raises."""
        tag, first = self.world.entity("Tag"), self.world._entity(int(self.ids[0]))
        for batch in self.moving:
            column, names = batch["Position"], batch.entities
            for change in (lambda: first.add(tag), first.delete, lambda: first.remove(self.velocity),
                           lambda: self.world.bulk(Position=np.zeros(9, self.position.dtype),
                                                   Velocity=np.zeros(9, self.velocity.dtype))):
                with self.assertRaises(kith.Locked):
                    change()
            self.assertEqual((column["x"].tolist(), names.tolist()), ([0, 1, 2, 3, 4], self.ids.tolist()))
        first.delete()
        self.world.bulk(Position=np.zeros(5000, self.position.dtype), Velocity=np.zeros(5000, self.velocity.dtype))
        if kith.CHECKED:
            with self.assertRaises(ValueError):
                column["x"] = 1
            self.assertNotEqual(column["x"].tolist(), [0, 1, 2, 3, 4])
            self.assertEqual(names.tolist(), self.ids.tolist())

    def test_a_loop_that_never_begins_leaves_nothing_open(self):
        for _ in range(100):
            self.moving.batches()
        with self.assertRaises(TypeError):
            self.moving.batches(nowhere=1)
        self.world.close()

    def test_loops_that_are_left_early(self):
        e = self.world._entity(int(self.ids[0]))
        tag = self.world.entity()
        for _ in self.moving:
            with self.assertRaises(kith.Locked):
                e.add(tag)
            break
        e.add(tag)

        def leave():
            for batch in self.moving:
                return len(batch)

        leave()
        with contextlib.suppress(ZeroDivisionError):
            for _ in self.moving:
                raise ZeroDivisionError
        kept = iter(self.moving)
        next(kept)
        del kept
        gc.collect()
        e.remove(tag)

    def test_mistakes(self):
        with self.assertRaises(kith.InvalidQuery) as failure:
            self.world.query("((")
        self.assertEqual((failure.exception.line, failure.exception.column), (1, 2))
        with self.assertRaises(kith.InvalidQuery) as failure:
            self.world.query("Position,\n Nobody, Missing")
        places = [(one.line, one.column, one.message.split("'")[1]) for one in failure.exception.mistakes]
        self.assertEqual(places, [(2, 2, "Nobody"), (2, 10, "Missing")])
        self.assertEqual(kith.check_query("Position"), [])
        mistake = kith.check_query("Position,, ")[0]
        self.assertEqual((mistake.line, mistake.column > 1, bool(mistake.message)), (1, True, True))

    def test_shared_values(self):
        world = self.world
        base = world.prefab("Base").set(self.velocity, 7, 8)
        for _ in range(2):
            world.entity().add(kith.IsA, base).set(self.position, 0, 0)
        values = [batch["Velocity"]["x"].tolist() for batch in world.query("Position, Velocity, (IsA, Base)")]
        self.assertEqual(sum(values, []), [7, 7])


@with_numpy
class Callbacks(WithWorld):
    def setUp(self):
        super().setUp()
        self.position = self.world.component("Position", x="f8", y="f8")
        self.calls = []

    def test_observers(self):
        def notify(batch):
            self.calls.append((int(batch.event), len(batch), batch["Position"]["x"].tolist()))

        observer = self.world.observe("Position", [kith.OnSet, kith.OnRemove], notify)
        e = self.world.entity().set(self.position, 5, 6)
        e.remove(self.position)
        self.assertEqual(self.calls, [(kith.OnSet, 1, [5]), (kith.OnRemove, 1, [5])])
        observer.delete()
        e.set(self.position, 1, 1)
        self.assertEqual(len(self.calls), 2)
        self.world.observe("Position", kith.OnAdd, notify, existing=True)
        self.assertEqual(len(self.calls), 3)
        event = self.world.entity("Hit")
        self.world.observe("Position", event, notify)
        e.emit(event, self.position)
        self.assertEqual(self.calls[-1][0], int(event))

    def test_hooks(self):
        self.position.on_add(lambda batch: self.calls.append("add"))
        self.position.on_set(lambda batch: self.calls.append(float(batch[1]["x"][0])))
        self.position.on_remove(lambda batch: self.calls.append("remove"))
        self.world.entity().set(self.position, 3, 4).remove(self.position)
        self.assertEqual(self.calls, ["add", 3.0, "remove"])

    def test_monitors(self):
        query = self.world.query("Position, !Disabled")
        watch = query.monitor(enter=lambda batch: self.calls.append("enter"),
                              leave=lambda batch: self.calls.append("leave"))
        e = self.world.entity().set(self.position, 1, 2)
        e.disable()
        self.assertEqual(self.calls, ["enter", "leave"])
        watch.close()
        e.enable()
        self.assertEqual(len(self.calls), 2)

    def test_the_exception_of_a_callback_reaches_the_caller(self):
        raised = []

        def refuse(batch):
            raised.append(RuntimeError("not this one"))
            raise raised[-1]

        self.world.observe("Position", kith.OnSet, refuse)
        self.world.observe("Position", kith.OnSet, refuse)
        with self.assertRaises(RuntimeError) as failure:
            self.world.entity().set(self.position, 1, 2)
        self.assertIs(failure.exception, raised[0])
        self.assertIs(failure.exception.__context__, raised[1])
        self.world.observe("Position", kith.OnRemove, refuse)
        with self.assertWarns(RuntimeWarning):
            self.world.close()

    def test_an_exception_names_its_callback(self):
        def refuse(batch):
            raise RuntimeError("not this one")

        self.world.observe("Position", kith.OnSet, refuse)
        with self.assertRaises(RuntimeError) as failure:
            self.world.entity().set(self.position, 1, 2)
        if sys.version_info >= (3, 11):
            self.assertEqual(failure.exception.__notes__, ["raised in kith's observer of 'Position'"])

    def test_exceptions_in_every_kind_of_callback(self):
        def refuse(*_):
            raise LookupError("not this one")

        world = self.world
        query = world.query("Position")
        hooked = {kind: world.component(kind.title(), "f8") for kind in ("on_add", "on_set", "on_remove")}
        for kind, component in hooked.items():
            getattr(component, kind)(refuse)
        e = world.entity()
        with self.assertRaises(LookupError):
            e.set(hooked["on_add"], 1)
        with self.assertRaises(LookupError):
            e.set(hooked["on_set"], 1)
        e.set(hooked["on_remove"], 1)
        with self.assertRaises(LookupError):
            e.remove(hooked["on_remove"])
        with query.monitor(enter=refuse, leave=refuse), self.assertRaises(LookupError):
            world.entity().set(self.position, 1, 2)
        world.observe("Position", kith.OnSet, refuse)
        with self.assertRaises(LookupError), world.defer():
            world.entity().set(self.position, 3, 4)
        with self.assertRaises(LookupError):
            world.bulk(Position=np.zeros(2, self.position.dtype))
        with self.assertRaises(LookupError):
            world.set(self.position, [int(world.entity().add(self.position))], np.zeros(1, self.position.dtype))
        e.remove(hooked["on_add"])  # not at the end of the world, where it would become a warning

    def test_a_callback_may_replace_or_end_itself(self):
        def replace(batch):
            self.calls.append("first")
            self.position.on_set(lambda batch: self.calls.append("second"))
            gc.collect()

        self.position.on_set(replace)
        e = self.world.entity().set(self.position, 1, 2).set(self.position, 1, 2)
        self.assertEqual(self.calls, ["first", "second"])
        e.clear()
        watches = []

        def end(batch):
            self.calls.append("enter")
            watches.pop().close()
            gc.collect()

        watches.append(self.world.query("Position").monitor(enter=end))
        self.world.entity().set(self.position, 1, 2)
        self.world.entity().set(self.position, 1, 2)
        self.assertEqual(self.calls.count("enter"), 1)

    def test_the_world_does_not_end_in_a_callback(self):
        def end(batch):
            self.world.close()

        self.world.observe("Position", kith.OnSet, end)
        with self.assertRaises(kith.InvalidOperation):
            self.world.entity().set(self.position, 1, 2)
        self.assertEqual(len(self.world.query("Position")), 1)

    def test_the_exception_of_a_hook(self):
        def refuse(batch):
            raise RuntimeError("not this one")

        self.position.on_add(refuse)
        with self.assertRaises(RuntimeError):
            self.world.entity().add(self.position)


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

    def test_many_worlds_in_a_row(self):
        for _ in range(10_000):
            kith.World().close()


class Texts(WithWorld):
    def test_load_and_save(self):
        self.world.load("Planet(Earth)\nLikes(Bob, Earth)\n")
        self.assertTrue(self.world.lookup("Bob").has(self.world.lookup("Likes"), self.world.lookup("Earth")))
        with kith.World() as second:
            second.load(self.world.save())
            self.assertEqual(second.save(), self.world.save())
        with self.assertRaises(kith.InvalidText) as failure:
            self.world.load("Planet((", file="odd.kith")
        self.assertIn("odd.kith:1", str(failure.exception))
        self.assertEqual(len(kith.check_text("Planet((")) > 0, True)
        self.assertEqual(kith.format_text("Planet( Mars )"), "Planet(Mars)\n")
        with self.assertRaises(kith.InvalidText):
            self.world.load_file("no/such/file.kith")
        self.assertGreater(self.world.stats().entities, 0)
        self.world.shrink()
        self.assertEqual(kith.version, "0.1.0")


class Model(WithWorld):
    """Random operations, compared with a dictionary."""

    def test_random_operations(self):
        world, rng, model = self.world, random.Random(1), {}
        tags = [world.entity(f"Tag{i}") for i in range(4)]
        for _ in range(2000):
            kind = rng.randrange(6)
            if kind == 0 or not model:
                model[world.entity()] = set()
                continue
            e = rng.choice(list(model))
            tag = rng.choice(tags)
            if kind in (1, 2):
                e.add(tag)
                model[e].add(tag)
            elif kind == 3:
                e.remove(tag)
                model[e].discard(tag)
            elif kind == 4:
                e.clear()
                model[e].clear()
            else:
                e.delete()
                del model[e]
        world.check()
        for e, has in model.items():
            self.assertEqual({tag for tag in tags if e.has(tag)}, has)
        for tag in tags:
            found = {row["this"] for row in world.query(tag.name).rows()}
            self.assertEqual(found, {e for e, has in model.items() if tag in has})


class Story(unittest.TestCase):
    @with_numpy
    def test_hello(self):
        """The program of README.md prints the same."""
        out = io.StringIO()
        with kith.World() as world, contextlib.redirect_stdout(out):
            Position = world.component("Position", x="f8", y="f8")
            Velocity = world.component("Velocity", x="f8", y="f8")
            Trades = world.component("Trades", tons="i4")
            earth = world.entity("Earth").set(Position, 0, 0)
            ship = world.entity("Ship").set(Position, 100, 40).add(world.component("Damaged"))
            ship.set(Velocity, -10, 5)
            docked_to = world.entity("DockedTo")
            ship.add(docked_to, earth).set(Trades, 12, target=earth)
            for batch in world.query("Position, [in] Velocity"):
                for axis in "xy":
                    batch["Position"][axis] += batch["Velocity"][axis]
            for row in world.query("Position").rows():
                print(f"{row['this']} is at {row['Position'].x:g},{row['Position'].y:g}")
            print(f"Ship is docked to {ship.target(docked_to)} and trades "
                  f"{ship.get(Trades, target=earth).tons} tons with it")
            earth.delete()
            print("Ship has a dock:", "yes" if ship.has(docked_to, kith.Wildcard) else "no")
        self.assertEqual(out.getvalue(), (TOP / "examples/00_hello.out").read_text())

    @with_numpy
    def test_tour(self):
        """The tour prints the same as the one in C++."""
        made = subprocess.run([sys.executable, "-B", TOP / "examples/python/01_tour.py"], stdout=subprocess.PIPE,
                              env={**os.environ, "PYTHONIOENCODING": "utf-8"}, check=True).stdout.decode()
        self.assertEqual(made, (TOP / "examples/01_tour.out").read_text(encoding="utf-8"))

    @with_numpy
    def test_manual(self):
        """The examples of the manual's page run."""
        page = (TOP / "docs/manual/python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        self.assertTrue(blocks)
        for block in blocks:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, "python.md", "exec"), {})


class Help(unittest.TestCase):
    def test_everything_public_is_documented(self):
        missing = []
        for name in kith.__all__:
            thing = getattr(kith, name)
            if not inspect.isclass(thing) and not inspect.isfunction(thing):
                continue
            if not (thing.__doc__ or "").strip():
                missing.append(name)
            if inspect.isclass(thing) and thing.__module__ == "kith" and not issubclass(thing, (tuple, kith.Error)):
                missing += [f"{name}.{member}" for member, value in vars(thing).items()
                            if not member.startswith("_") and (callable(value) or isinstance(value, property))
                            and not (getattr(value, "__doc__", None) or "").strip()]
        self.assertEqual(missing, [])


class Layouts(unittest.TestCase):
    def test_sizes_are_those_of_c(self):
        program = os.environ.get("KITH_SIZES")
        if not program:
            self.skipTest("KITH_SIZES is not set")
        lines = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        sizes = {name: int(size) for name, size in (line.split() for line in lines)}
        for name, struct in kith._STRUCTS.items():
            self.assertEqual(ctypes.sizeof(struct), sizes[name], name)
        self.assertEqual(set(sizes) - set(kith._STRUCTS), set())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
