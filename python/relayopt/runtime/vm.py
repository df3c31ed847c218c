"""Running modules function by function."""

from __future__ import annotations

from .._arguments import as_text
from .._ffi import provided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..ir.module import IRModule
    from .ndarray import NDArray
    from .profiling import Profile


class Executable:
    """A module ready to run."""

    def __init__(self, mod: IRModule, target: Any = None, params: Any = None) -> None:
        self.mod = mod
        self.target = target
        self.params = params or {}

    def save(self) -> tuple[bytearray, Any]:
        """What `load_exec` needs: the module as bytes, and a library, which runs the module itself and is no code.

        >>> from relayopt.runtime import vm
        >>> saved = relay.vm.compile(relayopt.IRModule.from_expr(relay.const(2.0) + relay.const(1.0)), "llvm").save()
        >>> vm.VirtualMachine(vm.Executable.load_exec(*saved), relayopt.cpu()).run().numpy()
        array(3., dtype=float32)
        """
        from ..ir.base import save_json

        return bytearray(save_json(self.mod).encode()), provided("evaluator_module")(self.mod)

    @staticmethod
    def load_exec(bytecode: bytes | bytearray, lib: Any) -> Executable:
        """What `save` has made."""
        from ..ir.base import load_json
        from .module import Module

        if not isinstance(bytecode, (bytes, bytearray)):
            raise TypeError(f"bytecode is expected to be the type of bytearray, but received {type(bytecode)}")
        if not isinstance(lib, Module):
            raise TypeError(f"lib is expected to be the type of tvm.runtime.Module, but received {type(lib)}")
        return Executable(load_json(bytes(bytecode).decode()))

    @property
    def globals(self) -> Any:
        return [gv.name_hint for gv in self.mod.get_global_vars()]


class VirtualMachine:
    """Runs functions of an Executable on the CPU.

    >>> from relayopt.runtime.vm import VirtualMachine
    >>> mod = relayopt.IRModule.from_expr(relay.nn.relu(relay.var("x", shape=(relay.Any(),))))
    >>> machine = VirtualMachine(relay.vm.compile(mod, "llvm"), relayopt.cpu())
    >>> machine.invoke("main", np.array([-1, 1], "float32")).numpy()
    array([0., 1.], dtype=float32)
    """

    NAIVE_ALLOCATOR = 1
    POOLED_ALLOCATOR = 2

    def __init__(self, exe: Executable, device: Any, memory_cfg: Any = None) -> None:
        if not isinstance(exe, Executable):
            raise TypeError(f"exe is expected to be the type of Executable, but received {type(exe)}")
        self._exec = exe
        self._program: Any = provided("program")(exe.mod, nested="vm")
        self._inputs: dict[Any, Any] = {}
        self._outputs: Any = None

    def set_input(self, func_name: Any, *args: Any, **kwargs: Any) -> None:
        self._inputs[func_name] = self._program.arguments(func_name, args, kwargs)

    def invoke(self, func_name: str, *args: Any, **kwargs: Any) -> Any:
        """Runs a function with these arguments, or with those of set_input."""
        func_name = as_text("func_name", func_name, "the name of a function")
        values = self._program.arguments(func_name, args, kwargs) if args or kwargs else self._inputs.get(func_name, [])
        self._outputs = self._program.run(func_name, values)
        return self._outputs

    def invoke_stateful(self, func_name: str, *args: Any, **kwargs: Any) -> None:
        """Runs a function as `invoke` does; `get_outputs` has the results."""
        self.invoke(func_name, *args, **kwargs)

    def invoke_with_outputs(self, func_name: str, input_args: dict[str, Any], output_args: Sequence[NDArray]) -> None:
        """Runs a function with arguments given by name and copies its results into arrays."""
        self.invoke(func_name, **input_args)
        outputs = self.get_outputs()
        if len(outputs) != len(output_args):
            raise ValueError(f"output_args: the function has {len(outputs)} results, but {len(output_args)} arrays are given")
        for output, given in zip(outputs, output_args):
            output.copyto(given)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        return self.invoke("main", *args, **kwargs)

    def profile(self, *args: Any, func_name: str = "main", **kwargs: Any) -> Profile:
        """Runs a function as `invoke` does and tells the time that each operator took."""
        given = args or kwargs
        values = self._program.arguments(func_name, args, kwargs) if given else self._inputs.get(func_name, [])
        made: Profile = self._program.profile(func_name, values)
        return made

    def get_outputs(self) -> Any:
        from .container import ADT

        return list(self._outputs) if isinstance(self._outputs, ADT) else [self._outputs]

    def benchmark(self, device: Any, *args: Any, func_name: str = "main", repeat: int = 5, number: int = 5,
                  **kwargs: Any) -> Any:
        from .benchmark import measure

        return measure(lambda: self.invoke(func_name, *args, **kwargs), repeat, number)
