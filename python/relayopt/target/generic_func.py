"""Functions that differ between targets."""


class GenericFunc:
    """A function with a default and other functions for keys of targets."""

    def __init__(self, default=None):
        self._default, self._by_key = default, {}

    def set_default(self, func, allow_override=False):
        if self._default is not None and not allow_override:
            raise ValueError("the default is set already")
        self._default = func

    def register(self, func, key_list, allow_override=False):
        for key in [key_list] if isinstance(key_list, str) else key_list:
            if key in self._by_key and not allow_override:
                raise ValueError(f"a function for {key} is registered already")
            self._by_key[key] = func

    def __call__(self, *args):
        from .target import Target

        target = Target.current()
        for key in target.keys if target is not None else []:
            if key in self._by_key:
                return self._by_key[key](*args)
        return self._default(*args)


_named = {}


def get_native_generic_func(name):
    """The function of a name, made when it is asked for first."""
    return _named.setdefault(name, GenericFunc())


def override_native_generic_func(func_name):
    """A decorator for the default; the result has `register(keys)`."""

    def decorate(default):
        generic = get_native_generic_func(func_name)
        generic.set_default(default, allow_override=True)

        def call(*args):
            return generic(*args)

        def register(key, func=None, override=True):
            def put(f):
                generic.register(f, key, override)
                return f

            return put(func) if func is not None else put

        call.register = register
        call.generic_func_node = generic
        return call

    return decorate


generic_func = override_native_generic_func
