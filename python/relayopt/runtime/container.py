"""Arrays, maps, strings, shape tuples and algebraic data of the object system."""

from .. import _core
from .._ffi import Object, register_object


@register_object("Array")
class Array(Object):
    """An immutable sequence of objects."""

    def __init__(self, items=()):
        raise TypeError("an Array is made by relayopt.runtime.convert")

    def __len__(self):
        return _core.size(self)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return _core.items(self)[index]
        return _core.array_item(self, index)

    def __iter__(self):
        return iter(_core.items(self))

    def __contains__(self, item):
        for each in _core.items(self):
            if each is item:
                return True
            if not isinstance(each, Object) or type(each).__eq__ is not object.__eq__:
                if bool(each == item):
                    return True
        return False

    def index(self, item):
        return _core.items(self).index(item)

    def count(self, item):
        return _core.items(self).count(item)

    def __repr__(self):
        return "[" + ", ".join(_shown(item) for item in self) + "]"

    __str__ = __repr__

    def __reduce__(self):
        return (_array_of, (_core.items(self),))


def _array_of(items):
    return _core.make_array(items)


def _shown(item):
    return '"' + item + '"' if isinstance(item, str) else str(item)


class _MissingKey(KeyError, IndexError):
    def __str__(self):
        return str(self.args[0])


@register_object("Map")
class Map(Object):
    """An immutable map in the order of insertion."""

    _nothing = object()

    def __len__(self):
        return _core.size(self)

    def __getitem__(self, key):
        found = _core.map_get(self, key, Map._nothing)
        if found is Map._nothing:
            raise _MissingKey(f"key is not in Map: {key}")
        return found

    def __contains__(self, key):
        return _core.map_get(self, key, Map._nothing) is not Map._nothing

    def __iter__(self):
        return iter(self.keys())

    def items(self):
        return _core.items(self)

    def keys(self):
        return [key for key, _ in _core.items(self)]

    def values(self):
        return [value for _, value in _core.items(self)]

    def get(self, key, default=None):
        return _core.map_get(self, key, default)

    def __repr__(self):
        return "{" + ", ".join(f"{_shown(k)}: {_shown(v)}" for k, v in self.items()) + "}"

    __str__ = __repr__

    def __reduce__(self):
        return (_map_of, (dict(self.items()),))


def _map_of(items):
    return _core.make_map(items)


class String(str):
    """A string that stands for an object."""

    __slots__ = ()

    @property
    def type_key(self):
        return "runtime.String"


@register_object("runtime.ShapeTuple")
class ShapeTuple(Object):
    """A tuple of integers."""

    def __init__(self, shape):
        self._init(list(int(x) for x in shape))

    def _tuple(self):
        return tuple(int(x) for x in _core.items(self.values))

    def __len__(self):
        return len(self._tuple())

    def __getitem__(self, index):
        return self._tuple()[index]

    def __eq__(self, other):
        if self is other:
            return True
        try:
            return self._tuple() == tuple(other)
        except TypeError:
            return False

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self._tuple())

    def __repr__(self):
        return "ShapeTuple" + repr(self._tuple())


@register_object("runtime.ADT")
class ADT(Object):
    """A tagged row of objects; a tuple has the tag 0."""

    def __init__(self, tag, fields):
        for field in fields:
            if not isinstance(field, (Object, str)):
                raise TypeError(f"fields of an ADT are objects, not {type(field).__name__}")
        self._init(tag, list(fields))

    def __len__(self):
        return len(self.fields)

    def __getitem__(self, index):
        return self.fields[index]

    def __iter__(self):
        return iter(self.fields)


def tuple_object(fields=None):
    """An ADT with the tag 0."""
    return ADT(0, list(fields or []))
