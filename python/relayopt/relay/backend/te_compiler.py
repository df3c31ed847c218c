"""The compiler of kernels; relayopt has none, and its cache is empty."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TECompiler:
    """Nothing to remember."""

    def clear(self) -> None:
        """Does nothing."""

    def items(self) -> Any:
        return []


_it = TECompiler()


def get() -> TECompiler:
    """The only one."""
    return _it
