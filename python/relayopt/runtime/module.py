"""Modules of functions that can run."""

from __future__ import annotations

from .._ffi import provided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Module:
    """A named set of functions, with others imported into it."""

    type_key = "relayopt.module"
    format = "relay"
    entry_name = "__tvm_main__"

    def __init__(self) -> None:
        self._imports: list[Any] = []

    @property
    def imported_modules(self) -> Any:
        return list(self._imports)

    def import_module(self, module: Any) -> None:
        """Functions of `module` are found by `get_function(name, query_imports=True)`."""
        self._imports.append(module)

    def _find(self, name: Any) -> Any:
        return None

    def implements_function(self, name: Any, query_imports: bool = False) -> bool:
        try:
            self.get_function(name, query_imports)
            return True
        except AttributeError:
            return False

    def get_function(self, name: str, query_imports: bool = False) -> Any:
        found = self._find(name)
        if found is None and query_imports:
            for module in self._imports:
                try:
                    return module.get_function(name, True)
                except AttributeError:
                    continue
        if found is None:
            raise AttributeError(f"Module has no function '{name}'")
        return found

    def __getitem__(self, name: str) -> Any:
        return self.get_function(name)

    def __call__(self, *args: Any) -> Any:
        return self.get_function(self.entry_name)(*args)

    @property
    def entry_func(self) -> Any:
        return self.get_function(self.entry_name)

    @property
    def is_dso_exportable(self) -> bool:
        return False

    @property
    def is_runnable(self) -> bool:
        return True

    @property
    def is_binary_serializable(self) -> bool:
        return False

    def get_source(self, fmt: str = "") -> Any:
        raise NotImplementedError(f"a module of type {self.type_key} has no source")

    def get_property_mask(self) -> int:
        """1 for what can be written as binary, 2 for what runs, 4 for what can be linked."""
        return self.is_binary_serializable * 1 + self.is_runnable * 2 + self.is_dso_exportable * 4

    def time_evaluator(self, func_name: str, dev: Any = None, number: int = 10, repeat: int = 1, *_: Any,
                       **__: Any) -> Any:
        """A callable that runs a function `repeat` times `number` times and gives the seconds of each as BenchmarkResult."""
        from .benchmark import measure

        function = self.get_function(func_name)
        return lambda *args: measure(lambda: function(*args), repeat, number)

    def save(self, file_name: Any, fmt: str = "") -> Any:
        raise NotImplementedError(f"a module of type {self.type_key} cannot be saved")

    def export_library(self, file_name: str, **_: Any) -> Any:
        raise NotImplementedError("relayopt generates no code: there is no library to export")


def load_module(path: Any, fmt: str = "") -> Any:
    """What `save` of a module that `relay.build` made has written; its functions are evaluated.

    >>> relayopt.runtime.load_module("model.so")
    Traceback (most recent call last):
        ...
    NotImplementedError: model.so: relayopt loads no compiled modules
    """
    if str(path).endswith((".so", ".dll", ".dylib", ".o", ".tar", ".c", ".cc", ".cu", ".ll")):
        raise NotImplementedError(f"{path}: relayopt loads no compiled modules")
    return provided("load_module")(path)


def enabled(target: Any) -> bool:
    """Whether code can be generated for a target: for none."""
    return target in ("llvm", "cpu")


def system_lib(symbol_prefix: str = "") -> Any:
    raise NotImplementedError("relayopt generates no code: there is no system library")
