"""Visitors over expressions, each with a memo by identity. They recurse: deep chains need a higher recursion limit."""

from __future__ import annotations

from .. import _core
from ..ir.op import Op
from .adt import Constructor, Match
from .expr import (
    Call,
    Constant,
    GlobalVar,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from .function import Function
from .operands import children_of, rebuild
from .type_functor import visits_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..ir.expr import RelayExpr

    _Visit = Callable[..., Any]

_METHODS = {
    Function: "visit_function",
    Call: "visit_call",
    Let: "visit_let",
    Var: "visit_var",
    GlobalVar: "visit_global_var",
    If: "visit_if",
    Tuple: "visit_tuple",
    TupleGetItem: "visit_tuple_getitem",
    Constant: "visit_constant",
    Op: "visit_op",
    RefCreate: "visit_ref_create",
    RefRead: "visit_ref_read",
    RefWrite: "visit_ref_write",
    Constructor: "visit_constructor",
    Match: "visit_match",
}


class ExprFunctor:
    """Calls one method for each kind of expression, once for each node.

    >>> class Depth(relay.ExprFunctor):
    ...     def visit_var(self, var):
    ...         return 0
    ...     def visit_call(self, call):
    ...         return 1 + max(self.visit(arg) for arg in call.args)
    >>> Depth().visit(relay.tanh(relay.nn.relu(relay.var("x"))))
    2
    """

    def __init__(self) -> None:
        self.memo_map: dict[Any, Any] = {}

    def visit(self, expr: RelayExpr) -> Any:
        """What the method for the expression gives, the first time; later what it gave."""
        memo = self.memo_map
        known = memo.get(expr, memo)
        if known is not memo:
            return known
        name = _METHODS.get(type(expr))
        if name is None:
            for cls, method in _METHODS.items():
                if isinstance(expr, cls):
                    name = method
                    break
            else:
                raise Exception(f"warning unhandled case: {type(expr)}")
        result = getattr(self, name)(expr)
        memo[expr] = result
        return result

    def _missing(self, *_: Any) -> Any:
        raise NotImplementedError()

    _any: _Visit = _missing
    visit_function = visit_let = visit_call = visit_var = visit_type = visit_if = visit_tuple = visit_tuple_getitem = _any
    visit_global_var = visit_op = visit_constant = visit_ref_create = visit_ref_write = visit_ref_read = _any
    visit_constructor = visit_match = _any


@visits_all(_METHODS, "_visit_parts")
class ExprVisitor(ExprFunctor):
    """Visits every expression below one.

    >>> class Calls(relay.ExprVisitor):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.names = []
    ...     def visit_call(self, call):
    ...         super().visit_call(call)
    ...         self.names.append(call.op.name)
    >>> calls = Calls()
    >>> x = relay.var("x", shape=(2,))
    >>> calls.visit(relay.tanh(relay.nn.relu(x)))
    >>> calls.names
    ['nn.relu', 'tanh']
    """

    def _visit_parts(self, expr: Any) -> None:
        for part in children_of(expr):
            self.visit(part)

    def visit_call(self, call: Call) -> None:
        for part in _core.operands(call):
            self.visit(part)

    def visit_var(self, var: Var) -> None:
        pass


@visits_all(_METHODS, "_rebuilt")
class ExprMutator(ExprFunctor):
    """Rebuilds an expression; what has not changed stays the same object.

    >>> class NoRelu(relay.ExprMutator):
    ...     def visit_call(self, call):
    ...         new = super().visit_call(call)
    ...         return new.args[0] if new.op.name == "nn.relu" else new
    >>> x = relay.var("x", shape=(2,))
    >>> NoRelu().visit(relay.tanh(relay.nn.relu(x)))
    <Call tanh(%x)>
    """

    def _rebuilt(self, expr: Any) -> RelayExpr:
        return rebuild(expr, {part: self.visit(part) for part in children_of(expr)})

    def visit_call(self, call: Call) -> RelayExpr:
        visit, old = self.visit, _core.operands(call)
        new = [visit(part) for part in old]
        # Expressions are equal when they are the same.
        if new == old:
            return call
        return Call(new[0], new[1:], call.attrs, list(call.type_args), call.span)

    def visit_var(self, var: Var) -> RelayExpr:
        return var


def _visit_mixed(functor: ExprFunctor, root: RelayExpr, visit: Callable[[RelayExpr], Any]) -> None:
    """Visits what calls, tuples and projections are made of before them, so that `visit` does not recurse over those."""
    memo = functor.memo_map
    stack = [(root, False)]
    while stack:
        node, operands_done = stack.pop()
        if node in memo:
            continue
        if operands_done or not isinstance(node, (Call, Tuple, TupleGetItem)):
            visit(node)
            continue
        stack.append((node, True))
        if isinstance(node, Call):
            parts = _core.operands(node)
        else:
            parts = list(node.fields) if isinstance(node, Tuple) else [node.tuple_value]
        stack.extend((part, False) for part in reversed(parts))


class MixedModeVisitor(ExprVisitor):
    """An ExprVisitor that does not recurse over calls, tuples and projections: their operands have been visited before.

    >>> class Calls(relay.MixedModeVisitor):
    ...     count = 0
    ...     def visit_call(self, call):
    ...         self.count += 1
    >>> deep = relay.var("x", shape=(2,))
    >>> for _ in range(20000):
    ...     deep = relay.tanh(deep)
    >>> calls = Calls()
    >>> calls.visit(deep)
    >>> calls.count
    20000
    """

    def visit(self, expr: RelayExpr) -> Any:
        if expr not in self.memo_map:
            _visit_mixed(self, expr, super().visit)
        return self.memo_map[expr]


class MixedModeMutator(ExprMutator):
    """An ExprMutator that does not recurse over calls, tuples and projections.

    `rewrite_call(pre, post)`, `rewrite_tuple` and `rewrite_tuple_getitem` get the node as it was and the node with its new
    operands, and give what takes its place.

    >>> class NoRelu(relay.MixedModeMutator):
    ...     def rewrite_call(self, pre, post):
    ...         return post.args[0] if post.op.name == "nn.relu" else post
    >>> x = relay.var("x", shape=(2,))
    >>> NoRelu().visit(relay.tanh(relay.nn.relu(x)))
    <Call tanh(%x)>
    """

    def visit(self, expr: RelayExpr) -> Any:
        """What becomes of an expression."""
        if expr not in self.memo_map:
            _visit_mixed(self, expr, super().visit)
        return self.memo_map[expr]

    def rewrite_call(self, pre: Call, post: Any) -> RelayExpr:
        new: RelayExpr = post
        return new

    def rewrite_tuple(self, pre: Tuple, post: Any) -> RelayExpr:
        new: RelayExpr = post
        return new

    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: Any) -> RelayExpr:
        new: RelayExpr = post
        return new

    def visit_call(self, call: Call) -> RelayExpr:
        return self.rewrite_call(call, super().visit_call(call))

    def visit_tuple(self, tup: Tuple) -> RelayExpr:
        return self.rewrite_tuple(tup, super().visit_tuple(tup))

    def visit_tuple_getitem(self, item: TupleGetItem) -> RelayExpr:
        return self.rewrite_tuple_getitem(item, super().visit_tuple_getitem(item))
