"""Names that Relay shares with everything else."""

from __future__ import annotations

from .._ffi import Object, register_object
from ..ir.base import Node, SequentialSpan as SequentialSpan, SourceName as SourceName, Span as Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RelayNode = Node
__STD_PATH__ = __file__


@register_object("relay.Id")
class Id(Object):
    """The identity of a variable, which survives passes."""

    __slots__ = ()
    name_hint: str

    def __init__(self, name_hint: str = "x") -> None:
        self._init(name_hint)


def pretty_print(obj: Any) -> str:
    """The text of an object."""
    return str(obj)


def astext(obj: Any, show_meta_data: bool = True, annotate: Any = None) -> Any:
    """The text of an object with its version."""
    return obj.astext(show_meta_data, annotate)
