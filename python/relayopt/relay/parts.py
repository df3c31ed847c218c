"""What expressions are made of."""

from __future__ import annotations

from .adt import Match
from .expr import Call, If, Let, RefCreate, RefRead, RefWrite, Tuple, TupleGetItem
from .function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..ir.expr import RelayExpr


def parts_of(node: RelayExpr) -> list[Any]:
    """The expressions below one, from left to right; of a match its clauses."""
    if isinstance(node, Call):
        return [node.op] + list(node.args)
    if isinstance(node, Function):
        return list(node.params) + [node.body]
    if isinstance(node, Let):
        return [node.var, node.value, node.body]
    if isinstance(node, Tuple):
        return list(node.fields)
    if isinstance(node, TupleGetItem):
        return [node.tuple_value]
    if isinstance(node, If):
        return [node.cond, node.true_branch, node.false_branch]
    if isinstance(node, RefCreate):
        return [node.value]
    if isinstance(node, RefRead):
        return [node.ref]
    if isinstance(node, RefWrite):
        return [node.ref, node.value]
    if isinstance(node, Match):
        return [node.data, *node.clauses]
    return []
