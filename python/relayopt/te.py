"""Symbolic variables, as in the reference's `tvm.te`; tensor expressions are not part of relayopt."""

import math

from . import _core
from .tir.expr import Call, FloatImm, SizeVar, Var, _expr

# Functions of one number that extents are made of.
_UNARY = ("abs", "ceil", "exp", "floor", "log", "nearbyint", "round", "sqrt", "trunc")
# Those that constants are folded with. As TVM: halves are rounded to even.
_ROUNDING = {"ceil": math.ceil, "floor": math.floor, "nearbyint": round, "round": round, "trunc": math.trunc}


def var(name="tindex", dtype="int32", span=None):
    """A variable."""
    return Var(name, dtype)


def size_var(name="size", dtype="int32", span=None):
    """A variable that is not negative."""
    return SizeVar(name, dtype)


def _call(name, x):
    x = _expr(x)
    # As TVM: an integer is round already.
    if name != "abs" and x.dtype[:3] in ("int", "uin"):
        return x
    if isinstance(x, FloatImm) and name in _ROUNDING:
        return FloatImm(x.dtype, _ROUNDING[name](x.value))
    return Call(x.dtype, _core.get_op("tir." + name), [x])


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _UNARY:

        def unary(x, span=None):
            return _call(name, x)

        return unary

    def missing(*_, **__):
        raise NotImplementedError(f"te.{name}: relayopt has no tensor expressions")

    return missing
