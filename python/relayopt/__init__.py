"""relayopt: Relay in Python - modules, expressions, passes and their evaluation."""

from __future__ import annotations

from . import error as error, runtime as runtime
from ._ffi import provide as _provide
from .error import (
    DiagnosticError as DiagnosticError,
    InternalError as InternalError,
    TVMError as TVMError,
    register_error as register_error,
)
from .runtime import *
from .runtime import (
    convert as convert,
    get_global_func as get_global_func,
    register_func as register_func,
    remove_global_func as remove_global_func,
    DataType as DataType,
    Device as Device,
)
from .runtime.params import load_params as load_params
from .runtime.device import *
from .runtime.device import cpu as cpu, cuda as cuda, device as device
from .runtime import container as _container, ndarray as _ndarray
from . import (
    nd as nd,
    tir as tir,
    te as te,
    ir as ir,
    target as target,
    relay as relay,
    parser as parser,
    transform as transform,
    instrument as instrument,
)
from .ir import (
    IRModule as IRModule,
    GlobalVar as GlobalVar,
    register_intrin_lowering as register_intrin_lowering,
    register_op_attr as register_op_attr,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .ir.transform import Pass

__version__ = "0.1.0"


def _views() -> Any:
    # Notebooks need it, and it imports much.
    from . import viz

    return viz


_provide("views", _views)


def pipeline(text: str) -> Pass:
    """The pass that a pipeline text stands for, as `relayopt --passes` takes it: "FoldConstant,FuseOps", "default<O3>".

    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    >>> relayopt.pipeline("FoldConstant,FuseOps")(mod)["main"].body
    <Constant int32[] int32>
    >>> relayopt.pipeline(" FoldConstant, FuseOps ").pipeline_text
    'FoldConstant,FuseOps'
    >>> relayopt.pipeline("FoldConstnat")
    Traceback (most recent call last):
        ...
    relayopt.error.DiagnosticError: unknown pass 'FoldConstnat' (did you mean 'FoldConstant'?)
    """
    from . import _core
    from .ir.transform import wrap

    made = wrap(_core.make_pipeline(text))
    made.pipeline_text = _core.canonical_pipeline(text)
    return made


def save(mod: IRModule, path: Any) -> None:
    """Writes a module: Relay text with its constants, or JSON where the name ends in `.json`.

    >>> relayopt.save(relayopt.IRModule.from_expr(relay.const(1)), "/tmp/one.relay")
    >>> relayopt.load("/tmp/one.relay")["main"].body
    <Constant int32[] int32>
    """
    if not isinstance(mod, IRModule):
        raise TypeError(f"an IRModule is saved, not a {type(mod).__name__}")
    text = ir.save_json(mod) if str(path).endswith(".json") else mod.astext(show_meta_data=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def load(path: Any) -> IRModule:
    """The module in a file that `save` has written, or in any file of Relay text."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    mod: IRModule = ir.load_json(text) if str(path).endswith(".json") else relay.parse(text, str(path))
    return mod


def __getattr__(name: str) -> Callable[..., Any]:
    # What imports more than most programs need.
    if name == "batch":
        from .batching import batch

        return batch
    if name in ("validate", "bisect", "reduce"):
        from . import faults

        tools: dict[str, Callable[..., Any]] = {
            "validate": faults.validate, "bisect": faults.bisect, "reduce": faults.reduce}
        return tools[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
