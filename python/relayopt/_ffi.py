"""The border to the core: classes for its object types, and conversions."""

from __future__ import annotations

import numbers

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar, overload

    _Class = TypeVar("_Class", bound=type)

Object = _core.Object

_by_key = {}


if TYPE_CHECKING:

    @overload
    def register_object(type_key: _Class) -> _Class: ...
    @overload
    def register_object(type_key: str | None = None,
                        fields: Sequence[str | tuple[str, str, Any]] | None = None) -> Callable[[_Class], _Class]: ...


def register_object(type_key: Any = None, fields: Sequence[str | tuple[str, str, Any]] | None = None) -> Any:
    """Makes a class the Python class of an object type.

    Used as `@register_object("relay.Var")` or, with the key of the class name, as `@register_object`. A type that the core
    does not know yet is declared with the given fields, below the type of the base class: names, or (name, kind, default)
    with a kind of "any", "bool", "int", "float", "str", and what objects have that are read without the field.
    """

    def register(cls: Any) -> Any:
        key = type_key if isinstance(type_key, str) else cls.__name__
        cls._type_index = _core.register_class(key, cls, fields)
        _by_key[key] = cls
        return cls

    if isinstance(type_key, type):
        return register(type_key)
    return register


def class_of(type_key: str) -> Any:
    """The class registered for a type key, or None."""
    return _by_key.get(type_key)


_provided: dict[str, Any] = {}


def provide(name: str, value: Any) -> None:
    """Puts under a name what lower layers ask of a higher one, which is imported after them: how to print, for instance."""
    _provided[name] = value


def provided(name: str) -> Any:
    """What a higher layer has provided under a name."""
    return _provided[name]


class ObjectGeneric:
    """Whatever converts itself to an object by `asobject()`."""

    def asobject(self) -> Any:
        raise NotImplementedError()


def is_python_only(value: Any) -> bool:
    """Whether it is an object of the library that the core hands through as it is: a target, a pass, a device."""
    return isinstance(getattr(type(value), "type_key", None), str)


def _convert_other(value: Any) -> Any:
    """Converts what the core does not know by itself; gives back anything that nobody knows."""
    if isinstance(value, ObjectGeneric):
        return value.asobject()
    if hasattr(value, "__relayopt_object__"):
        return value.__relayopt_object__()
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Number):
        number: Any = value
        return float(number)
    if isinstance(value, (bytes, bytearray)):
        return value.decode("latin-1")
    if is_python_only(value):
        return _core.box_value(value)
    if hasattr(value, "asobject"):
        return value.asobject()
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return provided("array")(value)
    if callable(value):
        return _core.make_packed_func(value)
    return value


_core.set_converter(_convert_other)
