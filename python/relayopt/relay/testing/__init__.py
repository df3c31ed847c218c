"""Helpers for tests, and networks."""

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
from .nat import add_nat_definitions, count, make_nat_expr, make_nat_value
from .temp_op_attr import TempOpAttr
from . import nat, temp_op_attr, synthetic, mlp, byoc

for _name in ("resnet", "mobilenet", "dqn", "dcgan", "inception_v3", "squeezenet", "vgg", "densenet", "lstm", "layers",
              "resnet_3d", "yolo_detection"):
    try:
        __import__(f"{__name__}.{_name}")
    except ImportError:
        pass


def run_opt_pass(expr, opt_pass, import_prelude=False):
    """An expression after a pass."""
    assert isinstance(opt_pass, _relay.transform.Pass)
    mod = IRModule.from_expr(expr)
    if import_prelude:
        Prelude(mod)
    mod = opt_pass(mod)
    entry = mod["main"]
    return entry if isinstance(expr, Function) else entry.body


def run_infer_type(expr):
    """An expression with its types."""
    return run_opt_pass(expr, _relay.transform.InferType())


def rand(dtype="float32", *shape):
    """An NDArray of random numbers between 0 and 1."""
    return _nd.array(_np.asarray(_np.random.rand(*shape)).astype(dtype))


def _np_randn_from_type(t, scale=1, mean=0):
    result = (mean + (scale * _np.random.randn(*(int(d) for d in t.shape)))).astype(t.dtype)
    return result if t.shape else _np.array(result)


def check_grad(func, inputs=None, test_inputs=None, eps=1e-6, atol=1e-5, rtol=1e-3, scale=None, mean=0, mode="higher_order",
               target_devices=None, executor_kind="debug"):
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

    def number(result):
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


def count_ops(expr):
    """How often each operator is called."""
    counts = {}

    def visit(node):
        if isinstance(node, Call) and hasattr(node.op, "name"):
            counts[node.op.name] = counts.get(node.op.name, 0) + 1

    post_order_visit(expr, visit)
    return counts
