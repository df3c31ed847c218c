"""Bases of expressions, and global variables."""

from __future__ import annotations

from .._ffi import Object, class_of, provided, register_object
from ..tir.expr import PrimExpr as PrimExpr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..relay.expr import Call
    from ..target.virtual_device import VirtualDevice
    from .base import Span
    from .type import Type


@register_object("BaseExpr")
class BaseExpr(Object):
    """The base of all expressions."""

    __slots__ = ()
    span: Span | None


@register_object("RelayExpr")
class RelayExpr(BaseExpr):
    """The base of Relay's expressions; equal only to itself."""

    __slots__ = ()
    _checked_type_: Type | None
    virtual_device_: VirtualDevice | None

    @property
    def checked_type(self) -> Type:
        """The type that inference found; a ValueError before."""
        found = self._checked_type_
        if found is None:
            raise ValueError("The type checker has not populated the checked_type for this node")
        return found

    def __str__(self) -> str:
        text: str = provided("expr_text")(self)
        return text

    def astext(self, show_meta_data: bool = True, annotate: Callable[[Any], str] | None = None) -> str:
        """The text with the version of the format and, unless told otherwise, the metadata section."""
        text: str = provided("expr_astext")(self, show_meta_data, annotate)
        return text

    def __repr__(self) -> str:
        text: str = provided("short")(self)
        return text

    @property
    def struct_info(self) -> None:
        return None


@register_object("GlobalVar")
class GlobalVar(RelayExpr):
    """The name of a function of a module."""

    __slots__ = ()
    name_hint: str

    def __init__(self, name_hint: str, type_annot: Any = None) -> None:
        self._init(name_hint)
        if type_annot is not None:
            self._set("_checked_type_", type_annot)

    def __call__(self, *args: Any) -> Call:
        call: Call = class_of("relay.Call")(self, list(args))
        return call

    def astext(self, show_meta_data: bool = True, annotate: Any = None) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f'I.GlobalVar("{self.name_hint}")'

    def __str__(self) -> str:
        return "@" + self.name_hint


class Range:
    """An interval of integers."""

    def __init__(self, begin: Any, end: Any = None, span: Span | None = None) -> None:
        self.min: Any = 0 if end is None else begin
        self.extent: Any = begin if end is None else end - begin
