"""Patterns of external compilers, and operators that are not final."""

from __future__ import annotations

from .register import get_pattern_table as get_pattern_table, register_pattern_table as register_pattern_table
from . import dnnl as dnnl
from . import register as register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def adaptive_avg_pool2d(*args: Any, **kwargs: Any) -> Any:
    from .. import nn

    return nn.adaptive_avg_pool2d(*args, **kwargs)


def adaptive_max_pool2d(*args: Any, **kwargs: Any) -> Any:
    from .. import nn

    return nn.adaptive_max_pool2d(*args, **kwargs)
