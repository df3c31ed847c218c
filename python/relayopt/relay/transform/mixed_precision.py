"""How operators take part in mixed precision."""

MIXED_PRECISION_ALWAYS = 0
MIXED_PRECISION_FOLLOW = 1
MIXED_PRECISION_NEVER = 2


def register_mixed_precision_conversion(op_name, func=None, level=10):
    """Registers how an operator takes part in mixed precision."""
    from ...ir.op import register_op_attr

    return register_op_attr(op_name, "FTVMMixedPrecisionConversionType", func, level)
