"""How operators take part in mixed precision."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MIXED_PRECISION_ALWAYS = 0
MIXED_PRECISION_FOLLOW = 1
MIXED_PRECISION_NEVER = 2


def register_mixed_precision_conversion(op_name: Any, func: Any = None, level: int = 10) -> Any:
    """Registers how an operator takes part in mixed precision."""
    from ...ir.op import register_op_attr

    return register_op_attr(op_name, "FTVMMixedPrecisionConversionType", func, level)
