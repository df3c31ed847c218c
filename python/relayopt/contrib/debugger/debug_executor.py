"""A GraphModule that keeps what every node of the graph gives."""

from __future__ import annotations

import json

from ...ir.module import IRModule
from ...ir.transform import make_pass
from ...relay.backend.executor_factory import EvaluatorModule, ExecutorFactory, graph_json, GraphModuleState, kernels
from ...relay.backend.interpreter import Program
from ...relay.expr import Call, Tuple
from ...relay.function import Function
from ..graph_executor import GraphModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...runtime.ndarray import NDArray


def create(graph_json_str: str, libmod: Any, device: Any, dump_root: Any = None) -> GraphModuleDebug:
    """A GraphModuleDebug of a library that relay.build gave."""
    module = libmod.module if isinstance(libmod, ExecutorFactory) else libmod
    if not isinstance(module, EvaluatorModule):
        raise ValueError("the library does not come from relay.build")
    return GraphModuleDebug(module["default"](device), [device], graph_json_str, dump_root)


class GraphModuleDebug(GraphModule):
    """As GraphModule, with the results of single nodes.

    >>> from relayopt.contrib.debugger import debug_executor
    >>> x = relay.var("x", shape=(2,))
    >>> lib = relay.build(relayopt.IRModule.from_expr(relay.nn.relu(x)), "llvm")
    >>> module = debug_executor.create(lib.get_graph_json(), lib, relayopt.cpu())
    >>> module.run(x=np.array([-1, 1], "float32"))
    >>> module.nodes()
    ['tvmgen_default_fused_nn_relu']
    >>> module.debug_get_output("tvmgen_default_fused_nn_relu").numpy()
    array([0., 1.], dtype=float32)
    """

    def __init__(self, module: GraphModuleState, device: Any = None, graph_json_str: Any = None,
                 dump_root: Any = None) -> None:
        super().__init__(module)
        graph = json.loads(graph_json(self._program.mod))
        self._nodes = [node["name"] for node in graph["nodes"]]
        self._operators = [i for i, node in enumerate(graph["nodes"]) if node["op"] != "null"]
        self._all: Any = None

    def nodes(self) -> list[str]:
        """The names of what the graph computes."""
        return [self._nodes[i] for i in self._operators]

    def run(self, **input_dict: Any) -> None:
        super().run(**input_dict)
        self._all = None

    def _results(self) -> dict[str, Any]:
        """What every node gives for the inputs at hand."""
        if self._all is None:
            function = self._function
            calls = [expr for expr in kernels(self._program.mod) if isinstance(expr, Call)]
            mod = IRModule({"main": Function(list(function.params), Tuple(calls))})
            program = Program(make_pass("InferType")(mod), "list")
            values = program.run("main", [self.module.inputs[i] for i in range(len(self._names))])
            self._all = dict(zip(self.nodes(), values))
        results: dict[str, Any] = self._all
        return results

    def debug_get_output(self, node: Any, out: Any = None) -> Any:
        """The result of a node, given by its name or by its number in the graph."""
        name = node if isinstance(node, str) else self._nodes[node]
        if name not in self.nodes():
            raise ValueError(f"the graph computes no {name}; it has {self.nodes()}")
        value = self._results()[name]
        return value if out is None else value.copyto(out)

    def get_node_outputs(self) -> dict[str, NDArray]:
        """The results of all nodes by name."""
        return dict(self._results())

    def run_individual(self, number: int, repeat: int = 1, min_repeat_ms: int = 0, *others: Any) -> list[list[float]]:
        """Seconds of runs of the whole graph; evaluation does not time its nodes one by one."""
        from ...runtime.benchmark import measure

        return [[seconds] for seconds in measure(self.run, repeat, number).results]

    def exit(self) -> None:
        """There is nothing to clean up."""
