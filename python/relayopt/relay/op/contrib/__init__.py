"""Patterns of external compilers, and operators that are not final."""

from __future__ import annotations

from ..by_hand import nn as _nn
from .register import get_pattern_table as get_pattern_table, register_pattern_table as register_pattern_table
from . import dnnl as dnnl
from . import register as register

adaptive_avg_pool2d = getattr(_nn, "adaptive_avg_pool2d")
adaptive_max_pool2d = getattr(_nn, "adaptive_max_pool2d")
