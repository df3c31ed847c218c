"""The executor that a module is built for, and its options."""

_OPTIONS = {
    "graph": {"link-params": bool},
    "aot": {"link-params": bool, "unpacked-api": bool, "interface-api": str, "workspace-byte-alignment": int,
            "constant-byte-alignment": int},
}


class _Options:
    """A name from a list, and options."""

    flag = "executor"
    known = _OPTIONS

    def __init__(self, name, options=None):
        self.name = name
        options = dict(options or {})
        from ...error import TVMError

        if name not in self.known:
            raise TVMError(f'{type(self).__name__} "{name}" is not defined')
        for key, value in options.items():
            if key not in self.known[name]:
                raise TVMError(f'Attribute "{key}" is not available on this {type(self).__name__}')
            wanted = self.known[name][key]
            if not isinstance(value, wanted) and not (wanted is bool and value in (0, 1)):
                raise TVMError(f'Attribute "{key}" should have type {wanted.__name__}')
        self.options = options

    def asobject(self):
        """What modules keep as an attribute: the name, and the options."""
        from ...ir.attrs import DictAttrs

        return DictAttrs({"name": self.name, **self.options})

    def __contains__(self, name):
        return name in self.options

    def __getitem__(self, name):
        return self.options[name]

    def __eq__(self, other):
        return str(other) == str(self) and dict(other.options) == dict(self.options)

    def __hash__(self):
        return hash((self.name, tuple(sorted(self.options.items()))))

    def __str__(self):
        return self.name

    @classmethod
    def list_registered(cls):
        return sorted(cls.known)

    @classmethod
    def list_registered_options(cls, name):
        from ...error import TVMError

        if name not in cls.known:
            raise TVMError(f'{cls.__name__} "{name}" is not defined')
        return {key: {bool: "IntImm", int: "IntImm", str: "runtime.String"}[kind] for key, kind in cls.known[name].items()}


class Executor(_Options):
    """graph or aot."""
