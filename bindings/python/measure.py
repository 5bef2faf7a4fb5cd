"""Prints what the Python binding costs, and whether it meets the goals: python3 bindings/python/measure.py.

Times are the least of many runs, in seconds of this thread. Where two ways are compared, their runs alternate.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import kith  # noqa: E402  (beside this file)

ROWS, BATCHES, CALLS = 1_000_000, 1_000, 2_000


def least(*functions, runs=40):
    """For each function the time of its fastest run."""
    found = [float("inf")] * len(functions)
    for _ in range(runs):
        for number, function in enumerate(functions):
            begin = time.thread_time()
            function()
            found[number] = min(found[number], time.thread_time() - begin)
    return found


def show(what, value, unit, goal):
    print(f"{what:42} {value:8.2f} {unit:3} goal {goal:6.2f}{'' if value <= goal else '  MISSED'}")
    return value <= goal


def components(world):
    return world.component("Position", x="f8", y="f8"), world.component("Velocity", x="f8", y="f8")


def step(position, velocity):
    position["x"] += velocity["x"]
    position["y"] += velocity["y"]


def measure_rows():
    with kith.World() as world:
        position, velocity = components(world)
        world.bulk(Position=np.zeros(ROWS, position.dtype), Velocity=np.ones(ROWS, velocity.dtype))
        moving = world.query("Position, [in] Velocity")
        own = np.zeros(ROWS, position.dtype), np.ones(ROWS, velocity.dtype)

        def move():
            for batch in moving:
                step(batch["Position"], batch["Velocity"])

        plain, views = least(lambda: step(*own), move)
        yield show("1M rows, times numpy on two arrays", views / plain, "", 1.2)
        yield show("arrays() of 1M rows", least(moving.arrays, runs=5)[0] * 1e3, "ms", 30)


def measure_batches():
    with kith.World() as world:
        position, velocity = components(world)
        likes = world.entity("Likes")
        for _ in range(BATCHES):
            world.entity().set(position, 1, 2).set(velocity, 1, 1).add(likes, world.entity())
        moving = world.query("Position, [in] Velocity")

        def run():
            for batch in moving:
                batch["Position"], batch["Velocity"]

        yield show("a batch with two columns", least(run)[0] / BATCHES * 1e6, "us", 5)


def measure_calls():
    with kith.World() as world:
        position, _ = components(world)
        tag, e = world.entity("Tag"), world.entity().set(position, 1, 2)
        calls = {"has": (lambda: e.has(tag), 1), "get": (lambda: e.get(position), 2),
                 "set": (lambda: e.set(position, 1, 2), 4)}
        for name, (call, goal) in calls.items():
            def many():
                for _ in range(CALLS):
                    call()

            yield show(name, least(many, runs=10)[0] / CALLS * 1e6, "us", goal)


if __name__ == "__main__":
    met = [*measure_rows(), *measure_batches(), *measure_calls()]
    sys.exit(0 if all(met) else 1)
