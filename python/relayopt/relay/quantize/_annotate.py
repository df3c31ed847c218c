"""Kinds of values during quantization."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.expr import RelayExpr


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


def attach_simulated_quantize(data: RelayExpr, kind: int, sign: bool = True, rounding: str = "round") -> Any:
    raise NotImplementedError("annotations are made inside of the core")
