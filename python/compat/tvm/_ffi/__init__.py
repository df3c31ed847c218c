"""The border to C++, by its old names."""

from . import base
from relayopt._ffi import register_object
from relayopt.runtime import get_global_func, register_func


def register_error(*args, **kwargs):
    from relayopt.error import register_error as register

    return register(*args, **kwargs)


def _init_api(namespace, target_module_name=None):
    """Puts the functions of a prefix into a module."""
    import sys

    from relayopt.runtime.packed_func import _functions

    prefix = namespace[4:] if namespace.startswith("tvm.") else namespace
    module = sys.modules[target_module_name or namespace]
    for name, function in _functions.items():
        if name.startswith(prefix + ".") and "." not in name[len(prefix) + 1 :]:
            setattr(module, name[len(prefix) + 1 :], function)
