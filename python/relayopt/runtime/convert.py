"""From Python values to objects."""

from __future__ import annotations

import collections.abc
import numbers

from .. import _core
from .._ffi import class_of, is_python_only, Object, ObjectGeneric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..tir.expr import PrimExpr


def convert(value: Any) -> Any:
    """The object that a Python value stands for.

    Numbers become IntImm and FloatImm, strings String, sequences Array, dicts Map, callables PackedFunc. Objects and None
    stay what they are.

    >>> relayopt.convert([1, "a", {"k": 2.5}])
    [1, "a", {"k": T.float32(2.5)}]
    >>> relayopt.convert(object())
    Traceback (most recent call last):
        ...
    ValueError: don't know how to convert type <class 'object'> to object
    """
    if value is None or isinstance(value, Object):
        return value
    if isinstance(value, str):
        from .container import String

        return value if isinstance(value, String) else String(value)
    if isinstance(value, (bool, numbers.Number)):
        return const(value)
    if isinstance(value, (list, tuple)):
        return _core.make_array([convert(item) for item in value])
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, (str, Object, numbers.Number)):
                raise ValueError("key of map must already been a container type")
        return _core.make_map({key: convert(item) for key, item in value.items()})
    if isinstance(value, ObjectGeneric):
        return value.asobject()
    if hasattr(value, "asobject"):
        return value.asobject()
    if is_python_only(value):
        return value
    if isinstance(value, collections.abc.Mapping):
        return convert(dict(value.items()))
    if isinstance(value, collections.abc.Sequence) and not isinstance(value, (bytes, bytearray)):
        return convert(list(value))
    if callable(value):
        return _core.make_packed_func(value)
    raise ValueError(f"don't know how to convert type {type(value)} to object")


convert_to_object = convert


def const(value: Any, dtype: Any = None) -> PrimExpr:
    """An IntImm or FloatImm; without `dtype` int32 (int64 where that is too narrow), float32 or bool."""
    if dtype is None:
        if isinstance(value, bool):
            dtype = "bool"
        elif isinstance(value, numbers.Integral):
            dtype = "int32" if -(2**31) <= int(value) < 2**31 else "int64"
        elif hasattr(value, "dtype"):
            dtype = str(value.dtype)
        else:
            dtype = "float32"
    if dtype.startswith("float") or dtype.startswith("bfloat") or "float" in dtype:
        real: PrimExpr = class_of("FloatImm")(dtype, float(value))
        return real
    whole: PrimExpr = class_of("IntImm")(dtype, int(value))
    return whole
