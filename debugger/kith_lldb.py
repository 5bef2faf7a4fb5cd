"""kith for lldb: summaries for kith's handles, and the ids of entities as their children.

    (lldb) command script import kith_lldb.py
    (lldb) frame variable ship
    (kith::entity) ship = Ship (#4098) {
      Position = (x = 100, y = 40)
      ...

kith_world.py, in the same folder, reads the memory of the program. docs/manual/debuggers.md is the manual.
"""

import functools
import itertools
import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import kith_world
from kith_world import MOST_CHILDREN, Layout, NoWorld, OtherVersion, Unreadable, World, plural, u32


class Lldb(kith_world.Debugger):
    """Memory and types by lldb."""

    process = None

    def read(self, address, size):
        error = lldb.SBError()
        found = self.process.ReadMemory(address, size, error)
        if not error.Success() or found is None or len(found) != size:
            raise Unreadable
        return bytes(found)

    def find_type(self, name, size):
        found = self.process.target.FindFirstType(name)
        return found if found.IsValid() and found.GetByteSize() == size else None

    def value_at(self, label, address, type):
        target = self.process.target
        return target.CreateValueFromAddress(label, lldb.SBAddress(address, target), type)

    def array_at(self, label, address, type, count):
        return self.value_at(label, address, type.GetArrayType(count))


memory = Lldb()
kith_world.use(memory)


def member(value, *names):
    """A member of a handle as a number; members of bases count."""
    for name in names:
        value = value.GetChildMemberWithName(name)
    if not value.IsValid() or value.GetError().Fail():
        raise Unreadable
    return value.GetValueAsUnsigned()


def summary(raw):
    """A summary that says what is wrong where memory is damaged; `raw` is its text then."""

    def decorate(function):
        @functools.wraps(function)
        def guarded(value, _):
            value = value.GetNonSyntheticValue()
            memory.process = value.GetProcess()
            try:
                return function(value)
            except NoWorld:
                return f"{raw(value)} (no world)"
            except OtherVersion:
                return f"{raw(value)} (of another version of kith)"
            except kith_world.FAULTS:
                return f"{raw(value)} <unreadable>"

        return guarded

    return decorate


def raw_id(value):
    try:
        id = member(value, "id_")
    except Unreadable:
        return "handle"
    return f"#{id:#x}" if id >> 32 else f"#{id}"


@summary(raw_id)
def show_id(value):
    id = member(value, "id_")
    return World(member(value, "world_")).id_text(id) if id else "null"


@summary(raw_id)
def show_entity(value):
    entity = member(value, "id_")
    return World(member(value, "world_")).entity_text(entity) if entity else "null"


@summary(lambda value: "world")
def show_world(value):
    return f"world, {World(member(value, 'world_'))}"


@summary(lambda value: "table")
def show_table(value):
    shape = member(value, "shape_")
    if not shape:
        return "null"
    return World(member(value, "world_")).table_text(u32(shape + Layout.shape_number))


@summary(lambda value: "ref")
def show_ref(value):
    world = World(member(value, "world_"))
    return f"{world.id_text(member(value, 'id_'))} of {world.entity_text(member(value, 'entity_'))}"


@summary(lambda value: "query")
def show_query(value):
    head = value.GetChildMemberWithName("query_").GetChildMemberWithName("head_")
    if not head.GetValueAsUnsigned():
        return "null"
    text = f"query, {plural(member(head, 'field_count'), 'field')}, "
    if member(head, "matches"):
        text += plural(member(head, "match_count"), "table") + " listed, "
    text += plural(member(head, "owners", "value_"), "owner")
    return text + ("" if member(head, "link", "world") else ", its world is gone")


class EntityChildren:
    """The ids of an entity as the children of its handle."""

    def __init__(self, value, _):
        self.handle = value
        self.children = []

    def update(self):
        memory.process = self.handle.GetProcess()
        try:
            self.children = list(itertools.islice(self.find(), MOST_CHILDREN))
        except kith_world.FAULTS:
            self.children = []

    def find(self):
        entity = member(self.handle, "id_")
        world = World(member(self.handle, "world_")) if entity else None
        if world and world.is_alive(entity):
            for label, value in world.entity_values(entity):
                yield self.child(label, value)

    def child(self, label, value):
        if isinstance(value, lldb.SBValue):
            return value
        target, process = memory.process.target, memory.process
        order, size = process.GetByteOrder(), process.GetAddressByteSize()
        if value is True:
            data = lldb.SBData.CreateDataFromUInt64Array(order, size, [1])
            return self.handle.CreateValueFromData(label, data, target.GetBasicType(lldb.eBasicTypeBool))
        data = lldb.SBData.CreateDataFromCString(order, size, value)
        text = target.GetBasicType(lldb.eBasicTypeChar).GetArrayType(len(value.encode()))
        return self.handle.CreateValueFromData(label, data, text)

    def num_children(self):
        return len(self.children)

    def get_child_at_index(self, index):
        return self.children[index] if 0 <= index < len(self.children) else None

    def has_children(self):
        return True


ENTITIES = "^kith::(entity|entity_view|untyped_component|component<.*>|observer)$"
SUMMARIES = (
    ("^kith::id$", show_id),
    (ENTITIES, show_entity),
    ("^kith::(world|scoped_world)$", show_world),
    ("^kith::(table|table_range)$", show_table),
    ("^kith::(query|filter|iterable)<.*>$", show_query),
    ("^kith::ref<.*>$", show_ref),
)


def __lldb_init_module(debugger, _):
    for pattern, function in SUMMARIES:
        options = "--expand " if pattern == ENTITIES else ""
        debugger.HandleCommand(
            f'type summary add -w kith -x "{pattern}" {options}-F {__name__}.{function.__name__}'
        )
    debugger.HandleCommand(f'type synthetic add -w kith -x "{ENTITIES}" -l {__name__}.EntityChildren')
    debugger.HandleCommand("type category enable kith")
