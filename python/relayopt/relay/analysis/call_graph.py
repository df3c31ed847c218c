"""Who calls whom."""

from __future__ import annotations

from ... import _core
from ...ir.expr import GlobalVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class CallGraph:
    """The calls between the functions of a module."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._calls: dict[Any, Any] = {}
        for var, function in _core.module_functions(module).items():
            found: dict[Any, Any] = {}
            for node in _preorder_refs(function):
                found[node.name_hint] = found.get(node.name_hint, 0) + 1
            self._calls[var.name_hint] = found

    @property
    def module(self) -> Any:
        return self._module

    def _name(self, var: Any) -> Any:
        name = var if isinstance(var, str) else var.name_hint
        if name not in self._calls:
            from ...error import TVMError

            raise TVMError(f"{name} is not in the module")
        return name

    def ref_count(self, var: Any) -> Any:
        """How many functions mention a function."""
        name = self._name(var)
        return sum(calls.get(name, 0) for calls in self._calls.values())

    def global_call_count(self, var: Any) -> Any:
        """How many functions a function mentions."""
        return sum(self._calls[self._name(var)].values())

    def is_recursive(self, var: Any) -> bool:
        """Whether a function calls itself."""
        name = self._name(var)
        return name in self._calls[name]

    def print_var(self, var: Any) -> Any:
        name = self._name(var)
        return "\n".join([f"Call graph node: {name}, #refs = {self.ref_count(name)}"] + [f"  {name} calls {other}" for other in self._calls[name]])

    def __str__(self) -> str:
        return "\n".join(self.print_var(name) for name in sorted(self._calls))

    __repr__ = __str__


def _preorder_refs(function: Any) -> Any:
    return [node for node in _core.post_order(function) if isinstance(node, GlobalVar)]
