"""Building nested lets and ifs step by step."""

from __future__ import annotations

from . import expr as _expr
from . import ty as _ty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..ir.expr import RelayExpr
    from .expr import Var


class WithScope:
    """A scope that is left by a function."""

    def __init__(self, enter_value: Any, exit_cb: Callable[..., Any]) -> None:
        self._enter_value, self._exit_cb = enter_value, exit_cb

    def __enter__(self) -> Any:
        return self._enter_value

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if value is None:
            self._exit_cb()


def _lets(bindings: Sequence[tuple[Var, RelayExpr]], result: RelayExpr) -> RelayExpr:
    for variable, value in reversed(bindings):
        result = _expr.Let(variable, value, result)
    return result


class ScopeBuilder:
    """Collects lets; `get()` gives the expression.

    `let(var, value)`, `with if_scope(cond):`, `with else_scope():`, `ret(value)`.

    >>> scope = relay.ScopeBuilder()
    >>> x = relay.var("x", "int32")
    >>> with scope.if_scope(relay.less(x, relay.const(0))):
    ...     scope.ret(relay.negative(x))
    >>> with scope.else_scope():
    ...     twice = scope.let("twice", x + x)
    ...     scope.ret(twice)
    >>> print(relay.Function([x], scope.get()))
    fn (%x: int32) {
      %0 = less(%x, 0);
      if (%0) {
        negative(%x)
      } else {
        let %twice = add(%x, %x);
        %twice
      }
    }
    """

    def __init__(self) -> None:
        self._bindings: list[Any] = [[]]
        self._ret_values: list[Any] = [None]

    def _enter_scope(self) -> None:
        self._bindings.append([])
        self._ret_values.append(None)

    def _exit_scope(self) -> Any:
        return self._bindings.pop(), self._ret_values.pop()

    def let(self, var: Any, value: RelayExpr) -> Any:
        """Binds a value to a variable, a name or a (name, type)."""
        if isinstance(var, (tuple, list)):
            if len(var) > 2:
                raise ValueError("Expect var to be Tuple[name, type]")
            var = _expr.var(*var)
        elif isinstance(var, str):
            var = _expr.var(var)
        self._bindings[-1].append((var, value))
        return var

    def if_scope(self, cond: RelayExpr) -> WithScope:
        """The scope of what happens when the condition holds."""
        self._enter_scope()

        def on_exit() -> None:
            bindings, ret_value = self._exit_scope()
            if self._ret_values[-1] is not None:
                raise RuntimeError("result already returned before if scope")
            if ret_value is None:
                raise RuntimeError("result not returned inside if scope")
            self._ret_values[-1] = (cond, _lets(bindings, ret_value))

        return WithScope(None, on_exit)

    def else_scope(self) -> WithScope:
        """The scope of what happens otherwise; follows an if_scope."""
        self._enter_scope()

        def on_exit() -> None:
            bindings, ret_value = self._exit_scope()
            if self._ret_values[-1] is None or not isinstance(self._ret_values[-1], tuple):
                raise RuntimeError("else scope must follows")
            if ret_value is None:
                raise RuntimeError("result not returned inside else scope")
            cond, then_value = self._ret_values[-1]
            self._ret_values[-1] = _expr.If(cond, then_value, _lets(bindings, ret_value))

        return WithScope(None, on_exit)

    def type_of(self, expr: Any) -> Any:
        """The annotation of a variable, or a type that inference has to find."""
        if isinstance(expr, _expr.Var):
            return expr.type_annotation
        return _ty.IncompleteType()

    def ret(self, value: Any) -> None:
        """The result of the innermost scope."""
        if self._ret_values[-1] is not None:
            raise RuntimeError("ret value is already set in this scope.")
        self._ret_values[-1] = value

    def get(self) -> RelayExpr:
        """The whole expression."""
        if len(self._bindings) != 1:
            raise RuntimeError("can only call get at the outmost scope")
        if self._ret_values[-1] is None:
            raise RuntimeError("ret is not called in this scope")
        if isinstance(self._ret_values[-1], tuple):
            raise RuntimeError("else scope must follow if scope")
        return _lets(self._bindings[-1], self._ret_values[-1])
