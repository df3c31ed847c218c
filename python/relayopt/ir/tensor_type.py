"""Tensor types."""

from __future__ import annotations

from .._ffi import register_object
from ..error import FieldError
from ..runtime.container import Array
from .type import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# Names without a width, and the width without the name.
_PLAIN = {"float": "float32", "int": "int32", "uint": "uint32", "uint1": "bool"}


@register_object("relay.TensorType")
class TensorType(Type):
    """A tensor of a shape and an element type."""

    __slots__ = ()
    shape: Sequence[Any]
    dtype: str

    def __init__(self, shape: Any, dtype: Any = "float32") -> None:
        dtype = str(dtype)
        if not hasattr(shape, "__iter__") or isinstance(shape, (str, bytes)):
            hint = f": ({shape},)" if isinstance(shape, int) else ""
            raise FieldError(f"the shape of a tensor is a sequence of extents, not {shape!r}{hint}")
        shape = shape if isinstance(shape, (list, tuple, Array)) else list(shape)
        if any(extent is None for extent in shape):
            raise FieldError("an extent is a number or an expression, not None: relay.Any() is one that is not known")
        self._init(shape, _PLAIN.get(dtype, dtype))

    @property
    def concrete_shape(self) -> tuple[int, ...]:
        """The extents as a tuple of int; an error when one is not known."""
        return tuple(int(extent) for extent in self.shape)
