"""Devices and data types. Only the CPU exists; the others have names."""

_TYPES = {
    "llvm": 1, "stackvm": 1, "cpu": 1, "c": 1, "test": 1, "hybrid": 1, "composite": 1,
    "cuda": 2, "nvptx": 2, "gpu": 2,
    "cl": 4, "opencl": 4, "sdaccel": 4, "aocl": 5, "aocl_sw_emu": 5,
    "vulkan": 7, "metal": 8, "vpi": 9, "rocm": 10, "ext_dev": 12, "hexagon": 16, "webgpu": 15,
}
_NAMES = {
    1: "cpu", 2: "cuda", 4: "opencl", 5: "aocl", 7: "vulkan", 8: "metal", 9: "vpi", 10: "rocm", 12: "ext_dev",
    15: "webgpu", 16: "hexagon",
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

    def __init__(self, device_type, device_id=0):
        self.device_type = int(device_type)
        self.device_id = int(device_id)

    @property
    def exist(self):
        """Whether programs can run there."""
        return self.device_type == 1

    @property
    def compute_version(self):
        return None

    @property
    def max_threads_per_block(self):
        return None

    def sync(self, stream=None):
        """Waits for nothing: the CPU computes at once."""

    def __eq__(self, other):
        return isinstance(other, Device) and (self.device_type, self.device_id) == (other.device_type, other.device_id)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((self.device_type, self.device_id))

    def __repr__(self):
        return f"{_NAMES.get(self.device_type, self.device_type)}({self.device_id})"

    __str__ = __repr__


class DataType(str):
    """A data type; equal to its name."""

    @property
    def bits(self):
        digits = "".join(c for c in self.split("x")[0] if c.isdigit())
        return int(digits) if digits else (1 if self == "bool" else 32)


def device(dev_type, dev_id=0):
    """The device of a name ("cpu", "cuda:1") or type number."""
    if isinstance(dev_type, str):
        name = dev_type.split()[0]
        if ":" in name:
            name, number = name.split(":")
            dev_id = int(number)
        if name not in _TYPES:
            raise ValueError(f"Unknown device type {name}")
        dev_type = _TYPES[name]
    return Device(dev_type, dev_id)


def _maker(name):
    def make(dev_id=0):
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
