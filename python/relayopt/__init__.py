"""relayopt: Relay in Python - modules, expressions, passes and their evaluation."""

from __future__ import annotations

from . import error as error, runtime as runtime
from ._ffi import provide as _provide
from .error import (
    ArgumentError as ArgumentError,
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
from .models import (
    diff as diff,
    dumps as dumps,
    equiv as equiv,
    formats as formats,
    load as load,
    loads as loads,
    overview as overview,
    pipeline as pipeline,
    print_module as print,
    remarks as remarks,
    report as report,
    run as run,
    save as save,
    statistics as statistics,
    summary as summary,
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

__version__ = "0.1.0"


def _views() -> Any:
    # Notebooks need it, and it imports much.
    from . import viz

    return viz


_provide("views", _views)


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
