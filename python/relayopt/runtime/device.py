"""Devices and data types. Only the CPU exists; the others have names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = [
    "Device", "cpu", "cuda", "device", "gpu", "opencl", "vulkan", "metal", "rocm", "hexagon", "ext_dev", "webgpu",
]

_TYPES = {
    "llvm": 1, "stackvm": 1, "cpu": 1, "c": 1, "test": 1, "hybrid": 1, "composite": 1,
    "cuda": 2, "nvptx": 2, "gpu": 2,
    "cl": 4, "opencl": 4, "sdaccel": 4, "aocl": 32, "aocl_sw_emu": 32,
    "vulkan": 7, "metal": 8, "vpi": 9, "rocm": 10, "ext_dev": 12, "hexagon": 16, "webgpu": 15,
}
_NAMES = {
    1: "cpu", 2: "cuda", 4: "opencl", 7: "vulkan", 8: "metal", 9: "vpi", 10: "rocm", 12: "ext_dev",
    15: "webgpu", 16: "hexagon", 32: "aocl",
}


class Device:
    """A device by its type and number; equal by value."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLExtDev = 12
    kDLWebGPU = 15
    kDLHexagon = 16
    MASK2STR = _NAMES
    STR2MASK = _TYPES

    __slots__ = ("device_type", "device_id")
    type_key = "Device"

    def __init__(self, device_type: int, device_id: int = 0) -> None:
        self.device_type = int(device_type)
        self.device_id = int(device_id)

    @property
    def exist(self) -> bool:
        """Whether programs can run there."""
        return self.device_type == 1

    @property
    def compute_version(self) -> None:
        return None

    @property
    def max_threads_per_block(self) -> None:
        return None

    def sync(self, stream: Any = None) -> None:
        """Waits for nothing: the CPU computes at once."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.device_type, self.device_id) == (other.device_type, other.device_id)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.device_type, self.device_id))

    def __repr__(self) -> str:
        return f"{_NAMES.get(self.device_type, self.device_type)}({self.device_id})"

    __str__ = __repr__


class DataType(str):
    """A data type; equal to its name."""

    @property
    def bits(self) -> Any:
        digits = "".join(c for c in self.split("x")[0] if c.isdigit())
        return int(digits) if digits else (1 if self == "bool" else 32)


def device(dev_type: Any, dev_id: Any = 0) -> Device:
    """The device of a name ("cpu", "cuda:1") or type number."""
    if isinstance(dev_type, str):
        name = (dev_type.split() or [""])[0]
        if ":" in name:
            name, number = name.split(":")
            dev_id = int(number)
        if name not in _TYPES:
            raise ValueError(f"Unknown device type {name}")
        dev_type = _TYPES[name]
    return Device(dev_type, dev_id)


def _maker(name: str) -> Callable[..., Device]:
    def make(dev_id: int = 0) -> Device:
        return Device(_TYPES[name], dev_id)

    make.__name__ = name
    make.__doc__ = f"The device {name} of this number."
    return make


cpu = _maker("cpu")
cuda = _maker("cuda")
gpu = _maker("gpu")
opencl = cl = _maker("opencl")
vulkan = _maker("vulkan")
metal = _maker("metal")
rocm = _maker("rocm")
ext_dev = _maker("ext_dev")
hexagon = _maker("hexagon")
webgpu = _maker("webgpu")
