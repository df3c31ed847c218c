"""Helpers for tests, and networks."""

from __future__ import annotations

import numpy as _np

from ... import _core
from ... import relay as _relay
from ...ir.module import IRModule
from ...ir.transform import Sequential
from ..analysis import post_order_visit
from ...runtime import ndarray as _nd
from ..expr import Call, Constant, RelayExpr, Tuple, Var, const
from ..function import Function
from ..prelude import Prelude
from ..transform import gradient
from . import init
from .init import create_workload
from .py_converter import run_as_python, to_python
from .nat import add_nat_definitions, count, make_nat_expr, make_nat_value
from .temp_op_attr import TempOpAttr
from . import nat, temp_op_attr, synthetic, mlp, byoc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from ...ir.transform import Pass
    from ...ir.type import Type
    from ...runtime.ndarray import NDArray

for _name in ("resnet", "resnet_3d", "mobilenet", "dqn", "dcgan", "inception_v3", "squeezenet", "vgg", "densenet", "lstm",
              "layers"):
    __import__(f"{__name__}.{_name}")


def run_opt_pass(expr: RelayExpr, opt_pass: Pass, import_prelude: bool = False) -> Any:
    """An expression after a pass."""
    assert isinstance(opt_pass, _relay.transform.Pass)
    mod = IRModule.from_expr(expr)
    if import_prelude:
        Prelude(mod)
    mod = opt_pass(mod)
    entry = mod["main"]
    return entry if isinstance(expr, Function) else entry.body


def run_infer_type(expr: RelayExpr) -> Any:
    """An expression with its types."""
    return run_opt_pass(expr, _relay.transform.InferType())


def rand(dtype: Any = "float32", *shape: int) -> NDArray:
    """An NDArray of random numbers between 0 and 1."""
    return _nd.array(_np.asarray(_np.random.rand(*shape)).astype(dtype))


def _np_randn_from_type(t: Type, scale: float = 1, mean: int = 0) -> np.ndarray[Any, Any]:
    result = (mean + (scale * _np.random.randn(*(int(d) for d in t.shape)))).astype(t.dtype)
    return result if t.shape else _np.array(result)


def check_grad(func: Function, inputs: Any = None, test_inputs: Any = None, eps: float = 1e-6, atol: float = 1e-5,
               rtol: float = 1e-3, scale: Any = None, mean: int = 0, mode: str = "higher_order",
               target_devices: Any = None, executor_kind: str = "debug") -> None:
    """Compares the gradient of a function with differences of its values."""
    from ..build_module import create_executor

    fwd_func = run_infer_type(func)
    bwd_func = run_infer_type(gradient(fwd_func, mode=mode))
    if scale is None:
        scale = 10 * eps
    if inputs is None:
        params = fwd_func.params
        inputs = [_np_randn_from_type(param.type_annotation, scale=scale, mean=mean) for param in params]
    if test_inputs is None:
        test_inputs = inputs
    forward = create_executor(executor_kind).evaluate(fwd_func)
    backward = create_executor(executor_kind).evaluate(bwd_func)

    def number(result: Any) -> Any:
        value = result.numpy() if hasattr(result, "numpy") else result[0].numpy()
        return _np.sum(value).astype("float64")

    _, grads = backward(*inputs)
    for i, given in enumerate(inputs):
        if not any(given is t for t in test_inputs):
            continue
        approx = _np.zeros(given.shape)
        for index in _np.ndindex(*given.shape):
            old = given[index]
            given[index] = old + eps
            plus = number(forward(*inputs))
            given[index] = old - eps
            minus = number(forward(*inputs))
            given[index] = old
            approx[index] = (plus - minus) / (2 * eps)
        _np.testing.assert_allclose(grads[i].numpy(), approx, atol=atol, rtol=rtol)


def count_ops(expr: Any) -> Any:
    """How often each operator is called."""
    counts: dict[Any, Any] = {}

    def visit(node: Any) -> None:
        if isinstance(node, Call) and hasattr(node.op, "name"):
            counts[node.op.name] = counts.get(node.op.name, 0) + 1

    post_order_visit(expr, visit)
    return counts
