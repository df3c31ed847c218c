"""Tensor programs as functions of a module."""

from __future__ import annotations

from .. import _core
from .._ffi import Object, register_object


@register_object("tir.PrimFunc")
class PrimFunc(Object):
    """A tensor program. It has no graph of objects: passes of the core rewrite it, and `script()` is its text.

    >>> mod = relayopt.loads('''@T.prim_func
    ... def main(A: T.Buffer((4,), "float32")):
    ...     for i in range(4):
    ...         A[i] = A[i] + T.float32(0)
    ... ''', name="add.py")
    >>> type(mod["main"]).__name__
    'PrimFunc'
    """

    def script(self) -> str:
        """TVMScript of the function."""
        return _core.prim_func_script(self)

    def __str__(self) -> str:
        return self.script()
