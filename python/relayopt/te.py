"""Symbolic variables, as in TVM's `tvm.te`; tensor expressions are not part of relayopt."""

from __future__ import annotations

import math

from . import _core
from .tir.expr import Call, FloatImm, SizeVar, Var, _expr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .ir.base import Span
    from .tir.expr import PrimExpr

# Functions of one number that extents are made of.
_UNARY = ("abs", "ceil", "exp", "floor", "log", "nearbyint", "round", "sqrt", "trunc")
# Those that constants are folded with. As TVM: halves are rounded to even.
_ROUNDING: dict[str, Callable[..., Any]] = {"ceil": math.ceil, "floor": math.floor, "nearbyint": round, "round": round,
                                            "trunc": math.trunc}


def var(name: str = "tindex", dtype: Any = "int32", span: Span | None = None) -> Var:
    """A variable."""
    return Var(name, dtype)


def size_var(name: str = "size", dtype: Any = "int32", span: Span | None = None) -> SizeVar:
    """A variable that is not negative."""
    return SizeVar(name, dtype)


def _call(name: Any, x: Any) -> Any:
    x = _expr(x)
    # As TVM: an integer is round already.
    if name != "abs" and x.dtype[:3] in ("int", "uin"):
        return x
    if isinstance(x, FloatImm) and name in _ROUNDING:
        return FloatImm(x.dtype, _ROUNDING[name](x.value))
    return Call(x.dtype, _core.get_op("tir." + name), [x])


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _UNARY:

        def unary(x: PrimExpr, span: Span | None = None) -> Any:
            return _call(name, x)

        return unary

    def missing(*_: Any, **__: str) -> Any:
        raise NotImplementedError(f"te.{name}: relayopt has no tensor expressions")

    return missing
