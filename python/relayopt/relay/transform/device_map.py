"""On which devices the values of a planned function are."""

from __future__ import annotations

from ... import _core
from ...ir.op import Op
from ..adt import Constructor, Match
from ..operands import children_of
from ..expr import Call, If, Let, Var
from ..function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.expr import RelayExpr
    from ...ir.module import IRModule
    from ...target.virtual_device import VirtualDevice


# Device type, number and memory scope; each may be open.
OPEN = (-1, -1, "")


def key_of(device: Any) -> tuple[int, int, str]:
    """What is known of a virtual device. The number of a device whose type is known is 0 where it is open."""
    if device is None:
        return OPEN
    kind, number, scope = int(device.device_type_int), int(device.virtual_device_id), str(device.memory_scope or "")
    return (kind, 0 if kind != -1 and number == -1 else number, scope)


def _is_primitive(func: Function) -> bool:
    """Whether a function is a kernel: it runs wherever it is called."""
    return func.attrs is not None and "Primitive" in func.attrs and bool(int(func.attrs["Primitive"]))


def _is_op(expr: RelayExpr, name: str) -> bool:
    return isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name == name


def RecoverVirtualDeviceMap(mod: IRModule, expr: RelayExpr) -> dict[RelayExpr, VirtualDevice]:
    """The device of each value in an expression that PlanDevices has planned, as a dict from expressions to virtual devices.

    Parameters and functions say where they are, annotations and copies where they put values; everything else is where
    what surrounds it is. Operators, constructors and what is on no device are left out.
    """
    found = {}
    bound: dict[Any, Any] = {}
    # An expression, and the device of what surrounds it.
    stack = [(expr, expr.virtual_device_)]
    while stack:
        node, around = stack.pop()
        if node in found or isinstance(node, (Op, Constructor)):
            continue
        own, parts = _device_of(node, around, bound)
        if own is not None and key_of(own) != OPEN:
            found[node] = own
        stack.extend(reversed(parts))
    return {node: found[node] for node in _core.post_order(expr) if node in found}


def _device_of(node: RelayExpr, around: Any, bound: dict[RelayExpr, VirtualDevice]) -> tuple[Any, list[Any]]:
    """The device of an expression, and its parts, each with the device around it."""
    if _is_op(node, "on_device"):
        device = node.attrs.virtual_device
        return (device if node.attrs.constrain_result else around), [(node.args[0], device)]
    if _is_op(node, "device_copy"):
        return node.attrs.dst_virtual_device, [(node.args[0], node.attrs.src_virtual_device)]
    if isinstance(node, Function):
        if _is_primitive(node):
            return around, []
        own = node.virtual_device_
        return own, [(param, param.virtual_device_) for param in node.params] + [(node.body, own)]
    if isinstance(node, Var):
        own = node.virtual_device_
        return (own if key_of(own) != OPEN else bound.get(node, around)), []
    if isinstance(node, Let):
        inside = node.value.attrs.virtual_device if _is_op(node.value, "on_device") else around
        bound[node.var] = inside
        return around, [(node.var, inside), (node.value, inside), (node.body, around)]
    if isinstance(node, Match):
        return around, [(node.data, around)] + [(clause.rhs, around) for clause in node.clauses]
    if isinstance(node, If):
        return around, [(part, around) for part in (node.cond, node.true_branch, node.false_branch)]
    return around, [(part, around) for part in children_of(node)]
