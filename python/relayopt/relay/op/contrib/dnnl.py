"""Patterns of what oneDNN computes as one: convolutions and products with bias, sum and activation."""

from __future__ import annotations

from ...dataflow_pattern import is_op, wildcard
from .register import register_pattern_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...dataflow_pattern import DFPattern

_CONVOLUTIONS = ("nn.conv1d", "nn.conv2d", "nn.conv3d", "nn.conv2d_transpose", "nn.conv3d_transpose")
_ACTIVATIONS = ("nn.relu", "tanh", "sigmoid", "clip")


def make_pattern(op: str, with_bias: bool = False, with_sum: bool = False,
                 with_eltwise: str | None = None) -> DFPattern:
    """The operator on any operands, with what follows it."""
    made = is_op(op)(wildcard(), wildcard())
    if with_bias:
        made = is_op("add")(made, wildcard())
    if with_sum:
        made = is_op("add")(made, wildcard())
    return made if with_eltwise is None else is_op(with_eltwise)(made)


def _name(op: str, *parts: str) -> str:
    return "_".join(["dnnl." + op.split(".")[-1], *parts])


@register_pattern_table("dnnl")
def pattern_table() -> list[tuple[str, DFPattern]]:
    """(name, pattern), the largest patterns first."""
    table = []
    for op in ("nn.conv2d", "nn.conv3d"):
        for activation in ("nn.relu", None):
            parts = ["bias", "sum"] + (["relu"] if activation else [])
            table.append((_name(op, *parts), make_pattern(op, True, True, activation)))
    for op in (*_CONVOLUTIONS, "nn.dense"):
        for activation in (*_ACTIVATIONS, None):
            for with_bias in (True, False):
                if not with_bias and activation is None:
                    continue
                parts = (["bias"] if with_bias else []) + ([activation.split(".")[-1]] if activation else [])
                table.append((_name(op, *parts), make_pattern(op, with_bias, False, activation)))
    return table
