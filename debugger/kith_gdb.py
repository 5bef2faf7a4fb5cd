"""kith for gdb: printers for kith's handles, and the command `kith`.

    (gdb) source kith_gdb.py
    (gdb) print ship
    $1 = Ship (#4098) = {Position = {x = 100, y = 40}, Damaged = true, (DockedTo,Earth) = true}
    (gdb) help kith

kith_world.py, in the same folder, reads the memory of the program. Values get their C++ types from the
debug information of the program; the library needs none. docs/manual/debuggers.md is the manual.
"""

import functools
import itertools
import os
import sys

import gdb
import gdb.printing

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import kith_world
from kith_world import (
    MOST_CHILDREN,
    MOST_DEPTH,
    MOST_ROWS,
    MOST_SCANNED,
    Layout,
    NoWorld,
    OtherVersion,
    Unreadable,
    World,
    index_of,
    numbers,
    plural,
    pointer,
    read,
    read_c_text,
    read_text,
    u32,
)

FAULTS = (gdb.error, *kith_world.FAULTS)
REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)


class Gdb(kith_world.Debugger):
    """Memory and types by gdb."""

    def read(self, address, size):
        try:
            return bytes(gdb.selected_inferior().read_memory(address, size))
        except (gdb.error, OverflowError) as error:
            raise Unreadable from error

    def find_type(self, name, size):
        try:
            found = gdb.lookup_type(name)
        except gdb.error:
            return None
        return found if found.sizeof == size else None

    def value_at(self, label, address, type):
        return gdb.Value(address).cast(type.pointer()).dereference()

    def array_at(self, label, address, type, count):
        return self.value_at(label, address, type.array(count - 1))


memory = Gdb()
kith_world.use(memory)


def pointed(value):
    """The value behind a pointer, None if that is null."""
    return value.dereference() if int(value) else None


# -- Printers


def as_text(function):
    """A to_string() that says what is wrong where memory is damaged."""

    @functools.wraps(function)
    def guarded(self):
        if self.handle.is_optimized_out:
            return "<optimized out>"
        try:
            return function(self)
        except NoWorld:
            return self.raw() + " (no world)"
        except OtherVersion:
            return self.raw() + " (of another version of kith)"
        except FAULTS:
            return self.raw() + " <unreadable>"

    return guarded


def as_children(function):
    """A children() that ends where memory is damaged."""

    @functools.wraps(function)
    def guarded(self):
        try:
            yield from itertools.islice(function(self), MOST_CHILDREN)
        except (NoWorld, OtherVersion):
            return
        except FAULTS:
            yield "<unreadable>", "..."

    return guarded


class Printer:
    kind = "handle"

    def __init__(self, value):
        self.handle = value.referenced_value() if value.type.code in REFERENCES else value

    def raw(self):
        return self.kind

    def number(self, *fields):
        """A member of the handle, as a number."""
        return int(functools.reduce(lambda value, field: value[field], fields, self.handle))

    def has(self, field):
        return any(own.name == field for own in self.handle.type.strip_typedefs().fields())


class IdPrinter(Printer):
    """id: `Position`, `(Likes,Alice)`, `OVERRIDE|X`."""

    def raw(self):
        try:
            id = self.number("id_")
        except FAULTS:
            return "id"
        return f"#{id:#x}" if id >> 32 else f"#{id}"

    @as_text
    def to_string(self):
        id = self.number("id_")
        return World(self.number("world_")).id_text(id) if id else "null"


class EntityPrinter(IdPrinter):
    """entity, entity_view, component, observer: path and index; the children are its ids."""

    @as_text
    def to_string(self):
        entity = self.number("id_")
        return World(self.number("world_")).entity_text(entity) if entity else "null"

    @as_children
    def children(self):
        world, entity = World(self.number("world_")), self.number("id_")
        if entity and world.is_alive(entity):
            yield from world.entity_values(entity)


class WorldPrinter(Printer):
    """world: numbers of entities and tables; the children are its roots."""

    kind = "world"

    @as_text
    def to_string(self):
        return f"world, {World(self.number('world_'))}"

    @as_children
    def children(self):
        world = World(self.number("world_"))
        for entity in world.roots():
            yield world.path(entity), entity


class TablePrinter(Printer):
    """table, table_range: number, rows and ids; the children are columns."""

    kind = "table"

    def table(self):
        shape = self.number("shape_")
        return World(self.number("world_")), u32(shape + Layout.shape_number)

    def range(self):
        return (self.number("offset_"), self.number("count_")) if self.has("offset_") else None

    @as_text
    def to_string(self):
        if not self.number("shape_"):
            return "null"
        world, table = self.table()
        text, rows = world.table_text(table), self.range()
        return text if rows is None else f"{plural(rows[1], 'row')} from {rows[0]} on of {text}"

    @as_children
    def children(self):
        if self.number("shape_"):
            world, table = self.table()
            first, count = self.range() or (0, MOST_ROWS)
            yield from world.column_values(table, first, count)


class QueryPrinter(Printer):
    """query, filter: fields, listed tables, owners; the children are the tables."""

    kind = "query"

    def head(self):
        return pointed(self.handle["query_"]["head_"])

    @as_text
    def to_string(self):
        head = self.head()
        if head is None:
            return "null"
        text = f"query, {plural(int(head['field_count']), 'field')}, "
        if int(head["matches"]):
            text += plural(int(head["match_count"]), "table") + " listed, "
        text += plural(int(head["owners"]["value_"]), "owner")
        return text + ("" if int(head["link"]["world"]) else ", its world is gone")

    @as_children
    def children(self):
        head = self.head()
        if head is None or not int(head["matches"]) or not int(head["link"]["world"]):
            return
        world, size = World(int(head["link"]["world"])), int(head["match_size"])
        for i in range(min(int(head["match_count"]), MOST_ROWS)):
            table = u32(int(head["matches"]) + 4 * size * i)
            yield f"[{i}]", world.table_text(table)


class QueryHeadPrinter(QueryPrinter):
    """What a kith_query_t is in programs that include C++ headers."""

    def head(self):
        return self.handle


class IterPrinter(Printer):
    """iter, kith_iter_t: rows, table, event; the children are entities and fields."""

    kind = "iter"

    def __init__(self, value):
        super().__init__(value)
        self.is_c = not self.has("world_")
        self.result = self.handle if self.is_c else self.handle["result_"]

    def world(self):
        return World(self.number("world" if self.is_c else "world_"))

    def event(self):
        """(event, id), (0, 0) outside of callbacks."""
        if self.is_c:
            return self.number("event"), self.number("event_id")
        event = pointed(self.handle["event_"])
        return (int(event["event"]), int(event["id"])) if event is not None else (0, 0)

    @as_text
    def to_string(self):
        world = self.world()
        event, id = self.event()
        text = f"iter, {plural(int(self.result['count']), 'row')}"
        return text + (f", event {world.id_text(event)} of {world.id_text(id)}" if event else "")

    @as_children
    def children(self):
        world = self.world()
        rows = max(0, min(int(self.result["count"]), MOST_ROWS))
        entities = numbers("=Q", int(self.result["entities"]), rows) if rows else []
        yield "entities", ", ".join(map(world.entity_text, entities))
        fields = self.result["fields"]
        for i in range(min(int(self.result["field_count"]), MOST_CHILDREN)):
            yield self.field(world, i + 1, fields[i], rows)

    def field(self, world, number, field, rows):
        id, address, stride = int(field["id"]), int(field[field.type.fields()[0].name]), int(field["stride"])
        label = f"{number}: {world.id_text(id)}" if id else str(number)
        size = world.value_size(id) if address else 0
        if not size:
            return label, True
        type = world.value_type(id, size)
        if type and stride == size and rows:
            read(address, size * rows)
            return label, memory.array_at(label, address, type, rows)
        return label, world.value(id, address, size)


class RefPrinter(Printer):
    """ref<T>: the id and the entity; the child is the value. References to enums have no id."""

    kind = "ref"

    def place(self):
        id = 0 if self.has("entity_") else self.number("id_")
        return World(self.number("world_")), self.number("entity_"), id

    @as_text
    def to_string(self):
        world, entity, id = self.place()
        return f"{world.id_text(id) if id else 'constant'} of {world.entity_text(entity)}"

    @as_children
    def children(self):
        world, entity, id = self.place()
        if entity and world.is_alive(entity):
            for found, address, size in world.entity_ids(entity):
                if found == id and address:
                    yield "value", world.value(id, address, size)


class StringPrinter(Printer):
    """string, string_view: the text."""

    kind = "string"

    @as_text
    def to_string(self):
        text = self.handle["text_"]
        is_view = text.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT
        data, size = (text["data"], text["size"]) if is_view else (text, self.handle["size_"])
        return read_text(int(data), int(size)) if int(data) else ""

    def display_hint(self):
        return "string"


class ErrorPrinter(Printer):
    """error: the message. Its type may be incomplete: the library has the virtual functions."""

    kind = "error"

    @as_text
    def to_string(self):
        text = pointer(int(self.handle.address) + Layout.error_text)
        return f"error: {read_c_text(text)}" if text else "error without a message"


def make_printers():
    found = gdb.printing.RegexpCollectionPrettyPrinter("kith")
    for name, pattern, printer in (
        ("id", r"^kith::id$", IdPrinter),
        ("entity", r"^kith::(entity|entity_view|untyped_component|component<.*>|observer)$", EntityPrinter),
        ("world", r"^kith::(world|scoped_world)$", WorldPrinter),
        ("table", r"^kith::(table|table_range)$", TablePrinter),
        ("query", r"^kith::(query|filter|iterable)<.*>$", QueryPrinter),
        ("query_head", r"^kith::detail::query_head$", QueryHeadPrinter),
        ("iter", r"^(kith::iter|kith_iter_t)$", IterPrinter),
        ("ref", r"^kith::ref<.*>$", RefPrinter),
        ("string", r"^kith::(string|string_view)$", StringPrinter),
        ("error", r"^kith::error$", ErrorPrinter),
    ):
        found.add_printer(name, pattern, printer)
    return found


# -- Commands


RAW_WORLDS = ("kith::world_t", "kith_world_t")
NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR)


def is_raw_world(type):
    return type.name in RAW_WORLDS or type.strip_typedefs().name in RAW_WORLDS


def handle_of(value):
    """The handle of kith that a value is, refers to or points to; None for other values."""
    if value.type.strip_typedefs().code in REFERENCES:
        value = value.referenced_value()
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        value = value.dereference()
    name = value.type.strip_typedefs().unqualified().name or ""
    return value if name.startswith("kith::") or name == "kith_iter_t" else None


def world_of(value):
    """The world of a handle, or of a raw pointer to one; None if there is none."""
    try:
        type = value.type.strip_typedefs()
        if type.code == gdb.TYPE_CODE_PTR and is_raw_world(type.target().unqualified()):
            return World(int(value))
        handle = handle_of(value)
        if handle is None:
            return None
        is_c = handle.type.strip_typedefs().name == "kith_iter_t"
        return World(int(handle["world" if is_c else "world_"]))
    except FAULTS:
        return None


def variables(frame):
    """The values of a frame's variables and arguments."""
    block = frame.block()
    while block and not block.is_global and not block.is_static:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                yield symbol.value(frame)
        block = block.superblock if block.function is None else None


def find_world():
    """The first world in the frames, from the selected one outwards."""
    frame = gdb.selected_frame()
    for _ in range(MOST_DEPTH):
        try:
            for value in variables(frame):
                world = world_of(value)
                if world:
                    return world
        except (RuntimeError, *FAULTS):
            pass  # A frame without debug information.
        frame = frame.older()
        if frame is None:
            break
    raise gdb.GdbError("no variable of these frames is a world: name one as the last argument")


def evaluate_world(expression):
    value = gdb.parse_and_eval(expression)
    world = world_of(value)
    if not world and value.type.strip_typedefs().code in NUMBERS:
        world = World(int(value))  # The address of a world.
    if not world:
        raise gdb.GdbError(f"{expression} has no world")
    return world


def evaluate_id(expression):
    """The number of an id, and the world if the expression is a handle with one."""
    value = gdb.parse_and_eval(expression)
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_INT:
        return int(value), None
    handle = handle_of(value)
    if handle is None:
        raise gdb.GdbError(f"{expression} is neither a handle nor a number")
    return int(handle["id_"]), world_of(handle)


def show(value):
    if value is True:
        return "true"
    return value.format_string() if isinstance(value, gdb.Value) else value


def write_lines(lines):
    for line in itertools.islice(lines, MOST_CHILDREN):
        gdb.write(line + "\n")


class KithCommand(gdb.Command):
    """Show worlds of kith: entities, names, tables, hierarchies.

    The world is the first one among the variables of the selected frame and its callers, or the
    last argument: a kith::world, a handle, or a pointer to a world."""

    def __init__(self):
        super().__init__("kith", gdb.COMMAND_DATA, gdb.COMPLETE_SYMBOL, True)


class WorldCommand(gdb.Command):
    """The base of the commands: arguments, the world, and what goes wrong with them."""

    name = ""
    arguments = 1  # before the world

    def __init__(self):
        super().__init__(f"kith {self.name}", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, text, from_tty):
        given = gdb.string_to_argv(text)
        if len(given) > self.arguments + 1:
            raise gdb.GdbError(f"too many arguments: see `help kith {self.name}`")
        world = given.pop() if len(given) > self.arguments else None
        try:
            write_lines(self.lines(world and evaluate_world(world), *given))
        except NoWorld:
            raise gdb.GdbError("the handle has no world, or its world has ended") from None
        except OtherVersion:
            raise gdb.GdbError("the program was compiled with another version of kith") from None
        except (Unreadable, struct.error, OverflowError, ValueError):
            raise gdb.GdbError("<unreadable>") from None


class EntityCommand(WorldCommand):
    """kith entity EXPRESSION [WORLD]: the ids and values of an entity, a handle or a number."""

    name = "entity"

    def lines(self, world, expression=None):
        if expression is None:
            raise gdb.GdbError("which entity? kith entity EXPRESSION [WORLD]")
        id, own = evaluate_id(expression)
        world = world or own or find_world()
        yield world.entity_text(id)
        if world.is_alive(id):
            for label, value in world.entity_values(id):
                yield f"    {label} = {show(value)}"


class NameCommand(WorldCommand):
    """kith name ID [WORLD]: the readable form of an id: an entity, a component or a pair."""

    name = "name"

    def lines(self, world, expression=None):
        if expression is None:
            raise gdb.GdbError("of which id? kith name ID [WORLD]")
        id, own = evaluate_id(expression)
        yield (world or own or find_world()).entity_text(id)


class TablesCommand(WorldCommand):
    """kith tables [PART [WORLD]]: the tables with rows, or those whose text contains PART."""

    name = "tables"

    def lines(self, world, part=None):
        world = world or find_world()
        for table in world.tables():
            if part or world.rows(table)[1]:
                text = world.table_text(table)
                if not part or part in text:
                    yield text


class TreeCommand(WorldCommand):
    """kith tree [ENTITY [WORLD]]: an entity with its descendants, or all named roots."""

    name = "tree"

    def lines(self, world, expression=None):
        id, own = evaluate_id(expression) if expression else (0, None)
        world = world or own or find_world()
        children = world.hierarchy()
        for top in [index_of(id)] if id else [index_of(root) for root in world.roots()]:
            yield from self.branch(world, children, top)

    def branch(self, world, children, top):
        waiting = [(top, 0)]
        while waiting:
            index, depth = waiting.pop()
            entity = world.alive_at(index)
            name = entity and world.own_name(entity)
            yield "    " * depth + (f"{name} (#{index})" if name else f"#{index}")
            below = children.get(index, [])
            if depth < MOST_DEPTH:
                waiting += [(child, depth + 1) for child in reversed(below)]
            elif below:
                yield "    " * (depth + 1) + "..."


class FindCommand(WorldCommand):
    """kith find NAME [WORLD]: the entities with a name, or with a path that ends so."""

    name = "find"

    def lines(self, world, name=None):
        if name is None:
            raise gdb.GdbError("which name? kith find NAME [WORLD]")
        world, last = world or find_world(), name.rpartition(".")[2]
        for entity, entry in itertools.islice(world.names(), MOST_SCANNED):
            if world.name_text(entry) == last and ("." + world.path(entity)).endswith("." + name):
                yield world.entity_text(entity)


gdb.printing.register_pretty_printer(None, make_printers(), replace=True)
for command in (KithCommand, EntityCommand, NameCommand, TablesCommand, TreeCommand, FindCommand):
    command()
