"""Modules for the virtual machine."""

from __future__ import annotations

from ...ir.transform import make_pass
from ...runtime.vm import Executable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.module import IRModule


def compile(mod: IRModule, target: Any = None, target_host: Any = None, params: Any = None) -> Executable:
    """A module ready for a VirtualMachine."""
    from ..build_module import bind_params_by_name
    from ..function import Function
    from ...ir.module import IRModule

    if isinstance(mod, Function):
        mod = IRModule.from_expr(mod)
    if params:
        mod = mod._copy()
        mod["main"] = bind_params_by_name(mod["main"], params)
    return Executable(make_pass("InferType")(mod), target, params)


class VMCompiler:
    """Compiles modules step by step."""

    def __init__(self) -> None:
        self._params: dict[Any, Any] = {}
        self._executable: Any = None

    def set_params(self, params: Any) -> None:
        self._params = dict(params)

    def get_params(self) -> Any:
        return dict(self._params)

    def lower(self, mod: Any, target: Any = None, target_host: Any = None) -> None:
        self._executable = compile(mod, target, target_host, self._params)

    def codegen(self) -> None:
        """Does nothing: programs are evaluated."""

    def get_exec(self) -> Any:
        return self._executable

    def optimize(self, mod: Any, target: Any = None, target_host: Any = None, params: Any = None) -> Any:
        """(module, params) after the passes that come before code generation."""
        from ..build_module import optimize

        return optimize(mod, target or "llvm", params or self._params)


def __getattr__(name: str) -> Any:
    if name == "VMExecutor":
        from ..build_module import VMExecutor

        return VMExecutor
    raise AttributeError(name)
