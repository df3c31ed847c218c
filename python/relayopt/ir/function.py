"""What functions of every kind have in common."""

from __future__ import annotations

from enum import IntEnum

from .._ffi import register_object
from .attrs import DictAttrs
from .expr import RelayExpr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..relay.function import Function


class CallingConv(IntEnum):
    """How a function is called."""

    DEFAULT = 0
    C_PACKED_FUNC = 1
    DEVICE_KERNEL_LAUNCH = 2


@register_object("BaseFunc")
class BaseFunc(RelayExpr):
    """A function with attributes."""

    __slots__ = ()
    attrs: Any

    def _attr_dict(self) -> dict[str, Any]:
        attrs = self.attrs
        return {} if attrs is None else dict(attrs.items())

    def with_attr(self, attr_key_or_dict: Any, attr_value: Any = None) -> Function:
        """The same function with one attribute more, or with those of a dict."""
        new = attr_key_or_dict if isinstance(attr_key_or_dict, dict) else {attr_key_or_dict: attr_value}
        values = self._attr_dict()
        for key, value in new.items():
            values[key] = value
        result: Function = self._with_attrs(DictAttrs(values))
        return result

    def with_attrs(self, attr_map: Any) -> Any:
        return self.with_attr(dict(attr_map.items()))

    def without_attr(self, attr_key: Any) -> Any:
        """The same function without an attribute."""
        values = self._attr_dict()
        values.pop(attr_key, None)
        return self._with_attrs(DictAttrs(values) if values else None)
