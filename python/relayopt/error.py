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


class Diagnostic:
    """One message about a program: `severity` ("error", "warning", "remark", "note"), `kind` (a name that never changes),
    `text`, and where: `file`, `begin` and `end` as (line, column), (0, 0) where there is no place. `notes` are diagnostics.
    """

    __slots__ = ("severity", "kind", "text", "file", "begin", "end", "notes")

    def __init__(self, severity: str, kind: str, text: str, file: str, begin: tuple[int, int], end: tuple[int, int],
                 notes: tuple[Diagnostic, ...] = ()) -> None:
        self.severity, self.kind, self.text, self.file = severity, kind, text, file
        self.begin, self.end, self.notes = begin, end, notes

    def __repr__(self) -> str:
        place = f"{self.file}:{self.begin[0]}:{self.begin[1]}: " if self.begin[0] else ""
        return f"{place}{self.severity}: {self.text} [{self.kind}]"


class DiagnosticError(TVMError):
    """A fault of a program: the text shows every diagnostic with its place, `diagnostics` has them as values.

    >>> try:
    ...     _ = relayopt.loads('#[version = "0.0.5"] def @main(%x: int32) { %y }', name="f.relay")
    ... except relayopt.DiagnosticError as error:
    ...     print(error.diagnostics[0])
    f.relay:1:45: error: ...
    """

    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of the first error; empty where the exception was not raised by the core."""
        return next((each.kind for each in self.diagnostics if each.severity == "error"), "")

    @property
    def rendered(self) -> str:
        """The text as the tool shows it."""
        return str(self)


class ArgumentError(DiagnosticError, ValueError):
    """A program that is run on an argument of another type, shape or number than its parameters have."""


class JsonError(DiagnosticError, ValueError):
    """A text that is not graph JSON, or not of objects that exist."""


class NotIntegral(DiagnosticError, AssertionError):
    """A network that was to be computed on integers alone, and cannot be."""


class FieldError(TVMError, TypeError):
    """A field of an object that was given a value of another type."""


class TensorFileError(DiagnosticError, ValueError):
    """A file of tensors that is damaged, or is none."""


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
_core.set_error_classes({"": DiagnosticError, "call-failed": TVMError, "internal": InternalError,
                         "bad-input": ArgumentError, "argument-count": ArgumentError, "unknown-function": ArgumentError, "field": FieldError,
                         "not-fully-integral": NotIntegral, "bad-tensor-file": TensorFileError,
                         **dict.fromkeys((f"metadata-{fault}" for fault in (
                             "class", "cycle", "duplicate", "escape", "field", "map", "missing", "node", "operator", "syntax",
                             "tensor", "tensor-index", "trailing", "unknown-member")), JsonError),
                         **dict.fromkeys(("empty-target", "unknown-target-kind", "unknown-target-option", "bad-target-option",
                                          "repeated-target-option", "target-syntax", "target-tag-exists"), ValueError)}, Diagnostic)
