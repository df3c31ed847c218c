"""The dataflow pattern language: what an expression looks like, wherever it stands.

Patterns have identity: one that occurs twice stands for the same expression both times.
"""

from __future__ import annotations


from .parts import parts_of
from ..ir.transform import make_pass
from .. import _core
from .._ffi import Object, register_object, provided
from ..ir.expr import GlobalVar, RelayExpr
from ..ir.op import Op
from ..ir.tensor_type import TensorType
from ..ir.base import structural_equal
from ..runtime.convert import convert
from .expr import Call, Constant, If, Let, Tuple, TupleGetItem, Var
from .function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..ir.attrs import DictAttrs
    from ..ir.module import IRModule
    from ..ir.type import Type
    from ..runtime.container import Array
    from ..tir.expr import PrimExpr

__all__ = [
    "DFPattern", "AltPattern", "AttrPattern", "CallPattern", "ConstantPattern", "DataTypePattern", "DominatorPattern",
    "ExprPattern", "FunctionPattern", "IfPattern", "LetPattern", "ShapePattern", "TupleGetItemPattern", "TuplePattern",
    "TypePattern", "VarPattern", "WildcardPattern", "DFPatternCallback", "is_var", "is_constant", "is_expr", "is_op",
    "is_tuple", "is_tuple_get_item", "is_if", "is_let", "wildcard", "has_type", "has_dtype", "has_shape", "has_attr",
    "dominates", "match", "rewrite", "partition",
]


@register_object("relay.dataflow_pattern.DFPattern")
class DFPattern(Object):
    """The base of patterns."""

    def __call__(self, *args: Any) -> DFPattern:
        any_arguments = len(args) == 1 and args[0] is None
        return CallPattern(self, None if any_arguments else list(args))

    def __or__(self, other: DFPattern) -> DFPattern:
        return AltPattern(self, other)

    def __add__(self, other: DFPattern) -> DFPattern:
        return is_op("add")(self, other)

    def __sub__(self, other: DFPattern) -> DFPattern:
        return is_op("subtract")(self, other)

    def __mul__(self, other: DFPattern) -> DFPattern:
        return is_op("multiply")(self, other)

    def __truediv__(self, other: DFPattern) -> DFPattern:
        return is_op("divide")(self, other)

    def has_attr(self, attrs: Any) -> DFPattern:
        return has_attr(attrs, self)

    def has_type(self, ttype: Type) -> DFPattern:
        return has_type(ttype, self)

    def has_dtype(self, dtype: Any) -> DFPattern:
        return has_dtype(dtype, self)

    def has_shape(self, shape: Any) -> DFPattern:
        return has_shape(shape, self)

    def match(self, expr: RelayExpr) -> bool:
        """Whether an expression looks like this."""
        return match(self, expr)

    def partition(self, expr: RelayExpr, attrs: Any = None, check: Callable[..., Any] = lambda x: True) -> RelayExpr:
        """The expression with what looks like this as calls of functions."""
        return partition(self, expr, attrs, check)

    def dominates(self, parent: DFPattern, path: DFPattern | None = None) -> DFPattern:
        """This is reached from `parent` only through `path`."""
        return DominatorPattern(parent, wildcard() if path is None else path, self)

    def optional(self, option_constructor: Callable[[DFPattern], DFPattern]) -> DFPattern:
        """This, or what is made of it.

        >>> from relayopt.relay.dataflow_pattern import is_op, wildcard
        >>> x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
        >>> pattern = is_op("nn.dense")(wildcard(), wildcard()).optional(lambda p: is_op("nn.relu")(p))
        >>> pattern.match(relay.nn.dense(x, w)), pattern.match(relay.nn.relu(relay.nn.dense(x, w)))
        (True, True)
        """
        return self | option_constructor(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(str(v) for _, v in _core.fields(self))})"

    __str__ = __repr__


def _pattern(name: str, fields: Sequence[str], doc: str, init: Callable[..., Any]) -> type[DFPattern]:
    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        self._init(*init(*args, **kwargs))

    cls: type[DFPattern] = type(name, (DFPattern,), {"__init__": make, "__doc__": doc, "__module__": __name__})
    register_object(f"relay.dataflow_pattern.{name}", fields)(cls)
    return cls


ExprPattern = _pattern("ExprPattern", ["expr"], "An expression equal to this one.", lambda expr: (expr,))
VarPattern = _pattern("VarPattern", ["name"], "A variable, of this name when there is one.", lambda name_hint="": (name_hint,))
ConstantPattern = _pattern("ConstantPattern", [], "A constant.", lambda: ())
CallPattern = _pattern(
    "CallPattern", ["op", "args"], "A call; without arguments with any.",
    lambda op, args: (op, None if args is None else list(args)))
FunctionPattern = _pattern(
    "FunctionPattern", ["params", "body"], "A function; without parameters with any.",
    lambda params, body: (None if params is None else list(params), body))
IfPattern = _pattern("IfPattern", ["cond", "true_branch", "false_branch"], "A condition.",
                     lambda cond, true_branch, false_branch: (cond, true_branch, false_branch))
LetPattern = _pattern("LetPattern", ["var", "value", "body"], "A let.", lambda var, value, body: (var, value, body))
TuplePattern = _pattern("TuplePattern", ["fields"], "A tuple; without fields any.",
                        lambda fields: (None if fields is None else list(fields),))
TupleGetItemPattern = _pattern("TupleGetItemPattern", ["tuple", "index"], "A field of a tuple; -1 is any.",
                               lambda tuple_value, index=None: (tuple_value, -1 if index is None else index))
AltPattern = _pattern("AltPattern", ["left", "right"], "One or else the other.", lambda left, right: (left, right))
TypePattern = _pattern("TypePattern", ["pattern", "type"], "An expression of this type.",
                       lambda pattern, ttype: (pattern, ttype))
DataTypePattern = _pattern("DataTypePattern", ["pattern", "dtype"], "A tensor of this data type.",
                           lambda pattern, dtype: (pattern, dtype))
ShapePattern = _pattern("ShapePattern", ["pattern", "shape"], "A tensor of this shape.",
                        lambda pattern, shape: (pattern, list(shape)))
AttrPattern = _pattern("AttrPattern", ["pattern", "attrs"], "An expression with these attributes.",
                       lambda pattern, attrs: (pattern, attrs))
DominatorPattern = _pattern("DominatorPattern", ["parent", "path", "child"], "What a parent is reached from by a path only.",
                            lambda parent, path, child: (parent, path, child))


@register_object("relay.dataflow_pattern.WildcardPattern", ["pattern"])
class WildcardPattern(DFPattern):
    """Anything; or what another pattern matches, once it was redirected."""

    def __init__(self) -> None:
        self._init(None)

    def redirect_to(self, pattern: DFPattern) -> None:
        """Makes this stand for another pattern, one that it is part of for instance."""
        self._set("pattern", pattern)


def is_var(name: str = "") -> DFPattern:
    """A pattern of a variable: of one of this name, or of any.

    >>> from relayopt.relay.dataflow_pattern import is_var
    >>> is_var().match(relay.var("x")), is_var("y").match(relay.var("x"))
    (True, False)
    """
    return VarPattern(name)


def is_constant() -> DFPattern:
    """A pattern of any constant.

    >>> from relayopt.relay.dataflow_pattern import is_constant, wildcard
    >>> (wildcard() + is_constant()).match(relay.var("x") + relay.const(1))
    True
    """
    return ConstantPattern()


def is_expr(expr: RelayExpr) -> DFPattern:
    """A pattern of an expression that is structurally equal to this one.

    >>> from relayopt.relay.dataflow_pattern import is_expr
    >>> is_expr(relay.const(2)).match(relay.const(2)), is_expr(relay.const(2)).match(relay.const(3))
    (True, False)
    """
    return ExprPattern(expr)


def is_op(op_name: str) -> DFPattern:
    """A pattern of an operator, by its name; called with patterns it is one of calls of the operator.

    >>> from relayopt.relay.dataflow_pattern import is_op, wildcard
    >>> x = relay.var("x")
    >>> pattern = is_op("nn.relu")(is_op("tanh")(wildcard()))
    >>> pattern.match(relay.nn.relu(relay.tanh(x))), pattern.match(relay.nn.relu(x))
    (True, False)
    """
    return ExprPattern(Op.get(op_name))


def is_tuple(fields: Sequence[DFPattern] | None) -> DFPattern:
    """A pattern of a tuple of such fields; None: of any fields.

    >>> from relayopt.relay.dataflow_pattern import is_constant, is_tuple, wildcard
    >>> is_tuple([wildcard(), is_constant()]).match(relay.Tuple([relay.var("x"), relay.const(1)]))
    True
    """
    return TuplePattern(fields)


def is_tuple_get_item(tuple_value: DFPattern, index: int | None = None) -> DFPattern:
    """A pattern of a field of such a tuple: of the one of this number, or of any.

    >>> from relayopt.relay.dataflow_pattern import is_tuple_get_item, wildcard
    >>> is_tuple_get_item(wildcard(), 1).match(relay.split(relay.var("x", shape=(4,)), 2)[1])
    True
    """
    return TupleGetItemPattern(tuple_value, index)


def is_if(cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern) -> DFPattern:
    """A pattern of an if of such parts.

    >>> from relayopt.relay.dataflow_pattern import is_constant, is_if, wildcard
    >>> pattern = is_if(wildcard(), is_constant(), is_constant())
    >>> pattern.match(relay.If(relay.var("c", "bool"), relay.const(1), relay.const(2)))
    True
    """
    return IfPattern(cond, true_branch, false_branch)


def is_let(var: DFPattern, value: DFPattern, body: DFPattern) -> DFPattern:
    """A pattern of a let of such parts.

    >>> from relayopt.relay.dataflow_pattern import is_let, is_op, is_var, wildcard
    >>> x, y = relay.var("x"), relay.var("y")
    >>> is_let(is_var("y"), is_op("tanh")(wildcard()), wildcard()).match(relay.Let(y, relay.tanh(x), y))
    True
    """
    return LetPattern(var, value, body)


def wildcard() -> WildcardPattern:
    """A pattern of anything.

    >>> from relayopt.relay.dataflow_pattern import wildcard
    >>> wildcard().match(relay.const(1))
    True
    """
    return WildcardPattern()


def has_type(ttype: Type, pattern: DFPattern | None = None) -> DFPattern:
    """A pattern of what has this type and, where `pattern` is given, looks like that. The expression needs types.

    >>> from relayopt.relay.dataflow_pattern import has_type
    >>> x = relay.var("x", shape=(2, 3))
    >>> has_type(relay.TensorType((2, 3), "float32")).match(x)
    True
    """
    return TypePattern(wildcard() if pattern is None else pattern, ttype)


def has_dtype(dtype: Any, pattern: DFPattern | None = None) -> DFPattern:
    """A pattern of tensors of this data type.

    >>> from relayopt.relay.dataflow_pattern import has_dtype, is_op
    >>> x = relay.var("x", shape=(2, 3))
    >>> has_dtype("float32").match(x), is_op("tanh")(has_dtype("float16")).match(relay.tanh(x))
    (True, False)
    """
    return DataTypePattern(wildcard() if pattern is None else pattern, dtype)


def has_shape(shape: Any, pattern: DFPattern | None = None) -> DFPattern:
    """A pattern of tensors of this shape, a tuple of extents.

    >>> from relayopt.relay.dataflow_pattern import has_shape
    >>> x = relay.var("x", shape=(2, 3))
    >>> has_shape((2, 3)).match(x), has_shape((3, 2)).match(x)
    (True, False)
    """
    return ShapePattern(wildcard() if pattern is None else pattern, shape)


def has_attr(attrs: Any, pattern: DFPattern | None = None) -> DFPattern:
    """A pattern of calls and functions with these attributes: {name: value}.

    >>> from relayopt.relay.dataflow_pattern import is_op, wildcard
    >>> x = relay.var("x", shape=(2, 3))
    >>> pattern = is_op("nn.softmax")(wildcard()).has_attr({"axis": 1})
    >>> pattern.match(relay.nn.softmax(x, axis=1)), pattern.match(relay.nn.softmax(x, axis=0))
    (True, False)
    """
    return AttrPattern(wildcard() if pattern is None else pattern, _DictAttrs(attrs))


def _DictAttrs(attrs: Any) -> DictAttrs:
    from ..ir.attrs import DictAttrs

    return DictAttrs(dict(attrs.items()))


def dominates(parent: DFPattern, path: DFPattern, child: DFPattern) -> DFPattern:
    """A pattern of `child` that is reached from `parent` only through calls that look like `path`.

    >>> from relayopt.relay.dataflow_pattern import dominates, is_op, wildcard
    >>> dense, elementwise = is_op("nn.dense")(wildcard(), wildcard()), is_op("tanh")(wildcard())
    >>> pattern = dominates(dense, elementwise, is_op("nn.relu")(wildcard()))
    >>> x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    >>> pattern.match(relay.nn.relu(relay.tanh(relay.nn.dense(x, w))))
    True
    """
    return DominatorPattern(parent, path, child)


# Matching.

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


def _op_of(pattern: DFPattern) -> Any:
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
            known = self._calls[pattern] = pattern.op, args_of_pattern, _op_of(pattern)
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
            if _op_of(product) == "multiply" and _is_call_of(expr, "multiply") and any(
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
                if _op_of(quotient) == "divide" and _is_call_of(expr, "divide") and any(
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
                from ..ir.module import IRModule
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


# Groups.


def _pattern_children(pattern: DFPattern) -> list[DFPattern]:
    def some(*parts: Any) -> list[Any]:
        return [part for part in parts if part is not None]

    if isinstance(pattern, CallPattern):
        return [pattern.op] + list(pattern.args or [])
    if isinstance(pattern, (AltPattern,)):
        return [pattern.left, pattern.right]
    if isinstance(pattern, (AttrPattern, TypePattern, ShapePattern, DataTypePattern)):
        return [pattern.pattern]
    if isinstance(pattern, DominatorPattern):
        return [pattern.parent, pattern.path, pattern.child]
    if isinstance(pattern, FunctionPattern):
        return list(pattern.params or []) + [pattern.body]
    if isinstance(pattern, TuplePattern):
        return list(pattern.fields or [])
    if isinstance(pattern, TupleGetItemPattern):
        return [pattern.tuple]
    if isinstance(pattern, IfPattern):
        return [pattern.cond, pattern.true_branch, pattern.false_branch]
    if isinstance(pattern, LetPattern):
        return [pattern.var, pattern.value, pattern.body]
    if isinstance(pattern, WildcardPattern):
        return some(pattern.pattern)
    return []


def _pattern_order(pattern: DFPattern) -> list[DFPattern]:
    """Patterns below one, each once, parts before wholes."""
    order, seen, work = [], set(), [(pattern, False)]
    while work:
        at, opened = work.pop()
        if opened:
            order.append(at)
            continue
        if at in seen:
            continue
        seen.add(at)
        work.append((at, True))
        work.extend((child, False) for child in reversed(_pattern_children(at)))
    return order


class _Group:
    """A place: its root, what each pattern matched there and, unless only these matter, the function that it makes."""

    __slots__ = ("root", "matched", "name", "args", "function")

    def __init__(self, root: RelayExpr, matched: Mapping[DFPattern, list[RelayExpr]], args: list[RelayExpr] | None = None,
                 function: Any = None, name: str = "") -> None:
        self.root, self.matched, self.args, self.function, self.name = root, matched, args, function, name


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
    from .adt import Clause, Match
    from .expr import FunctionWithFields, IfWithFields, LetWithFields, RefCreate, RefRead, RefWrite

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


class _Grouper:
    """The places that look like a pattern and do not overlap, from results to operands."""

    def __init__(self, pattern: DFPattern, root: RelayExpr, with_functions: bool = True) -> None:
        self.pattern, self.root, self._with_functions = pattern, root, with_functions
        patterns = _pattern_order(pattern)
        # Whose matches are inside of a group, whatever lies there; and what gives a group its inputs: the operands of what
        # is matched, or that itself.
        self._fuzzy = [each for each in patterns if isinstance(each, (DominatorPattern, FunctionPattern))]
        self._inputs = [(each, operands) for each in patterns if (operands := self._operands(each)) is not None]
        self.matcher = Matcher(root)
        self.of: dict[Any, Any] = {}
        self.number = 0
        partitioned: set[RelayExpr] = set()
        # Where only calls of one operator can match, nothing else is tried.
        name = _op_of(pattern)
        only = None if name in (None, "divide", "multiply") else pattern.op.expr
        for node in reversed(self.matcher.graph.order):
            if node in self.of or only is not None and (
                    node.op is not only if type(node) is Call else type(node) is not Function):
                continue
            if isinstance(node, Function) and node.attrs is not None and "PartitionedFromPattern" in node.attrs:
                partitioned.add(node)
                partitioned.update(_core.post_order(node.body))
            if node not in partitioned and self.matcher.match(pattern, node):
                self._group(node, self.matcher.memo)

    @staticmethod
    def _operands(pattern: DFPattern) -> Callable[..., Any] | None:
        """What of an expression that the pattern matches comes into a group, as a function of it; None where nothing does."""
        if isinstance(pattern, TuplePattern) and pattern.fields is None:
            return lambda found: found.fields
        if isinstance(pattern, CallPattern) and pattern.args is None:
            return lambda found: found.args
        return None if _pattern_children(pattern) else lambda found: (found,)

    def _embeds(self, expr: RelayExpr, pattern: DFPattern) -> bool:
        if not isinstance(expr, Constant):
            return False
        if isinstance(pattern, ConstantPattern):
            return True
        if isinstance(pattern, ExprPattern):
            return isinstance(pattern.expr, Constant)
        if isinstance(pattern, AltPattern):
            if match(pattern.left, expr):
                return self._embeds(expr, pattern.left)
            return self._embeds(expr, pattern.right)
        return False

    def _group(self, root: RelayExpr, matched: Mapping[DFPattern, list[RelayExpr]]) -> None:
        fuzzy = self._inside(matched) if self._fuzzy else ()
        inputs: dict[RelayExpr, RelayExpr] = {}
        for pattern, operands in self._inputs:
            for found in matched.get(pattern, ()):
                for each in operands(found):
                    if each in inputs or type(each) is Op or each in fuzzy or isinstance(each, Function) or (
                            self._embeds(each, pattern)):
                        continue
                    inputs[each] = Var(f"FunctionVar_{self.number}_{len(inputs)}") if self._with_functions else each
        self.number += 1
        memo, name = _extract(root, inputs) if self._with_functions else (_between(root, inputs), "")
        for node in memo:
            if node in inputs or isinstance(node, (Op, Function, Constant)):
                continue
            if node in self.of:
                return
            if node is not root:
                for user in self.matcher.graph.users.get(node, ()):
                    if user not in memo:
                        return
        if self._with_functions:
            params: Any = list(inputs.values())
            group = _Group(root, matched, list(inputs), Function(params, memo[root]), name)
        else:
            group = _Group(root, matched)
        for node in memo:
            # What comes in may be the result of another group.
            if node not in inputs:
                self.of[node] = group

    def _inside(self, matched: Mapping[DFPattern, list[RelayExpr]]) -> set[RelayExpr]:
        """What lies inside of a group, whatever it is."""
        found: set[RelayExpr] = set()
        for pattern in self._fuzzy:
            if isinstance(pattern, DominatorPattern):
                for part in (pattern.parent, pattern.path):
                    found.update(matched.get(part, ()))
            if isinstance(pattern, FunctionPattern):
                for function in matched.get(pattern, ()):
                    found.update(_core.post_order(function.body))
        return found


def _between(root: RelayExpr, inputs: Mapping[RelayExpr, RelayExpr]) -> dict[RelayExpr, RelayExpr]:
    """What lies between a root and inputs, with these, each as itself."""
    found, work = {root: root}, [root]
    while work:
        node = work.pop()
        if node not in inputs:
            for child in children_of(node):
                if child not in found:
                    found[child] = child
                    work.append(child)
    return found


def _extract(root: RelayExpr, inputs: Mapping[RelayExpr, RelayExpr]) -> tuple[dict[RelayExpr, RelayExpr], str]:
    """What lies between a root and inputs, over variables: {old: new}, and its name."""
    memo, name = {}, []
    work = [(root, False)]
    while work:
        node, opened = work.pop()
        if node in memo:
            continue
        if node in inputs:
            memo[node] = inputs[node]
            continue
        if not opened:
            work.append((node, True))
            work.extend((child, False) for child in reversed(children_of(node)))
            continue
        memo[node] = rebuild(node, memo)
        if isinstance(node, Call):
            name.append(node.op.name + "_" if isinstance(node.op, Op) else "Call_")
        elif isinstance(node, Tuple):
            name.append("Tuple_")
        elif isinstance(node, TupleGetItem):
            name.append(f"TupleGetItem{node.index}_")
        elif isinstance(node, Function):
            name.append("Function")
        elif isinstance(node, Let):
            name.append("Let_")
        elif isinstance(node, If):
            name.append("If_")
    return memo, "".join(name)


def partition(pattern: DFPattern, expr: RelayExpr, attrs: Any = None,
              check: Callable[..., Any] = lambda x: True) -> RelayExpr:
    """The expression with what looks like the pattern as calls of functions, which have the attributes
    `PartitionedFromPattern` and `attrs`.

    >>> from relayopt.relay.dataflow_pattern import is_op, partition, wildcard
    >>> x = relay.var("x", shape=(2,))
    >>> print(partition(is_op("nn.relu")(wildcard()), relay.tanh(relay.nn.relu(x)), {"Composite": "my.relu"}))
    %0 = fn (%FunctionVar_0_0, PartitionedFromPattern="nn.relu_", Composite="my.relu") {
      nn.relu(%FunctionVar_0_0)
    };
    free_var %x: Tensor[(2), float32];
    %1 = %0(%x);
    tanh(%1)
    """
    grouper = _Grouper(pattern, expr)
    memo: dict[RelayExpr, RelayExpr] = {}
    for node in grouper.matcher.graph.order:
        new = rebuild(node, memo)
        group = grouper.of.get(node)
        if group is not None and group.root is node and bool(check(node)):
            function = group.function.with_attr("PartitionedFromPattern", group.name)
            if attrs:
                function = function.with_attr(dict(attrs.items()))
            new = Call(function, [memo[arg] for arg in group.args])
        memo[node] = new
    return memo[expr]


class DFPatternCallback:
    """A pattern and what becomes of what looks like it: subclasses set `self.pattern` and define
    `callback(self, pre, post, node_map)`.

    >>> from relayopt.relay.dataflow_pattern import DFPatternCallback, is_constant, wildcard
    >>> class Swap(DFPatternCallback):
    ...     def __init__(self):
    ...         super().__init__(rewrite_once=True)
    ...         self.number, self.other = is_constant(), wildcard()
    ...         self.pattern = self.number * self.other
    ...     def callback(self, pre, post, node_map):
    ...         return node_map[self.other][0] * node_map[self.number][0]
    >>> print(Swap().rewrite(relay.const(2.0) * relay.var("x")))
    free_var %x;
    multiply(%x, 2f)
    """

    def __init__(self, require_type: bool = False, rewrite_once: bool = False) -> None:
        self.pattern: Any = None
        self.require_type, self.rewrite_once = require_type, rewrite_once

    def rewrite(self, expr: RelayExpr) -> RelayExpr:
        """The expression rewritten until nothing changes."""
        return rewrite(self, expr)

    def callback(self, pre: RelayExpr, post: RelayExpr, node_map: Any) -> RelayExpr:
        raise NotImplementedError("Must implement callback")


def rewrite(callbacks: Any, expr: RelayExpr, mod: Any = None) -> RelayExpr:
    """Applies callbacks, each to all places at once, until nothing changes.

    >>> from relayopt.relay.dataflow_pattern import DFPatternCallback, is_op, rewrite, wildcard
    >>> class OneRelu(DFPatternCallback):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.x = wildcard()
    ...         self.pattern = is_op("nn.relu")(is_op("nn.relu")(self.x))
    ...     def callback(self, pre, post, node_map):
    ...         return relay.nn.relu(node_map[self.x][0])
    >>> relu, x = relay.nn.relu, relay.var("x", shape=(2,))
    >>> print(rewrite(OneRelu(), relu(relu(relu(x)))))
    free_var %x: Tensor[(2), float32];
    nn.relu(%x)
    """
    if isinstance(callbacks, DFPatternCallback):
        callbacks = [callbacks]
    done = [False] * len(callbacks)
    post, count = expr, 0
    while True:
        last = post
        for i, callback in enumerate(callbacks):
            if done[i]:
                continue
            before = post
            if callback.require_type:
                post = infer_type_in(mod, post)
            post = _rewrite_all(callback, post)
            count += 1
            if callback.rewrite_once and not structural_equal(before, post):
                done[i] = True
        if all(done) or structural_equal(last, post, False):
            break
        if count >= 100:
            from ..error import TVMError

            raise TVMError("Observed 100 rewrite passes, possible conflicting passes?")
        if all(callback.rewrite_once for callback in callbacks):
            break
    return post


def infer_type_in(mod: IRModule | None, expr: RelayExpr) -> RelayExpr:
    """The expression with its types; it may use the definitions of the module."""
    if mod is None:
        from ..ir.module import IRModule

        typed = make_pass("InferType")(IRModule.from_expr(expr))["main"]
    else:
        joined = mod._copy()
        function = expr if isinstance(expr, Function) else Function(provided("free_vars")(expr), expr)
        _core.module_set(joined, _core.module_global_var(joined, "__rewrite__"), function)
        typed = make_pass("InferType")(joined)["__rewrite__"]
    made: RelayExpr = typed if isinstance(expr, Function) else typed.body
    return made


def _rewrite_all(callback: DFPatternCallback, expr: RelayExpr) -> Any:
    grouper = _Grouper(callback.pattern, expr, with_functions=False)
    memo: dict[RelayExpr, RelayExpr] = {}
    for node in grouper.matcher.graph.order:
        new = rebuild(node, memo)
        group = grouper.of.get(node)
        if group is not None and group.root is node:
            memo[node] = new
            new = callback.callback(node, new, _core.node_map(group.matched, memo))
            if not isinstance(new, RelayExpr):
                from .expr import TupleWrapper

                if isinstance(new, TupleWrapper):
                    new = new.astuple()
                else:
                    raise TypeError(f"callback must return an expression, not {type(new).__name__}")
        memo[node] = new
    return memo[expr]
