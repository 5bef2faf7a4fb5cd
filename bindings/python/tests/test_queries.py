"""Queries, their batches and columns."""

import contextlib
import gc

import kith
from support import WithWorld, np, with_numpy


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

    def test_a_variable_with_the_name_of_a_column_is_refused(self):
        self.world.entity("Likes")
        for call in (lambda: self.world.query("Position, (Likes, $Position)"),
                     lambda: self.world.observe("Position, (Likes, $Position)", kith.OnAdd, lambda batch: None)):
            with self.assertRaisesRegex(kith.InvalidQuery, r"\$Position"):
                call()
        self.assertEqual(self.world.query("(Likes, $Position)").variables, ["Position"])

    def test_arrays_name_the_columns_that_there_are(self):
        with self.assertRaisesRegex(KeyError, "'Mass'; there are this, Position, Velocity"):
            self.moving.arrays(columns=["Mass"])

    def test_shared_values(self):
        world = self.world
        base = world.prefab("Base").set(self.velocity, 7, 8)
        for _ in range(2):
            world.entity().add(kith.IsA, base).set(self.position, 0, 0)
        values = [batch["Velocity"]["x"].tolist() for batch in world.query("Position, Velocity, (IsA, Base)")]
        self.assertEqual(sum(values, []), [7, 7])
