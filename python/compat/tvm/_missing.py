"""Parts of TVM that relayopt does not have: importable, and an error when used."""


def missing(module, reason):
    """A module-level `__getattr__` whose names raise when they are called."""

    def get(name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(f"{module}.{name}", reason)

    return get


class _Missing:
    def __init__(self, name, reason):
        self._name, self._reason = name, reason

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(f"{self._name}: {self._reason}")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(f"{self._name}.{name}", self._reason)

    def __enter__(self):
        raise NotImplementedError(f"{self._name}: {self._reason}")

    def __exit__(self, *_):
        return False

    def __mro_entries__(self, bases):
        return (object,)
