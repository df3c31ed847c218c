"""Names that old code reaches for."""

from __future__ import annotations

import sys

from .._ffi import provide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from . import transform
    from ..runtime.packed_func import get_global_func

    found = getattr(transform, name, None)
    return found if found is not None else get_global_func("ir." + name)


provide("ir._ffi_api", sys.modules[__name__])
