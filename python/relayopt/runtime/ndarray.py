"""Tensors."""

from __future__ import annotations

from .. import _core
from .._ffi import Object, provide, register_object
from .device import Device, cpu

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

__all__ = ["NDArray", "array", "empty", "from_dlpack", "from_numpy"]

# Data types that numpy shows as others.
_SHOWN_AS = {"bfloat16": "uint16", "e4m3_float8": "uint8", "e5m2_float8": "uint8", "int4": "int8",
             "uint4": "uint8", "int1": "int8", "uint1": "bool"}
# What ml_dtypes calls data types that have other names here.
_ML_DTYPES = {"float8_e4m3fn": "e4m3_float8", "float8_e5m2": "e5m2_float8"}


@register_object("runtime.NDArray")
class NDArray(Object):
    """A tensor on the CPU.

    Constants made of it share its elements and never see later writes: writing gives the NDArray elements of its own.

    >>> a = relayopt.nd.array(np.ones((2, 3), "float32"))
    >>> a.shape, a.dtype, a.device
    ((2, 3), 'float32', cpu(0))
    >>> a[:] = 2
    >>> float(a.numpy().sum())
    12.0
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents, a tuple of int."""
        return tuple(_core.tensor_shape(self))

    @property
    def dtype(self) -> str:
        """The name of the element type."""
        return _core.tensor_dtype(self)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        result = 1
        for extent in self.shape:
            result *= extent
        return result

    @property
    def device(self) -> Device:
        return cpu(0)

    ctx = device

    def numpy(self, copy: bool = True) -> np.ndarray[Any, Any]:
        """The elements as a numpy array: a copy, or with `copy=False` a view that cannot be written to."""
        import numpy as np

        dtype = self.dtype
        dtype = _SHOWN_AS.get(dtype, dtype)
        if self.size == 0:
            return np.empty(self.shape, dtype)
        view = np.frombuffer(_core.tensor_bytes(self), dtype="bool" if dtype == "bool" else dtype).reshape(self.shape)
        return view.copy() if copy else view

    def asnumpy(self) -> np.ndarray[Any, Any]:
        """As numpy(); deprecated there."""
        return self.numpy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        result = self.numpy()
        return result if dtype is None else result.astype(dtype)

    def copyfrom(self, source: Any) -> NDArray:
        """Takes over the elements of an array of the same shape.

        >>> relayopt.nd.empty((2,)).copyfrom(np.array([1, 2])).numpy()
        array([1., 2.], dtype=float32)
        >>> relayopt.nd.empty((2,)).copyfrom(np.array([1, 2, 3]))
        Traceback (most recent call last):
            ...
        ValueError: array shape do not match the shape of NDArray (3,) vs (2,)
        """
        import numpy as np

        if isinstance(source, NDArray):
            source = source.numpy()
        source = np.asarray(source)
        if source.shape != self.shape:
            raise ValueError(f"array shape do not match the shape of NDArray {source.shape} vs {self.shape}")
        shown = _SHOWN_AS.get(self.dtype, self.dtype)
        _core.tensor_assign(self, _make(source.astype(shown), self.dtype))
        return self

    def copyto(self, target: Any, mem_scope: Any = None) -> Any:
        """Copies to another NDArray, or to a new one on a device."""
        if isinstance(target, NDArray):
            if target.shape != self.shape or target.dtype != self.dtype:
                raise ValueError(f"a {self.dtype} array of shape {self.shape} cannot be copied to a {target.dtype} array of "
                                 f"shape {target.shape}")
            _core.tensor_assign(target, self)
            return target
        if isinstance(target, Device):
            _check_device(target)
            return array(self)
        raise ValueError(f"Unsupported target type {type(target)}")

    def __setitem__(self, index: Any, value: Any) -> None:
        if not (isinstance(index, slice) and index == slice(None)):
            raise ValueError("Array only support set from numpy array")
        if isinstance(value, (int, float, bool)):
            import numpy as np

            value = np.full(self.shape, value, dtype=_SHOWN_AS.get(self.dtype, self.dtype))
        self.copyfrom(value)

    def __dlpack__(self, stream: Any = None, **_: Any) -> Any:
        return _core.tensor_dlpack(self)

    def __dlpack_device__(self) -> Any:
        return (1, 0)

    def to_dlpack(self) -> Any:
        """A DLPack capsule."""
        return self.numpy().__dlpack__()

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<tvm.nd.NDArray shape={self.shape}, {self.device}>\n{self.numpy()!r}"

    def __str__(self) -> str:
        return str(self.numpy())

    def __reduce__(self) -> Any:
        return (_restore, (self.dtype, list(self.shape), bytes(_core.tensor_bytes(self))))


def _restore(dtype: Any, shape: Any, data: Any) -> Any:
    return _core.make_tensor(dtype, shape, data)


def _make(value: Any, dtype: Any = None) -> NDArray:
    import numpy as np

    dtype = dtype or str(value.dtype)
    # As bytes: the buffer protocol does not know all types. What is not row-major is copied once more.
    flat = np.ascontiguousarray(value).reshape(-1).view("uint8")
    return _core.make_tensor(_ML_DTYPES.get(dtype, dtype), list(value.shape), flat)


def _check_device(device: Device | None) -> None:
    if device is not None and isinstance(device, Device) and not device.exist:
        from ..error import TVMError

        raise TVMError(f"there is no device {device}")


def as_numpy(source: Any) -> np.ndarray[Any, Any]:
    """What numpy makes of a source; tensors of other libraries are read through DLPack, without a copy."""
    import numpy as np

    value = np.asarray(source)
    foreign = hasattr(source, "__dlpack__") and not isinstance(source, np.ndarray)
    return np.from_dlpack(source) if value.dtype == object and foreign else value


def array(source: Any, device: Any = None, mem_scope: Any = None) -> NDArray:
    """A tensor with a copy of what numpy makes of the source.

    >>> relayopt.nd.array([1, 2, 3]).dtype, relayopt.nd.array(np.float16(1)).shape
    ('int64', ())
    >>> relayopt.nd.array(["a", object()])
    Traceback (most recent call last):
        ...
    ValueError: an array of numbers is expected
    """
    import numpy as np

    _check_device(device)
    if isinstance(source, NDArray):
        return _core.make_tensor(source.dtype, list(source.shape), _core.tensor_bytes(source))
    value = as_numpy(source)
    if value.dtype == object:
        raise ValueError("an array of numbers is expected")
    dtype = str(value.dtype)
    if not value.dtype.isnative:
        value = value.astype(value.dtype.newbyteorder("="))
        dtype = str(value.dtype)
    return _make(value, dtype)


provide("array", array)


def from_numpy(source: Any) -> NDArray:
    """A tensor with a copy of the elements of a numpy array: tensors do not change, and the array may."""
    return array(source)


def empty(shape: Any, dtype: Any = "float32", device: Any = None, mem_scope: Any = None) -> NDArray:
    """A tensor of zeros.

    >>> int(relayopt.nd.empty((2, 3), "int8").numpy().sum())
    0
    """
    _check_device(device)
    if isinstance(shape, int):
        shape = (shape,)
    shape = [int(extent) for extent in shape]
    count = 1
    for extent in shape:
        count *= extent
    dtype = str(dtype)
    name = _SHOWN_AS.get(dtype, dtype)
    import numpy as np

    return _core.make_tensor(dtype, shape, bytes(count * np.dtype(name).itemsize))


def from_dlpack(source: Any) -> NDArray:
    """A tensor from a DLPack capsule or from whatever has `__dlpack__`.

    >>> relayopt.nd.from_dlpack(np.arange(3)).numpy()
    array([0, 1, 2])
    >>> np.from_dlpack(relayopt.nd.array([1.0, 2.0]))
    array([1., 2.])
    """
    import numpy as np

    class _Holder:
        def __init__(self, capsule: Any) -> None:
            self._capsule = capsule

        def __dlpack__(self, **_: Any) -> Any:
            return self._capsule

        def __dlpack_device__(self) -> Any:
            return (1, 0)

    return array(np.from_dlpack(source if hasattr(source, "__dlpack__") else _Holder(source)))
