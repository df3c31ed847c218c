"""Passes on quantized operators."""

from __future__ import annotations

from ..transform.transform import _make

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.transform import Pass


def CanonicalizeOps() -> Any:
    """Replaces quantized operators by others; requantizations that do not say how they round do as in the current
    qnn.op.requantize_config."""
    from .op.requantize_config import entered

    config = entered()
    if config is None:
        return _make("QnnCanonicalizeOps")
    return _make("QnnCanonicalizeOps", rounding=config.rounding, compute_dtype=config.compute_dtype)


def Legalize() -> Pass:
    """What targets compute otherwise: rules registered in Python under FTVMQnnLegalize first, then those of the target."""
    from ...ir.op import run_time_attributes

    if run_time_attributes("FTVMQnnLegalize"):
        from ...ir.transform import Sequential
        from ..transform.callbacks import legalize

        return Sequential([legalize("FTVMQnnLegalize"), _make("QnnLegalize")])
    return _make("QnnLegalize")
