"""Passes on quantized operators."""

from ..transform.transform import _make


def CanonicalizeOps():
    """Replaces quantized operators by others."""
    return _make("QnnCanonicalizeOps")


def Legalize():
    """QnnLegalize and QnnCanonicalize."""
    from ...ir.op import run_time_attributes

    if run_time_attributes("FTVMQnnLegalize") or run_time_attributes("FTVMQnnCanonicalize"):
        from ...ir.transform import Sequential
        from ..transform.callbacks import legalize

        return Sequential([legalize("FTVMQnnLegalize"), legalize("FTVMQnnCanonicalize"), _make("QnnLegalize"),
                           CanonicalizeOps()])
    return _make("QnnLegalizeAndCanonicalize")
