"""Kinds of values during quantization."""


class QAnnotateKind:
    """What a value is annotated as."""

    IDENTITY = 0
    INPUT = 1
    WEIGHT = 2
    ACTIVATION = 3


class QAnnotateExpr:
    """An expression with its kind."""

    def __init__(self, expr, kind):
        self.expr, self.kind = expr, kind


def attach_simulated_quantize(data, kind, sign=True, rounding="round"):
    raise NotImplementedError("annotations are made inside of the core")
