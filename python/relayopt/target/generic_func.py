"""Functions that differ between targets."""

from __future__ import annotations

import functools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class GenericFunc:
    """A function with a default and other functions for keys of targets."""

    def __init__(self, default: Any = None) -> None:
        self._default = default
        self._by_key: dict[Any, Any] = {}

    def set_default(self, func: Any, allow_override: bool = False) -> None:
        if self._default is not None and not allow_override:
            raise ValueError("the default is set already")
        self._default = func

    def register(self, func: Any, key_list: Any, allow_override: bool = False) -> None:
        for key in [key_list] if isinstance(key_list, str) else key_list:
            if key in self._by_key and not allow_override:
                raise ValueError(f"a function for {key} is registered already")
            self._by_key[key] = func

    def get_packed_func(self) -> Any:
        """The function for the current target: that of the first of its keys that has one, or else the default."""
        from .target import Target

        target = Target.current()
        for key in target.keys if target is not None else []:
            if key in self._by_key:
                return self._by_key[key]
        return self._default

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.get_packed_func()(*args, **kwargs)


_named: dict[Any, Any] = {}


def get_native_generic_func(name: Any) -> Any:
    """The function of a name, made when it is asked for first."""
    return _named.setdefault(name, GenericFunc())


def _dispatching(generic: GenericFunc, default: Any) -> Any:
    """The default as a function that calls what the target has; it has `register(keys)` and `get_packed_func()`."""

    @functools.wraps(default)
    def run(*args: Any, **kwargs: Any) -> Any:
        return generic(*args, **kwargs)

    def register(key: Any, func: Any = None, override: bool = False, allow_override: bool = False) -> Any:
        def put(f: Any) -> Any:
            generic.register(f, key, override or allow_override)
            return f

        return put(func) if func is not None else put

    call: Any = run
    call.register, call.get_packed_func, call.generic_func_node = register, generic.get_packed_func, generic
    return call


def override_native_generic_func(func_name: Any) -> Any:
    """A decorator for the default of the function of this name."""

    def decorate(default: Any) -> Any:
        generic = get_native_generic_func(func_name)
        generic.set_default(default, allow_override=True)
        return _dispatching(generic, default)

    return decorate


def generic_func(fdefault: Any) -> Any:
    """A decorator of a default function: others are registered for keys of targets.

    >>> @relayopt.target.generic_func
    ... def lanes(bits):
    ...     return 128 // bits
    >>> @lanes.register(["cuda", "gpu"])
    ... def lanes_of_a_gpu(bits):
    ...     return 32
    >>> with relayopt.target.Target("cuda"):
    ...     lanes(8)
    32
    >>> lanes(8)
    16
    """
    return _dispatching(GenericFunc(fdefault), fdefault)
