"""Functions of the library that are found by the names that TVM registers them under."""

from __future__ import annotations

import importlib

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A prefix and where its functions live.
_PLACES = {
    "relay._transform.": "relayopt.relay.transform",
    "relay.transform.": "relayopt.relay.transform.device_map",
    "transform.": "relayopt.ir.transform",
    "relay.analysis.": "relayopt.relay.analysis",
    "relay.ir.": "relayopt.relay.expr",
    "node.": "relayopt.ir",
    "ir.": "relayopt.ir",
    "runtime.": "relayopt.runtime",
    "target.": "relayopt.target",
    "relay.op._make.": "relayopt.relay.op",
    "relay.op.nn._make.": "relayopt.relay.op.nn",
    "relay.op.image._make.": "relayopt.relay.op.image",
    "relay.op.vision._make.": "relayopt.relay.op.vision",
    "relay.qnn.op._make.": "relayopt.relay.qnn.op",
    "relay.dataflow_pattern.": "relayopt.relay.dataflow_pattern",
    "tir.": "relayopt.tir",
}
_cache: dict[Any, Any] = {}


def _returns_variant(number: Any) -> Any:
    from ..tir.expr import IntImm
    from .container import String

    return String("argument was odd") if number % 2 else IntImm("int64", number // 2)


def _accepts_variant(value: Any) -> str:
    if isinstance(value, str):
        return "runtime.String"
    if isinstance(value, int):
        return "IntImm"
    if getattr(value, "type_key", None) == "IntImm":
        return "IntImm"
    raise TypeError(f"testing.AcceptsVariant: argument 0 must be a String or an IntImm, not {type(value).__name__}")


# Functions by which TVM tests its calls.
_TESTING = {"testing.ReturnsVariant": _returns_variant, "testing.AcceptsVariant": _accepts_variant}


# Functions that are registered under other names than those that they have here: the module and the name there.
_NAMED = {
    "node.SaveJSON": ("relayopt.ir", "save_json"),
    "node.LoadJSON": ("relayopt.ir", "load_json"),
    "node.StructuralHash": ("relayopt.ir", "structural_hash"),
    "node.AsRepr": ("builtins", "repr"),
    "runtime.SaveParams": ("relayopt.runtime.params", "save_param_dict"),
    "runtime.LoadParams": ("relayopt.runtime.params", "load_param_dict"),
    "runtime.ModuleLoadFromFile": ("relayopt.runtime", "load_module"),
    "relay.parser.ParseExpr": ("relayopt.relay.parser", "parse_expr"),
    "testing.echo": ("relayopt.runtime.builtin", "_echo"),
    "testing.nop": ("relayopt.runtime.builtin", "_nop"),
    "testing.object_use_count": ("relayopt.runtime.builtin", "_use_count"),
}


def _echo(value: Any) -> Any:
    return value


def _nop(*_: Any) -> None:
    pass


def _use_count(value: Any) -> int:
    return 1


def _make_node(type_key: str, *fields: Any) -> Any:
    return importlib.import_module("relayopt.ir").make_node(type_key, **dict(zip(fields[::2], fields[1::2])))


def _structural_equal(lhs: Any, rhs: Any, assert_mode: bool = False, map_free_vars: bool = False) -> Any:
    ir = importlib.import_module("relayopt.ir")
    if assert_mode:
        ir.assert_structural_equal(lhs, rhs, bool(map_free_vars))
        return True
    return ir.structural_equal(lhs, rhs, bool(map_free_vars))


def _get_attr(node: Any, name: str) -> Any:
    value = getattr(node, name, _cache)
    if value is _cache:
        raise AttributeError(f"{node.type_key} has no attribute {name}")
    return value


def _attr_names(node: Any) -> Any:
    names = list(_core.field_names(node.type_key))
    return _core.make_packed_func(lambda i: len(names) if i < 0 else names[i])


def _current_target(allow_none: bool = True) -> Any:
    return importlib.import_module("relayopt.target").Target.current(allow_none)


def _parse_module(source_name: str, source: str, init_module: Any = None, init_meta_table: Any = None) -> Any:
    parse = importlib.import_module("relayopt.relay.parser").parse
    tables = {str(key): list(values) for key, values in init_meta_table.items()} if init_meta_table else None
    return parse(source, str(source_name), init_module, tables)


_OWN = {
    "node.MakeNode": _make_node,
    "node.StructuralEqual": _structural_equal,
    "node.NodeGetAttr": _get_attr,
    "node.NodeListAttrNames": _attr_names,
    "target.TargetCurrent": _current_target,
    "relay.parser.ParseModule": _parse_module,
}


def find(name: str) -> Any:
    """The function of TVM's registered name, or None."""
    if name in _cache:
        return _cache[name]
    own = _OWN.get(name)
    if own is None and name in _NAMED:
        place, attribute = _NAMED[name]
        own = getattr(importlib.import_module(place), attribute)
    if own is not None:
        _cache[name] = _core.make_packed_func(own)
        return _cache[name]
    if name in _TESTING:
        return _core.make_packed_func(_TESTING[name])
    for prefix, place in _PLACES.items():
        if not name.startswith(prefix):
            continue
        rest = name[len(prefix) :]
        if "." in rest:
            continue
        function = getattr(importlib.import_module(place), rest, None)
        if callable(function):
            _cache[name] = _core.make_packed_func(function)
            return _cache[name]
    return None


def names() -> list[str]:
    """The names of the functions that `find` knows."""
    found = [*_OWN, *_NAMED, *_TESTING]
    for prefix, place in _PLACES.items():
        module = importlib.import_module(place)
        public = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
        found += [prefix + name for name in public
                  if "." not in name and callable(getattr(module, name, None))]
    return found
