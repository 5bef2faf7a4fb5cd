"""Entities, texts and random operations."""

import ctypes
import random

import kith
from support import WithWorld, np, with_numpy


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
                         lambda: e.has(foreign, own), lambda: e.owns(foreign), lambda: e.target(foreign),
                         lambda: e.targets(foreign), lambda: e.sources(foreign), lambda: e.depth(foreign),
                         lambda: list(e.traverse(foreign)), lambda: e.emit(foreign, own), lambda: e.emit(own, foreign),
                         lambda: self.world.event(own, own, entity=foreign), lambda: self.world.count(foreign),
                         lambda: self.world.relation("Rel", **{"with": foreign}),
                         lambda: self.world.scope(foreign).__enter__(), lambda: self.world.using(foreign).__enter__(),
                         lambda: self.world.query("Own").matches(foreign),
                         lambda: self.world.query("Own").explain(foreign),
                         lambda: self.world.query("Own", group_by=foreign),
                         lambda: list(self.world.query("(Own, $x)").batches(x=foreign))):
                with self.assertRaises(kith.InvalidEntity):
                    call()
            self.assertEqual(e.ids, [])
            self.assertIsNone(self.world.lookup("Rel"))


class Texts(WithWorld):
    def test_texts_that_C_would_cut_are_refused(self):
        for call in (self.world.entity, self.world.prefab, self.world.lookup, self.world.query, self.world.load_file,
                     lambda text: setattr(self.world.entity(), "name", text), lambda text: self.world.component(text),
                     lambda text: self.world.relation(text), lambda text: self.world.load("A(B)", file=text),
                     lambda text: self.world.observe(text, kith.OnAdd, print)):
            with self.assertRaises(ValueError):
                call("Prefab\0Disabled")
        self.assertIsNone(self.world.lookup("A"))
        for call in (self.world.lookup, self.world.query, self.world.load, self.world.component, kith.check_text,
                     kith.check_query, kith.format_text, lambda text: self.world.observe(text, kith.OnAdd, print)):
            for wrong in (None, 5):
                with self.assertRaises(TypeError):
                    call(wrong)

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

    @with_numpy
    def test_random_values(self):
        """Values of components and of pairs, set one by one, in bulk, through columns and deferred."""
        for seed in range(5):
            with kith.World() as world:
                self._run_values(world, random.Random(seed))

    def _run_values(self, world, rng):
        place, mass = world.component("Place", x="f8", y="i4"), world.component("Mass", tons="i4")
        targets = [world.entity(f"Target{i}") for i in range(3)]
        keys = [(place, None), (mass, None), *((mass, target) for target in targets)]
        model = {}

        def draw(component):
            return (rng.randrange(100) / 2, rng.randrange(100)) if component is place else (rng.randrange(100),)

        def step():
            kind = rng.randrange(8)
            if kind == 0 or not model:
                values = [draw(place) for _ in range(rng.randrange(1, 4))]
                ids = world.bulk(Place=np.array(values, place.dtype))
                model.update((world.entity(number), {(place, None): value}) for number, value in zip(ids, values))
                return
            e = rng.choice(list(model))
            component, target = key = rng.choice(keys)
            value = draw(component)
            if kind in (1, 2):
                e.set(component, *value, target=target)
                model[e][key] = value
            elif kind == 3 and key in model[e]:
                with self.assertRaises(kith.AlreadyExists):
                    e.emplace(component, *value, target=target)
            elif kind == 3:
                e.emplace(component, *value, target=target)
                model[e][key] = value
            elif kind == 4:
                e.remove(component, target)
                model[e].pop(key, None)
            elif kind == 5:
                for batch in world.query("Mass"):
                    batch["Mass"]["tons"] += 1
                for has in model.values():
                    if (mass, None) in has:
                        has[mass, None] = (has[mass, None][0] + 1,)
            elif kind == 6:
                e.delete()
                del model[e]
            else:
                clone = e.clone()
                model[clone] = dict(model[e])

        for _ in range(200):
            step()
            if rng.randrange(10) == 0 and model:
                with world.defer():
                    e, (component, target) = rng.choice(list(model)), rng.choice(keys)
                    for value in (draw(component), draw(component)):
                        e.set(component, *value, target=target)
                        model[e][component, target] = value
        world.check()
        for component, target in keys:
            expected = {e: has[component, target] for e, has in model.items() if (component, target) in has}
            found = {e: e.get(component, target) for e in model}
            self.assertEqual({e: value.tolist() for e, value in found.items() if value is not None}, expected)
            self.assertEqual(world.count(component, target), len(expected))
            rows = {e: value.tolist() for batch in world.each(component, target) for e, value in zip(batch, batch[1])}
            self.assertEqual(rows, expected)
