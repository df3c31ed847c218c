"""Objects, containers, tensors, devices, functions."""

from __future__ import annotations

from .._ffi import Object as Object, ObjectGeneric as ObjectGeneric, register_object as register_object
from .container import (
    ADT as ADT,
    Array as Array,
    Map as Map,
    ShapeTuple as ShapeTuple,
    String as String,
    tuple_object as tuple_object,
)
from .convert import convert as convert, convert_to_object as convert_to_object, const as const
from .device import *
from .device import DataType as DataType
from .module import Module as Module, enabled as enabled, load_module as load_module, system_lib as system_lib
from .ndarray import *
from .packed_func import (
    PackedFunc as PackedFunc,
    get_global_func as get_global_func,
    list_global_func_names as list_global_func_names,
    register_func as register_func,
    remove_global_func as remove_global_func,
)
from .params import (
    load_param_dict as load_param_dict,
    load_param_dict_from_file as load_param_dict_from_file,
    save_param_dict as save_param_dict,
    save_param_dict_to_file as save_param_dict_to_file,
)
from .benchmark import BenchmarkResult as BenchmarkResult
from . import container as container, ndarray as ndarray, object_path as object_path, vm as vm
from .object_path import ObjectPath as ObjectPath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> Any:
    # Dataclasses import much.
    if name == "profiling":
        import importlib

        return importlib.import_module(".profiling", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
