"""Fresh names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NameSupply:
    """Hands out names that differ from each other."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self._taken: dict[Any, Any] = {}

    def _with_prefix(self, name: Any, add_prefix: Any) -> Any:
        return f"{self.prefix}_{name}" if add_prefix and self.prefix else name

    def fresh_name(self, name: Any, add_prefix: bool = True) -> Any:
        name = self._with_prefix(name, add_prefix)
        if name not in self._taken:
            self._taken[name] = 0
            return name
        while True:
            self._taken[name] += 1
            new = f"{name}_{self._taken[name]}"
            if new not in self._taken:
                self._taken[new] = 0
                return new

    def reserve_name(self, name: Any, add_prefix: bool = True) -> Any:
        name = self._with_prefix(name, add_prefix)
        self._taken.setdefault(name, 0)
        return name

    def contains_name(self, name: Any, add_prefix: bool = True) -> bool:
        return self._with_prefix(name, add_prefix) in self._taken


class GlobalVarSupply:
    """Hands out global variables of different names. Names for a module begin with the module's own name."""

    def __init__(self, value: Any = None) -> None:
        from .module import IRModule

        self._vars: dict[Any, Any] = {}
        modules = [value] if isinstance(value, IRModule) else (value if isinstance(value, (list, tuple)) else [])
        prefix = str((modules[0].attrs or {}).get("mod_name", "tvmgen_default")) if modules else ""
        self._names = value if isinstance(value, NameSupply) else NameSupply(prefix)
        for module in modules:
            for var in module.get_global_vars():
                self.reserve_global(var)

    def fresh_global(self, name: Any, add_prefix: bool = True) -> Any:
        from .expr import GlobalVar

        var = GlobalVar(self._names.fresh_name(name, add_prefix))
        self._vars[var.name_hint] = var
        return var

    def unique_global_for(self, name: Any, add_prefix: bool = True) -> Any:
        from .expr import GlobalVar

        name = self._names._with_prefix(name, add_prefix)
        if name not in self._vars:
            self._names.reserve_name(name, False)
            self._vars[name] = GlobalVar(name)
        return self._vars[name]

    def reserve_global(self, global_var: Any, allow_conflict: bool = False) -> None:
        self._names.reserve_name(global_var.name_hint, False)
        self._vars[global_var.name_hint] = global_var
