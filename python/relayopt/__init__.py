"""relayopt: Relay in Python - modules, expressions, passes and their evaluation."""

from . import error, runtime
from .error import DiagnosticError, InternalError, TVMError, register_error
from .runtime import *
from .runtime import convert, get_global_func, register_func, remove_global_func, DataType, Device
from .runtime.device import *
from .runtime.device import cpu, cuda, device
from .runtime import container as _container, ndarray as _ndarray
from . import nd, tir, te, ir, target, relay, parser, transform, instrument
from .ir import IRModule, GlobalVar, register_intrin_lowering, register_op_attr

__version__ = "0.1.0"


def pipeline(text):
    """The pass that a pipeline text stands for, as `relayopt --passes` takes it: "FoldConstant,FuseOps", "default<O3>".

    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    >>> relayopt.pipeline("FoldConstant,FuseOps")(mod)["main"].body
    <Constant int32[] int32>
    >>> relayopt.pipeline("FoldConstnat")
    Traceback (most recent call last):
        ...
    relayopt.error.DiagnosticError: unknown pass 'FoldConstnat' (did you mean 'FoldConstant'?)
    """
    from . import _core
    from .ir.transform import wrap

    return wrap(_core.make_pipeline(text))


def __getattr__(name):
    # What imports more than most programs need.
    if name == "batch":
        from .batching import batch

        return batch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
