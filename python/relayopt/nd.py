"""Tensors, as in the reference's `tvm.nd`."""

from .runtime.device import (
    Device as Device,
    cpu as cpu,
    cuda as cuda,
    device as device,
    gpu as gpu,
    opencl as opencl,
    vulkan as vulkan,
    metal as metal,
    rocm as rocm,
    hexagon as hexagon,
    ext_dev as ext_dev,
)
from .runtime.ndarray import (
    NDArray as NDArray,
    array as array,
    empty as empty,
    from_dlpack as from_dlpack,
    from_numpy as from_numpy,
)
