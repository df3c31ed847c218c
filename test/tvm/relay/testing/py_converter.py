"""What TVM runs as Python it has generated; here the evaluator runs it, with the same values as results."""

from __future__ import annotations

from ...ir.module import IRModule
from ..backend.interpreter import Interpreter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.expr import RelayExpr

__all__ = ["run_as_python", "to_python"]


def run_as_python(expr: RelayExpr, mod: IRModule | None = None, target: Any = None) -> Any:
    """The value of an expression: NDArray, ADT for tuples, ConstructorValue, RefValue; of a function a callable.

    >>> x = relay.var("x", "int32")
    >>> relay.testing.run_as_python(relay.Let(x, relay.const(2), x + x)).numpy()
    array(4, dtype=int32)
    """
    return Interpreter(mod).evaluate(expr)


def to_python(expr: RelayExpr, mod: IRModule | None = None, target: Any = None) -> Any:
    """Python code is not generated."""
    raise NotImplementedError("relayopt generates no Python: relay.testing.run_as_python gives the value of an expression")
