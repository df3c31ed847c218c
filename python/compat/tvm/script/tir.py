"""Of TVMScript: numbers of a data type. Programs in TVMScript are read by the command `relayopt`, not by Python."""

from relayopt.tir import Var, const

from .._missing import missing


def _of_type(dtype):
    def make(value=None):
        return Var("", dtype) if value is None else const(value, dtype)

    make.__name__ = make.__qualname__ = dtype
    make.__doc__ = f"A number of type {dtype}, or without a value a variable."
    return make


for _kind, _widths in (("int", (8, 16, 32, 64)), ("uint", (8, 16, 32, 64)), ("float", (16, 32, 64))):
    for _width in _widths:
        globals()[f"{_kind}{_width}"] = _of_type(f"{_kind}{_width}")
boolean = _of_type("bool")

_other = missing("tvm.script.tir", "relayopt's Python package reads no TVMScript")


def __getattr__(name):
    return _other(name)
