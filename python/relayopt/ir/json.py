"""Graph JSON: objects as a list of nodes with type keys and fields, byte for byte in TVM's format.

Nodes are numbered when they are first met, depth first, a node before its children; fields are visited in the order of the
reference's classes and written in that of their names.
"""

from __future__ import annotations

import base64
import functools
import json
import math
import struct

from .. import _core
from .._ffi import provide
from .base import Source, SourceMap
from .json_compact import upgrade

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..runtime.ndarray import NDArray
    from .module import IRModule

# Fields of parents, which TVM visits after a class's own.
_LAST = ("virtual_device_", "span", "_checked_type_")
# Classes that leave one of them out.
_WITHOUT = {"relay.Constructor": ("virtual_device_",), "PrimType": ("span",), "GlobalTypeVar": ("span",)}
# Classes that are written as their name.
_BYTES = ("Op", "SourceName", "EnvFunc")
_LONGEST_LINE = 10


_kinds: dict[Any, Any] = {}


def _kinds_of(key: str) -> dict[str, str] | None:
    """The kinds of a class's fields by name, or None."""
    found = _kinds.get(key)
    if found is None:
        listed = _core.field_kinds(key)
        if listed is not None:
            found = _kinds[key] = dict(listed)
    return found


@functools.cache
def _order_of(key: str) -> list[tuple[str, str]]:
    """(name, kind) of the fields of a class in the order in which they are visited."""
    kinds = _kinds_of(key) or {}
    own = [name for name in kinds if name not in _LAST]
    if key == "relay.Function":
        own.remove("attrs")
        own.append("attrs")
    last = [name for name in _LAST if name in kinds and name not in _WITHOUT.get(key, ())]
    if key == "relay.Let":
        # The body, which may be long, is visited last.
        last.append(own.pop())
    return [(name, kinds[name]) for name in own + last]


@functools.cache
def _second(key: str) -> str | None:
    """The key of the objects of a second class with the same key, which the core numbers."""
    return key + "#2" if _kinds_of(key + "#2") is not None else None


def _key_of(node: Mapping[str, Any]) -> str:
    """The key of the object that a node is: where two classes have the same, fields tell them apart."""
    key: str = node["type_key"]
    second = _second(key)
    if second is None or (_kinds_of(key) or {}).keys() >= node.get("attrs", {}).keys():
        return key
    return second


@functools.cache
def _is_plain(key: str, name: str) -> bool:
    return name == "dtype" or _core.is_plain_string(key, name)


def _number(value: Any) -> str:
    """A number as the format writes it."""
    if isinstance(value, (bool, int)):
        return str(int(value))
    if math.isinf(value) or math.isnan(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return format(value, ".17g")


_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


class _Node:
    """What is written of a node. `fields` holds (name, literal) and (name, child) pairs, a child being boxed in a tuple."""

    __slots__ = ("type_key", "text", "fields", "keys", "items")

    def __init__(self, type_key: str, text: str | None = None, fields: Sequence[tuple[str, Any]] = (),
                 keys: Sequence[str] = (), items: Sequence[Any] = ()) -> None:
        self.type_key, self.text, self.fields, self.keys, self.items = type_key, text, fields, keys, items

    def children(self) -> list[Any]:
        return [value[0] for _, value in self.fields if isinstance(value, tuple)] + list(self.items)


class _Writer:
    def __init__(self) -> None:
        self.tensors: list[Any] = []
        self.tensor_index: dict[Any, Any] = {}

    def node(self, obj: Any) -> _Node:
        from ..runtime.container import Array, Map
        from .module import IRModule

        if isinstance(obj, (str, _Text)):
            return _Node("runtime.String", text=str(obj))
        if isinstance(obj, Array):
            return _Node("Array", items=[_boxed(item) for item in obj])
        if isinstance(obj, Map):
            return self.map(list(obj.items()))
        if isinstance(obj, dict):
            return self.map(list(obj.items()))
        if isinstance(obj, SourceMap):
            return _Node("SourceMap", fields=[("source_map", (_Entries(list(obj.source_map.items())),))])
        if isinstance(obj, _Entries):
            return _Node("Map", items=[part for entry in obj.entries for part in entry])
        if isinstance(obj, Source):
            return _Node("Source", fields=[("source_name", (obj.source_name,)), ("source", (obj.source,))])
        if isinstance(obj, IRModule):
            return self.module(obj)
        if obj.type_key == "runtime.NDArray":
            return _Node("runtime.NDArray", fields=[("ndarray", self.tensor(obj))])
        if obj.type_key in _BYTES:
            return _Node(obj.type_key, text=str(obj.name))
        return self.fields(obj)

    def map(self, entries: Sequence[tuple[Any, Any]]) -> _Node:
        if entries and all(isinstance(key, str) for key, _ in entries):
            return _Node("Map", keys=[str(key) for key, _ in entries], items=[_boxed(value) for _, value in entries])
        return _Node("Map", items=[_boxed(part) for entry in entries for part in entry])

    def module(self, mod: IRModule) -> _Node:
        functions, types = mod.functions, mod.type_definitions
        names = {str(var.name_hint): var for var in functions}
        type_names = {str(var.name_hint): var for var in types}
        return _Node("IRModule", fields=[
            ("functions", (functions,)), ("type_definitions", (types,)), ("global_var_map_", (names,)),
            ("global_type_var_map_", (type_names,)), ("source_map", (mod.source_map or SourceMap(),)),
            ("attrs", (mod.attrs,))])

    def fields(self, obj: Any) -> _Node:
        key = obj.type_key
        values = dict(_core.fields(obj))
        return _Node(key, fields=[(name, self.field(key, name, kind, values[name])) for name, kind in _order_of(key)])

    def field(self, key: str, name: str, kind: str, value: Any) -> Any:
        if key == "relay.Constant" and name == "data" and value is not None:
            return self.tensor(value)
        if kind == "any" or kind == "object" or kind == "array":
            return (value if value is None or isinstance(value, _core.Object) else _boxed(value),)
        if isinstance(value, str):
            return value if _is_plain(key, name) else (_Text(value),)
        return (None,) if value is None else _number(value)

    def tensor(self, array: NDArray) -> str:

        if id(array) not in self.tensor_index:
            self.tensor_index[id(array)] = len(self.tensors)
            self.tensors.append(array)
        return str(self.tensor_index[id(array)])

    def records(self) -> list[str]:
        from ..runtime.params import tensor_record

        return [base64.b64encode(bytes(tensor_record(array))).decode() for array in self.tensors]


class _Text:
    """A string object of its own: Python shares equal ones as it likes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


class _Entries:
    """The entries of a map whose keys are objects."""

    def __init__(self, entries: Sequence[Any]) -> None:
        self.entries = entries


def _boxed(value: Any) -> Any:
    """A number where anything may stand, as an object."""
    from ..runtime.convert import const

    return const(value) if isinstance(value, (bool, int, float)) else value


def save(root: Any) -> str:
    """The JSON of an object."""
    from ..runtime.convert import convert

    if isinstance(root, (dict, list, tuple)):
        root = convert(root)
    writer = _Writer()
    # Numbers by identity; everything met is kept, so that no address is used twice.
    index, work = {}, [root]
    met: list[Any] = []
    while work:
        obj = work.pop()
        if obj is None or id(obj) in index:
            continue
        node = writer.node(obj)
        index[id(obj)] = len(met) + 1
        met.append((obj, node))
        work.extend(reversed(node.children()))

    def ref(obj: Any) -> str:
        return "0" if obj is None else str(index[id(obj)])

    out = ['{\n  "root": ', ref(root), ', \n  "nodes": [\n    {\n      "type_key": ""\n    }']
    for _, node in met:
        out.append(', \n    {\n      "type_key": ' + _quoted(node.type_key.partition("#")[0]))
        if node.text:
            if all(" " <= c <= "~" for c in node.text):
                out.append(', \n      "repr_str": ' + _quoted(node.text))
            else:
                data = node.text.encode("utf-8", "surrogateescape")
                out.append(', \n      "repr_b64": "' + base64.b64encode(struct.pack("<Q", len(data)) + data).decode() + '"')
        if node.fields:
            pairs = sorted((name, ref(value[0]) if isinstance(value, tuple) else value) for name, value in node.fields)
            lines = [f"{_quoted(name)}: {_quoted(value)}" for name, value in pairs]
            wide = len(lines) > 1
            out.append(', \n      "attrs": {' + (",".join(f" \n        {l}" for l in lines)[1:] + "\n      }" if wide
                                                 else lines[0] + "}"))
        if node.keys:
            out.append(', \n      "keys": [' + ", ".join(f"\n        {_quoted(k)}" for k in node.keys) + "\n      ]")
        if node.items:
            numbers = [ref(item) for item in node.items]
            wide = len(numbers) > _LONGEST_LINE
            out.append(', \n      "data": [' + (", ".join(f"\n        {n}" for n in numbers) + "\n      ]" if wide
                                                else ", ".join(numbers) + "]"))
        out.append("\n    }")
    records = writer.records()
    out.append('\n  ], \n  "b64ndarrays": [' + ", ".join(f'\n    "{r}"' for r in records) + ("\n  ]" if records else "]"))
    out.append(', \n  "attrs": {"tvm_version": "0.15.0"}\n}')
    return "".join(out)


def _text_of(node: Mapping[str, str]) -> str:
    if "repr_b64" in node:
        return base64.b64decode(node["repr_b64"])[8:].decode("utf-8", "surrogateescape")
    return node.get("repr_str", "")


class _Reader:
    def __init__(self, graph: Mapping[str, Any]) -> None:
        from ..runtime.params import read_tensor

        self.nodes = graph["nodes"]
        self.tensors = [read_tensor(base64.b64decode(data), 0)[0] for data in graph.get("b64ndarrays", [])]
        self.made: dict[Any, Any] = {}

    def object(self, root: int) -> Any:
        work = [(root, False)]
        while work:
            at, opened = work.pop()
            if at in self.made:
                continue
            if opened:
                self.made[at] = self.make(self.nodes[at])
                continue
            work.append((at, True))
            work.extend((child, False) for child in self.children(self.nodes[at]) if child not in self.made)
        return self.made[root]

    def is_reference(self, key: str, kinds: Mapping[str, str], name: str, text: str) -> bool:
        if key in ("IRModule", "SourceMap", "Source"):
            return True
        if key in ("relay.Constant", "runtime.NDArray") and name in ("data", "ndarray"):
            return False
        kind = kinds.get(name)
        if kind == "str":
            return not _is_plain(key, name)
        return kind in ("any", "object", "array") and text.isdigit()

    def children(self, node: Mapping[str, Any]) -> list[int]:
        key = _key_of(node)
        found = list(node.get("data", []))
        kinds = (_kinds_of(key) or {}) if key else {}
        for name, text in node.get("attrs", {}).items():
            if key in ("SourceName", "EnvFunc") or self.is_reference(key, kinds, name, text):
                found.append(int(text))
        return found

    def make(self, node: Mapping[str, Any]) -> Any:
        from ..runtime.container import String
        from .base import EnvFunc, SourceName
        from .op import Op

        key, attrs, data = _key_of(node), node.get("attrs", {}), node.get("data", [])
        if key == "":
            return None
        if key in ("runtime.String", "StringImm"):
            return String(_text_of(node))
        if key == "Op":
            return Op.get(_text_of(node))
        if key in ("SourceName", "EnvFunc"):
            name = str(self.made[int(attrs["name"])]) if "name" in attrs else _text_of(node)
            return SourceName(name) if key == "SourceName" else EnvFunc(name)
        if key == "Array":
            return _core.make_array([self.made[i] for i in data])
        if key in ("Map", "StrMap"):
            if "keys" in node:
                return _core.make_map({name: self.made[i] for name, i in zip(node["keys"], data)})
            keys, values = data[::2], data[1::2]
            if any(isinstance(self.made[i], Source) for i in values):
                return _Entries([(self.made[k], self.made[v]) for k, v in zip(keys, values)])
            return _core.make_map({self.made[k]: self.made[v] for k, v in zip(keys, values)})
        if key == "runtime.NDArray":
            return self.tensors[int(attrs["ndarray"])]
        if key == "Source":
            return Source(self.made[int(attrs["source_name"])], str(self.made[int(attrs["source"])]))
        if key == "SourceMap":
            entries = self.made[int(attrs["source_map"])]
            return SourceMap(dict(entries.entries) if isinstance(entries, _Entries) else None)
        if key == "IRModule":
            return self.module(attrs)
        return self.fields(key, attrs)

    def module(self, attrs: Any) -> IRModule:
        from .module import IRModule

        def field(name: str) -> Any:
            return self.made[int(attrs.get(name, 0))]

        mod = IRModule(field("functions"), field("type_definitions"), field("attrs"))
        setattr(mod, "_source_map", field("source_map"))
        return mod

    def fields(self, key: str, attrs: Any) -> Any:
        from .attrs import DictAttrs

        kinds = _kinds_of(key)
        if kinds is None:
            raise ValueError(f"unknown type key {key}")
        values: dict[str, Any] = {}
        for name, kind in kinds.items():
            if name not in attrs:
                continue
            text = attrs[name]
            if key == "relay.Constant" and name == "data":
                values[name] = self.tensors[int(text)]
            elif self.is_reference(key, kinds, name, text):
                values[name] = self.made[int(text)]
            elif kind == "bool":
                values[name] = text not in ("0", "false")
            elif kind == "int":
                values[name] = int(text)
            elif kind == "float":
                values[name] = float(text)
            else:
                values[name] = text
        if key == "relay.Constructor":
            values.setdefault("tag", -1)
        if key == "DictAttrs" and values.get("__dict__") is None:
            return DictAttrs({})
        return _core.new_node(key, values)


def load(text: str) -> Any:
    """The object of a JSON text."""
    graph = json.loads(text)
    if not isinstance(graph, dict) or "nodes" not in graph:
        raise ValueError("no graph JSON: it has no nodes")
    return _Reader(upgrade(graph)).object(graph["root"])


provide("save_json", save)
provide("load_json", load)
