"""Attributes of calls and functions."""

from __future__ import annotations

from .. import _core
from .._ffi import Object, register_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


@register_object("Attrs")
class Attrs(Object):
    """A record of attributes: fields by name, as attributes and by `attrs["name"]`."""

    __slots__ = ()

    def _fields(self) -> list[tuple[str, Any]]:
        pairs: list[tuple[str, Any]] = _core.fields(self)
        return pairs

    def keys(self) -> list[str]:
        return [name for name, _ in self._fields()]

    def items(self) -> list[tuple[str, Any]]:
        return self._fields()

    def values(self) -> Any:
        return [value for _, value in self._fields()]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            for key, value in _core.fields(self):
                if key == name:
                    return value
        raise AttributeError(f"{type(self)} has no attribute {name}")

    def __getitem__(self, item: str) -> Any:
        for key, value in self._fields():
            if key == item:
                return value
        raise KeyError(item)

    def __contains__(self, item: str) -> bool:
        return item in self.keys()

    def __len__(self) -> int:
        return len(self._fields())

    def get_int_tuple(self, key: Any) -> Any:
        return tuple(x if isinstance(x, int) else x.value for x in self[key])

    def get_int(self, key: Any) -> Any:
        return int(self[key])

    def get_str(self, key: Any) -> Any:
        return self[key]

    def list_field_info(self) -> Any:
        """What the class says of its fields."""
        return [AttrFieldInfo(name, kind, doc) for name, kind, _, doc in _core.attrs_table().get(self.type_key, [])]

    def __dir__(self) -> Any:
        return sorted(set(list(object.__dir__(self)) + self.keys()))

    def __repr__(self) -> str:
        return f"{self.type_key}({', '.join(f'{k}={v}' for k, v in self._fields())})"


class AttrFieldInfo:
    """The description of one field."""

    def __init__(self, name: Any, type_info: Any, description: Any) -> None:
        self.name, self.type_info, self.description = name, type_info, description


@register_object("DictAttrs")
class DictAttrs(Attrs):
    """Attributes of a function, any names."""

    __slots__ = ()

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        from ..runtime.convert import convert

        self._init(convert(dict(values or {})))

    def _dict(self) -> Any:
        found = dict(_core.fields(self))["__dict__"]
        return found if found is not None else {}

    def _fields(self) -> list[tuple[str, Any]]:
        return list(self._dict().items())

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and name in self._dict():
            return self._dict()[name]
        raise AttributeError(f"DictAttrs has no attribute {name}")

    def __getitem__(self, key: str) -> Any:
        return self._dict()[key]

    def __contains__(self, key: str) -> bool:
        return key in self._dict()

    def get(self, key: str, default: str | None = None) -> str | None:
        return self._dict()[key] if key in self._dict() else default

    def __len__(self) -> int:
        return len(self._dict())

    def __repr__(self) -> str:
        return "{" + ", ".join(f'"{k}": {v}' for k, v in self._fields()) + "}"


def make_node(type_key: str, **kwargs: Any) -> Any:
    """An object of a type from its fields; attribute classes fill in their defaults."""
    if type_key == "DictAttrs":
        return DictAttrs(kwargs)
    if type_key in _ATTRS_DEFAULTS:
        return _with_defaults(type_key, kwargs)
    defaults = _core.default_attrs(type_key)
    if defaults is not None:
        values = dict(_core.fields(defaults))
        for key, value in kwargs.items():
            if key not in values:
                raise AttributeError(f"{type_key}: has no field {key}")
            values[key] = value
        return _core.new_node(type_key, values)
    from .._ffi import class_of

    names = _core.field_names(type_key)
    if names is None:
        raise ValueError(f"Cannot find type {type_key}. Did you forget to register the node by TVM_REGISTER_NODE_TYPE ?")
    for key in kwargs:
        if key not in names:
            raise AttributeError(f"{type_key} has no field {key}")
    made = class_of(type_key)
    if made is not None and hasattr(made, "_from_fields"):
        return made._from_fields(**kwargs)
    return _core.new_node(type_key, kwargs)


# Attribute classes that are declared in Python: defaults by key; no entry is a required field.
_ATTRS_DEFAULTS = {}


def declare_attrs(type_key: str, fields: Mapping[str, tuple[Any, ...]], doc: str = "") -> Callable[..., Any]:
    """Declares an attribute class: `fields` maps each field to (default or `...`, description[, least, greatest])."""
    cls = type(type_key.rsplit(".", 1)[-1], (Attrs,), {"__slots__": (), "__doc__": doc})
    kinds = {bool: "bool", int: "int", float: "float", str: "str"}
    declared = [(name, kinds.get(type(default), "any"), None if default is ... else default)
                for name, (default, *_) in fields.items()]
    register_object(type_key, declared)(cls)
    _ATTRS_DEFAULTS[type_key] = fields
    return cls


def _with_defaults(type_key: str, given: Mapping[str, Any]) -> Any:
    fields = _ATTRS_DEFAULTS[type_key]
    for key in given:
        if key not in fields:
            raise AttributeError(f"{type_key}: does not have field {key!r}, Possible fields:\n" + "\n".join(fields))
    values = {}
    for key, (default, _, *bounds) in fields.items():
        if key in given:
            if bounds and not bounds[0] <= given[key] <= bounds[1]:
                raise AttributeError(f"{type_key}.{key}: value {given[key]} is not in [{bounds[0]}, {bounds[1]}]")
            values[key] = given[key]
        elif default is ...:
            raise TypeError(f"{type_key}.__init__: missing required field {key}")
        else:
            values[key] = default
    return _core.new_node(type_key, values)


TestAttrs = declare_attrs(
    "attrs.TestAttrs",
    {
        "axis": (10, "an axis", 1, 10),
        "name": ("", "a name"),
        "padding": ((0, 0), "paddings"),
        "func": (None, "a function"),
    },
    "Attributes for tests.",
)
setattr(TestAttrs, "__test__", False)
