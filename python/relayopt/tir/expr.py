"""Scalar expressions: immediates, variables, arithmetic, which the core folds."""

from __future__ import annotations

import numbers

from .. import _core
from .._ffi import Object, class_of, register_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any as _Any

    from ..ir.base import Span
    from ..ir.op import Op

__all__ = [
    "PrimExpr", "IntImm", "FloatImm", "StringImm", "Var", "SizeVar", "Any", "Add", "Sub", "Mul", "Div", "Mod",
    "FloorDiv", "FloorMod", "Min", "Max", "EQ", "NE", "LT", "LE", "GT", "GE", "And", "Or", "Not", "Cast", "Select",
    "Call", "const", "indexdiv", "indexmod", "floordiv", "floormod", "truncdiv", "truncmod", "min_value", "max_value",
    "all", "any", "ExprOp", "layout", "Layout", "bijective_layout", "IterVar", "BinaryOpExpr", "CmpExpr", "LogicalExpr",
    "ConstExpr", "PrimExprWithOp",
]


def const(value: _Any, dtype: _Any = "int32", span: Span | None = None) -> PrimExpr:
    """A constant of a type."""
    from ..runtime.convert import const as make

    return make(value, dtype)


def _value_of(other: _Any) -> _Any:
    return other.value if isinstance(other, (IntImm, FloatImm)) else other


def _expr(value: _Any, like: _Any = None) -> PrimExpr:
    if isinstance(value, PrimExpr):
        return value
    if isinstance(value, bool):
        return IntImm("bool", int(value))
    if isinstance(value, numbers.Integral):
        dtype = like.dtype if like is not None and not like.dtype.startswith("float") else "int32"
        return FloatImm(like.dtype, float(value)) if like is not None and like.dtype.startswith("float") else IntImm(
            dtype, int(value)
        )
    if isinstance(value, numbers.Real):
        return FloatImm(like.dtype if like is not None and like.dtype.startswith("float") else "float32", float(value))
    raise TypeError(f"a scalar expression is expected, not {type(value).__name__}")


def _literal(value: PrimExpr) -> _Any:
    return value.value if isinstance(value, (IntImm, FloatImm)) else None


def _built(plan: _Any, a: PrimExpr, b: PrimExpr) -> _Any:
    """The expression that the core says how to build; see Operate in scalars.cpp."""
    if isinstance(plan, str):
        return a if plan == "a" else b
    if len(plan) == 2:
        dtype, value = plan
        return FloatImm(dtype, value) if isinstance(value, float) else IntImm(dtype, value)
    name, first, second = plan
    if name == "Cast":
        return Cast(first, _built(second, a, b))
    return class_of("tir." + name)(_built(first, a, b), _built(second, a, b))


def _arith(cls: _Any, a: _Any, b: _Any) -> _Any:
    """The operator as the core makes it: types are matched, literals folded."""
    like = a if isinstance(a, PrimExpr) else b
    a, b = _expr(a, like), _expr(b, like)
    plan = _core.operate(cls.__name__, a.dtype, _literal(a), b.dtype, _literal(b), a is b)
    return cls(a, b) if plan is None else _built(plan, a, b)


class ExprOp:
    """Operators on scalar expressions; Python numbers take part as constants."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __add__(self, other: _Any) -> _Any: ...
        def __sub__(self, other: _Any) -> _Any: ...
        def __mul__(self, other: _Any) -> _Any: ...
        def __floordiv__(self, other: _Any) -> _Any: ...
        def __mod__(self, other: _Any) -> _Any: ...
        def __truediv__(self, other: _Any) -> _Any: ...
        def __lt__(self, other: _Any) -> _Any: ...
        def __le__(self, other: _Any) -> _Any: ...
        def __gt__(self, other: _Any) -> _Any: ...
        def __ge__(self, other: _Any) -> _Any: ...

    def __eq__(self, other: _Any) -> _Any:
        if isinstance(other, (PrimExpr, numbers.Number)):
            return _Compared(self, other, True)
        return False

    def __ne__(self, other: _Any) -> _Any:
        if isinstance(other, (PrimExpr, numbers.Number)):
            return _Compared(self, other, False)
        return True

    def __bool__(self) -> _Any:
        raise ValueError(
            "Cannot use and / or / not operator to Expr, hint: use tvm.tir.all / tvm.tir.any instead"
        )

    def equal(self, other: _Any) -> _Any:
        return EQ(self, _expr(other, self))

    def astype(self: _Any, dtype: _Any, span: Span | None = None) -> _Any:
        return self if self.dtype == dtype else Cast(dtype, self)


def _operator(name: str, reflected: bool) -> Callable[[_Any, _Any], _Any]:
    def operate(self: _Any, other: _Any) -> _Any:
        cls = class_of("tir." + name)
        return _arith(cls, other, self) if reflected else _arith(cls, self, other)

    return operate


for _special, _name in {"add": "Add", "sub": "Sub", "mul": "Mul", "floordiv": "FloorDiv", "mod": "FloorMod", "truediv": "Div",
                        "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}.items():
    setattr(ExprOp, f"__{_special}__", _operator(_name, False))
    if _special in ("add", "sub", "mul", "floordiv", "mod"):
        setattr(ExprOp, f"__r{_special}__", _operator(_name, True))
setattr(ExprOp, "__neg__", lambda self: _arith(class_of("tir.Mul"), self, -1))


def _same(a: _Any, b: _Any) -> _Any:
    if a is b:
        return True
    a = a.value if isinstance(a, (IntImm, FloatImm)) else a
    b = b.value if isinstance(b, (IntImm, FloatImm)) else b
    if isinstance(a, numbers.Number) and isinstance(b, numbers.Number):
        return a == b
    return a is b


class _Compared:
    """The value of `a == b`: true when the two are one object or equal constants; `asobject()` is the expression."""

    __slots__ = ("a", "b", "equal")

    def __init__(self, a: _Any, b: _Any, equal: _Any) -> None:
        self.a, self.b, self.equal = a, b, equal

    def asobject(self) -> _Any:
        return (EQ if self.equal else NE)(self.a, _expr(self.b, self.a))

    def __bool__(self) -> _Any:
        return _same(self.a, self.b) == self.equal


@register_object("PrimExpr")
class PrimExpr(ExprOp, Object):
    """A scalar expression with its `dtype`."""

    __slots__ = ()
    dtype: str

    def __hash__(self) -> int:
        return Object.__hash__(self)

    def __repr__(self) -> str:
        return _text(self)

    __str__ = __repr__


PrimExprWithOp = PrimExpr
ConstExpr = PrimExpr


@register_object("IntImm")
class IntImm(PrimExpr):
    """An integer of a type. `int()` and comparisons with integers see its value."""

    __slots__ = ()
    value: int

    def __init__(self, dtype: _Any, value: _Any, span: Span | None = None) -> None:
        if isinstance(value, IntImm):
            value = value.value
        if not isinstance(value, numbers.Integral):
            raise TypeError(f"an IntImm holds an integer, not {value!r}")
        self._init(int(value))
        self._set("dtype", str(dtype))
        if span is not None:
            self._set("span", span)

    def __hash__(self) -> int:
        return self.value

    def __int__(self) -> int:
        return self.value

    def __index__(self) -> int:
        return self.value

    def __float__(self) -> float:
        return float(self.value)

    def __bool__(self) -> _Any:
        return self.value != 0

    def __nonzero__(self) -> _Any:
        return self.value != 0

    def __eq__(self, other: _Any) -> _Any:
        if isinstance(other, (IntImm, FloatImm)):
            return self.value == other.value
        if isinstance(other, numbers.Number):
            return bool(self.value == _value_of(other))
        return _Compared(self, other, True) if isinstance(other, PrimExpr) else False

    def __ne__(self, other: _Any) -> _Any:
        equal = self == other
        return not equal if isinstance(equal, bool) else _Compared(self, other, False)

    def __lt__(self, other: _Any) -> _Any:
        return self.value < _value_of(other) if isinstance(other, (numbers.Real, IntImm)) else super().__lt__(other)

    def __le__(self, other: _Any) -> _Any:
        return self.value <= _value_of(other) if isinstance(other, (numbers.Real, IntImm)) else super().__le__(other)

    def __gt__(self, other: _Any) -> _Any:
        return self.value > _value_of(other) if isinstance(other, (numbers.Real, IntImm)) else super().__gt__(other)

    def __ge__(self, other: _Any) -> _Any:
        return self.value >= _value_of(other) if isinstance(other, (numbers.Real, IntImm)) else super().__ge__(other)


@register_object("FloatImm")
class FloatImm(PrimExpr):
    """A real number of a type."""

    __slots__ = ()
    value: float

    def __init__(self, dtype: _Any, value: _Any, span: Span | None = None) -> None:
        self._init(float(value))
        self._set("dtype", str(dtype))

    def __float__(self) -> _Any:
        return self.value

    def __eq__(self, other: _Any) -> _Any:
        if isinstance(other, (IntImm, FloatImm)):
            return self.value == other.value
        return bool(self.value == _value_of(other)) if isinstance(other, numbers.Number) else False

    def __hash__(self) -> int:
        return hash(self.value)


@register_object("tir.StringImm")
class StringImm(PrimExpr):
    """A string as an expression; equal to its text."""

    __slots__ = ()

    def __init__(self, value: _Any, span: Span | None = None) -> None:
        self._init(value)
        self._set("dtype", "handle")

    def __eq__(self, other: _Any) -> _Any:
        return self.value == (other.value if isinstance(other, StringImm) else other)

    def __ne__(self, other: _Any) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.value)


@register_object("tir.Var")
class Var(PrimExpr):
    """A variable; equal only to itself."""

    __slots__ = ()
    name: str

    def __init__(self, name: str, dtype: _Any = "int32", span: Span | None = None) -> None:
        from ..ir.type import PrimType, Type

        if isinstance(dtype, Type):
            self._init()
            self._set("name", name)
            self._set("type_annotation", dtype)
            self._set("dtype", dtype.dtype if isinstance(dtype, PrimType) else "handle")
        else:
            self._init()
            self._set("name", name)
            self._set("dtype", str(dtype))


@register_object("tir.SizeVar")
class SizeVar(Var):
    """A variable that is not negative."""

    __slots__ = ()


@register_object("tir.Any")
class Any(PrimExpr):
    """An extent that is not known."""

    __slots__ = ()

    def __init__(self, span: Span | None = None) -> None:
        self._init()
        self._set("dtype", "int32")


class BinaryOpExpr(PrimExpr):
    """Two operands `a` and `b`."""

    __slots__ = ()
    _dtype: str | None = None

    def __init__(self, a: _Any, b: _Any, span: Span | None = None) -> None:
        a, b = _expr(a), _expr(b)
        self._init()
        self._set("a", a)
        self._set("b", b)
        self._set("dtype", self._dtype or a.dtype)


_core.register_class("tir.BinaryOp", BinaryOpExpr)


class CmpExpr(BinaryOpExpr):
    """A comparison."""

    __slots__ = ()
    _dtype = "bool"


class LogicalExpr(CmpExpr):
    """A connection of truth values."""

    __slots__ = ()


def _binary(name: str, base: type[BinaryOpExpr]) -> _Any:
    cls = type(name, (base,), {"__slots__": (), "__doc__": f"`tir.{name}` of two operands.", "__module__": __name__})
    return register_object("tir." + name)(cls)


Add = _binary("Add", BinaryOpExpr)
Sub = _binary("Sub", BinaryOpExpr)
Mul = _binary("Mul", BinaryOpExpr)
Div = _binary("Div", BinaryOpExpr)
Mod = _binary("Mod", BinaryOpExpr)
FloorDiv = _binary("FloorDiv", BinaryOpExpr)
FloorMod = _binary("FloorMod", BinaryOpExpr)
Min = _binary("Min", BinaryOpExpr)
Max = _binary("Max", BinaryOpExpr)
EQ = _binary("EQ", CmpExpr)
NE = _binary("NE", CmpExpr)
LT = _binary("LT", CmpExpr)
LE = _binary("LE", CmpExpr)
GT = _binary("GT", CmpExpr)
GE = _binary("GE", CmpExpr)
And = _binary("And", LogicalExpr)
Or = _binary("Or", LogicalExpr)


def _truth(self: _Any) -> _Any:
    return _same(self.a, self.b)


EQ.__bool__ = _truth
NE.__bool__ = lambda self: not _same(self.a, self.b)


@register_object("tir.Not")
class Not(PrimExpr):
    """Negation of a truth value."""

    __slots__ = ()

    def __init__(self, a: _Any, span: Span | None = None) -> None:
        self._init(_expr(a))
        self._set("dtype", "bool")


@register_object("tir.Cast")
class Cast(PrimExpr):
    """A conversion to another type. A float that is converted to an integer is that integer."""

    __slots__ = ()

    def __new__(cls, dtype: _Any, value: _Any, span: Span | None = None) -> _Any:
        if isinstance(value, FloatImm) and dtype[:3] == "int":
            return IntImm(dtype, int(value.value))
        return super().__new__(cls)

    def __init__(self, dtype: _Any, value: _Any, span: Span | None = None) -> None:
        self._init(_expr(value))
        self._set("dtype", dtype)


@register_object("tir.Select")
class Select(PrimExpr):
    """One of two values."""

    __slots__ = ()

    def __init__(self, condition: _Any, true_value: _Any, false_value: _Any, span: Span | None = None) -> None:
        self._init(_expr(condition), _expr(true_value), _expr(false_value))
        self._set("dtype", true_value.dtype)


@register_object("tir.Call")
class Call(PrimExpr):
    """A call of an intrinsic."""

    __slots__ = ()

    def __init__(self, dtype: _Any, op: Op, args: Sequence[PrimExpr], span: Span | None = None) -> None:
        self._init(op, list(args))
        self._set("dtype", dtype)


class IterVar:
    """A loop variable; only a name here."""


def indexdiv(a: _Any, b: _Any, span: Span | None = None) -> _Any:
    return _arith(FloorDiv, a, b)


floordiv = indexdiv


def indexmod(a: _Any, b: _Any, span: Span | None = None) -> _Any:
    return _arith(FloorMod, a, b)


floormod = indexmod


def truncdiv(a: _Any, b: _Any, span: Span | None = None) -> _Any:
    return _arith(Div, a, b)


def truncmod(a: _Any, b: _Any, span: Span | None = None) -> _Any:
    return _arith(Mod, a, b)


def _limits(dtype: _Any) -> tuple[float, float, Callable[..., _Any]]:
    import numpy as np

    if dtype.startswith(("int", "uint")):
        whole = np.iinfo(dtype)
        return int(whole.min), int(whole.max), IntImm
    if dtype == "bfloat16":
        largest = 3.38953139e38
        return -largest, largest, FloatImm
    info = np.finfo(dtype)
    return float(info.min), float(info.max), FloatImm


def min_value(dtype: _Any, span: Span | None = None) -> _Any:
    """The least value of a type."""
    low, _, cls = _limits(dtype)
    return cls(dtype, low)


def max_value(dtype: _Any, span: Span | None = None) -> _Any:
    """The greatest value of a type."""
    _, high, cls = _limits(dtype)
    return cls(dtype, high)


def all(*args: _Any, span: Span | None = None) -> _Any:
    result = args[0]
    for arg in args[1:]:
        result = And(result, arg)
    return result


def any(*args: _Any, span: Span | None = None) -> _Any:
    result = args[0]
    for arg in args[1:]:
        result = Or(result, arg)
    return result


class Layout:
    """A layout such as `NCHW4c`: one letter an axis, capital for the whole axis, small with a factor for a part."""

    def __init__(self, name: _Any) -> None:
        self.name = name
        self.axes: list[_Any] = []
        number = ""
        for char in name:
            if char.isdigit():
                number += char
            else:
                self.axes.append((char, int(number) if number else -1))
                number = ""

    def __len__(self) -> _Any:
        return len(self.axes)

    def __contains__(self, axis: _Any) -> _Any:
        return any_(a == axis for a, _ in self.axes)

    def __getitem__(self, index: _Any) -> _Any:
        return self.axes[index][0]

    def index_of(self, axis: _Any) -> _Any:
        for i, (a, _) in enumerate(self.axes):
            if a == axis:
                return i
        return -1

    def factor_of(self, axis: _Any) -> _Any:
        for a, factor in self.axes:
            if a == axis.lower():
                return factor
        return -1

    def __str__(self) -> _Any:
        return self.name


def any_(values: _Any) -> bool:
    for value in values:
        if value:
            return True
    return False


def layout(layout_str: _Any, dtype: _Any = "int32") -> _Any:
    """The layout of a name."""
    return Layout(layout_str)


def bijective_layout(src_layout: _Any, dst_layout: _Any) -> _Any:
    raise NotImplementedError("relayopt converts layouts inside of its passes only")


_SIGNS = {
    "Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%", "EQ": "==", "NE": "!=", "LT": "<", "LE": "<=",
    "GT": ">", "GE": ">=", "And": "and", "Or": "or",
}


def _text(root: PrimExpr) -> str:
    """The text of an expression, from a stack: operands first."""
    work = [root]
    done: dict[_Any, _Any] = {}
    while work:
        node = work[-1]
        parts = [getattr(node, name) for name in ("a", "b") if hasattr(node, name)]
        if isinstance(node, Cast):
            parts = [node.value]
        missing = [part for part in parts if id(part) not in done]
        if missing:
            work.extend(missing)
            continue
        work.pop()
        shown = [done[id(part)] for part in parts]
        name = type(node).__name__
        if isinstance(node, IntImm):
            text = ("True" if node.value else "False") if node.dtype == "bool" else str(node.value)
            if node.dtype not in ("int32", "bool"):
                text = f'T.{node.dtype}({node.value})'
        elif isinstance(node, FloatImm):
            text = f"T.{node.dtype}({node.value:g})"
        elif isinstance(node, StringImm):
            text = f'"{node.value}"'
        elif isinstance(node, Var):
            text = node.name
        elif isinstance(node, Any):
            text = "?"
        elif isinstance(node, Cast):
            text = f'T.Cast("{node.dtype}", {shown[0]})'
        elif name in _SIGNS:
            text = f"({shown[0]} {_SIGNS[name]} {shown[1]})"
        elif isinstance(node, BinaryOpExpr):
            text = f"T.{name.lower()}({', '.join(shown)})"
        else:
            text = f"{name}({', '.join(shown)})"
        done[id(node)] = text
    text = done[id(root)]
    return text[1:-1] if type(root).__name__ in _SIGNS else text
