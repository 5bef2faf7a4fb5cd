#!/usr/bin/env python3
"""A tour of what kith can do, in Python. Each function is one stop and prints what it shows; the program
prints the same text as the tour in C++, examples/01_tour.cpp.
"""

import kith
import numpy as np


def title(text):
    print(f"\n-- {text}")


def yes_no(value):
    return "yes" if value else "no"


def type_of(entity):
    return ", ".join(str(id) for id in entity.ids)


def path_of(entity):
    return "::" + entity.path.replace(".", "::")


def entities():
    title("Entities are ids; a handle of a dead one is never mistaken for a new one")
    with kith.World() as world:
        first = world.entity()
        first.delete()
        second = world.entity()
        print(f"same index: {yes_no(first.index == second.index)}, same id: {yes_no(first == second)}, "
              f"first is alive: {yes_no(first.alive)}")


def components():
    title("Components can be any type that can be moved and destroyed")
    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        Velocity = world.component("Velocity", dx="f8", dy="f8")
        Cargo = world.component("Cargo", what="U8")  # a numpy type of any kind but objects
        Damaged = world.component("Damaged")  # without members: a tag
        ship = world.entity().set(Position, 1, 2).set(Velocity, dx=3, dy=4)
        ship.emplace(Cargo, "tea")
        p, v = ship.get(Position), ship.get(Velocity)  # copies
        ship.set(Position, p.x + v.dx, p.y + v.dy)
        p = ship.get(Position)
        print(f"position {p.x:g},{p.y:g}, cargo {ship.get(Cargo).what}")
        print(f"Damaged? {yes_no(ship.has(Damaged))}")
        ship.remove(Velocity)
        print(f"now: {type_of(ship)}")


def pairs():
    title("Pairs of a relation and a target connect entities")
    with kith.World() as world:
        docked_to = world.entity("DockedTo")
        earth = world.entity("Earth")
        ship = world.entity("Ship").add(docked_to, earth)
        print(f"Ship has: {type_of(ship)}")
        print(f"docked to {ship.target(docked_to)}")
        earth.delete()  # takes the pair along
        print(f"without Earth: {type_of(ship)}")


def pair_values():
    title("A pair can hold a value: the same component many times, once per target")
    with kith.World() as world:
        Trades = world.component("Trades", tons="i4")
        earth, mars = world.entity("Earth"), world.entity("Mars")
        ship = world.entity("Ship").set(Trades, 5, target=earth).set(Trades, 7, target=mars)
        for planet in ship.targets(Trades):
            print(f"trades {ship.get(Trades, target=planet).tons} tons with {planet}")
        ship.remove(Trades, earth)
        print(f"with Earth: {yes_no(ship.has(Trades, earth))}, "
              f"with anyone: {yes_no(ship.has(Trades, kith.Wildcard))}")


def relationships():
    title("Relationships have properties, and can be followed")
    with kith.World() as world:
        orbits = world.relation("Orbits", exclusive=True, acyclic=True)
        allied = world.relation("Allied", symmetric=True)
        sun = world.entity("Sun")
        earth = world.entity("Earth").add(orbits, sun)
        moon = world.entity("Moon").add(orbits, earth).add(allied, sun)
        print(f"the sun is allied to {sun.target(allied)}")
        for depth, body in sun.traverse(orbits):
            print(f"{'  ' * depth}{body}")
        print(f"depth of the moon: {moon.depth(orbits)}")


def prefabs():
    title("Instances share what their prefab has, and get copies of its children")
    with kith.World() as world:
        Cargo = world.component("Cargo", what="U8")
        freighter = world.prefab("Freighter").set(Cargo, "ore")
        bridge = world.prefab("Bridge").add(kith.ChildOf, freighter).add(kith.SlotOf, freighter)
        ship = world.entity("Ship").add(kith.IsA, freighter)
        other = world.entity("Other").add(kith.IsA, freighter).set(Cargo, "tea")
        print(f"cargo: {ship.get(Cargo).what} and {other.get(Cargo).what}, "
              f"own: {yes_no(ship.owns(Cargo))} and {yes_no(other.owns(Cargo))}")
        print(f"its bridge: {path_of(ship.target(bridge))}")


def iteration():
    title("Visit everything that has a component, a tag or a pair")
    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        Damaged = world.component("Damaged")
        world.entity("Ship").set(Position, 1, 2).add(Damaged)
        world.entity("Buoy").set(Position, 3, 4)
        for batch in world.each(Position):  # a table at a time
            for e, at in zip(batch, batch["Position"]):
                print(f"{e} is at {at.x:g},{at.y:g}")
        for batch in world.each(Damaged):
            for e in batch:
                print(f"{e} is damaged")


def queries():
    title("A query finds entities by several terms, and hands out their values")
    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        Velocity = world.component("Velocity", dx="f8", dy="f8")
        Damaged = world.component("Damaged")
        world.entity("Ship").set(Position, 1, 2).set(Velocity, 1, 0)
        world.entity("Wreck").set(Position, 5, 5).set(Velocity, 0, 1).add(Damaged)
        world.entity("Buoy").set(Position, 3, 4)
        for batch in world.query("Position, [in] Velocity, !Damaged"):
            p, v = batch["Position"], batch["Velocity"]  # numpy arrays over the columns of a table
            p["x"] += v["dx"]
            p["y"] += v["dy"]
            for e, at in zip(batch, p):
                print(f"{e} moves to {at.x:g},{at.y:g}")
        by_x = world.query("[in] Position", order_by=(Position, lambda e1, p1, e2, p2: p2.x - p1.x))
        print(*(row["this"] for row in by_x.rows()), "from right to left")


def graph_queries():
    title("Variables join entities: which ships are docked at an ally of whom?")
    with kith.World() as world:
        docked_to, allied = world.entity("DockedTo"), world.entity("Allied")
        mars = world.entity("Mars")
        earth = world.entity("Earth").add(allied, mars)
        world.entity("Eagle").add(docked_to, earth)
        world.entity("Viking").add(docked_to, mars)
        for row in world.query("(DockedTo, $port), Allied($port, $ally)").rows():
            print(f"{row['this']} is at {row['port']}, an ally of {row['ally']}")


def observers():
    title("An observer is called when something happens to the entities that it asks for")
    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        Damaged = world.component("Damaged")

        def report(batch):
            for e, at in zip(batch, batch["Position"]):
                print(f"{e} was hit at {at.x:g},{at.y:g}")

        world.observe("[in] Position, Damaged", kith.OnAdd, report)
        world.entity("Ship").set(Position, 1, 2).add(Damaged)
        world.entity("Ghost").add(Damaged)  # has no position: the observer does not match


def monitors():
    title("A monitor reports results of a query that begin and end, whatever the cause")
    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        Damaged = world.component("Damaged")

        def enter(batch):
            for e in batch:
                print(f"{e} is a wreck")

        def leave(batch):
            for e in batch:
                print(f"{e} is no wreck any more")

        with world.query("[in] Position, Damaged").monitor(enter, leave):
            ship = world.entity("Ship").set(Position, 1, 2).add(Damaged)
            ship.disable()
            ship.enable()
            ship.delete()


def changes():
    title("A query knows whether anything has changed since it last ran")
    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        ship = world.entity("Ship").set(Position, 1, 2)
        drawn = world.query("[in] Position")

        def frame():
            if not drawn.changed:
                print("nothing to draw")
                return
            for row in drawn.rows():
                print(f"draw at {row['Position'].x:g},{row['Position'].y:g}")

        frame()
        frame()
        ship.set(Position, 2, 2)
        frame()


def names():
    title("Names are unique per parent; ChildOf makes the hierarchy")
    with kith.World() as world:
        sun = world.entity("Sun")
        world.entity("Sun::Earth::Moon")  # makes what is missing on the way
        with world.scope(sun):
            world.entity("Mars")
        for child in sun.children:
            print(path_of(child))
        moon = world.lookup("Sun.Earth.Moon")
        print(f"found {path_of(moon)}, parent {moon.parent}")
        sun.delete()
        print("the Sun is gone, and the Moon:", "alive" if moon.alive else "gone")


def enums():
    title("An enum is a component with one value at a time")
    with kith.World() as world:
        Status = world.enum("Status", Idle=0, Flying=1, Docked=2)
        ship = world.entity().set_enum(Status, "Idle")
        ship.set_enum(Status, "Docked")
        print(f"Idle? {yes_no(ship.has(Status, Status.Idle))}. Docked? {yes_no(ship.has(Status, Status.Docked))}. "
              f"As text: {ship.get_enum(Status)}")


def singletons():
    title("A singleton is a value that the world has once")
    with kith.World() as world:
        Clock = world.component("Clock", ticks="i4")
        world.singleton[Clock] = Clock(41)
        world.singleton[Clock] = Clock(world.singleton[Clock].ticks + 1)
        print(f"ticks: {world.singleton[Clock].ticks}")


def hooks():
    title("Hooks run when a component is added, set and removed")
    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        Position.on_add(lambda batch: print("added"))
        Position.on_set(lambda batch: print(f"set to {batch['Position'][0].x:g},{batch['Position'][0].y:g}"))
        Position.on_remove(lambda batch: print(f"removed from {next(iter(batch))}"))
        ship = world.entity("Ship").set(Position, 1, 2)
        ship.delete()


def deferring():
    title("Deferred changes wait, and each entity moves once")
    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        Damaged = world.component("Damaged")
        for i in (1, 2, 3):
            world.entity().set(Position, i, 0)
        with world.defer():
            for batch in world.each(Position):
                for e, at in zip(batch, batch["Position"]):
                    if at.x > 1:
                        e.add(Damaged).remove(Position)
            print(f"inside:  {world.count(Damaged)} damaged")
        print(f"outside: {world.count(Damaged)} damaged, {world.count(Position)} with a position")


def many():
    title("Many at once, and copies")
    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        made = world.bulk(Position=np.array([(1, 0), (2, 0), (3, 0)], Position.dtype))  # their ids
        last = world.entity(made[2])
        copy = last.clone()
        copy.set(Position, copy.get(Position).x, 9)
        p, q = copy.get(Position), last.get(Position)
        print(f"{world.count(Position)} positions; the copy has {p.x:g},{p.y:g}, the original {q.x:g},{q.y:g}")


def references():
    title("A ref finds its value wherever the entity has moved")
    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        Damaged = world.component("Damaged")
        ship = world.entity().set(Position, 1, 1)
        ref = (ship, Position)  # no more is needed: get and set look for the value each time
        ship.add(Damaged)  # another table
        entity, component = ref
        entity.set(component, 5, entity.get(component).y)
        print(f"x = {ship.get(Position).x:g}", end="")
        ship.remove(Position)
        print(f", and after removal the ref is {'empty' if entity.get(component) is None else 'full'}")


def sparse():
    title("A sparse component keeps its address and moves nothing")
    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        Cargo = world.component("Cargo", what="U8").add(kith.Sparse)
        Damaged = world.component("Damaged")
        ship = world.entity().set(Cargo, "tea")
        before = ship.address(Cargo)  # for functions of C
        ship.set(Position, 1, 2).add(Damaged)
        print(f"same address: {yes_no(before == ship.address(Cargo))}")
        print(f"its table: {', '.join(str(id) for id in ship.table_ids)}")
        print(f"all it has: {type_of(ship)}")


def show_error(action):
    try:
        action()
    except kith.Error as failed:
        print(f"{failed.code}: {failed}")


def errors():
    title("Mistakes are errors that say what is wrong, and change nothing")
    with kith.World() as world:
        sun, earth = world.entity("Sun"), world.entity("Sun::Earth")
        gone = world.entity()
        gone.delete()
        Position = world.component("Position", x="f8", y="f8")
        Damaged = world.component("Damaged")
        earth.set(Position, 1, 0)

        def add_while_iterating():
            for batch in world.each(Position):
                for e in batch:
                    e.add(Damaged)

        show_error(lambda: gone.add(Damaged))
        show_error(lambda: sun.add(kith.ChildOf, earth))
        show_error(lambda: setattr(world.entity("Mars"), "name", "Sun"))
        show_error(lambda: earth.emplace(Position, 2, 0))
        show_error(Position.delete)
        show_error(add_while_iterating)


def care():
    title("A world can be measured, checked and made smaller")
    with kith.World() as world:
        empty = world.stats()
        Trades = world.component("Trades", tons="i4")
        for _ in range(1000):
            world.entity().add(Trades, world.entity())  # a table for each target
        full = world.stats()
        world.delete_with(Trades, kith.Wildcard)
        world.shrink()
        world.check()  # raises if anything in the storage contradicts
        after = world.stats()
        print(f"tables: {'over 1000 more' if full.tables > empty.tables + 1000 else '?'} when full, "
              f"{'hardly more than at first' if after.tables < empty.tables + 10 else '?'} after shrinking")
        print(f"row memory: {'given back' if after.bytes_rows < full.bytes_rows else 'kept'}")


def main():
    print("A tour of kith")
    for stop in (entities, components, pairs, pair_values, relationships, prefabs, iteration, queries, graph_queries,
                 observers, monitors, changes, names, enums, singletons, hooks, deferring, many, references, sparse,
                 errors, care):
        stop()


if __name__ == "__main__":
    main()
