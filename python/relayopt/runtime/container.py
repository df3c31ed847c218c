"""Arrays, maps, strings, shape tuples and algebraic data of the object system."""

from __future__ import annotations

import sys

from .. import _core
from .._ffi import Object, is_python_only, provide, register_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..ir.expr import RelayExpr
    from .ndarray import NDArray

    class _Sequence(Object, Sequence[Any]):
        """What arrays are besides objects, without being a subclass when they run."""

else:
    _Sequence = Object


@register_object("Array")
class Array(_Sequence):
    """An immutable sequence of objects."""

    def __init__(self, items: Sequence[Any] = ()) -> None:
        raise TypeError("an Array is made by relayopt.runtime.convert")

    def __len__(self) -> int:
        return _core.size(self)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return _core.items(self)[index]
        return _core.array_item(self, index)

    def __iter__(self) -> Iterator[Any]:
        return iter(_core.items(self))

    def __contains__(self, item: object) -> bool:
        for each in _core.items(self):
            if each is item:
                return True
            if not isinstance(each, Object) or type(each).__eq__ is not object.__eq__:
                if bool(each == item):
                    return True
        return False

    def index(self, value: Any, start: int = 0, stop: int = sys.maxsize) -> int:
        return _core.items(self).index(value, start, stop)

    def count(self, value: Any) -> int:
        return _core.items(self).count(value)

    def __repr__(self) -> str:
        return "[" + ", ".join(_shown(item) for item in self) + "]"

    __str__ = __repr__

    def __reduce__(self) -> Any:
        return (array_of, (_core.items(self),))


def array_of(items: Any) -> Array:
    """An Array of objects."""
    return _core.make_array(items)


def _shown(item: Any) -> str:
    if isinstance(item, str):
        return '"' + item + '"'
    # Expressions of several lines have a short form.
    text = str(item)
    return repr(item) if "\n" in text else text


class _MissingKey(KeyError, IndexError):
    def __str__(self) -> str:
        return str(self.args[0])


@register_object("Map")
class Map(Object):
    """An immutable map in the order of insertion."""

    _nothing = object()

    def __len__(self) -> int:
        return _core.size(self)

    def __getitem__(self, key: Any) -> Any:
        found = _core.map_get(self, key, Map._nothing)
        if found is Map._nothing:
            raise _MissingKey(f"key is not in Map: {key}")
        return found

    def __contains__(self, key: str) -> bool:
        return _core.map_get(self, key, Map._nothing) is not Map._nothing

    def __iter__(self) -> Any:
        return iter(self.keys())

    def items(self) -> list[tuple[Any, Any]]:
        return _core.items(self)

    def keys(self) -> list[Any]:
        return [key for key, _ in _core.items(self)]

    def values(self) -> list[RelayExpr]:
        return [value for _, value in _core.items(self)]

    def get(self, key: Any, default: Any = None) -> Any:
        return _core.map_get(self, key, default)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{_shown(k)}: {_shown(v)}" for k, v in self.items()) + "}"

    __str__ = __repr__

    def __reduce__(self) -> Any:
        return (_map_of, (dict(self.items()),))


def _map_of(items: Any) -> Any:
    return _core.make_map(items)


class String(str):
    """A string that stands for an object."""

    __slots__ = ()

    @property
    def type_key(self) -> str:
        return "runtime.String"


provide("string_object", String)


@register_object("runtime.ShapeTuple")
class ShapeTuple(Object):
    """A tuple of integers."""

    def __init__(self, shape: Any) -> None:
        self._init(list(int(x) for x in shape))

    def _tuple(self) -> Any:
        return tuple(int(x) for x in _core.items(self.values))

    def __len__(self) -> int:
        return len(self._tuple())

    def __getitem__(self, index: Any) -> Any:
        return self._tuple()[index]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        given: Any = other
        try:
            return bool(self._tuple() == tuple(given))
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._tuple())

    def __repr__(self) -> str:
        return "ShapeTuple" + repr(self._tuple())


@register_object("runtime.ADT")
class ADT(Object):
    """A tagged row of objects; a tuple has the tag 0."""

    tag: int

    fields: Sequence[Any]

    def __init__(self, tag: int, fields: Sequence[ADT | NDArray]) -> None:
        for field in fields:
            if not isinstance(field, (Object, str)) and not is_python_only(field):
                raise TypeError(f"fields of an ADT are objects, not {type(field).__name__}")
        self._init(tag, list(fields))

    def __len__(self) -> int:
        return len(self.fields)

    def __getitem__(self, index: int) -> Any:
        return self.fields[index]

    def __iter__(self) -> Any:
        return iter(self.fields)

    def __repr__(self) -> str:
        return shown(self)


def shown(value: Any, depth: int = 4) -> str:
    """A value of a program as text; what is deeper than `depth` is left out."""
    fields = getattr(value, "fields", None)
    if fields is None:
        return repr(value.numpy()) if hasattr(value, "numpy") else repr(value)
    constructor = getattr(value, "constructor", None)
    name = constructor.name_hint if constructor is not None else f"ADT {value.tag}" if value.tag else ""
    inside = ", ".join(shown(field, depth - 1) for field in fields) if depth else "..."
    return f"{name}({inside})" if len(fields) or not constructor else name


def tuple_object(fields: Any = None) -> Any:
    """An ADT with the tag 0."""
    return ADT(0, list(fields or []))
