"""Names for generated code."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def _some(name: str) -> str:
    from ...error import TVMError

    if not name:
        raise TVMError("Function name is empty")
    return name


def to_c_function_style(original_name: str) -> str:
    """
    >>> relay.backend.name_transforms.to_c_function_style("TVM_device_open")
    'TVMDeviceOpen'
    """
    rest = _some(original_name).removeprefix("TVM")
    return "TVM" + "".join(part[:1].upper() + part[1:].lower() for part in rest.split("_"))


def to_c_variable_style(original_name: str) -> str:
    """
    >>> relay.backend.name_transforms.to_c_variable_style("TVM_Device")
    'tvm_device'
    """
    return _some(original_name).lower()


def to_c_constant_style(original_name: str) -> str:
    """
    >>> relay.backend.name_transforms.to_c_constant_style("TVM_Device")
    'TVM_DEVICE'
    """
    return _some(original_name).upper()


def _prefixed(prefix: str, names: str | Iterable[str]) -> str:
    joined = _some(names if isinstance(names, str) else "_".join(names))
    return f"{prefix}_{joined}"


def prefix_name(names: str | Iterable[str]) -> str:
    """
    >>> relay.backend.name_transforms.prefix_name(["device", "open"])
    'TVM_device_open'
    """
    return _prefixed("TVM", names)


def prefix_generated_name(names: str | Iterable[str]) -> str:
    """
    >>> relay.backend.name_transforms.prefix_generated_name("model")
    'TVMGen_model'
    """
    return _prefixed("TVMGen", names)


def sanitise_name(original_name: str) -> str:
    """A name of letters, digits and underlines, one for all that is next to another.

    >>> relay.backend.name_transforms.sanitise_name("input:0")
    'input_0'
    """
    return re.sub("[^0-9A-Za-z]+", "_", _some(original_name))
