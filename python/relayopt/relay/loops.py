"""Loops as recursive functions."""

from __future__ import annotations

from .expr import Call, Let, Tuple, Var
from .function import Function
from .scope_builder import ScopeBuilder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def while_loop(cond: Any, loop_vars: Any, loop_bodies: Any) -> Any:
    """A function that computes the next values as long as the condition holds.

    `cond` and `loop_bodies` are functions of the loop variables; the result takes their first values.
    """
    from . import expr as _expr

    scope = ScopeBuilder()
    fresh = [_expr.var(v.name_hint, v.type_annotation) if isinstance(v, Var) else v for v in loop_vars]
    loop = _expr.var("while_loop")
    condition = cond(*fresh)
    with scope.if_scope(condition):
        following = loop_bodies(*fresh)
        scope.ret(Call(loop, list(following)))
    with scope.else_scope():
        scope.ret(Tuple(fresh))
    function = Function(fresh, scope.get())
    return Let(loop, function, loop)
