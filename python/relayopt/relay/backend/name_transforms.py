"""Names for generated code."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def to_c_function_style(name: Any) -> Any:
    """`tvmgen_default_main` as `TvmgenDefaultMain`."""
    if not name:
        raise ValueError("Name is empty")
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
