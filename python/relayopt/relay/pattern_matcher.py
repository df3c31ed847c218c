"""Matches expressions against patterns of the dataflow pattern language."""

from __future__ import annotations

from .. import _core
from ..ir.base import structural_equal
from ..ir.module import IRModule
from ..ir.op import Op
from ..ir.tensor_type import TensorType
from ..ir.transform import make_pass
from ..runtime.convert import convert
from .expr import Call, Constant, If, Let, Tuple, TupleGetItem, Var
from .function import Function
from .operands import children_of
from .patterns import (AltPattern, AttrPattern, CallPattern, ConstantPattern, DataTypePattern, DFPattern, DominatorPattern,
                       ExprPattern, FunctionPattern, IfPattern, LetPattern, ShapePattern, TupleGetItemPattern, TuplePattern,
                       TypePattern, VarPattern, WildcardPattern)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..ir.expr import RelayExpr
    from ..runtime.container import Array
    from ..tir.expr import PrimExpr


class Graph:
    """The expressions below one with their users and post-dominators."""

    def __init__(self, root: RelayExpr) -> None:
        self.order = _core.post_order(root)
        self._users: dict[RelayExpr, list[RelayExpr]] | None = None
        self._dominated: dict[RelayExpr, list[RelayExpr]] | None = None

    @property
    def users(self) -> dict[RelayExpr, list[RelayExpr]]:
        """What each expression is an operand of."""
        if self._users is None:
            self._users = {node: [] for node in self.order}
            for node in self.order:
                for child in children_of(node):
                    if child in self._users:
                        self._users[child].append(node)
        return self._users

    def dominated(self, node: RelayExpr) -> list[RelayExpr]:
        """The nodes whose nearest post-dominator is this one."""
        if self._dominated is None:
            parent: dict[Any, Any] = {}
            depth: dict[Any, Any] = {}
            found: dict[Any, Any] = {n: [] for n in self.order}
            users_of = self.users
            for n in reversed(self.order):
                users = users_of[n]
                best = None
                for user in users:
                    best = user if best is None else _common(best, user, parent, depth)
                    if best is None:
                        break
                parent[n] = best
                depth[n] = 1 if best is None else depth[best] + 1
                if best is not None:
                    found[best].append(n)
            self._dominated = found
        return self._dominated.get(node, [])


def _common(a: Any, b: RelayExpr, parent: Any, depth: Mapping[RelayExpr, int]) -> Any:
    while a is not b:
        if a is None or b is None:
            return None
        if depth[a] < depth[b]:
            a, b = b, a
        a = parent[a]
    return a


def fixed_operator(pattern: DFPattern) -> Any:
    """The name of the operator that a pattern of calls requires; None for other patterns."""
    if isinstance(pattern, CallPattern) and isinstance(pattern.op, ExprPattern) and isinstance(pattern.op.expr, Op):
        return pattern.op.expr.name
    return None


def _is_call_of(expr: RelayExpr, name: str) -> bool:
    return isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name == name


class Matcher:
    """Tries patterns on expressions; keeps what each pattern matched."""

    def __init__(self, root: RelayExpr) -> None:
        self._root = root
        self._graph: Graph | None = None
        self._types: dict[Any, Any] = {}
        self._memoize = True
        # Patterns of calls: what they have of operator and arguments, and the name of a fixed operator.
        self._calls: dict[DFPattern, tuple[DFPattern, list[DFPattern] | None, str | None]] = {}
        self.memo: dict[Any, Any] = {}
        self.log: list[Any] = []

    @property
    def graph(self) -> Graph:
        if self._graph is None:
            self._graph = Graph(self._root)
        return self._graph

    def match(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        self.memo, self.log, self._memoize = {}, [], True
        return self._visit(pattern, expr)

    def _clear(self, mark: int) -> None:
        for pattern in self.log[mark:]:
            self.memo.pop(pattern, None)
        del self.log[mark:]

    def _visit(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        known = self.memo.get(pattern)
        if self._memoize and known is not None:
            return expr is known[0]
        mark = len(self.log)
        if _MATCH[type(pattern)](self, pattern, expr):
            self.memo.setdefault(pattern, []).append(expr)
            self.log.append(pattern)
            return True
        self._clear(mark)
        return False

    def _alt(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        return self._visit(pattern.left, expr) or self._visit(pattern.right, expr)

    def _attr(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        if not self._visit(pattern.pattern, expr):
            return False
        for name, value in pattern.attrs.items():
            if isinstance(expr, Op):
                found = expr.get_attr(name)
            elif isinstance(expr, (Call, Function)):
                if isinstance(expr, Call) and isinstance(expr.op, Function) and expr.attrs is None:
                    return False
                if expr.attrs is None or name not in expr.attrs:
                    return False
                found = expr.attrs[name]
            else:
                return False
            if found is None or not _same_value(value, found):
                return False
        return True

    def _args(self, patterns: Sequence[DFPattern] | None, args: Sequence[RelayExpr], mark: int) -> bool:
        if patterns is not None:
            if len(patterns) != len(args):
                self._clear(mark)
                return False
            for p, a in zip(patterns, args):
                if not self._visit(p, a):
                    self._clear(mark)
                    return False
        return True

    def _call(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        if not isinstance(expr, Call):
            return False
        known = self._calls.get(pattern)
        if known is None:
            args_of_pattern = None if pattern.args is None else list(pattern.args)
            known = self._calls[pattern] = pattern.op, args_of_pattern, fixed_operator(pattern)
        op, patterns, name = known
        mark = len(self.log)
        parts = _core.operands(expr)
        if self._visit(op, parts[0]):
            inner = len(self.log)
            args = parts[1:]
            if self._args(patterns, args, inner):
                return True
            return name in ("add", "multiply") and patterns is not None and self._args(patterns[::-1], args, inner)
        self._clear(mark)
        if patterns is None or len(patterns) != 2:
            return False
        if name == "divide":
            # (a * b) / c stands for a * (b / c) as well.
            product = pattern.args[0]
            if fixed_operator(product) == "multiply" and _is_call_of(expr, "multiply") and any(
                _is_call_of(arg, "divide") for arg in expr.args):
                for i in range(2):
                    quotient = CallPattern(pattern.op, [product.args[i], pattern.args[1]])
                    if self._visit(CallPattern(product.op, [product.args[1 - i], quotient]), expr):
                        return True
                    self._clear(mark)
                return False
        if name == "multiply":
            for i in range(2):
                quotient = pattern.args[i]
                if fixed_operator(quotient) == "divide" and _is_call_of(expr, "divide") and any(
                    _is_call_of(arg, "multiply") for arg in expr.args):
                    product = CallPattern(pattern.op, [quotient.args[0], pattern.args[1 - i]])
                    return self._visit(CallPattern(quotient.op, [product, quotient.args[1]]), expr)
        return False

    def _dominator(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        if self._visit(pattern.child, expr):
            found = self._path(pattern, expr)
            self._memoize = True
            if found:
                return self._dominates(pattern, expr)
        return False

    def _path(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        work = [expr]
        while work:
            node = work.pop()
            for child in children_of(node):
                if isinstance(node, Call) and child is node.op:
                    continue
                self._memoize = True
                if self._visit(pattern.parent, child):
                    continue
                self._memoize = False
                if not self._visit(pattern.path, child):
                    return False
                work.append(child)
        return True

    def _dominates(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        work, seen = [expr], set()
        while work:
            for node in self.graph.dominated(work.pop()):
                if node in seen:
                    continue
                if self._visit(pattern.parent, node):
                    return True
                work.append(node)
                seen.add(node)
        return False

    def _expr(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        wanted = pattern.expr
        return wanted is expr or not (isinstance(wanted, Op) or isinstance(expr, Op)) and structural_equal(wanted, expr)

    def _function(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        if not isinstance(expr, Function):
            return False
        if pattern.params is not None:
            if len(pattern.params) != len(expr.params):
                return False
            for p, param in zip(pattern.params, expr.params):
                if not self._visit(p, param):
                    return False
        return self._visit(pattern.body, expr.body)

    def _tuple_get_item(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        return isinstance(expr, TupleGetItem) and (pattern.index == -1 or pattern.index == expr.index) and self._visit(
            pattern.tuple, expr.tuple_value)

    def _tuple(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        if not isinstance(expr, Tuple):
            return False
        if pattern.fields is None:
            return True
        return len(pattern.fields) == len(expr.fields) and all(
            self._visit(p, f) for p, f in zip(pattern.fields, expr.fields))

    def _if(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        return isinstance(expr, If) and self._visit(pattern.cond, expr.cond) and self._visit(
            pattern.true_branch, expr.true_branch) and self._visit(pattern.false_branch, expr.false_branch)

    def _let(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        return isinstance(expr, Let) and self._visit(pattern.var, expr.var) and self._visit(
            pattern.value, expr.value) and self._visit(pattern.body, expr.body)

    def _type_of(self, expr: RelayExpr) -> Any:
        found = self._types.get(expr)
        if found is None:
            found = expr._checked_type_
            if found is None:
                typed = make_pass("InferType")(IRModule.from_expr(expr))["main"]
                found = typed.checked_type if isinstance(expr, Function) else typed.body.checked_type
            self._types[expr] = found
        return found

    def _type(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        return structural_equal(pattern.type, self._type_of(expr)) and self._visit(pattern.pattern, expr)

    def _shape(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        typ = self._type_of(expr)
        return isinstance(typ, TensorType) and structural_equal(pattern.shape, typ.shape) and self._visit(
            pattern.pattern, expr)

    def _dtype(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        typ = self._type_of(expr)
        return isinstance(typ, TensorType) and str(pattern.dtype) == typ.dtype and self._visit(pattern.pattern, expr)

    def _var(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        return isinstance(expr, Var) and (pattern.name in ("", expr.name_hint))

    def _constant(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        return isinstance(expr, Constant)

    def _wildcard(self, pattern: DFPattern, expr: RelayExpr) -> bool:
        return pattern.pattern is None or self._visit(pattern.pattern, expr)


_MATCH = {
    AltPattern: Matcher._alt, AttrPattern: Matcher._attr, CallPattern: Matcher._call,
    DominatorPattern: Matcher._dominator, ExprPattern: Matcher._expr, FunctionPattern: Matcher._function,
    TupleGetItemPattern: Matcher._tuple_get_item, TuplePattern: Matcher._tuple, IfPattern: Matcher._if,
    LetPattern: Matcher._let, TypePattern: Matcher._type, ShapePattern: Matcher._shape, DataTypePattern: Matcher._dtype,
    VarPattern: Matcher._var, ConstantPattern: Matcher._constant, WildcardPattern: Matcher._wildcard,
}


def _same_value(wanted: Any, found: Any) -> Any:
    if isinstance(found, bool) or isinstance(wanted, bool):
        return bool(wanted) == bool(found)
    try:
        if isinstance(wanted, str) or isinstance(found, str):
            return str(wanted) == str(found)
        return bool(structural_equal(convert(wanted), convert(found))) or _numbers_equal(wanted, found)
    except (ValueError, TypeError):
        return wanted == found


def _numbers_equal(a: Array | PrimExpr, b: Any) -> bool:
    try:
        return float(a) == float(b)
    except (TypeError, ValueError):
        return False


def match(pattern: DFPattern, expr: RelayExpr) -> bool:
    """Whether an expression looks like a pattern.

    >>> from relayopt.relay.dataflow_pattern import is_op, match, wildcard
    >>> match(is_op("add")(wildcard(), wildcard()), relay.var("x") + relay.var("y"))
    True
    """
    return Matcher(expr).match(pattern, expr)
