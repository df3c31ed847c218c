"""Names that Relay shares with everything else."""

from .._ffi import Object, register_object
from ..ir.base import SequentialSpan, SourceName, Span
from ..ir.base import Node as RelayNode

__STD_PATH__ = __file__


@register_object("relay.Id")
class Id(Object):
    """The identity of a variable, which survives passes."""

    __slots__ = ()

    def __init__(self, name_hint="x"):
        self._init(name_hint)


def pretty_print(obj):
    """The text of an object."""
    return str(obj)


def astext(obj, show_meta_data=True, annotate=None):
    """The text of an object with its version."""
    return obj.astext(show_meta_data, annotate)
