"""The patterns of the dataflow pattern language, and the functions that make them.

Patterns have identity: a pattern that occurs twice stands for the same expression both times. Users import them from
`relayopt.relay.dataflow_pattern`.
"""

from __future__ import annotations

import numbers

from .. import _core
from .._arguments import as_dict, as_list, as_text, expect
from .._ffi import Object, register_object, provided
from ..ir.attrs import DictAttrs
from ..ir.expr import RelayExpr
from ..ir.op import Op
from ..ir.type import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

# The module that users know the classes by.
_MODULE = "relayopt.relay.dataflow_pattern"


@register_object("relay.dataflow_pattern.DFPattern")
class DFPattern(Object):
    """The base of patterns."""

    def __call__(self, *args: Any) -> DFPattern:
        return CallPattern(self, None if args == (None,) else args)

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
        matches: bool = provided("match_pattern")(self, expr)
        return matches

    def partition(self, expr: RelayExpr, attrs: Any = None, check: Callable[..., Any] = lambda x: True) -> RelayExpr:
        """The expression with what looks like this as calls of functions."""
        partitioned: RelayExpr = provided("partition_pattern")(self, expr, attrs, check)
        return partitioned

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


# What the fields of patterns hold besides patterns.
_FIELDS: dict[str, tuple[Any, str]] = {
    "expr": (RelayExpr, "an expression"), "name": (str, "the name of a variable"), "index": (numbers.Integral, "a number"),
    "type": (Type, "a type"), "dtype": (str, "the name of a data type"), "shape": (list, "a list of extents"),
    "attrs": (DictAttrs, "a dict of attributes")}


def _check(name: str, field: str, value: Any) -> None:
    if field in _FIELDS:
        expect(f"{name}: {field}", value, *_FIELDS[field])
        return
    several = field in ("args", "params", "fields")
    for part in (value or []) if several else [value]:
        expect(f"{name} is made of patterns: {'an element of ' if several else ''}{field}", part, DFPattern, "a pattern")


def _pattern(name: str, fields: Sequence[str], doc: str, init: Callable[..., Any]) -> type[DFPattern]:
    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        values = init(*args, **kwargs)
        for field, value in zip(fields, values):
            _check(name, field, value)
        self._init(*values)

    cls: type[DFPattern] = type(name, (DFPattern,), {"__init__": make, "__doc__": doc, "__module__": _MODULE})
    register_object(f"relay.dataflow_pattern.{name}", fields)(cls)
    return cls


ExprPattern = _pattern("ExprPattern", ["expr"], "An expression equal to this one.", lambda expr: (expr,))
VarPattern = _pattern("VarPattern", ["name"], "A variable, of this name when there is one.", lambda name_hint="": (name_hint,))
ConstantPattern = _pattern("ConstantPattern", [], "A constant.", lambda: ())
CallPattern = _pattern(
    "CallPattern", ["op", "args"], "A call; without arguments with any.",
    lambda op, args: (op, None if args is None else as_list("args", args, "a list of patterns")))
FunctionPattern = _pattern(
    "FunctionPattern", ["params", "body"], "A function; without parameters with any.",
    lambda params, body: (None if params is None else as_list("params", params, "a list of patterns"), body))
IfPattern = _pattern("IfPattern", ["cond", "true_branch", "false_branch"], "A condition.",
                     lambda cond, true_branch, false_branch: (cond, true_branch, false_branch))
LetPattern = _pattern("LetPattern", ["var", "value", "body"], "A let.", lambda var, value, body: (var, value, body))
TuplePattern = _pattern("TuplePattern", ["fields"], "A tuple; without fields any.",
                        lambda fields: (None if fields is None else as_list("fields", fields, "a list of patterns"),))
TupleGetItemPattern = _pattern("TupleGetItemPattern", ["tuple", "index"], "A field of a tuple; -1 is any.",
                               lambda tuple_value, index=None: (tuple_value, -1 if index is None else index))
AltPattern = _pattern("AltPattern", ["left", "right"], "One or else the other.", lambda left, right: (left, right))
TypePattern = _pattern("TypePattern", ["pattern", "type"], "An expression of this type.",
                       lambda pattern, ttype: (pattern, ttype))
DataTypePattern = _pattern("DataTypePattern", ["pattern", "dtype"], "A tensor of this data type.",
                           lambda pattern, dtype: (pattern, str(dtype)))
ShapePattern = _pattern("ShapePattern", ["pattern", "shape"], "A tensor of this shape.",
                        lambda pattern, shape: (pattern, as_list("shape", shape, "a list of extents")))
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
        _check("WildcardPattern", "pattern", pattern)
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
    return ExprPattern(Op.get(as_text("op_name", op_name, "the name of an operator")))


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
    return AttrPattern(wildcard() if pattern is None else pattern, DictAttrs(as_dict("attrs", attrs)))


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
