"""Names of kernels."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def mangle_module_name(mod_name: Any) -> Any:
    """The prefix of names of a module."""
    if mod_name and not str(mod_name).isascii():
        raise ValueError(f"the name of a module has a character that is not of ASCII: {mod_name}")
    return "tvmgen" if not mod_name else f"tvmgen_{mod_name}"
