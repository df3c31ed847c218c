"""The executor that a module is built for, and its options."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.attrs import DictAttrs

_OPTIONS: dict[str, dict[str, type]] = {
    "graph": {"link-params": bool},
    "aot": {"link-params": bool, "unpacked-api": bool, "interface-api": str, "workspace-byte-alignment": int,
            "constant-byte-alignment": int},
}
_NAMES = {bool: "IntImm", int: "IntImm", str: "runtime.String"}


class _Options:
    """A name from a list, and options."""

    flag = "executor"
    known: dict[str, dict[str, type]] = _OPTIONS
    # What options are that are not given, by name; others are not there.
    defaults: dict[str, dict[str, Any]] = {"graph": {"link-params": False}, "aot": {"link-params": True}}

    def __init__(self, name: Any, options: Any = None) -> None:
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
                found = _NAMES.get(type(value), type(value).__name__)
                raise TVMError(f'Attribute "{key}" should have type "{_NAMES[wanted]}" but instead found "{found}"')
        self.options = {**self.defaults.get(name, {}), **options}

    def asobject(self) -> DictAttrs:
        """What modules keep as an attribute: the name, and the options."""
        from ...ir.attrs import DictAttrs

        return DictAttrs({"name": self.name, **self.options})

    def __contains__(self, name: Any) -> bool:
        return name in self.options

    def __getitem__(self, name: Any) -> Any:
        return self.options[name]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Executor) and str(other) == str(self) and dict(other.options) == dict(self.options)

    def __hash__(self) -> int:
        return hash((self.name, tuple(sorted(self.options.items()))))

    def __str__(self) -> Any:
        return self.name

    @classmethod
    def list_registered(cls) -> Any:
        return sorted(cls.known)

    @classmethod
    def list_registered_options(cls, name: Any) -> Any:
        from ...error import TVMError

        name = str(name)
        if name not in cls.known:
            raise TVMError(f'{cls.__name__} "{name}" is not defined')
        return {key: _NAMES[kind] for key, kind in cls.known[name].items()}


class Executor(_Options):
    """graph or aot."""
