"""Running what relay.build gave: inputs by name or number, outputs by number."""

from __future__ import annotations

import numbers

from .._arguments import as_int, expect
from ..relay.backend.executor_factory import ExecutorFactory, EvaluatorModule, GraphModuleState
from ..relay.backend.interpreter import as_input, named_argument
from ..runtime.container import ShapeTuple
from ..runtime.convert import convert
from ..runtime.ndarray import NDArray

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..runtime.profiling import Profile


def create(graph_json_str: str, libmod: Any, device: Any) -> GraphModule:
    """A GraphModule of a library that relay.build gave."""
    module = libmod.module if isinstance(libmod, ExecutorFactory) else libmod
    if not isinstance(module, EvaluatorModule):
        raise ValueError("the library does not come from relay.build")
    return GraphModule(module["default"](device))


def _leaves(root: Any, fields_of: Callable[[Any], Any]) -> list[Any]:
    """What is at the ends of nested tuples, in order: each of them is an output."""
    found, work = [], [root]
    while work:
        item = work.pop()
        fields = fields_of(item)
        if fields is None:
            found.append(item)
        else:
            work.extend(reversed(list(fields)))
    return found


class GraphModule:
    """One user of a module.

    >>> from relayopt.contrib.graph_executor import GraphModule
    >>> lib = relay.build(relayopt.IRModule.from_expr(relay.nn.relu(relay.var("x", shape=(2,)))), "llvm")
    >>> module = GraphModule(lib["default"](relayopt.cpu()))
    >>> module.run(x=np.array([-1, 1], "float32"))
    >>> module.get_num_outputs(), module.get_output(0).numpy()
    (1, array([0., 1.], dtype=float32))
    """

    def __init__(self, module: GraphModuleState) -> None:
        if not isinstance(module, GraphModuleState):
            raise ValueError("a GraphModule is made of factory['default'](device)")
        self.module = module
        self._program = module.program
        self._function = self._program.mod["main"]
        self._names = [p.name_hint for p in self._function.params]

    def _type(self, i: int) -> Any:
        param = self._function.params[i]
        return param._checked_type_ if param._checked_type_ is not None else param.type_annotation

    def set_input(self, key: Any = None, value: Any = None, **params: Any) -> None:
        if key is not None:
            self._keep(self._index(key), value)
        for name, given in params.items():
            index = self.get_input_index(name)
            if index >= 0:
                self._keep(index, given)

    def _index(self, key: Any) -> int:
        expect("an input", key, (str, numbers.Integral), "a name or a number")
        index = self.get_input_index(key) if isinstance(key, str) else int(key)
        if not 0 <= index < len(self._names):
            raise RuntimeError(f"Could not find '{key}' in model's inputs: {self._names}")
        return index

    def _input(self, index: int) -> Any:
        if index not in self.module.inputs:
            from ..runtime.ndarray import empty

            typ = self._type(index)
            self.module.inputs[index] = empty(typ.concrete_shape, typ.dtype)
        return self.module.inputs[index]

    def _keep(self, index: int, value: Any) -> None:
        typ = self._type(index)
        argument = named_argument(self._names[index], as_input(value, typ), typ)
        self._program.check_input("main", index, argument)
        self.module.inputs[index] = argument

    def run(self, **input_dict: Any) -> None:
        result = self._program.run("main", self._values(input_dict))
        self.module.outputs = _leaves(result, lambda value: value if isinstance(value, list) else None)

    def profile(self, **input_dict: Any) -> Profile:
        """Runs as `run` does and tells the time that each operator took; the outputs stay."""
        return self._program.profile("main", self._values(input_dict))

    def _values(self, input_dict: dict[str, Any]) -> list[Any]:
        if input_dict:
            self.set_input(**input_dict)
        return [self._input(i) for i in range(len(self._names))]

    def get_num_outputs(self) -> int:
        return len(_leaves(self._function.checked_type.ret_type, lambda typ: getattr(typ, "fields", None)))

    def get_num_inputs(self) -> Any:
        return len(self._names)

    def get_input_index(self, name: str) -> int:
        return self._names.index(name) if name in self._names else -1

    def get_input(self, index: Any, out: Any = None) -> Any:
        value = self._input(self._index(index))
        return value if out is None else value.copyto(out)

    def get_input_info(self) -> Any:
        """The shapes and the element types of the inputs by name."""
        shapes = {n: ShapeTuple(self._type(i).concrete_shape) for i, n in enumerate(self._names)}
        return convert(shapes), convert({n: self._type(i).dtype for i, n in enumerate(self._names)})

    def get_output(self, index: int, out: Any = None) -> NDArray:
        if self.module.outputs is None:
            raise RuntimeError("there are no outputs yet: run() computes them")
        count = len(self.module.outputs)
        value: NDArray = self.module.outputs[as_int("an output", index, -count, count - 1)]
        return value if out is None else value.copyto(out)

    def load_params(self, params_bytes: Any) -> None:
        from ..runtime.params import load_param_dict

        self.set_input(**load_param_dict(params_bytes))

    def share_params(self, other: Any, params_bytes: Any) -> None:
        self.load_params(params_bytes)

    def __getitem__(self, key: Any) -> Any:
        return {"set_input": self.set_input, "run": self.run, "get_output": self.get_output,
                "get_input": self.get_input, "get_num_outputs": self.get_num_outputs,
                "get_num_inputs": self.get_num_inputs, "load_params": self.load_params}[key]

    def benchmark(self, device: Any, func_name: str = "run", repeat: int = 5, number: int = 5, **kwargs: Any) -> Any:
        from ..runtime.benchmark import measure

        return measure(self.run, repeat, number)
