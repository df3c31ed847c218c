"""Functions of the library that are found by the names that the reference registers them under."""

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


# Functions by which the reference tests its calls.
_TESTING = {"testing.ReturnsVariant": _returns_variant, "testing.AcceptsVariant": _accepts_variant}


def find(name: str) -> Any:
    """The function of the reference's registered name, or None."""
    if name in _cache:
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
