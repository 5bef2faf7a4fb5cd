"""Observers, hooks and monitors."""

import gc
import sys

import kith
from support import WithWorld, np, with_numpy


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

    def test_events_with_values(self):
        world, values = self.world, []
        hit = world.component("Hit", damage="i4", by="u8")
        alarm = world.entity("Alarm")
        for event in (hit, alarm, kith.OnSet):
            world.observe("Position", event, lambda batch: values.append(batch.value))
        e = world.entity().set(self.position, 5, 6)
        e.emit(hit, self.position, value=hit(3, e))
        e.emit(hit, self.position)
        e.emit(alarm, self.position)
        world.event(hit, self.position, entity=e, value=(4, 0))
        self.assertEqual([None if value is None else value.tolist() for value in values],
                         [None, (3, int(e)), None, None, (4, 0)])
        with self.assertRaises(kith.WrongType):
            e.emit(alarm, self.position, value=1)
        with self.assertRaises(TypeError):
            e.emit(hit, self.position, value=self.position(1, 2))

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

    def test_callbacks_are_functions(self):
        for wrong in (None, 5, "print"):
            with self.assertRaises(TypeError):
                self.world.observe("Prefab", kith.OnAdd, wrong)
        self.world.entity().add(kith.Prefab)

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
