"""What relay.build gives."""

from __future__ import annotations

from .. import analysis
from ..._ffi import provide, provided
from ...ir.transform import make_pass
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
        if name == "debug_create":
            return lambda _, *devices: GraphModuleState(self._program)
        if name == "get_graph_json":
            return lambda: graph_json(self.ir_mod)
        name = "main" if name == self.entry_name else name
        if name in self._program.names():
            return lambda *args: self._program.run(name, self._program.arguments(name, args, {}))
        return None

    def get_source(self, fmt: str = "") -> str:
        if fmt in ("", "relay"):
            return str(self.ir_mod)
        raise NotImplementedError(f"relayopt generates no code: there is no source of format {fmt}")

    def save(self, file_name: Any, fmt: str = "") -> None:
        """Writes the module as text, or as JSON by the name of the file; `runtime.load_module` reads it."""
        provided("save")(self.ir_mod, file_name)


def _load(path: Any) -> EvaluatorModule:
    return EvaluatorModule(make_pass("InferType")(provided("load")(path)))


provide("load_module", _load)
provide("evaluator_module", EvaluatorModule)


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

    def save(self, file_name: Any, fmt: str = "") -> None:
        self.module.save(file_name, fmt)

    @property
    def graph_json(self) -> str:
        return self.get_graph_json()

    @property
    def params(self) -> dict[str, NDArray]:
        return self.get_params()

    def get_executor_config(self) -> Any:
        return self.get_graph_json()

    def get_params(self) -> dict[str, NDArray]:
        """The constants of main, p0, p1, ... in the order in which they are met."""
        from ..expr import Constant

        found: dict[Any, Any] = {}
        for node in kernels(self.ir_mod):
            if isinstance(node, Constant):
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


def kernels(mod: IRModule) -> list[RelayExpr]:
    """The expressions of main in order, without those inside of functions."""
    from ..expr import Call, Tuple, TupleGetItem

    order: list[RelayExpr] = []
    seen: set[RelayExpr] = set()
    stack = [(mod["main"].body, False)]
    while stack:
        node, operands_done = stack.pop()
        if operands_done:
            order.append(node)
            continue
        if node in seen:
            continue
        seen.add(node)
        stack.append((node, True))
        parts: list[Any] = []
        if isinstance(node, Call):
            parts = list(node.args)
        elif isinstance(node, Tuple):
            parts = list(node.fields)
        elif isinstance(node, TupleGetItem):
            parts = [node.tuple_value]
        stack.extend((part, False) for part in reversed(parts))
    return order


def _kernel_name(call: Any) -> str:
    """As TVM names kernels: the operators of a function one after the other."""
    from ..expr import Call
    from ..function import Function

    if not isinstance(call.op, Function):
        return str(getattr(call.op, "name", None) or getattr(call.op, "name_hint", "call"))
    names = [str(getattr(node.op, "name", "call")) for node in analysis.walk(call.op.body) if isinstance(node, Call)]
    return "fused_" + "_".join(names)


def graph_json(mod: IRModule) -> str:
    """The calls of main as a graph: inputs and constants first met first, a fused function is one node."""
    from ..expr import Call, Constant, Tuple, TupleGetItem, Var

    entries: dict[RelayExpr, list[list[int]]] = {}
    arg_nodes: list[int] = []
    nodes: list[Any] = []
    shapes: list[Any] = []
    dtypes: list[str] = []
    row_ptr = [0]
    taken: dict[str, int] = {}
    num_constants = 0

    def add(node: Any, expr: RelayExpr) -> None:
        typ = expr._checked_type_
        fields = list(getattr(typ, "fields", None) or [typ])
        entries[expr] = [[len(nodes), i, 0] for i in range(len(fields))]
        for field in fields:
            shapes.append([int(extent) if str(extent).isdigit() else -1 for extent in getattr(field, "shape", [])])
            dtypes.append(str(getattr(field, "dtype", "handle")))
        nodes.append(node)
        row_ptr.append(row_ptr[-1] + len(fields))

    for expr in kernels(mod):
        if isinstance(expr, (Var, Constant)):
            arg_nodes.append(len(nodes))
            name = expr.name_hint if isinstance(expr, Var) else f"p{num_constants}"
            num_constants += isinstance(expr, Constant)
            add({"op": "null", "name": name, "inputs": []}, expr)
        elif isinstance(expr, Call):
            inputs = [entry for arg in expr.args for entry in entries.get(arg, [])]
            name = "tvmgen_default_" + _kernel_name(expr).replace(".", "_")
            taken[name] = taken.get(name, 0) + 1
            unique = name if taken[name] == 1 else f"{name}_{taken[name] - 1}"
            outputs = len(getattr(expr._checked_type_, "fields", None) or [None])
            add({"op": "tvm_op", "name": unique, "inputs": inputs,
                 "attrs": {"func_name": name, "num_inputs": str(len(inputs)), "num_outputs": str(outputs),
                           "flatten_data": "0", "hash": ""}}, expr)
        elif isinstance(expr, Tuple):
            entries[expr] = [entry for field in expr.fields for entry in entries.get(field, [])]
        elif isinstance(expr, TupleGetItem):
            found = entries.get(expr.tuple_value, [])
            entries[expr] = found[expr.index : expr.index + 1]
    attrs = {"dltype": ["list_str", dtypes], "shape": ["list_shape", shapes]}
    import json

    return json.dumps({"nodes": nodes, "arg_nodes": arg_nodes, "heads": entries.get(mod["main"].body, []),
                       "attrs": attrs, "node_row_ptr": row_ptr}, indent=2)
