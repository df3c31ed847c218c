"""Quantized operators and their passes."""

from __future__ import annotations

from . import op, transform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> Any:
    # The operators are in reach here, too.
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(op, name)
