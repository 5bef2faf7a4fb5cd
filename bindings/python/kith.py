"""kith, an entity component system with relationships, for Python.

    import kith, numpy as np

    with kith.World() as world:
        Position = world.component("Position", x="f8", y="f8")
        ship = world.entity("Ship").set(Position, x=100, y=40)
        for batch in world.query("Position"):
            batch["Position"]["x"] += 1          # numpy arrays over the tables, without copies

One file over the shared library libkith-c.so.0, which is found by the variable KITH_LIBRARY, beside this
file, or by the loader. numpy is needed for components with values and for columns only. The manual has a
page about it: docs/manual/python.md.

Failures are exceptions: kith.Error and a subclass for each code. With KITH_CHECK=1 in the environment,
columns are copies that become unusable when their batch ends: for finding arrays that are kept too long.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import operator
import os
import re
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_float, c_int32, c_int64,
                    c_size_t, c_uint32, c_uint64, c_void_p)
from pathlib import Path

try:
    import numpy as np
except ImportError:  # worlds, tags, pairs, text and rows() work without
    np = None

__all__ = ["World", "Entity", "Component", "Enum", "Id", "Query", "Batch", "Monitor", "Mistake", "Stats", "Error",
           "WrongThread", "check_query", "check_text", "format_text", "version"]

CHECKED = os.environ.get("KITH_CHECK", "") not in ("", "0")


# -- the library ------------------------------------------------------------------------------------


class _TermId(Structure):
    _fields_ = [("id", c_uint64), ("name", c_char_p), ("trav", c_uint64), ("flags", c_uint32),
                ("min_depth", c_uint32), ("max_depth", c_uint32), ("reserved", c_uint32)]


class _Term(Structure):
    _fields_ = [("id", c_uint64), ("src", _TermId), ("first", _TermId), ("second", _TermId),
                ("inout", c_int32), ("oper", c_int32), ("flags", c_uint32), ("reserved", c_uint32 * 5)]


class _Field(Structure):
    _fields_ = [("ptr", c_void_p), ("reserved", c_void_p), ("id", c_uint64), ("src", c_uint64),
                ("stride", c_uint32), ("flags", c_uint32)]


class _Iter(Structure):
    _fields_ = [("world", c_void_p), ("entities", c_void_p), ("fields", c_void_p),
                ("count", c_int32), ("field_count", c_int32), ("table", c_void_p), ("offset", c_int32),
                ("status", c_int32), ("group_id", c_uint64), ("variables", POINTER(c_uint64)),
                ("query", c_void_p), ("event", c_uint64), ("event_id", c_uint64), ("param", c_void_p),
                ("ctx", c_void_p), ("binding_ctx", c_void_p), ("system", c_uint64),
                ("delta_time", c_float), ("delta_system_time", c_float), ("state", c_void_p),
                ("reserved", c_uint64 * 4)]


_Action = CFUNCTYPE(None, POINTER(_Iter))
_CtxFree = CFUNCTYPE(None, c_void_p)
_Construct = CFUNCTYPE(None, c_void_p, c_void_p)
_OrderBy = CFUNCTYPE(ctypes.c_int, c_uint64, c_void_p, c_uint64, c_void_p)


class _Hooks(Structure):
    _fields_ = [(name, c_void_p) for name in ("ctor", "dtor", "copy_ctor", "copy", "move_ctor", "move")]
    _fields_ += [("on_add", _Action), ("on_set", _Action), ("on_remove", _Action), ("ctx", c_void_p),
                 ("binding_ctx", c_void_p), ("ctx_free", _CtxFree), ("binding_ctx_free", _CtxFree)]


class _ComponentDesc(Structure):
    _fields_ = [("entity", c_uint64), ("name", c_char_p), ("size", c_size_t), ("alignment", c_size_t),
                ("hooks", _Hooks), ("local", c_bool)]


class _EnumConstant(Structure):
    _fields_ = [("value", c_int64), ("name", c_char_p)]


class _EnumDesc(Structure):
    _fields_ = [("name", c_char_p), ("size", c_size_t), ("constants", POINTER(_EnumConstant)),
                ("count", c_int32)]


_PROPERTIES = ("exclusive", "tag", "symmetric", "transitive", "reflexive", "acyclic", "traversable", "final",
               "dont_inherit", "transient", "sparse")
_POLICIES = ("on_delete", "on_delete_target", "with_", "one_of")


class _RelationDesc(Structure):
    _fields_ = [("entity", c_uint64), ("name", c_char_p)] + [(name, c_bool) for name in _PROPERTIES]
    _fields_ += [(name, c_uint64) for name in _POLICIES]


class _Order(Structure):
    _fields_ = [("component", c_uint64), ("compare", _OrderBy), ("number", c_int32), ("offset", c_uint32),
                ("descending", c_bool)]


class _QueryDesc(Structure):
    _fields_ = [("terms", _Term * 16), ("terms_buffer", c_void_p), ("terms_buffer_count", c_int32),
                ("cached", c_bool), ("instanced", c_bool), ("track_rows", c_bool), ("expr", c_char_p),
                ("name", c_char_p), ("flags", c_uint32), ("order_by_component", c_uint64),
                ("order_by", _OrderBy), ("orders", POINTER(_Order)), ("order_count", c_int32),
                ("group_by_id", c_uint64), ("group_by", c_void_p), ("group_descending", c_bool),
                ("group_by_ctx", c_void_p), ("group_by_ctx_free", c_void_p), ("on_group_create", c_void_p),
                ("on_group_delete", c_void_p), ("parent", c_void_p)]


class _ObserverDesc(Structure):
    _fields_ = [("entity", c_uint64), ("query", _QueryDesc), ("events", c_uint64 * 16),
                ("yield_existing", c_bool), ("callback", _Action), ("run", _Action), ("ctx", c_void_p),
                ("binding_ctx", c_void_p), ("ctx_free", _CtxFree), ("binding_ctx_free", _CtxFree)]


class _EventDesc(Structure):
    _fields_ = [("event", c_uint64), ("ids", POINTER(c_uint64)), ("id_count", c_int32),
                ("entity", c_uint64), ("table", c_void_p), ("offset", c_int32), ("count", c_int32),
                ("param", c_void_p), ("param_type", c_uint64)]


class _MonitorDesc(Structure):
    _fields_ = [("enter", c_bool), ("leave", c_bool), ("existing", c_bool), ("callback", _Action),
                ("ctx", c_void_p), ("ctx_free", _CtxFree)]


class _BulkDesc(Structure):
    _fields_ = [("count", c_int32), ("ids", c_uint64 * 32), ("data", POINTER(c_void_p))]


class _TypeInfo(Structure):
    _fields_ = [("size", c_uint32), ("alignment", c_uint32), ("component", c_uint64), ("name", c_char_p),
                ("ctx", c_void_p), ("reserved", c_uint64 * 4)]


class _LoadDesc(Structure):
    _fields_ = [("file", c_char_p), ("progress", c_void_p), ("ctx", c_void_p)]


class _TextMistake(Structure):
    _fields_ = [("line", c_uint32), ("column", c_uint32), ("message", c_char_p), ("excerpt", c_char_p)]


_STATS = ("entities", "tables", "empty_tables", "ids", "bytes_entities", "bytes_tables", "bytes_rows",
          "bytes_index", "bytes_sparse", "bytes_names", "bytes_commands", "bytes_total")


_Alloc = CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_size_t)
_Free = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_size_t)


class _Memory(Structure):
    _fields_ = [("alloc", _Alloc), ("free", _Free), ("ctx", c_void_p), ("no_pools", c_bool)]


class _Stats(Structure):
    _fields_ = [(name, c_uint64) for name in _STATS]


_TextErrorAction = CFUNCTYPE(None, POINTER(_TextMistake), c_void_p)

# The structs as the header calls them: a test compares their sizes with those of C.
_STRUCTS = {
    "kith_term_id_t": _TermId, "kith_term_t": _Term, "kith_field_t": _Field, "kith_iter_t": _Iter,
    "kith_type_hooks_t": _Hooks, "kith_component_desc_t": _ComponentDesc, "kith_enum_desc_t": _EnumDesc,
    "kith_relation_desc_t": _RelationDesc, "kith_order_t": _Order, "kith_query_desc_t": _QueryDesc,
    "kith_observer_desc_t": _ObserverDesc, "kith_event_desc_t": _EventDesc,
    "kith_monitor_desc_t": _MonitorDesc, "kith_bulk_desc_t": _BulkDesc, "kith_type_info_t": _TypeInfo,
    "kith_load_desc_t": _LoadDesc, "kith_text_error_t": _TextMistake, "kith_world_stats_t": _Stats,
    "kith_memory_t": _Memory,
}

_W, _E, _S, _P = c_void_p, c_uint64, c_int32, c_void_p  # world, entity or id, status, pointer
_IT = POINTER(_Iter)
# Name: (result, arguments). A result _S is checked: other values than 0 raise.
_FUNCTIONS = {
    "version": (c_char_p, ()), "abi_version": (c_uint32, ()), "build_flags": (c_uint32, ()),
    "status_name": (c_char_p, (_S,)), "last_status": (c_int32, ()), "last_message": (c_char_p, ()),
    "clear_error": (None, ()), "free": (None, (_P,)),
    "init": (_W, ()), "init_w_memory": (_W, (POINTER(_Memory),)), "fini": (_S, (_W,)), "world_stats_w_size": (_S, (_W, POINTER(_Stats), c_size_t)),
    "check": (_S, (_W,)), "shrink": (_S, (_W,)),
    "make_pair": (_E, (_W, _E, _E)), "pair_first": (_E, (_W, _E)), "pair_second": (_E, (_W, _E)),
    "get_typeid": (_E, (_W, _E)), "get_type_info": (c_bool, (_W, _E, POINTER(_TypeInfo))),
    "id_str": (_P, (_W, _E)),
    "new": (_E, (_W,)), "new_entity": (_E, (_W, c_char_p)), "new_prefab": (_E, (_W, c_char_p)),
    "bulk_init_w_size": (POINTER(c_uint64), (_W, POINTER(_BulkDesc), c_size_t)),
    "clone": (_E, (_W, _E, _E, c_bool)), "delete": (_S, (_W, _E)), "clear": (_S, (_W, _E)),
    "is_alive": (c_bool, (_W, _E)), "enable": (_S, (_W, _E, c_bool)), "is_enabled": (c_bool, (_W, _E)),
    "get_ids": (c_int32, (_W, _E, POINTER(c_uint64), c_int32)), "count_id": (c_int32, (_W, _E)),
    "delete_with": (_S, (_W, _E)),
    "add_id": (_S, (_W, _E, _E)), "remove_id": (_S, (_W, _E, _E)), "has_id": (c_bool, (_W, _E, _E)),
    "owns_id": (c_bool, (_W, _E, _E)), "add_pair": (_S, (_W, _E, _E, _E)),
    "remove_pair": (_S, (_W, _E, _E, _E)), "has_pair": (c_bool, (_W, _E, _E, _E)),
    "owns_pair": (c_bool, (_W, _E, _E, _E)),
    "get_id": (_P, (_W, _E, _E)), "set_id": (_S, (_W, _E, _E, c_size_t, c_void_p)),
    "emplace_id": (_S, (_W, _E, _E, _Construct, c_void_p)),
    "get_n": (c_int32, (_W, _P, c_int32, _E, c_size_t, _P)),
    "set_n": (_S, (_W, _P, c_int32, _E, c_size_t, _P)), "add_n": (_S, (_W, _P, c_int32, _E)),
    "delete_n": (_S, (_W, _P, c_int32)),
    "component_init_w_size": (_E, (_W, POINTER(_ComponentDesc), c_size_t)),
    "set_hooks_w_size": (_S, (_W, _E, POINTER(_Hooks), c_size_t)),
    "enum_init_w_size": (_E, (_W, POINTER(_EnumDesc), c_size_t)),
    "enum_constant": (_E, (_W, _E, c_int64)), "get_enum": (_S, (_W, _E, _E, POINTER(c_int64))),
    "set_enum": (_S, (_W, _E, _E, c_int64)),
    "relation_init_w_size": (_E, (_W, POINTER(_RelationDesc), c_size_t)),
    "get_target": (_E, (_W, _E, _E, c_int32)), "get_parent": (_E, (_W, _E)), "get_depth": (c_int32, (_W, _E, _E)),
    "get_table": (_P, (_W, _E)), "table_ids": (POINTER(c_uint64), (_W, _P, POINTER(c_int32))),
    "sources": (_S, (_W, _E, _E, _IT)), "children": (_S, (_W, _E, _IT)),
    "traverse": (_P, (_W, _E, _E)), "traversal_next": (_E, (_P, POINTER(c_int32))),
    "traversal_fini": (None, (_P,)),
    "get_name": (c_char_p, (_W, _E)), "set_name": (_S, (_W, _E, c_char_p)),
    "lookup": (_E, (_W, c_char_p)), "get_path_w_sep": (_P, (_W, _E, _E, c_char_p, c_char_p)),
    "set_scope": (_E, (_W, _E)), "push_with": (c_int32, (_W, _E)), "pop_with": (_S, (_W, c_int32)),
    "defer_begin": (c_bool, (_W,)), "defer_end": (_S, (_W,)),
    "query_init_w_size": (_P, (_W, POINTER(_QueryDesc), c_size_t)), "query_fini": (None, (_P,)),
    "query_count": (c_int32, (_P,)), "query_is_true": (c_bool, (_P,)), "query_first": (_E, (_P,)),
    "query_matches": (c_bool, (_P, _E)), "query_changed": (c_bool, (_P,)), "query_str": (_P, (_P,)),
    "query_explain": (_P, (_P,)), "query_explain_entity": (_P, (_P, _E)),
    "query_term_count": (c_int32, (_P,)), "query_term": (_S, (_P, c_int32, POINTER(_Term))),
    "query_field_count": (c_int32, (_P,)), "query_var_count": (c_int32, (_P,)),
    "query_var_name": (c_char_p, (_P, c_int32)), "query_find_var": (c_int32, (_P, c_char_p)),
    "check_query": (c_int32, (c_char_p, c_size_t, _TextErrorAction, _P)),
    "query_iter": (_S, (_W, _P, _IT)), "each_id": (_S, (_W, _E, _IT)), "iter_set_var": (_S, (_IT, c_int32, _E)),
    "iter_set_group": (_S, (_IT, c_uint64)), "iter_page": (_S, (_IT, c_int32, c_int32)),
    "iter_next": (c_bool, (_IT,)), "iter_fini": (None, (_IT,)), "iter_changed": (c_bool, (_IT,)),
    "iter_skip": (_S, (_IT,)),
    "observer_init_w_size": (_E, (_W, POINTER(_ObserverDesc), c_size_t)),
    "emit_w_size": (_S, (_W, POINTER(_EventDesc), c_size_t)),
    "monitor_init_w_size": (_P, (_P, POINTER(_MonitorDesc), c_size_t)), "monitor_fini": (None, (_P,)),
    "fail": (c_int32, (c_int32, c_char_p)),
    "load_text_w_size": (_S, (_W, c_char_p, c_size_t, POINTER(_LoadDesc), c_size_t)),
    "load_file_w_size": (_S, (_W, c_char_p, POINTER(_LoadDesc), c_size_t)),
    "save_text": (_P, (_W, POINTER(c_size_t))),
    "check_text": (c_int32, (c_char_p, c_size_t, _TextErrorAction, _P)),
    "format_text": (_P, (c_char_p, c_size_t, POINTER(c_size_t))),
}


_lock = threading.RLock()  # of worlds that threads share


def _find_library():
    name = "libkith-c.so.0"
    beside = Path(__file__).resolve().parent / name
    return os.environ.get("KITH_LIBRARY") or (str(beside) if beside.exists() else name)


class _Library:
    """The functions of the library, without their prefix."""

    def __init__(self, path):
        try:
            library = ctypes.CDLL(path)
        except OSError as problem:
            raise ImportError(f"kith: {problem}; set KITH_LIBRARY to the path of libkith-c.so.0") from None
        if library.kith_abi_version() != 0:
            raise ImportError(f"kith: {path} has another version of the C interface than 0")
        if not library.kith_build_flags() & 1:
            raise ImportError(f"kith: {path} was built without exceptions: failures would end the program")
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, "kith_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def serialize(self):
        """From now on one thread at a time is inside of the library. What is kept per thread needs no lock."""
        if self.serialized:
            return
        self.serialized = True
        for name in _FUNCTIONS:
            if name not in ("last_status", "last_message", "clear_error", "fail"):
                setattr(self, name, self._locked(getattr(self, name)))

    serialized = False

    @staticmethod
    def _locked(function):
        def call(*arguments):
            with _lock:
                return function(*arguments)

        return call


# -- failures ---------------------------------------------------------------------------------------


Mistake = collections.namedtuple("Mistake", "line column message excerpt")
Mistake.__doc__ = "A mistake of a text: its place, counted from 1, what is wrong, and the line with a mark."


class Error(Exception):
    """A failure of kith. `status` is its number, `code` its name."""

    status = 0
    code = "error"


class _TextError(Error):
    """A failure with the places of its mistakes."""

    @property
    def mistakes(self) -> list[Mistake]:
        """All mistakes, as kith.Mistake."""
        parts = re.split(r"^(?:[^\s].*:)?(\d+):(\d+): ", str(self), flags=re.MULTILINE)[1:]
        found = []
        for line, column, rest in zip(parts[::3], parts[1::3], parts[2::3]):
            message, _, excerpt = rest.partition("\n")
            found.append(Mistake(int(line), int(column), message, excerpt.rstrip("\n")))
        return found

    @property
    def line(self) -> int | None:
        """The line of the first mistake, None if the failure is about no place."""
        return self.mistakes[0].line if self.mistakes else None

    @property
    def column(self) -> int | None:
        """The column of the first mistake, None if the failure is about no place."""
        return self.mistakes[0].column if self.mistakes else None


def _error_class(status, code):
    name = "".join(word.capitalize() for word in code.split("_"))
    made = type(name, (_TextError if code in ("invalid_query", "invalid_text") else Error,), {"status": status, "code": code, "__doc__": f"kith: {code}",
                                 "__module__": __name__})
    globals()[name] = made
    __all__.append(name)
    return made


_CODES = ("invalid_entity invalid_id wrong_type type_conflict invalid_type not_constructible not_copyable "
          "already_exists missing_component name_taken invalid_name locked in_use constraint cycle "
          "invalid_operation limit invalid_query invalid_text "
          "invalid_value invalid_file conflict undeclared_access").split()
_ERRORS = {number: _error_class(number, code) for number, code in enumerate(_CODES, start=1)}
_ERRORS[101] = _error_class(101, "callback")
_ERRORS[102] = _error_class(102, "invalid_argument")
InvalidEntity, InvalidOperation = _ERRORS[1], _ERRORS[16]


class WrongThread(InvalidOperation):
    """A world is used on another thread than its own; World.share() allows it."""


_lib = _Library(_find_library())
version = _lib.version().decode()
_no_error = _lib.clear_error
_last = _lib.last_status


class _Callbacks(threading.local):
    """Exceptions of callbacks, until the call that caused them returns."""

    def __init__(self):
        self.raised = []
        self.depth = 0  # of callbacks that run inside of each other


_callbacks = _Callbacks()


def _raise(status):
    message = _lib.last_message().decode(errors="replace")
    raised, _callbacks.raised = _callbacks.raised, []
    if status == 101 and raised:
        first, *others = raised
        for other in others:
            if other is not first and first.__context__ is None:
                first.__context__ = other
        raise first
    if status == 100:
        raise MemoryError(message)
    raise _ERRORS.get(status, Error)(message)


def _report_lost():
    """Exceptions of callbacks whose operation could not fail, such as the end of a world."""
    raised, _callbacks.raised = _callbacks.raised, []
    for one in raised:
        warnings.warn(f"kith: a callback has raised {one!r}, and the operation that called it cannot fail",
                      RuntimeWarning, stacklevel=3)


def _done(status):
    """Checks a status."""
    if status:
        _raise(status)


def _value(function, *arguments):
    """Calls a function of which a false result is a failure or absence."""
    _no_error()
    result = function(*arguments)
    if not result and _last():
        _raise(_last())
    return result


def _text(pointer):
    """A text that the library gives away."""
    if not pointer:
        return None
    text = ctypes.string_at(pointer).decode(errors="replace")
    _lib.free(pointer)
    return text


def _data(text):
    """The bytes of a text that is given to the library with its length."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"a text is wanted, not {text!r}")
    return text.encode() if isinstance(text, str) else text


def _bytes(text):
    """A text for the library, which ends at its first zero; None is NULL."""
    if text is None:
        return None
    found = _data(text)
    if b"\0" in found:
        raise ValueError(f"a text without zeros is wanted, not {text!r}")
    return found


def _sign(number):
    """-1, 0 or 1: a fraction or a large number does not fit into an int of C."""
    return 1 if number > 0 else -1 if number < 0 else 0


def _address(array):
    """Where the bytes of a contiguous array are: faster than array.ctypes.data."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


def _assign(to, values):
    """to[:] = values; numpy copies records member by member, which bytes are not."""
    if values.flags.c_contiguous and values.dtype == to.dtype:
        to.view(np.uint8)[:] = values.view(np.uint8)
    else:
        to[:] = values


def _need_numpy(what):
    if np is None:
        raise ImportError(f"kith: {what} needs numpy (Debian: python3-numpy)")


# -- ids --------------------------------------------------------------------------------------------


class Id(int):
    """An id of an entity: a component, a tag, an entity or a pair."""

    def __new__(cls, world, number):
        made = super().__new__(cls, number)
        made._world = world
        return made

    @property
    def is_pair(self) -> bool:
        """True for the id of a relationship and a target."""
        return self >> 63 != 0

    @property
    def first(self) -> Entity | None:
        """The relationship of a pair, None for other ids."""
        return self._world._entity_or_none(_value(_lib.pair_first, self._world._raw(), self))

    @property
    def second(self) -> Entity | None:
        """The target of a pair, None for other ids."""
        return self._world._entity_or_none(_value(_lib.pair_second, self._world._raw(), self))

    def __str__(self):
        return _text(_value(_lib.id_str, self._world._raw(), self))

    def __repr__(self):
        return f"<kith id {self}>"

    def __reduce_ex__(self, protocol):
        raise TypeError("ids mean something in their world only; World.save() is the text form of a world")


class Entity(Id):
    """An entity of a world. It is the number of its id."""

    def add(self, what: int, target: int | None = None) -> Entity:
        """Adds an id, or the pair of a relationship and a target."""
        self._world._check_own(what, target)
        if target is None:
            _done(_lib.add_id(self._world._raw(), self, what))
        else:
            _done(_lib.add_pair(self._world._raw(), self, what, target))
        return self

    def remove(self, what: int, target: int | None = None) -> Entity:
        """Removes an id, or the pair of a relationship and a target."""
        self._world._check_own(what, target)
        if target is None:
            _done(_lib.remove_id(self._world._raw(), self, what))
        else:
            _done(_lib.remove_pair(self._world._raw(), self, what, target))
        return self

    def has(self, what: int, target: int | None = None) -> bool:
        """True if the entity owns or inherits it."""
        self._world._check_own(what, target)
        if target is None:
            return _value(_lib.has_id, self._world._raw(), self, what)
        return _value(_lib.has_pair, self._world._raw(), self, what, target)

    def owns(self, what: int, target: int | None = None) -> bool:
        """True if the entity has it itself, rather than by IsA."""
        self._world._check_own(what, target)
        if target is None:
            return _value(_lib.owns_id, self._world._raw(), self, what)
        return _value(_lib.owns_pair, self._world._raw(), self, what, target)

    def set(self, component: Component | str | int, *values: object, target: int | None = None,
            **members: object) -> Entity:
        """Sets a component: set(Position, 1, 2), set(Position, x=1), set(Position, record)."""
        component = self._world._component(component)
        number = self._world._id_or_pair(component, target)
        raw = self._world._raw()
        dtype = component.dtype
        if component._is_real and not members and len(values) == len(dtype.names) > 1 and not self._world._is_shared:
            # The library copies the value before it calls anything: one room serves all calls.
            room, at = component._room()
            room[0] = values
            _done(_lib.set_id(raw, self, number, dtype.itemsize, at))
            return self
        record = component._record(values, members)
        _done(_lib.set_id(raw, self, number, record.nbytes, _address(record)))
        return self

    def emplace(self, component: Component | str | int, *values: object, target: int | None = None,
                **members: object) -> Entity:
        """Adds a component with a value; AlreadyExists if it is there."""
        component = self._world._component(component)
        number = self._world._id_or_pair(component, target)
        record = component._record(values, members)
        construct = _Construct(lambda at, _: ctypes.memmove(at, record.ctypes.data, record.nbytes) and None)
        _done(_lib.emplace_id(self._world._raw(), self, number, construct, None))
        return self

    def address(self, component: Component | str | int, target: int | None = None) -> int | None:
        """Where the value lies, for functions of C; None if there is none. A structural change may move it."""
        component = self._world._component(component)
        number = self._world._id_or_pair(component, target)
        return _value(_lib.get_id, self._world._raw(), self, number)

    def get(self, component: Component | str | int, target: int | None = None) -> np.record | np.generic | None:
        """A copy of the value as a record, None if there is none."""
        component = self._world._component(component)
        dtype = component._dtype_or_raise()
        number = self._world._id_or_pair(component, target)
        raw = self._world._raw()
        if self._world._is_shared:
            with _lock:
                copy = self._copy(raw, number, dtype.itemsize)
        else:
            copy = self._copy(raw, number, dtype.itemsize)
        return None if copy is None else np.frombuffer(copy, dtype)[0]

    def _copy(self, raw, number, size):
        found = _lib.get_id(raw, self, number)
        if not found:  # once more, to tell absence from failure
            return _value(_lib.get_id, raw, self, number)
        return bytearray(ctypes.string_at(found, size))

    def target(self, relation: int, index: int = 0) -> Entity | None:
        """The target with this number, None if there are fewer."""
        self._world._check_own(relation)
        found = _value(_lib.get_target, self._world._raw(), self, relation, index)
        return self._world._entity_or_none(found)

    def targets(self, relation: int) -> list[Entity]:
        """The targets of a relationship, in their order."""
        found, index = [], 0
        while (one := self.target(relation, index)) is not None:
            found.append(one)
            index += 1
        return found

    def sources(self, relation: int) -> list[Entity]:
        """The entities that have the pair of the relationship and this entity."""
        self._world._check_own(relation)
        return self._world._listed(_lib.sources, relation, self)

    def depth(self, relation: int) -> int:
        """The length of the longest chain of targets."""
        self._world._check_own(relation)
        found = _lib.get_depth(self._world._raw(), self, relation)
        if found < 0:
            _raise(_last())
        return found

    @property
    def children(self) -> list[Entity]:
        """The entities that have (ChildOf, this entity)."""
        return self._world._listed(_lib.children, self)

    @property
    def parent(self) -> Entity | None:
        """The target of ChildOf, None if there is none."""
        return self._world._entity_or_none(_value(_lib.get_parent, self._world._raw(), self))

    @property
    def ids(self) -> list[Id]:
        """All ids of the entity."""
        raw = self._world._raw()
        with self._world._exclusive:
            count = _value(_lib.get_ids, raw, self, None, 0)
            found = (c_uint64 * count)()
            _lib.get_ids(raw, self, found, count)
        return [Id(self._world, number) for number in found]

    @property
    def table_ids(self) -> list[Id]:
        """The ids that decide which table the entity is in: all but sparse ones."""
        raw, count = self._world._raw(), c_int32()
        with self._world._exclusive:
            found = _value(_lib.table_ids, raw, _value(_lib.get_table, raw, self), byref(count))
            return [Id(self._world, number) for number in found[:count.value]]

    @property
    def index(self) -> int:
        """The lower half of the number: that of a living entity is its own, and is used again after its end."""
        return int(self) & 0xFFFFFFFF

    @property
    def generation(self) -> int:
        """How often the index was used before."""
        return int(self) >> 32 & 0xFFFF

    @property
    def name(self) -> str | None:
        """The name, None if it has none. It can be assigned."""
        found = _value(_lib.get_name, self._world._raw(), self)
        return found.decode() if found else None

    @name.setter
    def name(self, name: str | None) -> None:
        _done(_lib.set_name(self._world._raw(), self, _bytes(name)))

    @property
    def path(self) -> str:
        """"Sun.Earth" """
        return _text(_value(_lib.get_path_w_sep, self._world._raw(), 0, self, b".", b""))

    @property
    def alive(self) -> bool:
        """False for an entity that was deleted."""
        return _lib.is_alive(self._world._raw(), self)

    @property
    def enabled(self) -> bool:
        """False for an entity that disable() was called for."""
        return _value(_lib.is_enabled, self._world._raw(), self)

    def enable(self) -> Entity:
        """Queries match the entity again."""
        _done(_lib.enable(self._world._raw(), self, True))
        return self

    def disable(self) -> Entity:
        """Queries do not match the entity until it is enabled."""
        _done(_lib.enable(self._world._raw(), self, False))
        return self

    def clear(self) -> Entity:
        """Removes all ids."""
        _done(_lib.clear(self._world._raw(), self))
        return self

    def clone(self, values: bool = True) -> Entity:
        """A new entity with the same ids, and with the same values unless `values` is false."""
        return self._world._entity(_value(_lib.clone, self._world._raw(), 0, self, values))

    def delete(self) -> None:
        """Deletes the entity, and what its relationships demand."""
        _done(_lib.delete(self._world._raw(), self))

    def walk_up(self, relation: int, limit: int = 100) -> Iterator[Entity]:
        """The first target, the first target of that, and so on."""
        at, count = self.target(relation), 0
        while at is not None:
            if count == limit:
                raise _ERRORS[17](f"walk_up: more than {limit} entities")
            yield at
            count += 1
            at = at.target(relation)

    def traverse(self, relation: int) -> Iterator[tuple[int, Entity]]:
        """Pairs (depth, entity): this entity and all that reach it through the relationship."""
        self._world._check_own(relation)
        walk = _value(_lib.traverse, self._world._raw(), self, relation)
        depth = c_int32()
        try:
            while found := _value(_lib.traversal_next, walk, byref(depth)):
                yield depth.value, self._world._entity(found)
        finally:
            _lib.traversal_fini(walk)

    def emit(self, event: int, *ids: int, value: object = None) -> None:
        """Notifies observers of an event of this entity, about ids that it has; see World.event()."""
        self._world.event(event, *ids, entity=self, value=value)

    def set_enum(self, enum: Enum, constant: str | int) -> Entity:
        """Gives the entity a constant of an enum, by its name or value."""
        self._world._check_own(enum)
        value = enum.values[constant] if isinstance(constant, str) else constant
        _done(_lib.set_enum(self._world._raw(), self, enum, value))
        return self

    def get_enum(self, enum: Enum) -> str | None:
        """The name of the constant that the entity has, None if it has none."""
        value = c_int64()
        if not self.has(enum, Wildcard):
            return None
        _done(_lib.get_enum(self._world._raw(), self, enum, byref(value)))
        return enum.names[value.value]

    def __repr__(self):
        if self._world._closed():
            return f"<kith #{int(self) & 0xFFFFFFFF}, its world has ended>"
        if not self.alive:
            return f"<kith #{int(self) & 0xFFFFFFFF}, not alive>"
        return f"<kith {self.path}>"

    def __str__(self):
        return self.name or f"#{int(self) & 0xFFFFFFFF}"


class Component(Entity):
    """A component; `dtype` is the type of its values, None for tags. Called, it makes a record."""

    dtype = None
    _kept_room = None

    @property
    def _is_real(self):
        """True if all members are floating-point numbers, of which every number can be one."""
        if self._real_dtype is not self.dtype:
            self._real_dtype = self.dtype
            names = (self.dtype.names if self.dtype is not None else None) or ()
            self._real = bool(names) and all(self.dtype[name].kind == "f" for name in names)
        return self._real

    _real_dtype, _real = None, False

    def _room(self):
        """An array of one value, and its address."""
        if self._kept_room is None or self._kept_room[0].dtype is not self.dtype:
            room = np.zeros(1, self.dtype)
            self._kept_room = room, _address(room)
        return self._kept_room

    def _dtype_or_raise(self):
        _need_numpy("a value")
        if self.dtype is None:
            raise _ERRORS[3](f"{self} has no values")
        return self.dtype

    def _record(self, values, members):
        """An array of one record."""
        dtype = self._dtype_or_raise()
        made = np.zeros(1, dtype)
        if members:
            if values:
                raise TypeError("give the members of a value either by position or by name")
            for name, value in members.items():
                if not dtype.names or name not in dtype.names:
                    raise TypeError(f"{self} has no member {name!r}; it has {', '.join(dtype.names or ())}")
                self._store(made, name, value)
        elif len(values) == 1 and (not dtype.names or
                                   isinstance(values[0], (np.void, np.ndarray, tuple, list))):
            self._store_whole(made, values[0])
        elif values:
            if not dtype.names or len(values) != len(dtype.names):
                raise TypeError(f"{self} has {len(dtype.names or (0,))} members, not {len(values)}")
            for name, value in zip(dtype.names, values):
                self._store(made, name, value)
        return made

    @staticmethod
    def _store(made, name, value):
        """Assigns a member; numbers that do not fit are refused."""
        if isinstance(value, (int, np.integer)):
            _check_range(np.asarray(value), made.dtype[name])
        made[name] = value

    def _store_whole(self, made, value):
        """Assigns a value from one object: a record, a tuple, or the value of a component without members."""
        names = self.dtype.names
        if names and isinstance(value, (tuple, list)):
            if len(value) != len(names):
                raise TypeError(f"{self} has {len(names)} members, not {len(value)}")
            for name, member in zip(names, value):
                self._store(made, name, member)
            return
        value = self._fitting(value)
        _check_range(np.asarray(value), self.dtype)
        made[0] = value

    def _fitting(self, value):
        """Values of another structure, and numbers that would lose their fraction, are none of this component."""
        if self.dtype.names is None and not hasattr(value, "dtype"):
            value = np.asarray(value)
        other = getattr(value, "dtype", None)
        if other is not None and not _fits(other, self.dtype):
            raise TypeError(f"a value of {other} is none of {self}, which is {self.dtype}")
        return value

    def _column(self, values, what):
        """Values of many entities as an array of the component's type."""
        dtype = self._dtype_or_raise()
        given = np.asarray(self._fitting(values))
        if given.dtype != dtype and (given.dtype.names is not None or dtype.names is None):
            _check_range(given, dtype)
        column = np.ascontiguousarray(given, dtype)
        if column.ndim != 1:
            raise ValueError(f"{what}: the values of {self} have {column.ndim} dimensions, not 1")
        return column

    def __call__(self, *values: object, **members: object) -> np.record | np.generic:
        """A record of the component: Position(1, 2), Position(x=1)."""
        return self._record(values, members)[0]

    def _hook(self, kind, function):
        self._world._set_hook(self, kind, function)
        return self

    def on_add(self, function: Callable[[Batch], object] | None) -> Component:
        """Calls function(batch) when an entity gets the component."""
        return self._hook("on_add", function)

    def on_set(self, function: Callable[[Batch], object] | None) -> Component:
        """Calls function(batch) when a value was set."""
        return self._hook("on_set", function)

    def on_remove(self, function: Callable[[Batch], object] | None) -> Component:
        """Calls function(batch) before the component is removed."""
        return self._hook("on_remove", function)


class Enum(Entity):
    """An enum: `values` has its constants by name, `names` by value."""


Wildcard, Any, This = 257, 258, 259
Prefab, Disabled, Module = 264, 265, 266
ChildOf, IsA, DependsOn, SlotOf = 270, 271, 272, 273
(Tag, Final, DontInherit, Transitive, Reflexive, Acyclic, Traversable, Exclusive, Union, Sparse, Symmetric, With,
 OneOf, Transient) = range(274, 288)
OnDelete, OnDeleteTarget, Remove, Delete, Panic = range(288, 293)
OnAdd, OnRemove, OnSet, UnSet, Monitored = range(293, 298)
__all__ += ["Wildcard", "Any", "This", "Prefab", "Disabled", "Module", "ChildOf", "IsA", "DependsOn", "SlotOf",
            "Tag", "Final", "DontInherit", "Transitive", "Reflexive", "Acyclic", "Traversable", "Exclusive",
            "Union", "Sparse", "Symmetric", "With", "OneOf", "Transient", "OnDelete", "OnDeleteTarget", "Remove",
            "Delete", "Panic", "OnAdd", "OnRemove", "OnSet", "UnSet"]


_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}  # of numbers, by what they can hold


def _fits(given, wanted):
    """True if values of the one type can be assigned to the other without losing what they are."""
    if given.names or wanted.names:
        return given.names == wanted.names and all(_fits(given[name], wanted[name]) for name in wanted.names)
    if given.subdtype or wanted.subdtype:
        return given.shape == wanted.shape and _fits(given.base, wanted.base)
    if given.kind in _KINDS and wanted.kind in _KINDS:
        return _KINDS[given.kind] <= _KINDS[wanted.kind]
    return given.kind == wanted.kind and (given.kind != "V" or given.itemsize == wanted.itemsize)


def _check_range(values, dtype):
    """Integers that do not fit would be cut by numpy."""
    if dtype.names:
        for name in dtype.names:
            _check_range(values[name], dtype[name])
        return
    wanted = dtype.base
    if wanted.kind in "iu" and values.dtype.kind in "iu" and values.size and not np.can_cast(values.dtype, wanted):
        limits = np.iinfo(wanted)
        if int(values.min()) < limits.min or int(values.max()) > limits.max:
            raise OverflowError(f"{wanted} holds {limits.min} to {limits.max}")


def _dtype_of(dtype, members):
    """The numpy type of a description: a dtype, a dataclass, a ctypes.Structure, or members."""
    _need_numpy("a component with values")
    if members:
        if dtype is not None:
            raise TypeError("give either a dtype or members")
        dtype = list(members.items())
    elif hasattr(dtype, "__dataclass_fields__"):
        dtype = [(name, field.type) for name, field in dtype.__dataclass_fields__.items()]
    made = np.dtype(dtype, align=True)
    if made.hasobject:
        raise TypeError("a component holds bytes: Python objects cannot be members")
    if made.subdtype or made.itemsize == 0:
        raise TypeError(f"a component cannot be {made}; name a member: component(name, values=(\"f8\", 3))")
    return np.dtype((np.record, made)) if made.names else made


# -- queries ----------------------------------------------------------------------------------------


_char = ctypes.c_char


class _Ended:
    """Stands for the iterator of a batch that has ended."""

    def __getattr__(self, name):
        raise InvalidOperation("the batch has ended: it is valid until the next one; copy what is to be kept")


_ENDED = _Ended()


class _Fields:
    """The fields of results, as objects that read them where they are, and the types of their values."""

    __slots__ = ("at", "fields", "dtypes", "names")

    def __init__(self, names):
        self.at, self.fields, self.dtypes, self.names = None, (), {}, names

    def of(self, it):
        at = it.fields
        if self.at != at:
            self.at = at
            self.fields = [_Field.from_address(at + number * ctypes.sizeof(_Field))
                           for number in range(it.field_count)]
        return self.fields


class Batch:
    """Rows of one table that match. Its arrays are views of the table, valid until the next batch."""

    __slots__ = ("_world", "_it", "_fields", "_columns")

    def __init__(self, world, it, fields):
        self._world, self._it, self._fields = world, it, fields
        self._columns = {} if CHECKED else None  # in checked mode: what was handed out

    def __len__(self) -> int:
        return self._it.count

    @property
    def entities(self) -> np.ndarray:
        """The ids of the rows."""
        _need_numpy("the array of entities")
        count = self._it.count
        if count == 0:
            return np.zeros(0, np.uint64)
        found = np.ndarray((count,), np.uint64, (ctypes.c_char * (8 * count)).from_address(self._it.entities))
        found.flags.writeable = False
        return found.copy() if CHECKED else found

    def __iter__(self) -> Iterator[Entity]:
        """The entities of the rows."""
        entities = ctypes.cast(self._it.entities, POINTER(c_uint64))[:self._it.count] if self._it.count else ()
        return iter([self._world._entity(one) for one in entities])

    def _address(self):
        len(self)  # raises if the batch has ended
        return byref(self._it)

    def _field(self, index):
        it = self._it
        if not 1 <= index <= it.field_count:
            raise IndexError(f"there is no field {index}: the result has {it.field_count}, from 1")
        return self._fields.of(it)[index - 1]

    def field(self, index: int) -> np.ndarray | None:
        """The values of a field, from 1; None if it has none. Stride 0: all rows share one value."""
        found = self._field(index)
        at = found.ptr
        if not at:
            return None
        if CHECKED and index in self._columns:
            return self._columns[index][0]
        number, stride, count = found.id, found.stride, self._it.count or 1
        dtypes = self._fields.dtypes
        dtype = dtypes.get(number)
        if dtype is None or stride and dtype.itemsize != stride:  # the number of a pair may be used again
            _need_numpy("a column")
            dtype = dtypes[number] = self._world._dtype_of_id(number)
        memory = (_char * (stride * count or dtype.itemsize)).from_address(at)
        view = np.ndarray(count, dtype, memory, 0, stride)
        readonly = found.flags & 2 or stride == 0 or found.src
        if readonly:
            view.flags.writeable = False
        if not CHECKED:
            return view
        copy = view.copy()
        copy.flags.writeable = not readonly
        self._columns[index] = (copy, view)
        return copy

    def __getitem__(self, key: str | int) -> np.ndarray | Entity | None:
        """A column by number or by the name of its component; the value of a variable by its name."""
        known = self._fields.names.get(key)
        if known is not None:
            return self.variable(known[0]) if known[1] else self.field(known[0])
        if isinstance(key, int):
            return self.field(key)
        if key == "this":
            return self.entities
        raise KeyError(f"{key!r}; there are {', '.join(['this', *self._fields.names])}")

    def variable(self, number: int) -> Entity | None:
        """The value of a variable, by its number; None if it has none."""
        found = self._it.variables[number] if self._it.variables else 0
        return self._world._entity_or_none(found)

    def id(self, index: int) -> Id:
        """The id that matched."""
        return Id(self._world, self._field(index).id)

    def source(self, index: int) -> Entity | None:
        """The entity that has the value, None: the rows themselves."""
        return self._world._entity_or_none(self._field(index).src)

    def is_set(self, index: int) -> bool:
        """False if the field belongs to an optional term that has found nothing."""
        return self._field(index).flags & 1 != 0

    @property
    def changed(self) -> bool:
        """True if the rows have changed since the query was last iterated."""
        return _value(_lib.iter_changed, self._address())

    def skip(self) -> None:
        """The columns were not written: they do not count as changed."""
        _done(_lib.iter_skip(self._address()))

    @property
    def group(self) -> int:
        """The group of the rows, for a query with group_by."""
        return self._it.group_id

    @property
    def event(self) -> Entity | None:
        """In callbacks: the event, an entity."""
        return self._world._entity_or_none(self._it.event)

    @property
    def event_id(self) -> Id | None:
        """In callbacks: the id that the event is about."""
        return Id(self._world, self._it.event_id) if self._it.event_id else None

    @property
    def value(self) -> np.record | np.generic | None:
        """In callbacks: a copy of the value of the event, None if it has none."""
        at, dtype = self._it.param, self._world._dtypes.get(self._it.event)
        if not at or dtype is None:
            return None
        return np.frombuffer(bytearray(ctypes.string_at(at, dtype.itemsize)), dtype)[0]

    def _end(self):
        """Ends the batch. In checked mode: writes copies back, and spoils them for those who kept one."""
        for copy, view in self._columns.values() if CHECKED else ():
            if not view.flags.writeable:
                copy.flags.writeable = True
            else:
                view[:] = copy
            copy.view(np.uint8)[...] = 0xA5 if copy.dtype.kind != "f" else 0xFF
            copy.flags.writeable = False
        if CHECKED:
            self._columns.clear()
        self._it = _ENDED

    def __repr__(self):
        return "<kith batch, ended>" if self._it is _ENDED else f"<kith batch of {len(self)} rows>"


class Query:
    """A query. Iterating it gives a batch per table."""

    def __init__(self, world, handle, kept=()):
        self._world, self._handle, self._kept = world, handle, kept
        self._by_name = None

    def _raw(self):
        if self._handle is None:
            raise InvalidOperation("the query has ended")
        self._world._raw()
        return self._handle

    def close(self) -> None:
        """Ends the query; a loop over it that is under way goes on."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            self._world._release("query_fini", handle, self._kept)

    def __enter__(self) -> Query:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            self.close()

    def _names(self):
        """Name: (number, is a variable) of what a batch can be asked for."""
        if self._by_name is None:
            raw, world = self._raw(), self._world
            names, field, joined = {}, 0, False
            term = _Term()
            for index in range(_lib.query_term_count(raw)):
                _done(_lib.query_term(raw, index, byref(term)))
                if term.id in (305, 306):  # marks of a scope
                    continue
                field += not joined
                joined = term.oper == 1
                component = _lib.get_typeid(world._raw(), term.id) if term.id else 0
                if component:
                    name = world._entity(component).name
                    count = sum(1 for other in names if other == name or other.startswith(name + "_"))
                    names[f"{name}_{count + 1}" if count else name] = (field, False)
            for number in range(1, _lib.query_var_count(raw)):
                name = _lib.query_var_name(raw, number).decode()
                if name in names:
                    raise _ERRORS[18](f"the variable ${name} would hide the column {name}: rename the variable")
                names[name] = (number, True)
            self._by_name = names
        return self._by_name

    def _begin(self, it, variables, page, group):
        _done(_lib.query_iter(self._world._raw(), self._raw(), byref(it)))
        for number, value in variables:
            _done(_lib.iter_set_var(byref(it), number, value))
        if page is not None:
            _done(_lib.iter_page(byref(it), *page))
        if group is not None:
            _done(_lib.iter_set_group(byref(it), group))

    def _batches(self, variables, page=None, group=None):
        """Begins with the first batch, so that a loop that never starts has nothing to end."""
        numbers = []
        for name, value in variables.items():
            number = 0 if name == "this" else _lib.query_find_var(self._raw(), _bytes(name))
            if number < 0:
                raise TypeError(f"the query has no variable {name!r}")
            if isinstance(value, Id) and value._world is not self._world:
                raise InvalidEntity(f"{int(value)} is an entity of another world")
            numbers.append((number, value))
        return _loop(self._world, self._names(), lambda it: self._begin(it, numbers, page, group))

    def batches(self, **variables: int) -> Iterator[Batch]:
        """Batches, with variables (`this` too) restricted to entities."""
        return self._batches(variables)

    def page(self, offset: int, limit: int) -> Iterator[Batch]:
        """Batches of `limit` rows from `offset` on."""
        return self._batches({}, page=(offset, limit))

    def group(self, group: int) -> Iterator[Batch]:
        """Batches of one group."""
        return self._batches({}, group=group)

    def __iter__(self) -> Iterator[Batch]:
        return self.batches()

    def rows(self, **variables: int) -> Iterator[dict[str, object]]:
        """A dict per row: `this`, the variables, and the values by their names."""
        names = self._names()
        for batch in self.batches(**variables):
            found = {}
            columns = {}
            for name, (number, is_variable) in names.items():
                if is_variable:
                    found[name] = batch.variable(number)
                elif np is not None and batch.is_set(number):
                    columns[name] = batch.field(number)
                else:
                    found[name] = None
            for row, entity in enumerate(batch):
                values = {name: None if column is None else column[row].copy()
                          for name, column in columns.items()}
                yield {"this": entity, **found, **values}

    def arrays(self, columns: Iterable[str] | None = None, **variables: int) -> dict[str, np.ndarray]:
        """Copies of all columns, by their names: `this` and the values."""
        _need_numpy("arrays()")
        names = {name: number for name, (number, is_variable) in self._names().items() if not is_variable}
        if columns is not None:
            for name in columns:
                if name != "this" and name not in names:
                    raise KeyError(f"{name!r}; there are {', '.join(['this', *names])}")
            names = {name: names[name] for name in columns if name != "this"}
        size = len(self) if not variables else None
        parts = {name: [] for name in ("this", *names)}
        made, at = {}, 0
        for batch in self.batches(**variables):
            count = len(batch)
            found = {"this": batch.entities, **{name: batch.field(number) for name, number in names.items()}}
            for name, values in found.items():
                if values is None:
                    continue
                if size is None:
                    parts[name].append(values.copy())
                    continue
                if name not in made:
                    made[name] = np.zeros(size, values.dtype)
                _assign(made[name][at:at + count], values)
            at += count
        if size is None:
            made = {name: np.concatenate(some) for name, some in parts.items() if some}
        return {"this": np.zeros(0, np.uint64), **made}

    def first(self) -> Entity | None:
        """The first entity that matches, None if there is none."""
        return self._world._entity_or_none(_value(_lib.query_first, self._raw()))

    def count(self) -> int:
        """The number of rows that match."""
        found = _lib.query_count(self._raw())
        if found < 0:
            _raise(_last())
        return found

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        return _value(_lib.query_is_true, self._raw())

    def matches(self, entity: int) -> bool:
        """True if the entity is a result."""
        self._world._check_own(entity)
        return _value(_lib.query_matches, self._raw(), entity)

    @property
    def changed(self) -> bool:
        """True if results have changed since the query was last iterated."""
        return _value(_lib.query_changed, self._raw())

    @property
    def variables(self) -> list[str]:
        """The names of the variables."""
        return [name for name, (_, is_variable) in self._names().items() if is_variable]

    @property
    def fields(self) -> list[str]:
        """The names of the columns."""
        return [name for name, (_, is_variable) in self._names().items() if not is_variable]

    def explain(self, entity: int | None = None) -> str:
        """The plan, or the reason why an entity matches or does not."""
        if entity is None:
            return _text(_value(_lib.query_explain, self._raw()))
        self._world._check_own(entity)
        return _text(_value(_lib.query_explain_entity, self._raw(), entity))

    def monitor(self, enter: Callable[[Batch], object] | None = None,
                leave: Callable[[Batch], object] | None = None, existing: bool = False) -> Monitor:
        """Calls functions with the batch of each result that enters or leaves."""

        def notify(batch):
            function = enter if batch._it.event == OnAdd else leave
            if function is not None:
                function(batch)

        callback = self._world._callback(notify, self._names(), f"raised in kith's monitor of {str(self)!r}")
        desc = _MonitorDesc(enter is not None, leave is not None, existing, callback)
        handle = _value(_lib.monitor_init_w_size, self._raw(), byref(desc), ctypes.sizeof(desc))
        return Monitor(self, handle, callback)

    def __str__(self):
        return _text(_value(_lib.query_str, self._raw()))

    def __repr__(self):
        return "<kith query, ended>" if self._handle is None or self._world._closed() else f"<kith query {self}>"

    def __reduce_ex__(self, protocol):
        raise TypeError("queries cannot be copied or pickled; str(query) is the text of one")


class _Run:
    """An iteration under way. Worlds end it when they end. In a shared world it keeps other threads out."""

    def __init__(self, world):
        self._world, self.it, self.batch = world, _Iter(), None
        self._thread = threading.get_ident()
        self._lock = world._exclusive if world._is_shared else None
        if self._lock:
            self._lock.acquire()
        world._runs.add(self)

    def next(self):
        self._end_batch()
        self._world._raw()
        if _lib.iter_next(byref(self.it)):
            return True
        if self.it.status:
            _raise(self.it.status)
        return False

    def _end_batch(self):
        if self.batch is not None:
            batch, self.batch = self.batch, None
            batch._end()

    def close(self):
        """An iteration belongs to its thread: elsewhere the thread ends it with its next call."""
        if threading.get_ident() == self._thread:
            self._finish()
        else:
            self._world._garbage.append((self._thread, self._finish, (), None))

    def _finish(self):
        if self in self._world._runs:
            self._world._runs.discard(self)
            try:
                self._end_batch()
            finally:
                if self.it.state:
                    _lib.iter_fini(byref(self.it))
                if self._lock:
                    self._lock.release()


def _loop(world, names, begin):
    """The batches of an iteration that begin(it) begins."""
    run = _Run(world)
    try:
        it, fields = run.it, _Fields(names)
        begin(it)
        while run.next():
            run.batch = Batch(world, it, fields)
            yield run.batch
    finally:
        run.close()


class Monitor:
    """Reports results that enter or leave a query, until close()."""

    def __init__(self, query, handle, callback):
        self._query, self._handle, self._callback = query, handle, callback

    def close(self) -> None:
        """Ends the reports."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            self._query._world._release("monitor_fini", handle, self._callback)

    def __enter__(self) -> Monitor:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            self.close()


# -- worlds -----------------------------------------------------------------------------------------

Stats = collections.namedtuple("Stats", _STATS)
Stats.__doc__ = "How large a world is: counts, and bytes."


class _Singletons:
    """world.singleton[Component]: the value of a component on its own entity."""

    def __init__(self, world):
        self._world = world

    def __getitem__(self, component):
        component = self._world._component(component)
        return component.get(component)

    def __setitem__(self, component, value):
        component = self._world._component(component)
        component.set(component, value)


class World:
    """Owns entities. A context manager; else it ends with its last reference.

    `memory`: two functions, alloc(size, alignment), which returns an address or None, and
    free(address, size, alignment). The world takes all of its memory from them.
    """

    def __init__(self, memory=None):
        self._handle = None
        self._thread = threading.get_ident()
        self._garbage = collections.deque()  # (thread, function, arguments, what they need): to be ended there
        self._exclusive = contextlib.nullcontext()  # around several calls that belong together
        self._is_shared = False
        self._runs = weakref.WeakSet()
        self._dtypes = {}
        self._kept = []  # callbacks
        self._hooks = {}
        if memory is None:
            self._handle = _value(_lib.init)
            return
        alloc, free = memory
        self._memory = _Memory(_Alloc(lambda _, size, alignment: alloc(size, alignment)),
                               _Free(lambda _, address, size, alignment: free(address, size, alignment)))
        self._handle = _value(_lib.init_w_memory, byref(self._memory))

    # -- life

    def _closed(self):
        return self._handle is None

    def _raw(self):
        """The handle, for a call on this thread."""
        if self._handle is None:
            raise InvalidEntity("the world has ended")
        if self._thread is not None and self._thread != threading.get_ident():
            raise WrongThread("the world belongs to another thread; World.share() allows others to use it")
        if _callbacks.raised and _callbacks.depth == 0:
            _report_lost()
        if self._garbage:
            self._collect()
        return self._handle

    def _collect(self):
        """Ends what other threads have left to this one."""
        here = threading.get_ident()
        for _ in range(len(self._garbage)):
            thread, function, arguments, needed = self._garbage.popleft()
            if thread is None or thread == here:
                function(*arguments)
            else:
                self._garbage.append((thread, function, arguments, needed))

    def _release(self, name, argument, needed=None):
        """Calls a function that ends something; `needed` are callbacks that it may still call."""
        if self._thread is None or self._thread == threading.get_ident():
            getattr(_lib, name)(argument)
            if needed and (self._runs or _callbacks.depth):  # something that runs may still call them
                self._kept.append(needed)
        else:
            self._garbage.append((self._thread, lambda end: getattr(_lib, name)(end), (argument,), needed))

    def share(self) -> None:
        """Lets any thread use the world. A lock serializes calls; a loop over a query has it until its end."""
        _lib.serialize()
        self._exclusive, self._is_shared = _lock, True
        self._thread = None

    def close(self) -> None:
        """Ends the world; iterations under way are ended, too."""
        if self._handle is None:
            return
        raw = self._raw()
        for run in list(self._runs):
            run.close()
        self._collect()
        _done(_lib.fini(raw))
        self._handle = None
        if _callbacks.raised and _callbacks.depth == 0:
            _report_lost()
        self._kept.clear()
        self._hooks.clear()

    def __enter__(self) -> World:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            self._thread = None
            with contextlib.suppress(Error):
                self.close()

    def __reduce_ex__(self, protocol):
        raise TypeError("worlds cannot be copied or pickled; World.save() is the text form")

    def __repr__(self):
        return "<kith world, ended>" if self._handle is None else f"<kith world of {self.stats().entities} entities>"

    # -- entities

    def _entity(self, number):
        return Entity(self, number)

    def _entity_or_none(self, number):
        return Entity(self, number) if number else None

    def _listed(self, begin, *arguments):
        """The entities of a run, as a list: it is over before the caller goes on."""
        it, found = _Iter(), []
        with self._exclusive:
            _done(begin(self._raw(), *arguments, byref(it)))
            while _lib.iter_next(byref(it)):
                entities = ctypes.cast(it.entities, POINTER(c_uint64))
                found += [Entity(self, one) for one in entities[:it.count] if one]
        if it.status:
            _raise(it.status)
        return found

    def entity(self, name: str | int | None = None) -> Entity:
        """A new entity; with a name (a path), the entity of this name, which is made if it is missing; with a
        number, such as an element of an array of ids, the entity with this id."""
        if name is not None and not isinstance(name, (str, bytes)):
            self._raw()
            return Entity(self, operator.index(name))
        return Entity(self, _value(_lib.new_entity, self._raw(), _bytes(name)))

    def prefab(self, name: str | None = None) -> Entity:
        """A new prefab; with a name, the prefab of this name."""
        return Entity(self, _value(_lib.new_prefab, self._raw(), _bytes(name)))

    def lookup(self, path: str) -> Entity | None:
        """The entity at a path, None if there is none."""
        return self._entity_or_none(_value(_lib.lookup, self._raw(), _bytes(_data(path))))

    def component(self, name: str, dtype: object = None, **members: object) -> Component:
        """A component by name: of a dtype, a dataclass, a ctypes.Structure, or members; else one that is
        there; else a tag."""
        found = _value(_lib.lookup, self._raw(), _bytes(_data(name)))
        if dtype is None and not members:
            made = Component(self, found or _value(_lib.new_entity, self._raw(), _bytes(name)))
            made.dtype = self._dtype_of_id(made, required=False)
            return made
        described = _dtype_of(dtype, members)
        desc = _ComponentDesc(entity=found or 0, name=_bytes(name), size=described.itemsize,
                              alignment=described.alignment, local=True)
        made = Component(self, _value(_lib.component_init_w_size, self._raw(), byref(desc), ctypes.sizeof(desc)))
        made.dtype = self._dtypes[int(made)] = described
        return made

    def _component(self, what):
        if isinstance(what, Component):
            if what._world is not self:
                raise InvalidEntity(f"{int(what)} is a component of another world")
            return what
        if isinstance(what, str):
            found = self.lookup(what)
            if found is None:
                raise _ERRORS[11](f"there is no component {what!r}")
            what = found
        made = Component(self, what)
        made.dtype = self._dtype_of_id(what, required=False)
        return made

    def _dtype_of_id(self, number, required=True):
        """The dtype of the values of an id; bytes where Python was told none."""
        component = _value(_lib.get_typeid, self._raw(), number)
        if component in self._dtypes:
            return self._dtypes[component]
        if not component or np is None:
            if required:
                raise _ERRORS[3]("the id has no values")
            return None
        info = _TypeInfo()
        _lib.get_type_info(self._raw(), number, byref(info))
        return np.dtype(f"V{info.size}")

    def relation(self, name: str | None = None, **properties: int) -> Entity:
        """A relationship with properties: exclusive=True, on_delete_target=kith.Delete, ..."""
        desc = _RelationDesc(name=_bytes(name))
        for key, value in properties.items():
            key = "with_" if key == "with" else key
            if key not in _PROPERTIES and key not in _POLICIES:
                raise TypeError(f"relation: there is no property {key!r}")
            self._check_own(value)
            setattr(desc, key, value)
        return Entity(self, _value(_lib.relation_init_w_size, self._raw(), byref(desc), ctypes.sizeof(desc)))

    def enum(self, name: str, **values: int) -> Enum:
        """An enum with its constants: enum("Color", Red=1, Green=2)."""
        constants = (_EnumConstant * len(values))(*((value, key.encode()) for key, value in values.items()))
        desc = _EnumDesc(_bytes(name), 4, constants, len(values))
        made = Enum(self, _value(_lib.enum_init_w_size, self._raw(), byref(desc), ctypes.sizeof(desc)))
        made.values = dict(values)
        made.names = {value: key for key, value in values.items()}
        for key, value in values.items():
            setattr(made, key, self._entity(_value(_lib.enum_constant, self._raw(), made, value)))
        return made

    def bulk(self, **columns: object) -> np.ndarray:
        """New entities from arrays of equal length, by the names of their components. Returns their ids."""
        _need_numpy("bulk()")
        if not columns or len(columns) > 32:
            raise TypeError("bulk: give between 1 and 32 columns")
        components = [self._component(name) for name in columns]
        arrays = [component._column(values, "bulk")
                  for component, values in zip(components, columns.values())]
        if len({len(array) for array in arrays}) != 1:
            raise ValueError("bulk: the columns have different lengths")
        data = (c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        desc = _BulkDesc(len(arrays[0]), (c_uint64 * 32)(*components), data)
        with self._exclusive:
            made = _value(_lib.bulk_init_w_size, self._raw(), byref(desc), ctypes.sizeof(desc))
            return np.ctypeslib.as_array(made, (desc.count,)).copy() if desc.count else np.zeros(0, np.uint64)

    @staticmethod
    def _ids(ids):
        _need_numpy("an array of entities")
        given = np.asarray(ids)
        if given.ndim != 1:
            raise ValueError(f"entities are given as an array of one dimension, not of {given.ndim}")
        if len(given) and given.dtype.kind not in "ui":
            raise TypeError(f"entities are integers, not {given.dtype}")
        return np.ascontiguousarray(given, np.uint64)

    def get(self, component: Component | str | int, ids: object) -> np.ndarray:
        """The values of many entities; zero where there is none."""
        component, ids = self._component(component), self._ids(ids)
        out = np.zeros(len(ids), component._dtype_or_raise())
        if _lib.get_n(self._raw(), ids.ctypes.data, len(ids), component, out.itemsize, out.ctypes.data) < 0:
            _raise(_last())
        return out

    def set(self, component: Component | str | int, ids: object, values: object) -> None:
        """Sets the values of many entities."""
        component, ids = self._component(component), self._ids(ids)
        values = component._column(values, "set")
        if len(values) != len(ids):
            raise ValueError("set: there are more values than entities, or fewer")
        _done(_lib.set_n(self._raw(), ids.ctypes.data, len(ids), component, values.itemsize, values.ctypes.data))

    def add(self, ids: object, what: int, target: int | None = None) -> None:
        """Adds an id or a pair to many entities."""
        ids = self._ids(ids)
        _done(_lib.add_n(self._raw(), ids.ctypes.data, len(ids), self._id_or_pair(what, target)))

    def delete(self, ids: object) -> None:
        """Deletes many entities."""
        ids = self._ids(ids)
        _done(_lib.delete_n(self._raw(), ids.ctypes.data, len(ids)))

    def count(self, what: int, target: int | None = None) -> int:
        """The number of entities with an id or a pair; elements of pairs may be kith.Wildcard."""
        return _value(_lib.count_id, self._raw(), self._id_or_pair(what, target))

    def delete_with(self, what: int, target: int | None = None) -> None:
        """Deletes all entities with an id or a pair."""
        _done(_lib.delete_with(self._raw(), self._id_or_pair(what, target)))

    def each(self, what: int, target: int | None = None) -> Iterator[Batch]:
        """Batches of the entities that have an id or a pair themselves; field 1 has the values, to be read."""
        number, raw = self._id_or_pair(what, target), self._raw()
        component = _value(_lib.get_typeid, raw, number)
        names = {self._entity(component).name: (1, False)} if component else {}
        return _loop(self, names, lambda it: _done(_lib.each_id(self._raw(), number, byref(it))))

    def _check_own(self, what, target=None):
        """An id of another world has a number that means something else here, or nothing."""
        if isinstance(what, Id) and what._world is not self or isinstance(target, Id) and target._world is not self:
            raise InvalidEntity("an entity of another world was given")

    def _id_or_pair(self, what, target):
        self._check_own(what, target)
        return what if target is None else _value(_lib.make_pair, self._raw(), what, target)

    @property
    def singleton(self) -> _Singletons:
        """Values of components on their own entities: world.singleton[Component]."""
        return _Singletons(self)

    # -- queries and callbacks

    def query(self, text: str, cached: bool = True, order_by: object = None, group_by: int | None = None) -> Query:
        """A query of a text. order_by: a component; or a pair (component, function(e1, v1, e2, v2))."""
        desc, kept = _QueryDesc(expr=_bytes(_data(text)), cached=cached), []
        if order_by is not None:
            component, function = order_by if isinstance(order_by, tuple) else (order_by, None)
            component = self._component(component)
            order = self._order(component, function)
            orders = (_Order * 1)(order)
            desc.orders, desc.order_count = orders, 1
            kept.append(order)
        if group_by is not None:
            self._check_own(group_by)
            desc.group_by_id = group_by
        made = Query(self, _value(_lib.query_init_w_size, self._raw(), byref(desc), ctypes.sizeof(desc)), kept)
        if b"$" in desc.expr:
            made._names()  # refuses variables that would hide columns
        return made

    def _order(self, component, function):
        dtype = component._dtype_or_raise()
        if function is None:
            key = dtype if not dtype.names else dtype.fields[dtype.names[0]][0]
            kinds = {"u1": 1, "u2": 2, "u4": 3, "u8": 4, "i1": 5, "i2": 6, "i4": 7, "i8": 8, "f4": 9, "f8": 10}
            number = kinds.get(key.str[1:]) if key.isnative else None
            if number is None:
                raise TypeError(f"{component} is sorted by a function: its first member is no number of this machine")
            return _Order(component=component, number=number)

        def compare(e1, v1, e2, v2):
            values = [np.frombuffer(ctypes.string_at(at, dtype.itemsize), dtype)[0] for at in (v1, v2)]
            order = self._guarded(lambda: _sign(function(self._entity(e1), values[0], self._entity(e2), values[1])))
            return order or 0

        return _Order(component=component, compare=_OrderBy(compare))

    def _guarded(self, call, note=None):
        """Runs a callback of the program. An exception is kept for the call that caused it."""
        _callbacks.depth += 1
        try:
            return call()
        except BaseException as raised:
            if note and hasattr(raised, "add_note"):
                raised.add_note(note)
            _callbacks.raised.append(raised)
            _lib.fail(101, (str(raised) or type(raised).__name__).encode())
            return None
        finally:
            _callbacks.depth -= 1

    def _callback(self, function, names, note):
        """A function for the library that calls function(batch). `note` says what it belongs to."""
        if not callable(function):
            raise TypeError(f"a function is wanted, not {function!r}")
        world = weakref.ref(self)

        def call(it):
            me = world()
            if me is None:
                return

            def run():
                batch = Batch(me, it.contents, _Fields(names))
                try:
                    function(batch)
                finally:
                    batch._end()

            me._guarded(run, note)

        return _Action(call)

    def observe(self, text: str, events: int | Iterable[int], function: Callable[[Batch], object],
                existing: bool = False) -> Entity:
        """Calls function(batch) for events of entities that match. Returns the observer, an entity."""
        desc = _ObserverDesc(yield_existing=existing)
        desc.query.expr = _bytes(_data(text))
        events = [events] if isinstance(events, int) else list(events)
        if len(events) > 16:
            raise TypeError("observe: an observer has at most 16 events")
        desc.events[:len(events)] = events
        with self.query(text, cached=False) as same:
            names = same._names()
        desc.callback = self._callback(function, names, f"raised in kith's observer of {text!r}")
        made = _value(_lib.observer_init_w_size, self._raw(), byref(desc), ctypes.sizeof(desc))
        self._kept.append(desc.callback)
        return Entity(self, made)

    def event(self, event: int, *ids: int, entity: int | None = None, value: object = None) -> None:
        """Notifies observers of an event about ids, of an entity. An event that is a component may have a value."""
        for one in (event, *ids):
            self._check_own(one, entity)
        about = (c_uint64 * len(ids))(*ids)
        desc = _EventDesc(event=event, ids=about, id_count=len(ids), entity=entity or 0)
        if value is not None:
            record = self._component(event)._record((value,), {})
            desc.param = record.ctypes.data
        _done(_lib.emit_w_size(self._raw(), byref(desc), ctypes.sizeof(desc)))

    def _set_hook(self, component, kind, function):
        hooks = dict(self._hooks.get(int(component), {}))
        note = f"raised in kith's {kind} of {component}"
        hooks[kind] = _Action() if function is None else self._callback(function, {component.name: (1, False)}, note)
        desc = _Hooks(**hooks)
        _done(_lib.set_hooks_w_size(self._raw(), component, byref(desc), ctypes.sizeof(desc)))
        # The function before may be running, and a failed call keeps it.
        self._kept.append(self._hooks.get(int(component)))
        self._hooks[int(component)] = hooks

    # -- managers

    @contextlib.contextmanager
    def defer(self) -> Iterator[World]:
        """Changes are made together at the end."""
        _value(_lib.defer_begin, self._raw())
        try:
            yield self
        except BaseException:
            with contextlib.suppress(Error):
                _done(_lib.defer_end(self._raw()))
            raise
        _done(_lib.defer_end(self._raw()))

    @contextlib.contextmanager
    def scope(self, entity: int) -> Iterator[World]:
        """New entities become children."""
        self._check_own(entity)
        before = _value(_lib.set_scope, self._raw(), entity)
        try:
            yield self
        finally:
            _lib.set_scope(self._raw(), before)

    @contextlib.contextmanager
    def using(self, what: int) -> Iterator[World]:
        """New entities get an id."""
        self._check_own(what)
        mark = _lib.push_with(self._raw(), what)
        if mark < 0:
            _raise(_last())
        try:
            yield self
        finally:
            _done(_lib.pop_with(self._raw(), mark))

    # -- text, care

    def load(self, text: str, file: str | None = None) -> None:
        """Adds the facts of a text, all or none."""
        desc, data = _LoadDesc(file=_bytes(file)), _data(text)
        _done(_lib.load_text_w_size(self._raw(), data, len(data), byref(desc), ctypes.sizeof(desc)))

    def load_file(self, path: str | os.PathLike) -> None:
        """Adds the facts of a file, all or none."""
        _done(_lib.load_file_w_size(self._raw(), _bytes(os.fsencode(path)), None, 0))

    def save(self) -> str:
        """The facts of the world as text."""
        return _text(_value(_lib.save_text, self._raw(), None))

    def stats(self) -> Stats:
        """Numbers of entities, tables and bytes, as kith.Stats."""
        found = _Stats()
        _done(_lib.world_stats_w_size(self._raw(), byref(found), ctypes.sizeof(found)))
        return Stats(*(getattr(found, name) for name in _STATS))

    def check(self) -> None:
        """Raises if anything in the storage contradicts."""
        _done(_lib.check(self._raw()))

    def shrink(self) -> None:
        """Deletes empty tables and gives back memory."""
        _done(_lib.shrink(self._raw()))


# -- texts ------------------------------------------------------------------------------------------


def _mistakes(function, text):
    found, data = [], _data(text)

    def add(error, _):
        one = error.contents
        found.append(Mistake(one.line, one.column, one.message.decode(), one.excerpt.decode(errors="replace")))

    if function(data, len(data), _TextErrorAction(add), None) < 0:
        _raise(_last())
    return found


def check_query(text: str) -> list[Mistake]:
    """The mistakes of syntax in a query."""
    return _mistakes(_lib.check_query, text)


def check_text(text: str) -> list[Mistake]:
    """The mistakes of syntax in a world as text."""
    return _mistakes(_lib.check_text, text)


def format_text(text: str) -> str:
    """A world as text in kith's own layout."""
    data = _data(text)
    return _text(_value(_lib.format_text, data, len(data), None))
