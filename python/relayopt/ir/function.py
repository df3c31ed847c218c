"""What functions of every kind have in common."""

from enum import IntEnum

from .. import _core
from .._ffi import register_object
from .attrs import DictAttrs
from .expr import RelayExpr


class CallingConv(IntEnum):
    """How a function is called."""

    DEFAULT = 0
    C_PACKED_FUNC = 1
    DEVICE_KERNEL_LAUNCH = 2


@register_object("BaseFunc")
class BaseFunc(RelayExpr):
    """A function with attributes."""

    __slots__ = ()

    def _attr_dict(self):
        attrs = self.attrs
        return {} if attrs is None else dict(attrs.items())

    def with_attr(self, attr_key_or_dict, attr_value=None):
        """The same function with one attribute more, or with those of a dict."""
        new = attr_key_or_dict if isinstance(attr_key_or_dict, dict) else {attr_key_or_dict: attr_value}
        values = self._attr_dict()
        for key, value in new.items():
            values[key] = value
        return self._with_attrs(DictAttrs(values))

    def with_attrs(self, attr_map):
        return self.with_attr(dict(attr_map.items()))

    def without_attr(self, attr_key):
        """The same function without an attribute."""
        values = self._attr_dict()
        values.pop(attr_key, None)
        return self._with_attrs(DictAttrs(values) if values else None)
