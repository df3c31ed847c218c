"""Quantized operators."""

import sys as _sys
import types as _types

from ...op import _qnn as _functions
from ....ir.op import register_op_attr as _register_op_attr

globals().update(_functions)
# The reference keeps them in a module of this name.
qnn = _types.ModuleType(f"{__name__}.qnn", "The quantized operators.")
vars(qnn).update(_functions)
_sys.modules[qnn.__name__] = qnn


def register_qnn_legalize(op_name, legal_op=None, level=10):
    """Registers what qnn.Legalize does with an operator."""
    return _register_op_attr(op_name, "FTVMQnnLegalize", legal_op, level)


def register_qnn_canonicalize(op_name, legal_op=None, level=10):
    """Registers what qnn.CanonicalizeOps does with an operator."""
    return _register_op_attr(op_name, "FTVMQnnCanonicalize", legal_op, level)
