"""Graph JSON: objects as a list of nodes with type keys and fields, in the reference's format."""

import base64
import json
import math

from .. import _core
from .._ffi import Object, class_of

_BYTES = ("Op", "GlobalTypeVarName")


def _text(value):
    """A number as the format writes it."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return str(value)
    if math.isinf(value) or math.isnan(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return format(value, ".17g")


def _boxed(value):
    """A number in a field that may hold anything, as an object."""
    from ..runtime.convert import const

    return const(value) if isinstance(value, (bool, int, float)) else value


def _parts(obj):
    """(kind, content) of an object: fields by name, items, or entries."""
    from .module import IRModule
    from ..runtime.container import Array, Map
    from ..runtime.ndarray import NDArray

    if isinstance(obj, str):
        return "str", str(obj)
    if isinstance(obj, Array):
        return "array", list(obj)
    if isinstance(obj, Map):
        return "map", list(obj.items())
    if isinstance(obj, NDArray):
        return "tensor", obj
    if isinstance(obj, IRModule):
        return "fields", [("functions", obj.functions), ("type_definitions", obj.type_definitions), ("attrs", obj.attrs)]
    if obj.type_key == "Op":
        return "bytes", obj.name
    if obj.type_key == "SourceName":
        return "bytes", obj.name
    if obj.type_key == "EnvFunc":
        return "bytes", obj.name
    kinds = dict(_core.field_kinds(obj.type_key))
    return "fields", [(name, _boxed(value) if kinds[name] == "any" else value) for name, value in _core.fields(obj)]


_LITERALS = {"dtype", "tag_literal"}


def save(root):
    """The JSON of an object."""
    from ..runtime.convert import convert
    from ..runtime.params import tensor_record

    if isinstance(root, dict) or isinstance(root, (list, tuple)):
        root = convert(root)
    nodes, index, tensors, kept = [{"type_key": ""}], {}, [], []

    def key_of(obj):
        return ("str", str(obj)) if isinstance(obj, str) else ("id", id(obj))

    order = []
    work = [root]
    while work:
        obj = work.pop()
        key = key_of(obj)
        if key in index:
            continue
        kind, content = _parts(obj)
        index[key] = len(order) + 1
        order.append((obj, kind, content))
        kept.append(obj)
        children = []
        if kind == "array":
            children = [c for c in content if isinstance(c, (Object, str))]
        elif kind == "map":
            for k, v in content:
                if not isinstance(k, str):
                    children.append(k)
                if isinstance(v, (Object, str)):
                    children.append(v)
        elif kind == "fields":
            for name, value in content:
                if isinstance(value, Object) or (isinstance(value, str) and name != "dtype"):
                    children.append(value)
        work.extend(reversed(children))

    def ref(value):
        return 0 if value is None else index[key_of(value)]

    for obj, kind, content in order:
        if kind == "str":
            nodes.append({"type_key": "runtime.String", "repr_str": content})
        elif kind == "bytes":
            nodes.append({"type_key": obj.type_key, "repr_str": content})
        elif kind == "array":
            nodes.append({"type_key": "Array", "data": [ref(c) if isinstance(c, (Object, str)) else 0 for c in content]})
        elif kind == "map":
            if all(isinstance(k, str) for k, _ in content):
                nodes.append({"type_key": "Map", "keys": [str(k) for k, _ in content], "data": [ref(v) for _, v in content]})
            else:
                nodes.append({"type_key": "Map", "data": [r for k, v in content for r in (ref(k), ref(v))]})
        elif kind == "tensor":
            nodes.append({"type_key": "runtime.NDArray", "attrs": {"ndarray": str(len(tensors))}})
            tensors.append(base64.b64encode(bytes(tensor_record(content))).decode())
        else:
            attrs = {}
            for name, value in content:
                if value is None:
                    attrs[name] = "0"
                elif isinstance(value, (bool, int, float)):
                    attrs[name] = _text(value)
                elif isinstance(value, str) and name == "dtype":
                    attrs[name] = value
                else:
                    attrs[name] = str(ref(value))
            nodes.append({"type_key": obj.type_key, "attrs": attrs} if attrs else {"type_key": obj.type_key})
    root_index = ref(root)
    return json.dumps({"root": root_index, "nodes": nodes, "b64ndarrays": tensors, "attrs": {"tvm_version": "0.15.0"}},
                      indent=2)


def _make(nodes, at, made, tensors):
    """The object of a node whose children are made."""
    from .module import IRModule
    from .attrs import DictAttrs
    from .base import EnvFunc, SourceName
    from .op import Op
    from ..runtime.container import String

    node = nodes[at]
    key = node["type_key"]
    if key == "":
        return None
    if key in ("runtime.String", "StringImm"):
        return String(_repr(node))
    if key == "Op":
        return Op.get(_repr(node))
    if key == "SourceName":
        return SourceName(_repr(node) if "repr_str" in node or "repr_b64" in node else str(made[int(node["attrs"]["name"])]))
    if key == "EnvFunc":
        return EnvFunc(_repr(node) if "repr_str" in node else str(made[int(node["attrs"]["name"])]))
    if key == "Array":
        return _core.make_array([made[i] for i in node.get("data", [])])
    if key in ("Map", "StrMap"):
        data = node.get("data", [])
        if "keys" in node:
            return _core.make_map({k: made[i] for k, i in zip(node["keys"], data)})
        return _core.make_map({made[k]: made[v] for k, v in zip(data[::2], data[1::2])})
    attrs = node.get("attrs", {})
    if key == "runtime.NDArray":
        return tensors[int(attrs["ndarray"])]
    if key == "IRModule":
        functions = made[int(attrs.get("functions", 0))]
        types = made[int(attrs.get("type_definitions", 0))]
        return IRModule(functions, types, made[int(attrs.get("attrs", 0))])
    names = _core.field_kinds(key)
    if names is None:
        raise ValueError(f"unknown type key {key}")
    values = {}
    for name, kind in names:
        if name not in attrs:
            continue
        text = attrs[name]
        if name == "dtype":
            values[name] = text if not text.isdigit() else str(made[int(text)])
        elif kind == "bool":
            values[name] = text not in ("0", "false")
        elif kind == "int":
            values[name] = int(text)
        elif kind == "float":
            values[name] = float(text)
        elif key.startswith("relay.attrs.") and kind == "any" and not text.lstrip("-").isdigit():
            values[name] = text
        else:
            values[name] = made[int(text)]
    if key == "relay.Constructor":
        values.setdefault("tag", -1)
    if key == "DictAttrs" and values.get("__dict__") is None:
        return DictAttrs({})
    return _core.new_node(key, values)


def _repr(node):
    if "repr_str" in node:
        return node["repr_str"]
    return base64.b64decode(node["repr_b64"]).decode("latin-1")


def _children(node):
    found = [i for i in node.get("data", []) if isinstance(i, int)]
    if "repr_str" in node or node["type_key"] in ("runtime.NDArray",):
        return found
    kinds = dict(_core.field_kinds(node["type_key"]) or []) if node["type_key"] else {}
    for name, text in node.get("attrs", {}).items():
        if node["type_key"] not in ("IRModule", "SourceName", "EnvFunc") and (
            name not in kinds or kinds[name] in ("bool", "int", "float")):
            continue
        if name == "dtype" and not text.isdigit():
            continue
        if text.isdigit():
            found.append(int(text))
    return found


def load(text):
    """The object of a JSON text."""
    from ..runtime.params import read_tensor

    graph = json.loads(text)
    nodes = graph["nodes"]
    tensors = [read_tensor(base64.b64decode(data), 0)[0] for data in graph.get("b64ndarrays", [])]
    made, work = {}, [(graph["root"], False)]
    while work:
        at, opened = work.pop()
        if at in made:
            continue
        if opened:
            made[at] = _make(nodes, at, made, tensors)
            continue
        work.append((at, True))
        work.extend((child, False) for child in _children(nodes[at]) if child not in made)
    return made[graph["root"]]
