"""Patterns of external compilers, and operators that are not final."""

from __future__ import annotations

from ..builders import builder as _builder
from .register import get_pattern_table as get_pattern_table, register_pattern_table as register_pattern_table
from . import dnnl as dnnl
from . import register as register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> Any:
    if name not in ("adaptive_avg_pool2d", "adaptive_max_pool2d"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _builder("nn." + name, signature='data; output_size=None, layout="NCHW", out_layout=""')
