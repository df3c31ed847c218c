"""Modules of functions that can run."""


class Module:
    """A named set of functions, with others imported into it."""

    type_key = "relayopt.module"
    format = "relay"
    entry_name = "__tvm_main__"

    def __init__(self):
        self._imports = []

    @property
    def imported_modules(self):
        return list(self._imports)

    def import_module(self, module):
        """Functions of `module` are found by `get_function(name, query_imports=True)`."""
        self._imports.append(module)

    def _find(self, name):
        return None

    def implements_function(self, name, query_imports=False):
        try:
            self.get_function(name, query_imports)
            return True
        except AttributeError:
            return False

    def get_function(self, name, query_imports=False):
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

    def __getitem__(self, name):
        return self.get_function(name)

    def __call__(self, *args):
        return self.get_function(self.entry_name)(*args)

    @property
    def entry_func(self):
        return self.get_function(self.entry_name)

    @property
    def is_dso_exportable(self):
        return False

    @property
    def is_runnable(self):
        return True

    @property
    def is_binary_serializable(self):
        return False

    def get_source(self, fmt=""):
        raise NotImplementedError(f"a module of type {self.type_key} has no source")

    def save(self, file_name, fmt=""):
        raise NotImplementedError(f"a module of type {self.type_key} cannot be saved")

    def export_library(self, file_name, **_):
        raise NotImplementedError("relayopt generates no code: there is no library to export")


def load_module(path, fmt=""):
    """Shared libraries are not loaded: relayopt generates no code."""
    raise NotImplementedError(f"{path}: relayopt loads no compiled modules")


def enabled(target):
    """Whether code can be generated for a target: for none."""
    return target in ("llvm", "cpu")


def system_lib(symbol_prefix=""):
    raise NotImplementedError("relayopt generates no code: there is no system library")
