"""Objects, containers, tensors, devices, functions."""

from .._ffi import Object, ObjectGeneric, register_object
from .container import ADT, Array, Map, ShapeTuple, String, tuple_object
from .convert import convert, convert_to_object, const
from .device import DataType, Device, cpu, cuda, device, gpu, opencl, vulkan, metal, rocm, hexagon, ext_dev, webgpu
from .module import Module, enabled, load_module, system_lib
from .ndarray import NDArray, array, empty, from_dlpack, from_numpy
from .packed_func import (
    PackedFunc,
    get_global_func,
    list_global_func_names,
    register_func,
    remove_global_func,
)
from .params import (
    load_param_dict,
    load_param_dict_from_file,
    save_param_dict,
    save_param_dict_to_file,
)
from .profiling import BenchmarkResult
from . import container, ndarray, object_path, profiling, vm
from .object_path import ObjectPath
