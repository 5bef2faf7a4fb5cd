"""Worlds of kith as a debugger reads them: entities, names, tables and values, from memory alone.

The reader of kith_gdb.py and kith_lldb.py. It calls no function of the program, so it works on core
files, inside of hooks and while a lock is held. Every read has a limit: damaged memory raises
Unreadable, and nothing hangs.
"""

import itertools
import struct


class Layout:
    """include/kith/detail/layout.hpp in numbers; tests/debugger/layout_test.cpp compares each."""

    tag = 0x6B69746800000001

    world_store = 0
    world_mode = 8
    mode_deferred = 1

    store_pages = 0
    store_page_count = 8
    store_rows = 16
    store_shapes = 24
    store_parents = 40
    store_parent_page_count = 48
    store_offsets = 56

    record_size = 12
    record_page_bits = 12
    record_free = 0x40000000
    record_identity = 0xC000FFFF

    rows_size = 16

    shape_ids = 0
    shape_slots = 8
    shape_flags = 24
    shape_id_count = 32
    shape_number = 36
    shape_builtin = 0x4000

    link_node_size = 16
    link_page_bits = 8
    link_page_slots = 4128

    name_parent = 16
    name_length = 24
    name_text = 40

    error_text = 16

    vec_data = 0
    vec_count = 8

    component_type_id = 1
    identifier_type_id = 2
    kith = 256
    wildcard = 257
    any = 258
    name = 261
    symbol = 262
    child_of = 270
    first_entity = 4096


# The members of detail::internal_offsets behind its tag, in their order: where this library keeps
# what lies outside of tables.
OFFSETS = (
    "table_limit sparse_ids link_ids toggled_ids "
    "record_id record_sparse record_links record_disabled "
    "sparse_pages sparse_chunks sparse_page_bits "
    "link_exclusive link_pages link_sources link_targets link_pools "
    "source_list_size source_list_pool target_list_size target_list_count "
    "pool_chunks pool_chunk_bits"
).split()

PAIR, OVERRIDE, TOGGLE = 1 << 63, 1 << 62, 1 << 61
MOST_BYTES = 1 << 20  # of one read
MOST_NAME = 4096
MOST_CHILDREN = 1000  # of a printed value
MOST_DEPTH = 32  # of a path, a tree, or a search through frames
MOST_ROWS = 20  # of a printed column
MOST_SCANNED = 200_000  # entities, tables or pages that a command looks at


# -- Memory


class Unreadable(Exception):
    """Memory that is not there, or does not look like a world."""


# What reading damaged memory may raise.
FAULTS = (Unreadable, struct.error, OverflowError, ValueError)


class Debugger:
    """What worlds need of the debugger; kith_gdb.py and kith_lldb.py derive from it."""

    def read(self, address, size):
        """Bytes of the program. Raises Unreadable."""
        raise NotImplementedError

    def find_type(self, name, size):
        """The type with this name, None if there is none of this size."""
        raise NotImplementedError

    def value_at(self, label, address, type):
        raise NotImplementedError

    def array_at(self, label, address, type, count):
        raise NotImplementedError


debugger = Debugger()


def use(own):
    """Sets the debugger that reads."""
    global debugger
    debugger = own


def read(address, size):
    if not 0 <= size <= MOST_BYTES or not 0 <= address < 1 << 64:
        raise Unreadable
    return debugger.read(address, size) if size else b""


def unpack(form, address):
    return struct.unpack(form, read(address, struct.calcsize(form)))


def u32(address):
    return unpack("=I", address)[0]


def pointer(address):
    return unpack("=Q", address)[0]


def numbers(form, address, count):
    """An array of numbers or tuples of numbers."""
    found = struct.iter_unpack(form, read(address, count * struct.calcsize(form)))
    return [item if len(item) > 1 else item[0] for item in found]


def vec(address):
    """Address and length of a containers::vec."""
    return pointer(address + Layout.vec_data), u32(address + Layout.vec_count)


def vec_item(address, index, size):
    """The address of an element, 0 if there is none."""
    data, count = vec(address)
    return data + index * size if index < count else 0


def is_pair(id):
    return bool(id & PAIR)


def pair(first, second):
    return PAIR | first << 32 | second


def elements(id):
    return (id >> 32) & 0x0FFFFFFF, index_of(id)


def index_of(entity):
    return entity & 0xFFFFFFFF


def read_text(address, length):
    text = read(address, min(length, MOST_NAME)).decode("utf-8", "replace")
    return text if length <= MOST_NAME else text + "..."


def read_c_text(address):
    """A text that ends with a zero."""
    text = b""
    while b"\0" not in text and len(text) < MOST_NAME:
        step = 64 - (address + len(text)) % 64  # No step leaves the page of the text.
        text += read(address + len(text), step)
    return text.partition(b"\0")[0].decode("utf-8", "replace")


def plural(count, one, many=None):
    return f"{count} {one if count == 1 else many or one + 's'}"


# -- Worlds


class NoWorld(Unreadable):
    """A handle without a world."""


class OtherVersion(Unreadable):
    """The program was compiled with another version of kith than this script belongs to."""


# A World reads the memory of the program, in four steps: each class adds a kind of data to the one
# before it. All functions raise Unreadable where memory is damaged.


class Tables:
    """Entities, and the tables with their rows."""

    def __init__(self, address):
        self.address = address
        self.store = pointer(address + Layout.world_store) if address else 0
        if not self.store or u32(self.store + Layout.store_page_count) == 0:
            raise NoWorld
        try:
            place = pointer(self.store + Layout.store_offsets)
            tag, *offsets = unpack(f"=Q{len(OFFSETS)}I", place)
        except Unreadable as error:
            raise OtherVersion from error
        if tag != Layout.tag:
            raise OtherVersion
        self.offsets = dict(zip(OFFSETS, offsets))
        self.shapes = {}
        self.paths = {}

    def is_deferred(self):
        return bool(u32(self.address + Layout.world_mode) & Layout.mode_deferred)

    def record(self, index):
        """(table, row, state) of an index, None if no entity ever had it."""
        page, place = index >> Layout.record_page_bits, index & ((1 << Layout.record_page_bits) - 1)
        if page >= u32(self.store + Layout.store_page_count):
            return None
        records = pointer(pointer(self.store + Layout.store_pages) + 8 * page)
        return unpack("=III", records + Layout.record_size * place)

    def is_alive(self, entity):
        record = self.record(index_of(entity))
        return record is not None and record[2] & Layout.record_identity == entity >> 32

    def alive_at(self, index):
        """The live entity with this index, or 0."""
        record = self.record(index)
        if record is None or record[2] & Layout.record_free:
            return 0
        return index | (record[2] & 0xFFFF) << 32

    def table_limit(self):
        return min(u32(self.store + self.offsets["table_limit"]), MOST_SCANNED)

    def shape(self, table):
        """(ids, columns, flags) of a table, None for a number without a table."""
        if table not in self.shapes:
            self.shapes[table] = self.read_shape(table)
        return self.shapes[table]

    def read_shape(self, table):
        if table >= self.table_limit():
            raise Unreadable
        place = pointer(pointer(self.store + Layout.store_shapes) + 8 * table)
        if not place:
            return None
        if u32(place + Layout.shape_number) != table:
            raise Unreadable
        count = unpack("=H", place + Layout.shape_id_count)[0]
        ids = numbers("=Q", pointer(place + Layout.shape_ids), count)
        columns = numbers("=II", pointer(place + Layout.shape_slots), count)
        return ids, columns, u32(place + Layout.shape_flags)

    def table_ids(self, table):
        shape = self.shape(table)
        return shape[0] if shape else []

    def rows(self, table):
        """(block, count, capacity) of a table."""
        if table >= self.table_limit():
            raise Unreadable
        return unpack("=QII", pointer(self.store + Layout.store_rows) + Layout.rows_size * table)

    def column(self, table, id):
        """(address, bytes of a value) of the column of an id, None if the table has no such values."""
        shape = self.shape(table)
        if not shape or id not in shape[0]:
            return None
        offset, size = shape[1][shape[0].index(id)]
        block, _, capacity = self.rows(table)
        return (block + offset * capacity, size) if size else None

    def row_entities(self, table, first=0, most=MOST_CHILDREN):
        block, count, _ = self.rows(table)
        return numbers("=Q", block + 8 * first, max(0, min(count - first, most)))

    def tables(self):
        """Numbers of the tables that the program has made; those of every world are left out."""
        for table in range(1, self.table_limit()):
            shape = self.shape(table)
            if shape and not shape[2] & Layout.shape_builtin:
                yield table

    def value_address(self, entity, id):
        """The address of a value in a table, None if there is none."""
        record = self.record(index_of(entity))
        column = record and self.column(record[0], id)
        return column and column[0] + column[1] * record[1]


class Names(Tables):
    """Names, paths, the hierarchy, and readable forms of ids."""

    def name_entry(self, entity, kind):
        place = self.value_address(entity, pair(Layout.identifier_type_id, kind))
        return pointer(place) if place else 0

    def own_name(self, entity, kind=Layout.name):
        return self.name_text(self.name_entry(entity, kind))

    def name_text(self, entry):
        if not entry:
            return None
        return read_text(entry + Layout.name_text, u32(entry + Layout.name_length))

    def parent(self, entity):
        """The parent of an entity, or 0."""
        index = index_of(entity)
        page, place = index >> Layout.link_page_bits, index & ((1 << Layout.link_page_bits) - 1)
        if page < u32(self.store + Layout.store_parent_page_count):
            nodes = pointer(pointer(self.store + Layout.store_parents) + 8 * page)
            target = u32(nodes + Layout.link_node_size * place) if nodes else 0
            return self.alive_at(target) if target else 0
        record = self.record(index)
        for id in self.table_ids(record[0]) if record else []:
            if is_pair(id) and elements(id)[0] == Layout.child_of:
                return self.alive_at(elements(id)[1])
        return 0

    def path(self, entity):
        """Names from the root on, as `Sun.Earth`; builtin entities without the scope `kith`."""
        if entity not in self.paths:
            names, at = [], entity
            while at and (at != Layout.kith or not names):
                if len(names) == MOST_DEPTH:
                    names.append("..")
                    break
                names.append(self.own_name(at) or f"#{index_of(at)}")
                at = self.parent(at)
            self.paths[entity] = ".".join(reversed(names))
        return self.paths[entity]

    def element_text(self, index):
        if index in (Layout.wildcard, Layout.any):
            return "*" if index == Layout.wildcard else "_"
        entity = self.alive_at(index)
        return self.path(entity) if entity else f"#{index}"

    def id_text(self, id):
        flags = ("OVERRIDE|" if id & OVERRIDE else "") + ("TOGGLE|" if id & TOGGLE else "")
        if is_pair(id):
            first, second = elements(id)
            return f"{flags}({self.element_text(first)},{self.element_text(second)})"
        return flags + self.element_text(index_of(id))

    def entity_text(self, entity):
        """`Sun.Earth (#4711)`, also for null, dead entities and ids with flags."""
        index = index_of(entity)
        if entity == 0:
            return "null"
        if entity >> 60:
            return self.id_text(entity)
        if not self.is_alive(entity):
            return f"#{index} (generation {(entity >> 32) & 0xFFFF}, not alive)"
        name = self.path(entity)
        return name if name == f"#{index}" else f"{name} (#{index})"

    def names(self):
        """(entity, entry) of all named entities."""
        id = pair(Layout.identifier_type_id, Layout.name)
        for table in self.tables():
            column = self.column(table, id)
            entities = self.row_entities(table, most=MOST_BYTES // 8) if column else []
            for entity, entry in zip(entities, column and numbers("=Q", column[0], len(entities)) or []):
                if entry:
                    yield entity, entry

    def roots(self):
        """Named entities of the program that have no parent."""
        for entity, entry in itertools.islice(self.names(), MOST_SCANNED):
            if u32(entry + Layout.name_parent) == 0 and index_of(entity) >= Layout.first_entity:
                yield entity

    def hierarchy(self):
        """From the index of each parent to its children, in the order of their indices."""
        children = {}
        pages = min(u32(self.store + Layout.store_parent_page_count), MOST_SCANNED)
        size = 1 << Layout.link_page_bits
        for page, nodes in enumerate(numbers("=Q", pointer(self.store + Layout.store_parents), pages)):
            found = numbers("=IIII", nodes, size) if nodes else []
            for place, (target, *_) in enumerate(found):
                if target:
                    children.setdefault(target, []).append(page * size + place)
        for table in self.tables():
            for id in self.table_ids(table):
                if is_pair(id) and elements(id)[0] == Layout.child_of:
                    found = [index_of(entity) for entity in self.row_entities(table)]
                    children.setdefault(elements(id)[1], []).extend(found)
        return children


class Outside(Names):
    """What lies outside of tables: sparse values, links, switched-off ids."""

    def component_size(self, index):
        """The size that a component's values have, 0 for tags and for entities that are none."""
        entity = self.alive_at(index)
        place = self.value_address(entity, Layout.component_type_id) if entity else None
        return u32(place) if place else 0

    def value_component(self, id):
        """The component whose type the values of an id have: of a pair the first with a size."""
        first, second = elements(id) if is_pair(id) else (index_of(id), 0)
        return second if second and not self.component_size(first) else first

    def value_size(self, id):
        return self.component_size(self.value_component(id))

    def id_records(self, which):
        data, count = vec(self.store + self.offsets[which])
        return numbers("=Q", data, min(count, MOST_CHILDREN)) if count else []

    def sparse_entry(self, store, index):
        """The slot of an entity in a sparse store, None if the store does not have the entity."""
        bits = self.offsets["sparse_page_bits"]
        page = vec_item(store + self.offsets["sparse_pages"], index >> bits, 8)
        entries = pointer(page) if page else 0
        if not entries:
            return None
        position, slot = unpack("=II", entries + 8 * (index & ((1 << bits) - 1)))
        return slot if position else None

    def slot_address(self, chunks, slot, size):
        bits = self.offsets["pool_chunk_bits"]
        chunk = vec_item(chunks, slot >> bits, 8)
        if not chunk:
            raise Unreadable
        return pointer(chunk) + size * (slot & ((1 << bits) - 1))

    def sparse_ids(self, index):
        """(id, address or None) of the sparse components of an entity."""
        for record in self.id_records("sparse_ids"):
            store = pointer(record + self.offsets["record_sparse"])
            slot = self.sparse_entry(store, index) if store else None
            if slot is not None:
                id = pointer(record + self.offsets["record_id"])
                size = self.value_size(id)
                chunks = store + self.offsets["sparse_chunks"]
                yield id, self.slot_address(chunks, slot, size) if size else None

    def links(self, index):
        """(id, address or None) of the pairs of an entity that are in no table."""
        for record in self.id_records("link_ids"):
            store = pointer(record + self.offsets["record_links"])
            relation = elements(pointer(record + self.offsets["record_id"]))[0]
            for target, slot in self.link_targets(store, index) if store else []:
                id = pair(relation, target)
                yield id, self.link_value(store, id, target, slot)

    def link_node(self, store, index):
        """(target, rest, sources, page, place) of an entity, None if it has no node."""
        page = vec_item(store + self.offsets["link_pages"], index >> Layout.link_page_bits, 8)
        nodes = pointer(page) if page else 0
        if not nodes:
            return None
        place = index & ((1 << Layout.link_page_bits) - 1)
        target, rest, _, sources = unpack("=IIII", nodes + Layout.link_node_size * place)
        return target, rest, sources, nodes, place

    def link_targets(self, store, index):
        """(target, slot of the value or None) of the links of a source."""
        node = self.link_node(store, index)
        if not node or not node[0]:
            return
        target, rest, _, nodes, place = node
        slots = pointer(nodes + Layout.link_page_slots)
        yield target, u32(slots + 4 * place) if slots else None
        is_exclusive = read(store + self.offsets["link_exclusive"], 1) != b"\0"
        if is_exclusive or rest == 0:
            return
        further = vec_item(store + self.offsets["link_targets"], rest, self.offsets["target_list_size"])
        if not further:
            raise Unreadable
        block = pointer(further)
        count, capacity = unpack("=II", further + self.offsets["target_list_count"])
        has_slots, capacity = capacity >> 31, capacity & 0x7FFFFFFF
        count = min(count, MOST_CHILDREN)
        targets = numbers("=I", block, count)
        slots = numbers("=I", block + 8 * capacity, count) if has_slots else [None] * count
        yield from zip(targets, slots)

    def link_value(self, store, id, target, slot):
        node = self.link_node(store, target)
        if slot is None or not node or not node[2]:
            return None
        sources = vec_item(store + self.offsets["link_sources"], node[2], self.offsets["source_list_size"])
        pool = u32(sources + self.offsets["source_list_pool"]) if sources else 0
        if not pool:
            return None
        place = vec_item(store + self.offsets["link_pools"], pool - 1, 8)
        if not place:
            raise Unreadable
        chunks = pointer(place) + self.offsets["pool_chunks"]
        return self.slot_address(chunks, slot, self.value_size(id))

    def disabled_ids(self, index):
        """The ids of an entity that are switched off."""
        found = set()
        for record in self.id_records("toggled_ids"):
            store = pointer(record + self.offsets["record_disabled"])
            if store and self.sparse_entry(store, index) is not None:
                found.add(pointer(record + self.offsets["record_id"]))
        return found


class World(Outside):
    """The values of entities and tables, with their C++ types."""

    def value_type(self, id, size):
        """The C++ type of the values of an id, None if the program's debug information lacks it."""
        entity = self.alive_at(self.value_component(id))
        if not entity:
            return None
        symbol = self.own_name(entity, Layout.symbol) or self.path(entity)
        return debugger.find_type(symbol.replace(".", "::"), size)

    def value(self, id, address, size, label=None):
        """A value with its type, or its bytes as text."""
        type = self.value_type(id, size)
        data = read(address, size)  # Damaged memory is found here, not while the debugger prints.
        if type:
            return debugger.value_at(label or self.id_text(id), address, type)
        return data[:16].hex(" ") + (" ..." if size > 16 else "")

    def entity_ids(self, entity):
        """(id, address or None, size) of all ids of an entity: its table's, then the others."""
        index = index_of(entity)
        table, row, _ = self.record(index)
        for id in self.table_ids(table):
            column = self.column(table, id)
            yield (id, column[0] + column[1] * row, column[1]) if column else (id, None, 0)
        for id, address in itertools.chain(self.sparse_ids(index), self.links(index)):
            yield id, address, self.value_size(id) if address else 0

    def entity_values(self, entity):
        """(text of the id, value) of all ids of an entity but its name."""
        disabled = self.disabled_ids(index_of(entity))
        own_name = pair(Layout.identifier_type_id, Layout.name)
        for id, address, size in itertools.islice(self.entity_ids(entity), MOST_CHILDREN):
            if id != own_name:
                label = self.id_text(id) + (" (disabled)" if id in disabled else "")
                yield label, self.readable_value(id, address, size, label)

    def readable_value(self, id, address, size, label):
        if address is None:
            return True
        if id == Layout.component_type_id:
            return "{} bytes, aligned to {}".format(*unpack("=II", address))
        if is_pair(id) and elements(id)[0] == Layout.identifier_type_id:
            return self.name_text(pointer(address)) or "none"
        return self.value(id, address, size, label)

    def table_text(self, table):
        if not self.shape(table):
            return f"table {table}, deleted"
        ids = ", ".join(map(self.id_text, self.table_ids(table)[:MOST_CHILDREN]))
        return f"table {table}, {plural(self.rows(table)[1], 'row')}: {ids or 'no ids'}"

    def column_values(self, table, first, count):
        """(text of the id, array) of the columns of a table."""
        count = min(count, MOST_ROWS)
        entities = self.row_entities(table, first, count)
        yield "entities", ", ".join(map(self.entity_text, entities))
        for id in self.table_ids(table)[:MOST_CHILDREN]:
            column = self.column(table, id)
            type = column and self.value_type(id, column[1])
            if type and entities:
                place = column[0] + column[1] * first
                read(place, column[1] * len(entities))
                label = self.id_text(id)
                yield label, debugger.array_at(label, place, type, len(entities))

    def __str__(self):
        counted = [self.rows(table)[1] for table in self.tables()]
        text = plural(sum(counted), "entity", "entities")
        text += f" in {plural(sum(rows != 0 for rows in counted), 'table')}"
        return text + (", deferred" if self.is_deferred() else "")
