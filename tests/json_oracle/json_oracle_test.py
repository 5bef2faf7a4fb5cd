#!/usr/bin/env python3
"""Compares JSON of kith with Python's json and jsonschema.

Values that kith writes are read by json, are valid by kith's schema, and come back unchanged from
what json writes. Values with one mistake are refused by the schema and by kith.
"""
# spec 546
import argparse
import json
import random
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is missing")
    sys.exit(77)

ROUNDS = 300


class Program:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        encoding="utf-8", errors="strict")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")


def refuse_constant(word):
    raise ValueError(f"{word} is no JSON")


def mistakes(value, dice):
    """Copies of the value, each with one mistake."""
    for change in (
            lambda v: v.update(unknown=1),
            lambda v: v.update(truth="yes"),
            lambda v: v.update(tiny=128),
            lambda v: v.update(tiny=1.5),
            lambda v: v.update(port=-1),
            lambda v: v.update(huge=2**64),
            lambda v: v.update(large="12x"),
            lambda v: v.update(single=1e39),
            lambda v: v.update(real="inf"),
            lambda v: v.update(text=5),
            lambda v: v.update(text={"$bytes": "?"}),
            lambda v: v.update(text={"$bytes": 1}),
            lambda v: v.update(color="Blue"),
            lambda v: v.update(color=256),
            lambda v: v.update(color="Red|Green"),
            lambda v: v.update(on="Bacon|"),
            lambda v: v.update(who=1),
            lambda v: v.update(way=[{"x": 1, "z": 2}]),
            lambda v: v.update(way={"x": 1}),
            lambda v: v.update(marks=[1, 1]),
            lambda v: v.update(prices={"a": "b"}),
            lambda v: v.update(done=[[1]]),
            lambda v: v.update(best="x"),
            lambda v: v.update(doubt=[1, 2]),
            lambda v: v.update(shape={"Square": 1}),
            lambda v: v.update(shape={"Point": {}, "f32": 1}),
            lambda v: v.update(both=[1, "a", 2]),
            lambda v: v.update(fixed=[1, 2, 3, 4]),
            lambda v: v.update(level=11),
            lambda v: v.update(letter="ab"),
    ):
        copy = json.loads(json.dumps(value))
        change(copy)
        keys = list(copy)
        dice.shuffle(keys)
        yield {key: copy[key] for key in keys}


def check(program):
    schema = json.loads(program.ask("schema"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    dice = random.Random(1)
    for seed in range(ROUNDS):
        written = program.ask(f"random {seed}")
        value = json.loads(written, parse_constant=refuse_constant)
        validator.validate(value)
        for form in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=None, separators=(",", ":"))):
            again = program.ask("read " + form)
            assert again == written, f"{form}\nbecame\n{again}"
    for wrong in mistakes(value, dice):
        text = json.dumps(wrong)
        assert not validator.is_valid(wrong), f"the schema accepts {text}"
        assert program.ask("read " + text) == "refused", f"kith accepts {text}"
    world = json.loads(program.ask("world"), parse_constant=refuse_constant)
    bob = world["entities"][-1]
    assert bob["pairs"] == {"Likes": ["Sol"]}, bob
    validator.validate(bob["components"]["All"])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--program", required=True)
    check(Program(arguments.parse_args().program))


main()
