#!/usr/bin/env python3
"""Writes a C function that calls any function of <kith/kith.h> with drawn arguments.

    calls.py HEADER OUTPUT

The output has the function `void call(session* s, unsigned number)` with a case per function, and functions that fill
descriptors member by member. Arguments come from the functions of calls.h. A type of argument that this script does not
know is an error, so that a new function of the header cannot be left out.
"""

import re
import sys
from pathlib import Path

# Functions that calls.h calls by itself, because they end what the session has.
BY_HAND = {
    "kith_fini", "kith_reset", "kith_free", "kith_init_w_memory", "kith_query_fini", "kith_monitor_fini",
    "kith_traversal_fini", "kith_snapshot_fini", "kith_set_error_action", "kith_set_log",
}
NULL_WORLD_IS_FINE = {"kith_query_iter"}  # it takes the world of the query
# They start a run, and overwrite the iterator that they are given.
STARTS = {"kith_query_iter", "kith_query_bind", "kith_each_id", "kith_sources", "kith_children"}

# Type of an argument or member: the expression that draws one.
DRAWN = {
    "kith_world_t*": "draw_world(s)",
    "kith_entity_t": "draw_entity(s)",
    "kith_id_t": "draw_id(s)",
    "char*": "draw_text(s)",
    "bool": "draw_bool(s)",
    "kith_status_t": "draw_number(s)",
    "int32_t": "draw_number(s)",
    "uint32_t": "draw_flags(s)",
    "uint64_t": "draw_byte(s)",
    "int64_t": "draw_number(s)",
    "float": "draw_float(s)",
    "kith_iter_t*": "draw_iter(s)",
    "kith_query_t*": "draw_query(s)",
    "kith_traversal_t*": "draw_traversal(s)",
    "kith_snapshot_t*": "draw_snapshot(s)",
    "kith_ref_t*": "draw_ref(s)",
    "kith_table_t*": "draw_table(s)",
    "void*": "draw_memory(s)",
    "void**": "draw_columns(s)",
    "kith_ctx_free_t": "draw_ctx_free(s)",
    "kith_iter_action_t": "draw_action(s)",
    "kith_construct_t": "draw_construct(s)",
    "kith_order_by_action_t": "draw_order(s)",
    "kith_group_by_action_t": "draw_group_by(s)",
    "kith_group_create_action_t": "draw_group_create(s)",
    "kith_group_delete_action_t": "draw_group_delete(s)",
    "kith_text_error_action_t": "draw_mistake_action(s)",
    "kith_xtor_t": "draw_xtor(s)",
    "kith_copy_t": "draw_copy(s)",
    "kith_move_t": "draw_move(s)",
    # Outputs, and inputs that are arrays: room for eight, of anything.
    **{f"{name}*": "draw_memory(s)" for name in (
        "kith_entity_t", "kith_id_t", "size_t", "int32_t", "int64_t", "kith_term_t", "kith_query_column_t",
        "kith_type_info_t", "kith_world_stats_t", "char*")},
}
# A member or an argument whose name says more than its type.
NAMED = {
    ("size_t", "alignment"): "draw_alignment(s)",
    ("size_t", "size"): "draw_size(s)",
    ("size_t", "offset"): "draw_size(s)",
    ("size_t", "length"): "draw_length(s, {text})",
    ("float", "rate"): "draw_rate(s)",
    ("void*", "ctx"): "draw_ctx(s)",
    ("void*", "binding_ctx"): "draw_ctx(s)",
    ("void*", "group_by_ctx"): "draw_ctx(s)",
    ("kith_entity_t*", "entities"): "draw_entities(s)",
    ("kith_entity_t*", "targets"): "draw_entities(s)",
    ("kith_entity_t*", "path"): "draw_path(s)",
    ("kith_id_t*", "ids"): "draw_ids(s)",
    ("int32_t", "count"): "draw_count(s)",
    ("int32_t", "capacity"): "draw_count(s)",
    ("int32_t", "id_count"): "draw_count(s)",
    ("int32_t", "order_count"): "draw_count(s)",
    ("int32_t", "terms_buffer_count"): "draw_count(s)",
}
# Arrays of structs: how many are filled.
ELEMENTS = 3


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    return re.sub(r"^\s*#(?:[^\n\\]|\\\n|\\.)*$", "", text, flags=re.MULTILINE)


def plain(declared):
    """A type without const and blanks."""
    return re.sub(r"\s+", "", re.sub(r"\bconst\b", "", declared))


def split(text):
    """Parts between commas outside of brackets."""
    parts, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    return [part.strip() for part in (*parts, text[begin:])]


def functions(text):
    """(result, name, [(declaration, type, name)])"""
    found = {}
    pattern = re.compile(r"\bKITH_(?:API|INLINE)\b([^;{(]*?)\b(kith_\w+)\s*\(((?:[^()]|\([^()]*\))*)\)")
    for result, name, arguments in pattern.findall(text):
        parsed = []
        for argument in [] if arguments.strip() == "void" else split(arguments):
            if match := re.fullmatch(r"(\w+) \(\*(\w+)\)\((.*)\)", re.sub(r"\s+", " ", argument)):
                parsed.append((f"{match[1]} (*{{}})({match[3]})", "function", match[2]))
            else:
                kind, own = re.fullmatch(r"(.*?)(\w+)", argument, re.DOTALL).groups()
                parsed.append((" ".join(kind.split()) + " {}", plain(kind), own))
        found[name] = (plain(result), parsed)
    return found


def structs(text):
    """Name: [(type, name, length or None)]"""
    found = {}
    for body, name in re.findall(r"typedef struct \w+ \{([^{}]*)\} (\w+);", text):
        members = []
        for member in body.split(";"):
            member = " ".join(member.split())
            if not member:
                continue
            if match := re.fullmatch(r"[\w*]+ \(\*(\w+)\)\(.*\)", member):
                members.append(("function", match[1], None))
                continue
            kind, names = re.fullmatch(r"((?:const )?\w+(?:\*+ | ))(.*)", member).groups()
            for one in split(names):
                stars, own, length = re.fullmatch(r"(\**)(\w+)(?:\[(\d+)\])?", one).groups()
                members.append((plain(kind) + stars, own, int(length) if length else None))
        found[name] = members
    return found


class Writer:
    def __init__(self, header):
        text = without_comments(header)
        self.functions = functions(text)
        self.structs = structs(text)
        self.lines = []
        self.filled = []  # structs, innermost first

    def drawn(self, kind, name, where, text=None):
        if kind == "function":
            return f"draw_{where.removeprefix('kith_')}_{name}(s)"
        expression = NAMED.get((kind, name)) or DRAWN.get(kind)
        if expression is None:
            raise SystemExit(f"{where}: nothing is known about {kind} {name}")
        return expression.format(text=text)

    def need(self, name):
        """A function that fills the struct, behind those of its members."""
        if name in self.filled:
            return
        for kind, *_ in self.structs[name]:
            if kind.rstrip("*") in self.structs and self.is_array_or_member(kind):
                self.need(kind.rstrip("*"))
        self.filled.append(name)

    def is_array_or_member(self, kind):
        return DRAWN.get(kind) is None

    def fill(self, name):
        """Each member is drawn with a chance of one in four, so that most of a descriptor is zero."""
        yield f"static void fill_{name}(session* s, {name}* desc) {{"
        yield "    memset(desc, 0, sizeof *desc);"
        for kind, own, length in self.structs[name]:
            pointed = kind.rstrip("*")
            yield "    if (draw_rarely(s)) {"
            if kind in self.structs and length is None:
                yield f"        fill_{kind}(s, &desc->{own});"
            elif kind in self.structs:
                yield f"        for (int i = 0; i < {min(ELEMENTS, length)} && draw_bool(s); i++) {{"
                yield f"            fill_{kind}(s, &desc->{own}[i]);"
                yield "        }"
            elif pointed in self.structs and kind not in DRAWN:
                yield f"        static {pointed} elements[MAX_DEPTH][ELEMENTS];"
                yield "        for (int i = 0; i < ELEMENTS; i++) {"
                yield f"            fill_{pointed}(s, &elements[s->depth][i]);"
                yield "        }"
                yield f"        desc->{own} = elements[s->depth];"
            elif length is not None:
                yield f"        for (int i = 0; i < {min(ELEMENTS, length)}; i++) {{"
                yield f"            desc->{own}[i] = {self.drawn(kind, own, name)};"
                yield "        }"
            else:
                yield f"        desc->{own} = {self.drawn(kind, own, name)};"
            yield "    }"
        if name == "kith_value_t":  # bytes of a type that is none of ours would be read as something else
            yield "    desc->id = id_with_bytes(s, desc->id);"
        if name == "kith_bulk_desc_t":
            yield "    for (int i = 0; desc->data && desc->ids[i]; i++) {"
            yield "        desc->ids[i] = id_with_bytes(s, desc->ids[i]);"
            yield "    }"
        if name == "kith_event_desc_t":
            yield "    desc->param_type = desc->param_type ? s->value : 0;"
        yield "}"

    def call(self, name):
        result, arguments = self.functions[name]
        lines, names = [], []
        for number, (declaration, kind, own) in enumerate(arguments):
            variable = f"a{number}"
            pointed = kind.rstrip("*")
            before = f"a{number - 1}"
            if pointed in self.structs and kind not in DRAWN:
                self.need(pointed)
                lines.append(f"struct {{ {pointed} desc; uint64_t surplus; }} room{number};")
                lines.append(f"fill_{pointed}(s, &room{number}.desc);")
                lines.append(f"room{number}.surplus = draw_rarely(s) ? draw_byte(s) : 0;")
                value = f"draw_byte(s) % 16 ? &room{number}.desc : NULL"
            elif kind == "size_t" and own == "size" and arguments[number - 1][1].rstrip("*") in self.structs:
                value = f"draw_desc_size(s, sizeof *{before}, {int(arguments[number - 1][1] not in DRAWN)})"
            else:
                value = self.drawn(kind, own, name, before)
            lines.append(f"{declaration.format(variable)} = {value};".replace("const kith_iter_t*", "kith_iter_t*"))
            names.append(variable)
        owns = [own for _, _, own in arguments]
        if {"id", "value"} <= set(owns) or {"id", "values"} <= set(owns):
            lines.append(f"a{owns.index('id')} = id_with_bytes(s, a{owns.index('id')});")
        if name in STARTS:
            lines.append(f"kith_iter_fini(a{owns.index('it')});")
        called = f"{name}({', '.join(names)})"
        world = "a0" if arguments and arguments[0][1] == "kith_world_t*" else None
        must_fail = f"{world} == NULL" if world and name not in NULL_WORLD_IS_FINE else "false"
        if result == "kith_status_t" and name not in ("kith_last_status", "kith_fail"):
            lines.append(f'check_status(s, "{name}", {called}, {must_fail});')
        elif result == "char*" and name not in TEXTS_OF_OTHERS:
            lines.append(f"kith_free({called});")
        elif result == "kith_world_t*" and name == "kith_init":
            lines.append(f"kith_fini({called});")
        elif result in KEPT:
            lines.append(f"{KEPT[result]}(s, {called});")
        elif result == "kith_entity_t":
            component = name.startswith(("kith_component", "kith_type_register"))
            lines.append(f"keep_{'component' if component else 'entity'}(s, {called});")
        elif result == "void":
            lines.append(f"{called};")
        else:
            lines.append(f"(void){called};")
        return lines

    def write(self):
        calls = [(name, self.call(name)) for name in self.functions if name not in BY_HAND]
        yield "/* Written by calls.py. */"
        for name in self.filled:
            yield from self.fill(name)
        yield f"enum {{ call_count = {len(calls)} }};"
        yield "static const char* const call_names[] = {"
        yield from (f'    "{name}",' for name, _ in calls)
        yield "};"
        yield "static void call(session* s, unsigned number) {"
        yield "    switch (number) {"
        for number, (_, lines) in enumerate(calls):
            yield f"        case {number}: {{"
            yield from (f"            {line}" for line in lines)
            yield "            break;"
            yield "        }"
        yield "        default:"
        yield "            break;"
        yield "    }"
        yield "}"


KEPT = {
    "kith_query_t*": "keep_query", "kith_monitor_t*": "keep_monitor", "kith_traversal_t*": "keep_traversal",
    "kith_snapshot_t*": "keep_snapshot",
}
# `const char*` results belong to the world.
TEXTS_OF_OTHERS = {
    "kith_version", "kith_status_name", "kith_last_message", "kith_get_name", "kith_get_symbol", "kith_query_var_name",
}


def main():
    header, output = map(Path, sys.argv[1:])
    output.write_text("\n".join(Writer(header.read_text(encoding="utf-8")).write()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
