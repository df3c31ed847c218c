"""Quantized operators."""

from ...op import _Namespace, _recipes
from ....ir.op import register_op_attr as _register_op_attr

from .requantize_config import RequantizeConfig, current_requantize_config, requantize_config

# TVM keeps them in a module of this name.
qnn = _Namespace(f"{__name__}.qnn", _recipes["qnn.op"])


def __getattr__(name):
    if name == "canonicalizations":
        import importlib

        return importlib.import_module(f"{__name__}.canonicalizations")
    if name not in _recipes["qnn.op"]:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = globals()[name] = getattr(qnn, name)
    return made


def __dir__():
    return sorted({*globals(), *_recipes["qnn.op"]})


def register_qnn_legalize(op_name, legal_op=None, level=10):
    """Registers what qnn.Legalize does with an operator."""
    return _register_op_attr(op_name, "FTVMQnnLegalize", legal_op, level)


def register_qnn_canonicalize(op_name, legal_op=None, level=10):
    """Registers what qnn.CanonicalizeOps does with an operator."""
    return _register_op_attr(op_name, "FTVMQnnCanonicalize", legal_op, level)
