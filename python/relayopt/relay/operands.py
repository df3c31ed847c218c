"""The operands of expressions, and copies of expressions with other operands."""

from __future__ import annotations

from .parts import parts_of
from .. import _core
from ..ir.expr import GlobalVar
from ..ir.op import Op
from .adt import Clause, Match
from .expr import (Call, Constant, FunctionWithFields, If, IfWithFields, Let, LetWithFields, RefCreate, RefRead, RefWrite,
                   Tuple, TupleGetItem, Var)
from .function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..ir.expr import RelayExpr

# Expressions without operands.
_LEAVES = frozenset({Var, Op, Constant, GlobalVar})


def children_of(node: RelayExpr) -> list[RelayExpr]:
    """The expressions that a node is made of."""
    kind = type(node)
    if kind is Call:
        return _core.operands(node)
    if kind in _LEAVES:
        return []
    return [child.rhs if type(child).__name__ == "Clause" else child for child in parts_of(node)]


def rebuild(node: RelayExpr, memo: dict[RelayExpr, RelayExpr]) -> RelayExpr:
    """A node with what its operands became; itself when none changed."""
    new, kind = memo.get, type(node)
    if kind in _LEAVES:
        return node
    if kind is Call:
        return _core.rebuild_call(node, memo)
    if isinstance(node, Tuple):
        fields = [new(f, f) for f in node.fields]
        return node if all(a is b for a, b in zip(fields, node.fields)) else Tuple(fields, node.span)
    if isinstance(node, TupleGetItem):
        value = new(node.tuple_value, node.tuple_value)
        return node if value is node.tuple_value else TupleGetItem(value, node.index, node.span)
    if isinstance(node, Function):
        return FunctionWithFields(node, [new(p, p) for p in node.params], new(node.body, node.body))
    if isinstance(node, Let):
        return LetWithFields(node, new(node.var, node.var), new(node.value, node.value), new(node.body, node.body))
    if isinstance(node, If):
        return IfWithFields(node, new(node.cond, node.cond), new(node.true_branch, node.true_branch),
                            new(node.false_branch, node.false_branch))
    if isinstance(node, RefCreate):
        value = new(node.value, node.value)
        return node if value is node.value else RefCreate(value)
    if isinstance(node, RefRead):
        ref = new(node.ref, node.ref)
        return node if ref is node.ref else RefRead(ref)
    if isinstance(node, RefWrite):
        ref, value = new(node.ref, node.ref), new(node.value, node.value)
        return node if ref is node.ref and value is node.value else RefWrite(ref, value)
    if isinstance(node, Match):
        data = new(node.data, node.data)
        clauses = [c if new(c.rhs, c.rhs) is c.rhs else Clause(c.lhs, new(c.rhs, c.rhs)) for c in node.clauses]
        if data is node.data and all(a is b for a, b in zip(clauses, node.clauses)):
            return node
        return Match(data, clauses, node.complete)
    return node
