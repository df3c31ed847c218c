"""Modules for the virtual machine."""

from ...runtime.vm import Executable, VirtualMachine


def compile(mod, target=None, target_host=None, params=None):
    """A module ready for a VirtualMachine."""
    from ..build_module import bind_params_by_name
    from ..function import Function
    from ..transform import InferType
    from ...ir.module import IRModule

    if isinstance(mod, Function):
        mod = IRModule.from_expr(mod)
    if params:
        mod = mod._copy()
        mod["main"] = bind_params_by_name(mod["main"], params)
    return Executable(InferType()(mod), target, params)


class VMCompiler:
    """Compiles modules step by step."""

    def __init__(self):
        self._params, self._executable = {}, None

    def set_params(self, params):
        self._params = dict(params)

    def get_params(self):
        return dict(self._params)

    def lower(self, mod, target=None, target_host=None):
        self._executable = compile(mod, target, target_host, self._params)

    def codegen(self):
        """Does nothing: programs are evaluated."""

    def get_exec(self):
        return self._executable

    def optimize(self, mod, target=None, target_host=None, params=None):
        """(module, params) after the passes that come before code generation."""
        from ..build_module import optimize

        return optimize(mod, target or "llvm", params or self._params)



def __getattr__(name):
    if name == "VMExecutor":
        from ..build_module import VMExecutor

        return VMExecutor
    raise AttributeError(name)
