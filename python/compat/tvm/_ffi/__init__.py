"""The border to C++, by its old names."""

from . import base, runtime_ctypes
from relayopt._ffi import _init_api, register_object
from relayopt.runtime import get_global_func, register_func


def register_error(*args, **kwargs):
    from relayopt.error import register_error as register

    return register(*args, **kwargs)
