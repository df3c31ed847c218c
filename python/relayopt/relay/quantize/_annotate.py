"""Kinds of values during quantization."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.expr import RelayExpr
    from ..expr import Call


class QAnnotateKind:
    """What a value is annotated as."""

    IDENTITY = 0
    INPUT = 1
    WEIGHT = 2
    ACTIVATION = 3


class QAnnotateExpr:
    """An expression with its kind."""

    def __init__(self, expr: Any, kind: Any) -> None:
        self.expr, self.kind = expr, kind


def attach_simulated_quantize(data: RelayExpr, kind: int, sign: bool = True, rounding: str = "round") -> Call:
    """The value rounded to multiples of a scale, between two bounds: `relay.op.annotation.simulated_quantize` with the
    variables `dom_scale`, `clip_min` and `clip_max`. What is annotated alike already stays as it is."""
    from ...ir.op import Op
    from ..expr import Call, var
    from ..op.builders import call

    name = "relay.op.annotation.simulated_quantize"
    if isinstance(data, Call) and isinstance(data.op, Op) and data.op.name == name:
        attrs = data.attrs
        if attrs.kind == kind and attrs.sign == sign and attrs.rounding == rounding:
            return data
    bounds = [var(hint) for hint in ("dom_scale", "clip_min", "clip_max")]
    return call(name, (data, *bounds), {"kind": kind, "sign": sign, "rounding": rounding})
