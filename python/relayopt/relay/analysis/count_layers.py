"""How deep a network is."""

from __future__ import annotations

from ..operands import parts_of
from ... import _core
from ...ir.module import IRModule
from ...ir.op import Op
from ..expr import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def count_layers(expr: Any, valid_ops: Any) -> Any:
    """The largest number of calls of these operators on one way through the expression, or through @main of a module."""
    names = set(valid_ops)
    if isinstance(expr, IRModule):
        expr = expr["main"]
    best = 0
    depth: dict[Any, Any] = {}
    for node in _core.post_order(expr):
        below = max((depth.get(child, 0) for child in parts_of(node)), default=0)
        if isinstance(node, Call) and isinstance(node.op, Op) and node.op.name in names:
            below += 1
        depth[node] = below
        best = max(best, below)
    return best
