"""What relay.build gives."""

from __future__ import annotations

import json

from .. import analysis
from ...runtime.module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...ir.expr import RelayExpr
    from ...ir.module import IRModule
    from ...runtime.ndarray import NDArray
    from .interpreter import Program


class EvaluatorModule(Module):
    """A module whose functions are those of a Relay module, run by evaluation."""

    type_key = "relayopt.evaluator"

    def __init__(self, mod: IRModule, params: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        from .interpreter import Program

        self.ir_mod = mod
        self._params = dict(params or {})
        self._program = Program(mod, "list")

    def _find(self, name: str) -> Any:
        if name == "default":
            return lambda *devices: GraphModuleState(self._program)
        if name == "get_graph_json":
            return lambda: graph_json(self.ir_mod)
        if name in self._program.names():
            return lambda *args: self._program.run(name, self._program.arguments(name, args, {}))
        return None

    def get_source(self, fmt: str = "") -> str:
        if fmt in ("", "relay"):
            return str(self.ir_mod)
        raise NotImplementedError(f"relayopt generates no code: there is no source of format {fmt}")

    def save(self, file_name: Any, fmt: str = "") -> None:
        with open(file_name, "w", encoding="utf-8") as file:
            file.write(self.ir_mod.astext())


class GraphModuleState:
    """Inputs and outputs of one user of a module."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.inputs: dict[Any, Any] = {}
        self.outputs: Any = None


class ExecutorFactory(Module):
    """An optimized module: `factory["default"](device)` is what GraphModule drives."""

    def __init__(self, mod: IRModule, target: Any, params: Mapping[str, Any], name: str) -> None:
        super().__init__()
        self.ir_mod, self.target, self.libmod_name = mod, target, name
        self._given = dict(params)
        self.module = EvaluatorModule(mod, params)
        self.lib = self.module
        self._position = 0

    def _find(self, name: str) -> Any:
        return self.module._find("default" if name in ("default", self.libmod_name) else name)

    def get_graph_json(self) -> str:
        return graph_json(self.ir_mod)

    def get_executor_config(self) -> Any:
        return self.get_graph_json()

    def get_params(self) -> dict[str, NDArray]:
        """The constants of main, p0, p1, ... in the order in which they are met."""
        from ..expr import Constant

        found: dict[Any, Any] = {}
        for node in analysis.walk(self.ir_mod["main"]):
            if isinstance(node, Constant) and node.data.ndim:
                found[f"p{len(found)}"] = node.data
        return found

    def get_lib(self) -> Any:
        return self.module

    @property
    def function_metadata(self) -> Any:
        return {}

    def __iter__(self) -> Any:
        import warnings

        warnings.warn("legacy graph executor behavior of producing json / lib / params will be removed in the next "
                      "release. Please see documents of tvm.contrib.graph_executor.GraphModule for the  new recommended "
                      "usage.", DeprecationWarning, stacklevel=2)
        return iter((self.get_graph_json(), self.lib, self.get_params()))


def graph_json(mod: IRModule) -> str:
    """The calls of main as a graph."""
    from ..expr import Call, Constant, Tuple, TupleGetItem, Var

    index: dict[RelayExpr, list[list[int]]] = {}
    arg_nodes: list[int] = []
    nodes: list[Any] = []
    for node in analysis.walk(mod["main"].body):
        if isinstance(node, (Var, Constant)):
            index[node] = [[len(nodes), 0, 0]]
            arg_nodes.append(len(nodes))
            name = node.name_hint if isinstance(node, Var) else f"p{len(arg_nodes)}"
            nodes.append({"op": "null", "name": name, "inputs": []})
        elif isinstance(node, Call):
            inputs = [entry for arg in node.args for entry in index.get(arg, [])]
            index[node] = [[len(nodes), 0, 0]]
            name = getattr(node.op, "name", "fused")
            nodes.append({"op": "tvm_op", "name": f"tvmgen_default_{name}".replace(".", "_"), "inputs": inputs,
                          "attrs": {"func_name": name}})
        elif isinstance(node, Tuple):
            index[node] = [entry for field in node.fields for entry in index.get(field, [])]
        elif isinstance(node, TupleGetItem):
            entries = index.get(node.tuple_value, [])
            index[node] = entries[node.index : node.index + 1] or [[e[0], node.index, 0] for e in entries[:1]]
    body = mod["main"].body
    return json.dumps({"nodes": nodes, "arg_nodes": arg_nodes, "heads": index.get(body, []),
                       "attrs": {}, "node_row_ptr": list(range(len(nodes) + 1))}, indent=2)
