"""Pattern tables of external compilers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_PATTERN_TABLES = {}


def register_pattern_table(compiler: str, table: Sequence[tuple[Any, ...]] | None = None) -> Callable[..., Any]:
    """Registers the patterns of a compiler: a function, or through a decorator."""

    def register(t: Any) -> Any:
        _PATTERN_TABLES[compiler] = t() if callable(t) else t
        return t

    if table is not None:
        register(table)
    return register


def get_pattern_table(compiler: str) -> Any:
    """The patterns of a compiler, or None."""
    return _PATTERN_TABLES.get(compiler)
