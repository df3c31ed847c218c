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

_by_key: dict[str, Any] = {}


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
        before = _by_key.get(key)
        # A class that is defined once more, as in a notebook, takes its own place.
        if before is not None and not issubclass(cls, before) and (cls.__module__, cls.__qualname__) != (
                before.__module__, before.__qualname__):
            raise ValueError(f"{key} has the class {before.__qualname__} already, of which {cls.__qualname__} is not a subclass")
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


def _init_api(namespace: str, target_module_name: str | None = None) -> None:
    """Makes the global functions of a prefix attributes of a module."""
    provided("init_api")(namespace, target_module_name)


class _Handle:
    """Which object a Python object stands for: `value` is its identity, None after `_move()`."""

    def __init__(self, value: int | None) -> None:
        self.value = value


class ObjectRValueRef:
    """An object that is given to one call and not used afterwards: what `_move()` gives."""

    def __init__(self, obj: Any) -> None:
        self.obj = obj

    def __relayopt_object__(self) -> Any:
        return self.obj


def _handle(self: Any) -> _Handle:
    """A new handle at each access, as in TVM."""
    return _Handle(None if self.__dict__.get("_is_moved") else hash(self))


def _move(self: Any) -> ObjectRValueRef:
    """Gives the object to the call that gets the result as an argument; its `handle.value` is None from then on."""
    if self.__dict__.get("_is_moved"):
        raise TypeError("the object has been moved already")
    self.__dict__["_is_moved"] = True
    return ObjectRValueRef(self)


setattr(Object, "handle", property(_handle))
setattr(Object, "_move", _move)


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
