"""Files of parameters."""

from __future__ import annotations

from .ndarray import NDArray, array
from .. import _core
from .._arguments import as_dict, as_path, expect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def save_param_dict(params: Mapping[str, Any]) -> bytearray:
    """A dict from names to arrays as bytes, in TVM's format.

    >>> data = relay.save_param_dict({"w": np.ones((2, 3), "float32")})
    >>> relay.load_param_dict(data)["w"].shape
    (2, 3)
    """
    return bytearray(_core.write_params([(str(name), value if isinstance(value, NDArray) else array(value))
                                         for name, value in as_dict("params", params).items()]))


def load_param_dict(param_bytes: Any) -> dict[str, NDArray]:
    """The inverse of save_param_dict.

    >>> relay.load_param_dict(bytes(24))
    Traceback (most recent call last):
        ...
    relayopt.error.TensorFileError: this is not a parameter file
    """
    expect("param_bytes", param_bytes, (str, bytes, bytearray, memoryview), "bytes")
    data = param_bytes.encode("latin-1") if isinstance(param_bytes, str) else bytes(param_bytes)
    return dict(_core.read_params(data))


def save_param_dict_to_file(params: Mapping[str, Any], path: Any) -> None:
    """Writes save_param_dict to a file."""
    with open(as_path("path", path), "wb") as file:
        file.write(save_param_dict(params))


def load_param_dict_from_file(path: Any) -> dict[str, NDArray]:
    """Reads what save_param_dict_to_file wrote."""
    with open(as_path("path", path), "rb") as file:
        return load_param_dict(file.read())


def load_params(path: Any) -> dict[str, NDArray]:
    """The arrays of a file: `.npz` of numpy, `.safetensors`, or what save_param_dict writes; its content says which."""
    with open(as_path("path", path), "rb") as file:
        return dict(_core.read_tensors(file.read()))
