"""Components with values."""

import ctypes
import dataclasses

import kith
from support import WithWorld, np, with_numpy


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

    def test_integers_that_do_not_fit_are_refused(self):
        small, cell = self.world.component("Small", "i1"), self.world.component("Cell", row="u2", names=("u1", 2))
        e, ids = self.world.entity(), self.world.bulk(Small=np.zeros(2, "i1"))
        wide = np.dtype([("row", "i8"), ("names", "i8", 2)], align=True)
        for call in (lambda: e.set(small, 128), lambda: e.set(small, -129), lambda: small(1000),
                     lambda: e.set(small, np.int64(200)), lambda: e.set(cell, 65536, 0), lambda: e.set(cell, row=-1),
                     lambda: e.set(cell, (65536, 0)), lambda: e.set(cell, np.array((1, (0, 256)), wide)),
                     lambda: self.world.set(small, ids, [1, 128]), lambda: self.world.bulk(Small=[-129]),
                     lambda: self.world.set(cell, ids, np.array([(0, 0), (-1, 0)], wide))):
            with self.assertRaises(OverflowError):
                call()
        self.assertEqual(e.ids, [])
        e.set(small, -128).set(cell, 65535, (1, 255))
        self.world.set(small, ids, [127, -128])
        self.world.set(cell, ids, np.array([(1, (2, 3)), (4, (5, 255))], wide))
        self.assertEqual((e.get(small), e.get(cell).row, e.get(cell).names.tolist()), (-128, 65535, [1, 255]))
        self.assertEqual(self.world.get(small, ids).tolist(), [127, -128])
        self.assertEqual(self.world.get(cell, ids)["names"].tolist(), [[2, 3], [5, 255]])

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
