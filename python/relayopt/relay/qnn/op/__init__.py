"""Quantized operators."""

from ...op import _qnn as _functions
from ....ir.op import register_op_attr as _register_op_attr

globals().update(_functions)


def register_qnn_legalize(op_name, legal_op=None, level=10):
    """Registers what qnn.Legalize does with an operator."""
    return _register_op_attr(op_name, "FTVMQnnLegalize", legal_op, level)


def register_qnn_canonicalize(op_name, legal_op=None, level=10):
    """Registers what qnn.CanonicalizeOps does with an operator."""
    return _register_op_attr(op_name, "FTVMQnnCanonicalize", legal_op, level)
