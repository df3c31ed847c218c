"""Replacing variables by expressions."""

from __future__ import annotations

from .._ffi import provide
from .expr import Var
from .expr_functor import ExprMutator
from .function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..ir.expr import RelayExpr


class _Binder(ExprMutator):
    def __init__(self, binds: Mapping[RelayExpr, RelayExpr]) -> None:
        super().__init__()
        self.binds = binds

    def visit_var(self, var: Var) -> RelayExpr:
        return self.binds.get(var, var)

    def visit_let(self, let: Any) -> Any:
        if let.var in self.binds:
            raise ValueError(f"the variable %{let.var.name_hint} is bound by a let and cannot be replaced")
        return super().visit_let(let)


def bind(expr: RelayExpr, binds: Any) -> Any:
    """See relayopt.relay.bind."""
    from .analysis import free_vars

    binds = dict(binds.items())
    if isinstance(expr, Function):
        body = _Binder(binds).visit(expr.body)
        params = [p for p in expr.params if p not in binds]
        if body is expr.body and len(params) == len(expr.params):
            return expr
        made = Function(params, body, expr.ret_type, list(expr.type_params), expr.attrs, expr.span)
        if expr.virtual_device_ is not None:
            made._set("virtual_device_", expr.virtual_device_)
        known = set(params)
        extra = [v for v in free_vars(made) if v not in known]
        before = {v for v in free_vars(expr)}
        extra = [v for v in extra if v not in before]
        if extra:
            made = Function(params + extra, body, expr.ret_type, list(expr.type_params), expr.attrs, expr.span)
        return made
    return _Binder(binds).visit(expr)


provide("bind", bind)
