"""The operands of expressions, and copies of expressions with other operands."""

from __future__ import annotations

from .. import _core
from .adt import Clause, Match
from .expr import Call, If, Let, RefCreate, RefRead, RefWrite, Tuple, TupleGetItem, with_fields
from .function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..ir.expr import RelayExpr

# The fields that hold what an expression is made of, from left to right; each holds an expression or an array.
_FIELDS: dict[Any, tuple[str, ...]] = {
    Call: ("op", "args"), Function: ("params", "body"), Let: ("var", "value", "body"), Tuple: ("fields",),
    TupleGetItem: ("tuple_value",), If: ("cond", "true_branch", "false_branch"), RefCreate: ("value",), RefRead: ("ref",),
    RefWrite: ("ref", "value"), Match: ("data", "clauses"),
}
_ARRAYS = frozenset({"args", "params", "fields", "clauses"})


def _fields_of(node: RelayExpr) -> tuple[str, ...]:
    found = _FIELDS.get(type(node))
    if found is None:
        found = next((fields for cls, fields in _FIELDS.items() if isinstance(node, cls)), ())
        _FIELDS[type(node)] = found
    return found


def parts_of(node: RelayExpr) -> list[Any]:
    """The expressions below one, from left to right; of a match its clauses."""
    if type(node) is Call:
        return _core.operands(node)
    parts: list[Any] = []
    for name in _fields_of(node):
        value = getattr(node, name)
        if name in _ARRAYS:
            parts.extend(value)
        else:
            parts.append(value)
    return parts


def children_of(node: RelayExpr) -> list[RelayExpr]:
    """The same with the right-hand sides of clauses."""
    return [part.rhs if type(part) is Clause else part for part in parts_of(node)]


def rebuild(node: RelayExpr, memo: dict[RelayExpr, RelayExpr]) -> RelayExpr:
    """A node with what its operands became; itself when none changed."""
    if type(node) is Call:
        return _core.rebuild_call(node, memo)

    def new(part: Any) -> Any:
        if type(part) is not Clause:
            return memo.get(part, part)
        rhs = memo.get(part.rhs, part.rhs)
        return part if rhs is part.rhs else Clause(part.lhs, rhs)

    changes: dict[str, Any] = {}
    for name in _fields_of(node):
        value = getattr(node, name)
        changes[name] = [new(part) for part in value] if name in _ARRAYS else new(value)
    return with_fields(node, **changes) if changes else node
