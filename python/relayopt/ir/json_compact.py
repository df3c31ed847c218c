"""Graph JSON of older versions of TVM, from 0.6 on, as that of 0.15.

A version is upgraded by the next one's row, one after the other. 0.7 renamed most classes, made texts of some fields nodes of
their own, and gave type variables a name where they had had a variable; later versions only added fields.
"""

from __future__ import annotations

from .._ffi import provide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_VERSION = "0.15.0"

_TO_BASE = ("Op Type TupleType TypeConstraint FuncType IncompleteType TypeRelation TypeCall SourceName Span GlobalVar TypeVar "
            "GlobalTypeVar")
_TO_TIR = ("SizeVar StringImm Cast Add Sub Mul Div Mod FloorDiv FloorMod Min Max EQ NE LT LE GT GE And Or Not Select "
           "BufferLoad Ramp Broadcast Shuffle Call Let Any LetStmt AssertStmt BufferStore BufferRealize Allocate IfThenElse "
           "Evaluate Prefetch AttrStmt Layout Buffer")
_TO_TRANSFORM = "Pass PassInfo PassContext ModulePass Sequential"
# The classes of 0.6 that have other names since.
_RENAMED = {
    **{f"relay.{name}": name for name in _TO_BASE.split()},
    **{name: f"tir.{name}" for name in _TO_TIR.split()},
    **{f"relay.{name}": f"transform.{name}" for name in _TO_TRANSFORM.split()},
    "relay.Module": "IRModule", "StrMap": "Map", "Variable": "tir.Var",
}
# The fields of classes of 0.6, by their names then, whose texts are nodes since.
_NODES = {
    **dict.fromkeys(("relay.TypeVar", "TypeVar", "relay.GlobalTypeVar", "GlobalTypeVar", "relay.Id", "relay.Constructor",
                     "relay.GlobalVar", "GlobalVar"), ("name_hint",)),
    **dict.fromkeys(("Variable", "SizeVar", "Call", "Layout"), ("name",)),
    "StringImm": ("value",), "AttrStmt": ("attr_key",), "Buffer": ("name", "scope"),
}
_WITH_DEVICE = ("GlobalVar", *(f"relay.{name}" for name in ("Var", "Function", "Tuple", "Call", "Let", "If", "TupleGetItem",
                                                            "RefCreate", "RefRead", "RefWrite", "Match", "Constant")))
# The fields that a version added, by class: they are null.
_ADDED = {"0.7": {"IRModule": "attrs"}, "0.8": dict.fromkeys(_WITH_DEVICE, "virtual_device_")}


def _from_0_6(nodes: list[dict[str, Any]]) -> None:
    # Names first, as long as they are texts: a type variable took its name from a variable that only it used.
    for node in nodes:
        if node["type_key"] in ("relay.TypeVar", "relay.GlobalTypeVar") and "var" in node["attrs"]:
            named = nodes[int(node["attrs"].pop("var"))]
            node["attrs"]["name_hint"] = named["attrs"]["name"]
            named.clear()
            named["type_key"] = ""
    for node in list(nodes):
        key = node["type_key"]
        if "global_key" in node:
            node["repr_str"] = node.pop("global_key")
        for field in _NODES.get(key, ()):
            nodes.append({"type_key": "runtime.String", "repr_str": node["attrs"][field]})
            node["attrs"][field] = str(len(nodes) - 1)
        if key in ("Variable", "SizeVar"):
            node["attrs"]["type_annotation"] = "0"
        node["type_key"] = _RENAMED.get(key, key)


def upgrade(graph: dict[str, Any]) -> dict[str, Any]:
    """The same graph as TVM 0.15 writes it; it is changed in place. One without a version is of the newest."""
    attrs = graph.get("attrs", {})
    major, _, rest = str(attrs.get("tvm_version", _VERSION)).partition(".")
    minor = int("".join(char for char in rest.partition(".")[0] if char.isdigit()) or 0)
    if (major, minor) < ("0", 6):
        raise ValueError(f"graph JSON of TVM {attrs['tvm_version']} cannot be read: 0.6 is the oldest version")
    if major != "0" or minor >= 15:
        return graph
    if minor == 6:
        _from_0_6(graph["nodes"])
    for version, added in _ADDED.items():
        if minor <= int(version.partition(".")[2]):
            for node in graph["nodes"]:
                if node["type_key"] in added:
                    node.setdefault("attrs", {}).setdefault(added[node["type_key"]], "0")
    attrs["tvm_version"] = _VERSION
    return graph


def upgrade_json(json_str: str) -> str:
    """Graph JSON of an older version as that of 0.15. `load_json` does this by itself.

    >>> old = '{"root": 1, "nodes": [{"type_key": ""}, {"type_key": "relay.Op", "global_key": "nn.relu"}], '
    >>> old += '"attrs": {"tvm_version": "0.6.0"}}'
    >>> relayopt.ir.load_json(relayopt.ir.json_compact.upgrade_json(old))
    Op(nn.relu)
    """
    import json

    return json.dumps(upgrade(json.loads(json_str)), indent=2, ensure_ascii=False)


provide("upgrade_json", upgrade_json)
