"""Tensor programs as functions of a module."""

from __future__ import annotations

from .. import _core
from .._ffi import Object, provided, register_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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

    def __reduce__(self) -> Any:
        return (_unpickle, (self.script(),))


def _unpickle(text: str) -> Any:
    from ..models import loads

    (program,) = provided("loads")(text).functions.values()
    return program
