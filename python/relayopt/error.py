"""Exceptions. Faults of programs are DiagnosticErrors whose text shows where; faults of the use are Python's own."""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TVMError(RuntimeError):
    """The base of all errors of the library."""


class InternalError(TVMError):
    """A rule of the library's own that does not hold."""


class OpError(TVMError):
    """The base of errors about operators."""


class OpNotImplemented(OpError, NotImplementedError):
    """An operator that is not supported."""


class OpAttributeRequired(OpError, AttributeError):
    """An attribute of an operator that is missing."""


class OpAttributeInvalid(OpError, AttributeError):
    """An attribute of an operator with a value that it cannot have."""


class OpAttributeUnImplemented(OpError, NotImplementedError):
    """An attribute of an operator with a value that is not supported."""


class RPCError(TVMError):
    """Remote execution; never raised here."""


class DiagnosticError(TVMError):
    """A fault of a program: the text shows every diagnostic with its place."""


class NotIntegral(DiagnosticError, AssertionError):
    """A network that was to be computed on integers alone, and cannot be."""


class FieldError(TVMError, TypeError):
    """A field of an object that was given a value of another type."""


_registered = {}


def register_error(func_name: Any = None, cls: Any = None) -> Any:
    """Makes an exception class known by a name."""
    if callable(func_name):
        cls = func_name
        func_name = cls.__name__

    def register(mycls: Any) -> Any:
        _registered[func_name if isinstance(func_name, str) else mycls.__name__] = mycls
        return mycls

    return register if cls is None else register(cls)


# By the id of the core's diagnostic; the empty one is for all others.
_core.set_error_classes({"": DiagnosticError, "call-failed": TVMError, "field": FieldError,
                         "not-fully-integral": NotIntegral,
                         **dict.fromkeys(("empty-target", "unknown-target-kind", "unknown-target-option", "bad-target-option",
                                          "repeated-target-option", "target-syntax", "target-tag-exists"), ValueError)})
