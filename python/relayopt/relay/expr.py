"""Expressions of Relay."""

from numbers import Number

from .. import _core
from .._ffi import Object, register_object
from ..ir.expr import GlobalVar, RelayExpr
from ..ir.op import Op
from .base import Id

Expr = RelayExpr


def _sequence(items):
    """What a field of several objects is given: arrays stay what they are."""
    return items if items is None or isinstance(items, (list, tuple, Object)) else list(items)


def _binary_operand(other):
    if isinstance(other, RelayExpr):
        return other
    if isinstance(other, Number):
        raise TypeError(f'convert "{other}" with `const` first')
    raise TypeError(f"type {type(other)} not supported")


class _Text:
    """Text of expressions."""

    __slots__ = ()

    def __str__(self):
        from .text import expr_text

        return expr_text(self)

    def astext(self, show_meta_data=True, annotate=None):
        """The text with the version of the format and, unless told otherwise, the metadata section."""
        from .text import expr_astext

        return expr_astext(self, show_meta_data, annotate)

    def __repr__(self):
        from .text import short

        return short(self)


RelayExpr.__str__ = _Text.__str__
RelayExpr.astext = _Text.astext
RelayExpr.__repr__ = _Text.__repr__


def _reduce(self):
    from ..ir.base import load_json, save_json

    return (load_json, (save_json(self),))


Object.__reduce__ = _reduce


def _deepcopy(self, memo):
    from ..ir.base import load_json, save_json

    return load_json(save_json(self))


Object.__deepcopy__ = _deepcopy
Object.__copy__ = lambda self: self


class ExprWithOp(RelayExpr):
    """An expression on which operators are defined: `-x`, `x + y`, `x < y`, `x(...)`, `x.astype(...)`.

    >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    >>> print(-x < y.astype("float32"))
    free_var %x: Tensor[(2), float32];
    %0 = negative(%x);
    free_var %y: Tensor[(2), float32];
    %1 = cast(%y, dtype="float32");
    less(%0, %1)
    >>> x + 1
    Traceback (most recent call last):
        ...
    TypeError: convert "1" with `const` first
    """

    __slots__ = ()

    def astype(self, dtype):
        """The value in another data type."""
        from .op import cast

        return cast(self, dtype)

    def __neg__(self):
        from .op import negative

        return negative(self)

    def __lt__(self, other):
        from .op import less

        return less(self, _binary_operand(other))

    def __gt__(self, other):
        from .op import greater

        return greater(self, _binary_operand(other))

    def __ge__(self, other):
        from .op import greater_equal

        return greater_equal(self, _binary_operand(other))

    def __le__(self, other):
        from .op import less_equal

        return less_equal(self, _binary_operand(other))

    def __add__(self, other):
        from .op import add

        return add(self, _binary_operand(other))

    def __radd__(self, other):
        return self.__add__(other)

    def __sub__(self, other):
        from .op import subtract

        return subtract(self, _binary_operand(other))

    def __rsub__(self, other):
        _binary_operand(other)
        raise TypeError(f"type {type(other)} not supported")

    def __mul__(self, other):
        from .op import multiply

        return multiply(self, _binary_operand(other))

    def __rmul__(self, other):
        return self.__mul__(other)

    def __div__(self, other):
        from .op import divide

        return divide(self, _binary_operand(other))

    def __rdiv__(self, other):
        _binary_operand(other)
        raise TypeError(f"type {type(other)} not supported")

    __truediv__ = __div__
    __rtruediv__ = __rdiv__

    def __call__(self, *args):
        return Call(self, list(args))


for _name in ("__neg__", "__lt__", "__gt__", "__ge__", "__le__", "__add__", "__radd__", "__sub__", "__rsub__", "__mul__",
              "__rmul__", "__truediv__", "__rtruediv__"):
    setattr(Op, _name, ExprWithOp.__dict__[_name])


def _with_span(self, span):
    if span is not None:
        self._set("span", span)


@register_object("relay.Constant")
class Constant(ExprWithOp):
    """A constant tensor: `data` is its NDArray."""

    __slots__ = ()

    def __init__(self, data, span=None):
        from ..runtime.ndarray import NDArray

        if not isinstance(data, NDArray):
            raise TypeError(f"a constant holds an NDArray, not a {type(data).__name__}")
        self._init(data)
        if span is not None:
            self._set("span", span)


@register_object("relay.Tuple")
class Tuple(ExprWithOp):
    """A tuple of expressions."""

    __slots__ = ()

    def __init__(self, fields, span=None):
        self._init(_sequence(fields))
        if span is not None:
            self._set("span", span)

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError("Tuple index out of range")
        return self.fields[index]

    def __len__(self):
        return len(self.fields)

    def astype(self, _):
        raise TypeError("astype cannot be used on Tuple")


@register_object("relay.Var")
class Var(ExprWithOp):
    """A variable. `vid` is its identity, which survives passes."""

    __slots__ = ()

    def __init__(self, name_hint, type_annotation=None, span=None):
        self._init(name_hint if isinstance(name_hint, Id) else Id(name_hint), type_annotation)
        if span is not None:
            self._set("span", span)

    @property
    def name_hint(self):
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

    def __init__(self, op, args, attrs=None, type_args=None, span=None):
        self._init(op, _sequence(args), attrs, _sequence(type_args))
        if span is not None:
            self._set("span", span)


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

    def __init__(self, variable, value, body, span=None):
        self._init(variable, value, body)
        if span is not None:
            self._set("span", span)


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

    def __init__(self, cond, true_branch, false_branch, span=None):
        self._init(cond, true_branch, false_branch)
        if span is not None:
            self._set("span", span)


@register_object("relay.TupleGetItem")
class TupleGetItem(ExprWithOp):
    """A field of a tuple.

    >>> x, y = relay.var("x"), relay.var("y")
    >>> second = relay.TupleGetItem(relay.Tuple([x, y]), 1)
    >>> second.tuple_value, second.index
    (<Tuple (%x, %y)>, 1)
    """

    __slots__ = ()

    def __init__(self, tuple_value, index, span=None):
        self._init(tuple_value, index)
        if span is not None:
            self._set("span", span)


@register_object("relay.RefCreate")
class RefCreate(ExprWithOp):
    """A new reference to a value."""

    __slots__ = ()

    def __init__(self, value, span=None):
        self._init(value)
        if span is not None:
            self._set("span", span)


@register_object("relay.RefRead")
class RefRead(ExprWithOp):
    """The content of a reference."""

    __slots__ = ()

    def __init__(self, ref, span=None):
        self._init(ref)
        if span is not None:
            self._set("span", span)


@register_object("relay.RefWrite")
class RefWrite(ExprWithOp):
    """A change of the content of a reference."""

    __slots__ = ()

    def __init__(self, ref, value, span=None):
        self._init(ref, value)
        if span is not None:
            self._set("span", span)


@register_object("relay.TempExpr")
class TempExpr(ExprWithOp):
    """A placeholder inside of a pass."""

    __slots__ = ()

    def realize(self):
        raise NotImplementedError()


class TupleWrapper:
    """The result of an operator with several results: `w[i]`, `len(w)`, iteration and unpacking.

    It is no expression, but is taken wherever one is expected; `astuple()` is the call itself.

    >>> parts = relay.split(relay.var("x", shape=(4, 2)), 2)
    >>> len(parts), parts[1]
    (2, <TupleGetItem call.1>)
    >>> a, b = parts
    >>> relay.concatenate(parts, axis=0)
    <Call concatenate(call)>
    """

    def __init__(self, tuple_value, size):
        self.tuple_value = tuple_value
        self.size = size

    def __relayopt_object__(self):
        return self.tuple_value

    def astuple(self):
        """The call whose result is the tuple."""
        return self.tuple_value

    def astext(self, show_meta_data=True, annotate=None):
        return self.tuple_value.astext(show_meta_data, annotate)

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError("Tuple index out of range")
        return TupleGetItem(self.tuple_value, index, span=self.tuple_value.span)

    def __len__(self):
        return self.size

    def __repr__(self):
        return "TupleWrapper(" + repr(self.tuple_value) + ", " + str(self.size) + ")"

    def astype(self, _):
        raise TypeError("astype cannot be used on TupleWrapper")

    @property
    def checked_type(self):
        return self.tuple_value.checked_type


def var(name_hint, type_annotation=None, shape=None, dtype="float32", span=None):
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


def const(value, dtype=None, span=None):
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


def bind(expr, binds):
    """Replaces variables by expressions. A bound parameter disappears from its function.

    >>> x, y = relay.var("x"), relay.var("y")
    >>> print(relay.bind(x + y, {y: relay.const(1)}))
    free_var %x;
    add(%x, 1)
    """
    from .binding import bind as run

    return run(expr, binds)


_KEEP = object()


def _same(old, new):
    if old is new:
        return True
    try:
        return len(old) == len(new) and all(a is b for a, b in zip(old, new))
    except TypeError:
        return False


def _rebuild(node, **changes):
    """The node with other fields; itself when nothing is another."""
    changes = {key: value for key, value in changes.items() if value is not None}
    if all(_same(getattr(node, key), value) for key, value in changes.items()):
        return node
    values = {key: value for key, value in _core.fields(node) if key != "_checked_type_"}
    values.update(changes)
    return _core.new_node(node.type_key, values)


def FunctionWithFields(function, params=None, body=None, ret_type=None, ty_params=None, attrs=None,
                       virtual_device=None, span=None):
    """A function with some fields replaced; the same object when nothing changes."""
    return _rebuild(function, params=params, body=body, ret_type=ret_type, type_params=ty_params, attrs=attrs,
                    virtual_device_=virtual_device, span=span)


def CallWithFields(call, op=None, args=None, attrs=None, type_args=None, virtual_device=None, span=None):
    """A call with some fields replaced.

    >>> x = relay.var("x", shape=(2,))
    >>> relay.CallWithFields(relay.tanh(x), args=[x * x])
    <Call tanh(call)>
    """
    return _rebuild(call, op=op, args=args, attrs=attrs, type_args=type_args, virtual_device_=virtual_device, span=span)


def LetWithFields(let, variable=None, value=None, body=None, virtual_device=None, span=None):
    """A let with some fields replaced."""
    return _rebuild(let, var=variable, value=value, body=body, virtual_device_=virtual_device, span=span)


def IfWithFields(if_expr, cond=None, true_branch=None, false_branch=None, virtual_device=None, span=None):
    """An if with some fields replaced."""
    return _rebuild(if_expr, cond=cond, true_branch=true_branch, false_branch=false_branch,
                    virtual_device_=virtual_device, span=span)


def TupleWithFields(tup, fields=None, virtual_device=None, span=None):
    """A tuple with some fields replaced."""
    return _rebuild(tup, fields=fields, virtual_device_=virtual_device, span=span)


def TupleGetItemWithFields(item, tuple_value=None, index=None, virtual_device=None, span=None):
    """A field access with some fields replaced."""
    return _rebuild(item, tuple_value=tuple_value, index=index, virtual_device_=virtual_device, span=span)


def VarWithFields(variable, vid=None, type_annotation=None, virtual_device=None, span=None):
    """A variable with some fields replaced."""
    return _rebuild(variable, vid=vid, type_annotation=type_annotation, virtual_device_=virtual_device, span=span)


def ConstantWithFields(constant, data=None, virtual_device=None, span=None):
    """A constant with some fields replaced."""
    return _rebuild(constant, data=data, virtual_device_=virtual_device, span=span)


def RefCreateWithFields(ref, value=None, virtual_device=None, span=None):
    """A reference with some fields replaced."""
    return _rebuild(ref, value=value, virtual_device_=virtual_device, span=span)


def RefReadWithFields(read, ref=None, virtual_device=None, span=None):
    """A read with some fields replaced."""
    return _rebuild(read, ref=ref, virtual_device_=virtual_device, span=span)


def RefWriteWithFields(write, ref=None, value=None, virtual_device=None, span=None):
    """A write with some fields replaced."""
    return _rebuild(write, ref=ref, value=value, virtual_device_=virtual_device, span=span)
