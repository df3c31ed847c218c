"""Files of parameters."""

from __future__ import annotations

import struct

from .ndarray import NDArray, array
from .. import _core
from .._arguments import as_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_LIST_MAGIC = 0xF7E58D4F05049CB7
_TENSOR_MAGIC = 0xDD5E40F096B4A13F
_CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "e4m3_float": 6, "e5m2_float": 7}


def _type_code(dtype: Any) -> tuple[int, int]:
    if dtype == "bool":
        return 1, 1
    name = dtype.rstrip("0123456789")
    return _CODES[name], int(dtype[len(name) :])


def _type_name(code: int, bits: int) -> str:
    if (code, bits) == (1, 1):
        return "bool"
    for name, number in _CODES.items():
        if number == code:
            return name + str(bits)
    raise ValueError(f"a parameter file has no data type {code}")


def tensor_record(tensor: NDArray) -> bytes:
    """One tensor as the file format holds it."""
    code, bits = _type_code(tensor.dtype)
    data = bytes(_core.tensor_bytes(tensor))
    shape = tensor.shape
    head = struct.pack("<QQiiiBBH", _TENSOR_MAGIC, 0, 1, 0, len(shape), code, bits, 1)
    return head + struct.pack(f"<{len(shape)}qq", *shape, len(data)) + data


def read_tensor(data: bytes, at: Any) -> tuple[NDArray, int]:
    """The tensor that starts at a position, and where it ends."""
    magic, _, _, _, ndim, code, bits, _ = struct.unpack_from("<QQiiiBBH", data, at)
    if magic != _TENSOR_MAGIC:
        raise ValueError("no tensor record: wrong magic number")
    at += struct.calcsize("<QQiiiBBH")
    shape = struct.unpack_from(f"<{ndim}q", data, at)
    at += 8 * ndim
    (size,) = struct.unpack_from("<q", data, at)
    at += 8
    return _core.make_tensor(_type_name(code, bits), list(shape), bytes(data[at : at + size])), at + size


def save_param_dict(params: Mapping[str, Any]) -> bytearray:
    """A dict from names to arrays as bytes, in TVM's format.

    >>> data = relay.save_param_dict({"w": np.ones((2, 3), "float32")})
    >>> relay.load_param_dict(data)["w"].shape
    (2, 3)
    """
    out = bytearray(struct.pack("<QQQ", _LIST_MAGIC, 0, len(params)))
    for name in params:
        encoded = name.encode()
        out += struct.pack("<Q", len(encoded)) + encoded
    out += struct.pack("<Q", len(params))
    for value in params.values():
        out += tensor_record(value if isinstance(value, NDArray) else array(value))
    return out


def load_param_dict(param_bytes: Any) -> dict[str, NDArray]:
    """The inverse of save_param_dict.

    >>> relay.load_param_dict(bytes(24))
    Traceback (most recent call last):
        ...
    ValueError: no parameter file: wrong magic number
    """
    data = param_bytes.encode("latin-1") if isinstance(param_bytes, str) else bytes(param_bytes)
    try:
        return _read_params(data)
    except struct.error as error:
        raise ValueError("a parameter file ends too early") from error


def _read_params(data: bytes) -> dict[str, NDArray]:
    magic, _, count = struct.unpack_from("<QQQ", data, 0)
    if magic != _LIST_MAGIC:
        raise ValueError("no parameter file: wrong magic number")
    at = 24
    names = []
    for _ in range(count):
        (size,) = struct.unpack_from("<Q", data, at)
        names.append(data[at + 8 : at + 8 + size].decode())
        at += 8 + size
    at += 8
    result = {}
    for name in names:
        result[name], at = read_tensor(data, at)
    return result


def save_param_dict_to_file(params: Mapping[str, Any], path: Any) -> None:
    """Writes save_param_dict to a file."""
    with open(as_path("path", path), "wb") as file:
        file.write(save_param_dict(params))


def load_param_dict_from_file(path: Any) -> dict[str, NDArray]:
    """Reads what save_param_dict_to_file wrote."""
    with open(as_path("path", path), "rb") as file:
        return load_param_dict(file.read())


def load_params(path: Any) -> dict[str, NDArray]:
    """The arrays of a file: `.npz` of numpy, else as save_param_dict writes them."""
    path = as_path("path", path)
    if path.endswith(".npz"):
        import numpy as np

        with np.load(path) as arrays:
            return {name: array(arrays[name]) for name in arrays.files}
    return load_param_dict_from_file(path)
