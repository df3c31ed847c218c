"""Symbolic variables, as in the reference's `tvm.te`; tensor expressions are not part of relayopt."""

from .tir.expr import SizeVar, Var


def var(name="tindex", dtype="int32", span=None):
    """A variable."""
    return Var(name, dtype)


def size_var(name="size", dtype="int32", span=None):
    """A variable that is not negative."""
    return SizeVar(name, dtype)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def missing(*_, **__):
        raise NotImplementedError(f"te.{name}: relayopt has no tensor expressions")

    return missing
