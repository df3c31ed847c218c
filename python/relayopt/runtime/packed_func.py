"""Functions as objects, and the registry of global ones."""

from __future__ import annotations

import atexit
import threading

from .. import _core
from .._ffi import provide, register_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


@register_object("runtime.PackedFunc")
class PackedFunc(_core.CallableObject):
    """A function of the core, or a Python callable that the core can call."""

    def __init__(self, *_: Any) -> None:
        raise TypeError("a PackedFunc is made by relayopt.runtime.convert")

    def __call__(self, *args: Any) -> Any:
        result = _core.call_packed(self, *args)
        return _string(result) if type(result) is str else result

    @property
    def is_global(self) -> bool:
        return True


def _string(text: Any) -> Any:
    from .container import String

    return String(text)


@atexit.register
def _end() -> None:
    """Lets go of what others have registered, while there is an interpreter, and of threads that nobody waits for."""
    _core.forget_python_functions()
    _core.end_threads(threading.active_count() > 1)




def register_func(func_name: Any, f: Any = None, override: bool = False) -> Any:
    """Registers a function under a name; a decorator with or without one. Functions of C++ are found in the same registry.

    >>> @relayopt.register_func("my.twice")
    ... def twice(x):
    ...     return 2 * x
    >>> relayopt.get_global_func("my.twice")(21)
    42
    >>> relayopt.register_func("my.twice", lambda x: x)
    Traceback (most recent call last):
        ...
    relayopt.error.TVMError: Global PackedFunc my.twice is already registered
    >>> relayopt.remove_global_func("my.twice")
    """
    if callable(func_name):
        f = func_name
        func_name = f.__name__
    if not isinstance(func_name, str):
        raise ValueError("expect string function name")

    def register(function: Callable[..., Any]) -> Any:
        from ..error import TVMError

        packed: Any = function if isinstance(function, PackedFunc) else _core.make_packed_func(function)
        if not _core.register_global(str(func_name), packed, override):
            raise TVMError(f"Global PackedFunc {func_name} is already registered")
        return packed

    return register(f) if f is not None else register


def _builtin(name: str) -> Any:
    from .builtin import find

    return find(name)


def get_global_func(name: str, allow_missing: bool = False) -> Any:
    """The function of this name; ValueError, or None with `allow_missing`, when there is none.

    >>> relayopt.get_global_func("no.such", allow_missing=True) is None
    True
    >>> relayopt.get_global_func("no.such")
    Traceback (most recent call last):
        ...
    ValueError: Cannot find global function no.such
    """
    found = _core.get_global(name)
    if found is None:
        found = _builtin(name)
    if found is None and not allow_missing:
        raise ValueError(f"Cannot find global function {name}")
    return found


def list_global_func_names() -> list[str]:
    """The names of all functions: those that were registered, and the library's own."""
    from .builtin import names

    return sorted({*_core.list_globals(), *names()})


def _init_api(namespace: str, target_module_name: str | None = None) -> None:
    """Makes the functions of a prefix, with no further dot in their names, attributes of a module: of the one of the same
    name, by default."""
    import sys

    prefix = namespace[4:] if namespace.startswith("tvm.") else namespace
    module = sys.modules[target_module_name or namespace]
    for name in list_global_func_names():
        if name.startswith(prefix + ".") and "." not in name[len(prefix) + 1:]:
            setattr(module, name[len(prefix) + 1:], get_global_func(name))


provide("init_api", _init_api)


def remove_global_func(name: str) -> None:
    """Forgets a function that was registered."""
    _core.remove_global(name)
