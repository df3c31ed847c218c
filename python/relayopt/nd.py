"""Tensors, as in the reference's `tvm.nd`."""

from .runtime.device import Device, cpu, cuda, device, gpu, opencl, vulkan, metal, rocm, hexagon, ext_dev
from .runtime.ndarray import NDArray, array, empty, from_dlpack, from_numpy
