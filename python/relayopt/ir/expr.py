"""Bases of expressions, and global variables."""

from .. import _core
from .._ffi import Object, register_object
from ..tir.expr import PrimExpr


@register_object("BaseExpr")
class BaseExpr(Object):
    """The base of all expressions."""

    __slots__ = ()


@register_object("RelayExpr")
class RelayExpr(BaseExpr):
    """The base of Relay's expressions; equal only to itself."""

    __slots__ = ()

    @property
    def checked_type(self):
        """The type that inference found; a ValueError before."""
        found = self._checked_type_
        if found is None:
            raise ValueError("The type checker has not populated the checked_type for this node")
        return found

    @property
    def struct_info(self):
        return None


@register_object("GlobalVar")
class GlobalVar(RelayExpr):
    """The name of a function of a module."""

    __slots__ = ()

    def __init__(self, name_hint, type_annot=None):
        self._init(name_hint)
        if type_annot is not None:
            self._set("_checked_type_", type_annot)

    def __call__(self, *args):
        from ..relay.expr import Call

        return Call(self, list(args))

    def astext(self, show_meta_data=True, annotate=None):
        return str(self)

    def __repr__(self):
        return f'I.GlobalVar("{self.name_hint}")'

    def __str__(self):
        return "@" + self.name_hint


class Range:
    """An interval of integers."""

    def __init__(self, begin, end=None, span=None):
        self.min, self.extent = (0, begin) if end is None else (begin, end - begin)
