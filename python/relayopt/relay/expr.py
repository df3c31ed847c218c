"""Expressions of Relay."""

from __future__ import annotations

from numbers import Number

from .. import _core
from .._ffi import Object, provided, register_object
from ..ir.expr import GlobalVar as GlobalVar, RelayExpr as RelayExpr
from ..ir.op import Op
from ..ir.type import sequence
from .base import Id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol, TypeVar

    from ..ir.base import Span
    from ..ir.type import Type
    from ..runtime.ndarray import NDArray
    from ..target.virtual_device import VirtualDevice
    from .function import Function

    _Node = TypeVar("_Node", bound=RelayExpr)

    class _Replacer(Protocol):
        def __call__(self, node: _Node, *args: Any, **given: Any) -> _Node: ...

Expr = RelayExpr


def _binary_operand(other: Any) -> RelayExpr:
    if isinstance(other, RelayExpr):
        return other
    if isinstance(other, Number):
        raise TypeError(f'convert "{other}" with `const` first')
    raise TypeError(f"type {type(other)} not supported")


def _operator(name: str, *operands: RelayExpr) -> Call:
    return Call(_core.get_op(name), list(operands))


class ExprWithOp(RelayExpr):
    """An expression on which operators are defined: `-x`, `x + y`, `x < y`, `x(...)`, `x.astype(...)`.

    >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    >>> print(-x < y.astype("float32"))
    free_var %x: Tensor[(2), float32];
    free_var %y: Tensor[(2), float32];
    %0 = negative(%x);
    %1 = cast(%y, dtype="float32");
    less(%0, %1)
    >>> x + 1
    Traceback (most recent call last):
        ...
    TypeError: convert "1" with `const` first
    """

    __slots__ = ()

    def _make(self, span: Span | None, *fields: Any) -> None:
        self._init(*fields)
        if span is not None:
            self._set("span", span)

    def astype(self, dtype: Any) -> Call:
        """The value in another data type."""
        attrs = _core.new_node("relay.attrs.CastAttrs", {"dtype": "" if dtype is None else str(dtype)})
        return Call(_core.get_op("cast"), [self], attrs)

    def __neg__(self) -> Call:
        return _operator("negative", self)

    def __lt__(self, other: RelayExpr) -> Call:
        return _operator("less", self, _binary_operand(other))

    def __gt__(self, other: RelayExpr) -> Call:
        return _operator("greater", self, _binary_operand(other))

    def __ge__(self, other: Any) -> Any:
        return _operator("greater_equal", self, _binary_operand(other))

    def __le__(self, other: Any) -> Any:
        return _operator("less_equal", self, _binary_operand(other))

    def __add__(self, other: Any) -> Call:
        return _operator("add", self, _binary_operand(other))

    def __radd__(self, other: Any) -> Any:
        return self.__add__(other)

    def __sub__(self, other: RelayExpr) -> Call:
        return _operator("subtract", self, _binary_operand(other))

    def __rsub__(self, other: Any) -> None:
        _binary_operand(other)
        raise TypeError(f"type {type(other)} not supported")

    def __mul__(self, other: RelayExpr) -> Call:
        return _operator("multiply", self, _binary_operand(other))

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)

    def __div__(self, other: RelayExpr) -> Call:
        return _operator("divide", self, _binary_operand(other))

    def __rdiv__(self, other: Any) -> None:
        _binary_operand(other)
        raise TypeError(f"type {type(other)} not supported")

    __truediv__ = __div__
    __rtruediv__ = __rdiv__

    def __call__(self, *args: Any) -> Call:
        return Call(self, list(args))


for _name in ("__neg__", "__lt__", "__gt__", "__ge__", "__le__", "__add__", "__radd__", "__sub__", "__rsub__", "__mul__",
              "__rmul__", "__truediv__", "__rtruediv__"):
    setattr(Op, _name, ExprWithOp.__dict__[_name])


@register_object("relay.Constant")
class Constant(ExprWithOp):
    """A constant tensor: `data` is its NDArray."""

    __slots__ = ()
    data: NDArray

    def __init__(self, data: NDArray, span: Span | None = None) -> None:
        from ..runtime.ndarray import NDArray

        if not isinstance(data, NDArray):
            raise TypeError(f"a constant holds an NDArray, not a {type(data).__name__}")
        self._make(span, data)


@register_object("relay.Tuple")
class Tuple(ExprWithOp):
    """A tuple of expressions."""

    __slots__ = ()
    fields: Sequence[RelayExpr]

    def __init__(self, fields: Sequence[RelayExpr | TupleWrapper], span: Span | None = None) -> None:
        self._make(span, sequence(fields))

    def __getitem__(self, index: int) -> Any:
        if index >= len(self):
            raise IndexError("Tuple index out of range")
        return self.fields[index]

    def __len__(self) -> int:
        return len(self.fields)

    def astype(self, _: Any) -> Any:
        raise TypeError("astype cannot be used on Tuple")


@register_object("relay.Var")
class Var(ExprWithOp):
    """A variable. `vid` is its identity, which survives passes."""

    __slots__ = ()
    vid: Id
    type_annotation: Type | None

    def __init__(self, name_hint: str, type_annotation: Type | None = None, span: Span | None = None) -> None:
        self._make(span, name_hint if isinstance(name_hint, Id) else Id(name_hint), type_annotation)

    @property
    def name_hint(self) -> str:
        """The name, which need not be unique."""
        return self.vid.name_hint


@register_object("relay.Call")
class Call(ExprWithOp):
    """A call of an operator, function or constructor: `op`, `args`, `attrs`, `type_args`.

    >>> x = relay.var("x", shape=(2, 3))
    >>> call = relay.Call(relay.op.get("nn.relu"), [x])
    >>> call.op.name, call.args[0] is x, call.attrs
    ('nn.relu', True, None)
    """

    __slots__ = ()
    op: Any
    args: Sequence[RelayExpr]
    attrs: Any
    type_args: Sequence[Type]

    def __init__(self, op: RelayExpr, args: Sequence[RelayExpr], attrs: Any = None,
                 type_args: Sequence[Type] | None = None, span: Span | None = None) -> None:
        self._make(span, op, sequence(args), attrs, sequence(type_args))


@register_object("relay.Let")
class Let(ExprWithOp):
    """A value bound to a variable in a body.

    >>> x, y = relay.var("x", shape=(2,)), relay.var("y")
    >>> print(relay.Let(y, relay.nn.relu(x), y + y))
    free_var %x: Tensor[(2), float32];
    let %y = nn.relu(%x);
    add(%y, %y)
    """

    __slots__ = ()
    var: Var
    value: RelayExpr
    body: RelayExpr

    def __init__(self, variable: Var, value: RelayExpr, body: RelayExpr, span: Span | None = None) -> None:
        self._make(span, variable, value, body)


@register_object("relay.If")
class If(ExprWithOp):
    """One of two values, by a scalar condition.

    >>> c = relay.var("c", "bool")
    >>> print(relay.If(c, relay.const(1), relay.const(2)))
    free_var %c: bool;
    if (%c) {
      1
    } else {
      2
    }
    """

    __slots__ = ()
    cond: RelayExpr
    true_branch: RelayExpr
    false_branch: RelayExpr

    def __init__(self, cond: RelayExpr, true_branch: RelayExpr, false_branch: RelayExpr,
                 span: Span | None = None) -> None:
        self._make(span, cond, true_branch, false_branch)


@register_object("relay.TupleGetItem")
class TupleGetItem(ExprWithOp):
    """A field of a tuple.

    >>> x, y = relay.var("x"), relay.var("y")
    >>> second = relay.TupleGetItem(relay.Tuple([x, y]), 1)
    >>> second.tuple_value, second.index
    (<Tuple (%x, %y)>, 1)
    """

    __slots__ = ()
    tuple_value: RelayExpr
    index: int

    def __init__(self, tuple_value: RelayExpr | TupleWrapper, index: int, span: Span | None = None) -> None:
        self._make(span, tuple_value, index)


@register_object("relay.RefCreate")
class RefCreate(ExprWithOp):
    """A new reference to a value."""

    __slots__ = ()
    value: RelayExpr

    def __init__(self, value: RelayExpr, span: Span | None = None) -> None:
        self._make(span, value)


@register_object("relay.RefRead")
class RefRead(ExprWithOp):
    """The content of a reference."""

    __slots__ = ()
    ref: RelayExpr

    def __init__(self, ref: RelayExpr, span: Span | None = None) -> None:
        self._make(span, ref)


@register_object("relay.RefWrite")
class RefWrite(ExprWithOp):
    """A change of the content of a reference."""

    __slots__ = ()
    ref: RelayExpr
    value: RelayExpr

    def __init__(self, ref: RelayExpr, value: RelayExpr, span: Span | None = None) -> None:
        self._make(span, ref, value)


@register_object("relay.TempExpr")
class TempExpr(ExprWithOp):
    """A placeholder inside of a pass."""

    __slots__ = ()

    def realize(self) -> Any:
        raise NotImplementedError()


class TupleWrapper:
    """The result of an operator with several results: `w[i]`, `len(w)`, iteration and unpacking.

    It is no expression, but is taken wherever one is expected; `astuple()` is the call itself.

    >>> parts = relay.split(relay.var("x", shape=(4, 2)), 2)
    >>> len(parts), parts[1]
    (2, <TupleGetItem call.1>)
    >>> a, b = parts
    >>> relay.concatenate(parts, axis=0)
    <Call concatenate(tuple)>
    >>> relay.nn.relu(parts.astuple())
    <Call nn.relu(call)>
    """

    def __init__(self, tuple_value: RelayExpr | TupleWrapper, size: int) -> None:
        self.tuple_value: RelayExpr = tuple_value.astuple() if isinstance(tuple_value, TupleWrapper) else tuple_value
        self.size = size

    def __relayopt_object__(self) -> Any:
        return self.tuple_value

    def astuple(self) -> RelayExpr:
        """The call whose result is the tuple."""
        return self.tuple_value

    def astext(self, show_meta_data: bool = True, annotate: Any = None) -> str:
        return self.tuple_value.astext(show_meta_data, annotate)

    def __getitem__(self, index: int) -> TupleGetItem:
        if index >= len(self):
            raise IndexError("Tuple index out of range")
        return TupleGetItem(self.tuple_value, index, span=self.tuple_value.span)

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return "TupleWrapper(" + repr(self.tuple_value) + ", " + str(self.size) + ")"

    def astype(self, _: Any) -> Any:
        raise TypeError("astype cannot be used on TupleWrapper")

    @property
    def checked_type(self) -> Any:
        return self.tuple_value.checked_type


def var(name_hint: str, type_annotation: Any = None, shape: Any = None, dtype: Any = "float32",
        span: Span | None = None) -> Var:
    """A variable, with a type, or with the shape and data type of a tensor, or with neither.

    >>> relay.var("x", shape=(2, 3)), relay.var("n", "int32"), relay.var("y")
    (<Var %x>, <Var %n>, <Var %y>)
    >>> relay.var("t", relay.TupleType([relay.scalar_type("bool")])).type_annotation
    (bool,)
    >>> relay.var("x", relay.TensorType((2,)), shape=(2,))
    Traceback (most recent call last):
        ...
    ValueError: Can only specify either type_annotation or shape.
    """
    from .ty import TensorType, scalar_type

    if type_annotation is not None and shape is not None:
        raise ValueError("Can only specify either type_annotation or shape.")
    if shape is not None:
        type_annotation = TensorType(shape, dtype)
    elif isinstance(type_annotation, str):
        type_annotation = scalar_type(type_annotation, dtype)
    return Var(name_hint, type_annotation, span)


def const(value: Any, dtype: Any = None, span: Span | None = None) -> Constant:
    """A constant of a number, a list, a numpy array, an NDArray or a tensor of another library that speaks DLPack.

    Without `dtype`, int64 becomes int32 and float64 becomes float32.

    >>> relay.const(1).data.dtype, relay.const(2.5).data.dtype, relay.const(1, "int64").data.dtype
    ('int32', 'float32', 'int64')
    >>> relay.const(np.zeros((2, 3), "int8")).data.shape
    (2, 3)
    >>> relay.const("a")
    Traceback (most recent call last):
        ...
    ValueError: value has to be scalar or NDArray
    """
    import numpy as np

    from ..runtime.ndarray import NDArray, array, as_numpy

    if isinstance(value, (bool, Number, list)):
        value = np.array(value, dtype=dtype)
    elif not isinstance(value, NDArray) and hasattr(value, "__dlpack__"):
        value = as_numpy(value)
    if isinstance(value, (np.ndarray, np.generic)):
        if not dtype:
            dtype = {"float64": "float32", "int64": "int32"}.get(str(value.dtype), value.dtype)
        value = array(value.astype(dtype))
    if not isinstance(value, NDArray):
        raise ValueError("value has to be scalar or NDArray")
    return Constant(value, span)


def bind(expr: RelayExpr, binds: Mapping[Var, RelayExpr]) -> RelayExpr:
    """Replaces variables by expressions. A bound parameter disappears from its function.

    >>> x, y = relay.var("x"), relay.var("y")
    >>> print(relay.bind(x + y, {y: relay.const(1)}))
    free_var %x;
    add(%x, 1)
    """
    bound: RelayExpr = provided("bind")(expr, binds)
    return bound


def _same(old: Any, new: Any) -> bool:
    if old is new:
        return True
    try:
        return len(old) == len(new) and all(a is b for a, b in zip(old, new))
    except TypeError:
        return False


def with_fields(node: _Node, **changes: Any) -> _Node:
    """The node with other fields; itself when nothing is another.

    >>> x = relay.var("x", shape=(2,))
    >>> relay.CallWithFields(relay.tanh(x), args=[x * x])
    <Call tanh(call)>
    """
    changes = {key: value for key, value in changes.items() if value is not None}
    if all(_same(getattr(node, key), value) for key, value in changes.items()):
        return node
    values = {key: value for key, value in _core.fields(node) if key != "_checked_type_"}
    values.update(changes)
    made: _Node = _core.new_node(node.type_key, values)
    return made


def _replacer(kind: str, *params: str) -> _Replacer:
    """The function KINDWithFields: parameters, and the fields that they replace where the names differ."""
    names = dict((param.partition(">")[0], param.rpartition(">")[2]) for param in (*params, "virtual_device>virtual_device_", "span"))

    def replace(node: _Node, *args: Any, **given: Any) -> _Node:
        for name, value in zip(names, args):
            if name in given:
                raise TypeError(f"{kind}WithFields: {name} is given twice")
            given[name] = value
        if len(args) > len(names) or not given.keys() <= names.keys():
            raise TypeError(f"{kind}WithFields takes a node and {', '.join(names)}")
        return with_fields(node, **{names[name]: value for name, value in given.items()})

    replace.__name__ = replace.__qualname__ = f"{kind}WithFields"
    replace.__doc__ = f"""A node with some fields replaced, {', '.join(names)}; the same object when nothing changes."""
    return replace


FunctionWithFields = _replacer("Function", "params", "body", "ret_type", "ty_params>type_params", "attrs")
CallWithFields = _replacer("Call", "op", "args", "attrs", "type_args")
LetWithFields = _replacer("Let", "variable>var", "value", "body")
IfWithFields = _replacer("If", "cond", "true_branch", "false_branch")
TupleWithFields = _replacer("Tuple", "fields")
TupleGetItemWithFields = _replacer("TupleGetItem", "tuple_value", "index")
VarWithFields = _replacer("Var", "vid", "type_annotation")
ConstantWithFields = _replacer("Constant", "data")
RefCreateWithFields = _replacer("RefCreate", "value")
RefReadWithFields = _replacer("RefRead", "ref")
RefWriteWithFields = _replacer("RefWrite", "ref", "value")
