"""Stories, help, and the declarations of the library."""

import contextlib
import ctypes
import inspect
import io
import os
import re
import subprocess
import sys
import typing
import unittest

import kith
from support import TOP, with_numpy


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


class WithoutNumpy(unittest.TestCase):
    def test_worlds_tags_pairs_text_and_rows_work(self):
        """What needs numpy says so."""
        program = """
import sys
sys.modules["numpy"] = None
import kith
with kith.World() as world:
    likes, bob = world.entity("Likes"), world.entity("Bob")
    amy = world.entity("Amy").add(likes, bob)
    query = world.query("(Likes, $whom)")
    print([(row["this"].name, row["whom"].name) for row in query.rows()], [len(batch) for batch in query])
    world.observe("(Likes, Bob)", kith.OnAdd, lambda batch: print([e.name for e in batch]))
    world.entity("Carl").add(likes, bob)
    print([e.name for batch in world.each(likes, bob) for e in batch], "Amy" in world.save())
    for call in (query.arrays, lambda: world.component("Position", x="f8"), lambda: world.bulk(Position=[]),
                 lambda: world.delete([1]), lambda: next(iter(query)).entities):
        try:
            call()
        except ImportError as problem:
            print("needs numpy" in str(problem))
"""
        made = subprocess.run([sys.executable, "-B", "-c", program], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(made.stdout.splitlines(),
                         ["[('Amy', 'Bob')] [1]", "['Carl']", "['Amy', 'Carl'] True"] + ["True"] * 5)


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


    @with_numpy
    def test_everything_public_has_types(self):
        """Editors complete what follows: annotations name every parameter and result, and are right as names."""
        missing = []
        for name in kith.__all__:
            thing = getattr(kith, name)
            members = {name: thing} if inspect.isfunction(thing) else vars(thing) if inspect.isclass(thing) else {}
            for member, value in members.items():
                function = inspect.unwrap(getattr(value, "fget", value))
                if member.startswith("_") or not inspect.isfunction(function) or function.__module__ != "kith":
                    continue
                hints = typing.get_type_hints(function) if sys.version_info >= (3, 10) else function.__annotations__
                missing += [f"{name}.{member}: {wanted}" for wanted in [*inspect.signature(function).parameters, "return"]
                            if wanted not in hints and wanted != "self"]
        self.assertEqual(missing, [])


def struct_members(header):
    """Struct: the names of its members, in their order."""
    found = {}
    for match in re.finditer(r"struct (kith_\w+) \{(.*?)\n\}", header, re.DOTALL):
        names = []
        for declared in re.sub(r"\([^()*][^()]*\)", "", match[2]).split(";")[:-1]:
            names += [re.findall(r"\w+", re.sub(r"\[\w+\]", "", part))[-1] for part in declared.split(",")]
        found[match[1]] = names
    return found


def parameter_counts(header):
    """Function: how many parameters it has."""
    found = {}
    text = re.sub(r"\(\*f\)\([^()]*\)", "f", header)
    for match in re.finditer(r"^KITH_(?:API|INLINE)\b[^;{(]*?\b(kith_\w+)\(([^()]*)\)", text, re.MULTILINE):
        found[match[1]] = 0 if match[2] == "void" else match[2].count(",") + 1
    return found


class Layouts(unittest.TestCase):
    def setUp(self):
        text = (TOP / "include/kith/kith.h").read_text(encoding="utf-8")
        self.header = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)

    def test_members_are_those_of_the_header(self):
        declared = struct_members(self.header)
        for name, struct in kith._STRUCTS.items():
            self.assertEqual([field[0].rstrip("_") for field in struct._fields_], declared[name], name)

    def test_parameters_are_those_of_the_header(self):
        declared = parameter_counts(self.header)
        for name, (_, arguments) in kith._FUNCTIONS.items():
            self.assertEqual(len(arguments), declared["kith_" + name], name)

    def test_numbers_are_those_of_the_header(self):
        numbers = dict(re.findall(r"#define Kith(\w+) UINT64_C\((\d+)\)", self.header))
        for name in ("Wildcard", "Any", "This", "Prefab", "Disabled", "Module", "ChildOf", "IsA", "DependsOn", "SlotOf",
                     "Tag", "Final", "DontInherit", "Transitive", "Reflexive", "Acyclic", "Traversable", "Exclusive",
                     "Union", "Sparse", "Symmetric", "With", "OneOf", "Transient", "OnDelete", "OnDeleteTarget",
                     "Remove", "Delete", "Panic", "OnAdd", "OnRemove", "OnSet", "UnSet"):
            self.assertEqual(getattr(kith, name), int(numbers[name]), name)
        codes = dict(re.findall(r"#define KITH_([A-Z_]+) (\d+)\b", self.header))
        for number, error in kith._ERRORS.items():
            self.assertEqual(int(codes[error.code.upper()]), number)

    def test_sizes_are_those_of_c(self):
        program = os.environ.get("KITH_SIZES")
        if not program:
            self.skipTest("KITH_SIZES is not set")
        lines = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        sizes = {name: int(size) for name, size in (line.split() for line in lines)}
        for name, struct in kith._STRUCTS.items():
            self.assertEqual(ctypes.sizeof(struct), sizes[name], name)
