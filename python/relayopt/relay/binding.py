"""Replacing variables by expressions."""

from __future__ import annotations

from .. import _core
from .._arguments import as_dict, expect
from .._ffi import provide
from .expr import Let, RelayExpr, Var
from .function import Function
from .operands import rebuild

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def substitute(expr: RelayExpr, binds: Mapping[RelayExpr, RelayExpr]) -> RelayExpr:
    """An expression with some of its leaves replaced; what does not change stays the same object."""
    memo = dict(binds)
    for node in _core.post_order(expr):
        if node not in memo:
            memo[node] = rebuild(node, memo)
    return memo[expr]


def _replace(expr: RelayExpr, binds: Mapping[RelayExpr, RelayExpr]) -> RelayExpr:
    for node in _core.post_order(expr):
        if isinstance(node, Let) and node.var in binds:
            raise ValueError(f"the variable %{node.var.name_hint} is bound by a let and cannot be replaced")
    return substitute(expr, binds)


def bind(expr: RelayExpr, binds: Any) -> Any:
    """See relayopt.relay.bind."""
    from .analysis import free_vars

    expect("expr", expr, RelayExpr, "an expression or a function")
    binds = as_dict("binds", binds, "a dict by variables")
    for var in binds:
        expect("a key of binds", var, Var, "a variable")
    if isinstance(expr, Function):
        body = _replace(expr.body, binds)
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
    return _replace(expr, binds)


provide("bind", bind)
provide("with_global_vars", substitute)
