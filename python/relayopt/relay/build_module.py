"""Optimizing and running modules."""

from __future__ import annotations

import warnings

from .binding import bind
from .. import _core
from .._arguments import as_dict, expect
from .._ffi import provide
from ..error import TVMError
from ..ir.module import IRModule
from ..ir.transform import make_pass, PassContext, Sequential, wrap
from .backend.executor_factory import ExecutorFactory
from .backend.interpreter import Executor as _ExecutorBase, Interpreter
from .expr import Constant, RelayExpr
from .function import Function
from .transform import build_config as build_config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..ir.transform import Pass
    from ..ir.type import Type
    from ..target.target import Target
    from .backend.interpreter import Executor


def bind_params_by_name(func: Function, params: Mapping[str, Any]) -> Any:
    """A function with parameters of these names replaced by constants.

    >>> x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    >>> f = relay.Function([x, w], relay.nn.dense(x, w))
    >>> bound = relay.build_module.bind_params_by_name(f, {"w": np.ones((4, 3), "float32")})
    >>> [p.name_hint for p in bound.params]
    ['x']
    """
    from ..runtime.ndarray import NDArray, array

    expect("func", func, Function, "a Function")
    by_name: dict[Any, Any] = {}
    for param in func.params:
        by_name.setdefault(param.name_hint, []).append(param)
    binds = {}
    for name, value in as_dict("params", params, "a dict of arrays by name").items():
        found = by_name.get(name)
        if found is None:
            continue
        if len(found) > 1:
            raise TVMError(f"Multiple args in the function have name {name}")
        if not isinstance(value, NDArray):
            value = array(value)
        binds[found[0]] = Constant(value)
    return bind(func, binds)


def module_with_params(mod: IRModule | Function, params: Mapping[str, Any] | None, what: str) -> IRModule:
    """A module whose `main` has parameters replaced by constants. As TVM, a function is taken for one with a warning."""
    if isinstance(mod, Function):
        warnings.warn(f"Please use input parameter mod (tvm.IRModule) instead of deprecated parameter {what} "
                      "(tvm.relay.function.Function)", DeprecationWarning, stacklevel=3)
        return IRModule.from_expr(bind_params_by_name(mod, params) if params is not None else mod)
    if params is not None:
        mod = mod._copy()
        mod["main"] = bind_params_by_name(mod["main"], params)
    return mod


def _target_of(target: Any) -> Target:
    from ..target import Target

    if target is None:
        target = Target.current(allow_none=True)
    if isinstance(target, (list, tuple)):
        target = target[0] if target else None
    if isinstance(target, dict) and not isinstance(next(iter(target), None), str):
        target = next(iter(target.values()), None)
    if target is None:
        raise ValueError("Target is not set in env or passed as argument.")
    return Target(target)


def optimize(mod: IRModule | Function, target: Any = None,
             params: Mapping[str, Any] | None = None) -> tuple[IRModule, dict[str, Any]]:
    """(module, params) after the passes that come before code generation, at the context's level.

    >>> mod = relay.parse('#[version = "0.0.5"] def @main(%x: int32) { %x + (1 + 2) }')
    >>> mod, params = relay.optimize(mod, target="llvm")
    >>> relay.analysis.list_op_freqs(mod)
    {"add": 1}
    """
    mod = module_with_params(mod, params, "func")
    with _target_of(target or "llvm"):
        mod = _pipeline()(mod)
    return mod, dict(params or {})


def _pipeline() -> Pass:
    from .qnn.op.requantize_config import entered

    level = min(max(PassContext.current().opt_level, 0), 4)
    passes = wrap(_core.make_pipeline(f"default<O{level}>"))
    if entered() is None:
        return passes
    # The pipeline knows nothing of the settings: what goes by them is done before.
    from .qnn.transform import CanonicalizeOps, Legalize

    return Sequential([Legalize(), CanonicalizeOps(), passes])


def build(ir_mod: IRModule | Function, target: Any = None, target_host: Any = None, executor: Any = None, runtime: Any = None,
          workspace_memory_pools: Any = None, constant_memory_pools: Any = None,
          params: Mapping[str, Any] | None = None, mod_name: str = "default") -> ExecutorFactory:
    """Optimizes a module at the context's level; the result runs it by evaluation and is no compiled code.

    >>> from relayopt.contrib import graph_executor
    >>> x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    >>> mod = relayopt.IRModule.from_expr(relay.nn.dense(x, w))
    >>> lib = relay.build(mod, target="llvm", params={"w": np.ones((4, 3), "float32")})
    >>> module = graph_executor.GraphModule(lib["default"](relayopt.cpu()))
    >>> module.set_input("x", np.ones((2, 3), "float32"))
    >>> module.run()
    >>> module.get_output(0).numpy()
    array([[3., 3., 3., 3.],
           [3., 3., 3., 3.]], dtype=float32)
    """
    if not isinstance(ir_mod, (IRModule, Function)):
        raise ValueError("Type of input parameter mod must be tvm.IRModule")
    target = _target_of(target)
    mod = module_with_params(ir_mod, params, "mod")
    with target:
        mod = _pipeline()(mod)
    return ExecutorFactory(mod, target, params or {}, mod_name)


class GraphExecutor(_ExecutorBase):
    """Runs static functions; results that are tuples come as lists."""

    def __init__(self, mod: IRModule, device: Any, target: Any, params: Any = None) -> None:
        super().__init__(mod, device, target, params)

    def _make_executor(self, expr: RelayExpr | None = None) -> Callable[..., Any]:
        mod = self.mod
        if expr is not None:
            mod = self.mod._copy()
            mod["main"] = expr
        typed = make_pass("InferType")(mod)
        result = typed["main"].checked_type.ret_type
        if _is_dynamic(result):
            raise ValueError("Graph Executor only supports static graphs, got output type", result)
        return self._runner(typed, "list")


class VMExecutor(_ExecutorBase):
    """Runs any function; tuples come as ADT."""

    def _make_executor(self, expr: RelayExpr | None = None) -> Callable[..., Any]:
        mod = self.mod
        if expr is not None:
            mod = self.mod._copy()
            mod["main"] = expr
        return self._runner(make_pass("InferType")(mod), "vm")


class AotExecutor(GraphExecutor):
    """As GraphExecutor."""


def _is_dynamic(typ: Type) -> bool:
    from ..ir.tensor_type import TensorType
    from ..ir.type import TupleType
    from ..tir.expr import IntImm

    work = [typ]
    while work:
        at = work.pop()
        if isinstance(at, TensorType):
            if any(not isinstance(extent, IntImm) for extent in at.shape):
                return True
        elif isinstance(at, TupleType):
            work.extend(at.fields)
    return False


def create_executor(kind: str = "debug", mod: IRModule | None = None, device: Any = None, target: Any = "llvm",
                    params: Mapping[str, Any] | None = None) -> Executor:
    """An object whose `evaluate(expr=None, binds=None)` runs programs: kinds debug, graph, vm and aot.

    >>> x = relay.var("x", shape=(3,))
    >>> mod = relayopt.IRModule.from_expr(relay.nn.relu(x))
    >>> run = relay.create_executor("vm", mod).evaluate()
    >>> run(np.array([-1, 0, 2], "float32")).numpy()
    array([0., 0., 2.], dtype=float32)
    >>> relay.create_executor("no")
    Traceback (most recent call last):
        ...
    RuntimeError: unknown execution strategy: no
    """
    from ..runtime.device import cpu

    if mod is None:
        mod = IRModule()
    device = device if device is not None else cpu()
    if params is not None:
        mod = IRModule.from_expr(bind_params_by_name(mod["main"], params))
    if kind == "debug":
        return Interpreter(mod, device, target)
    if kind == "graph":
        return GraphExecutor(mod, device, target)
    if kind == "vm":
        return VMExecutor(mod, device, target)
    if kind == "aot":
        return AotExecutor(mod, device, target)
    raise RuntimeError(f"unknown execution strategy: {kind}")


class BuildModule:
    """Optimizes modules step by step."""

    def optimize(self, mod: Any, target: Any = None, target_host: Any = None, executor: Any = None, runtime: Any = None,
                 workspace_memory_pools: Any = None, constant_memory_pools: Any = None, params: Any = None) -> Any:
        return optimize(mod, target, params)


provide("create_executor", create_executor)
