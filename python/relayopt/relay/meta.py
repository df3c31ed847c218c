"""Texts whose `meta[key][i]` stand for objects that are given."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def with_table(source: str, table: Mapping[str, Sequence[Any]]) -> str:
    """The text with a table of objects - constants, types and attributes - as its metadata section."""
    from ..ir.base import save_json

    listed = {str(key): list(items) for key, items in dict(table.items()).items()}
    return source + "\n\n#[metadata]\n" + save_json(listed) + "\n"
