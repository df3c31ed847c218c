"""Functions that differ between targets."""

from __future__ import annotations

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

    def __call__(self, *args: Any) -> Any:
        from .target import Target

        target = Target.current()
        for key in target.keys if target is not None else []:
            if key in self._by_key:
                return self._by_key[key](*args)
        return self._default(*args)


_named: dict[Any, Any] = {}


def get_native_generic_func(name: Any) -> Any:
    """The function of a name, made when it is asked for first."""
    return _named.setdefault(name, GenericFunc())


def override_native_generic_func(func_name: Any) -> Any:
    """A decorator for the default; the result has `register(keys)`."""

    def decorate(default: Any) -> Any:
        generic = get_native_generic_func(func_name)
        generic.set_default(default, allow_override=True)

        def run(*args: Any) -> Any:
            return generic(*args)

        def register(key: Any, func: Any = None, override: bool = True) -> Any:
            def put(f: Any) -> Any:
                generic.register(f, key, override)
                return f

            return put(func) if func is not None else put

        call: Any = run
        call.register = register
        call.generic_func_node = generic
        return call

    return decorate


generic_func = override_native_generic_func
