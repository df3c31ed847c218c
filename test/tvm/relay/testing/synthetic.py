"""A small network with one of everything."""

from __future__ import annotations

from ... import relay
from .init import Constant, create_workload
from .layers import batch_norm_infer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ...ir.module import IRModule
    from ...runtime.ndarray import NDArray
    from ..expr import RelayExpr
    from ..function import Function


def _stage(entry: RelayExpr, data: RelayExpr, shape: Sequence[int], wtype: Any, number: str) -> RelayExpr:
    """A dense branch and a convolution branch of one value, joined by their sum."""
    channels, width = shape[1], shape[3]
    dense_weight = relay.var(f"dense{number}_weight", shape=[width, width], dtype=wtype)
    conv_weight = relay.var(f"conv{number}_weight", shape=[channels, channels, 3, 3], dtype=wtype)
    dense = relay.nn.relu(relay.nn.dense(relay.reshape(entry, [-1, width]), dense_weight))
    conv = relay.nn.softmax(relay.nn.conv2d(entry, conv_weight, padding=1, kernel_size=3))
    return relay.add(relay.reshape_like(dense, data), conv)


def get_net(input_shape: Sequence[int] = (1, 3, 24, 12), dtype: Any = "float32", wtype: Any = None) -> Function:
    """The function of the network: two stages, a bias and a normalization between them."""
    if wtype is None:
        wtype = dtype
    data = relay.var("data", shape=input_shape, dtype=dtype)
    first = _stage(data, data, input_shape, wtype, "")
    biased = relay.nn.bias_add(first, relay.var("bias", dtype=wtype))
    normed = batch_norm_infer(biased, name="batch_norm")
    net = _stage(normed, data, input_shape, wtype, "2")
    return relay.Function(relay.analysis.free_vars(net), net)


def get_workload(input_shape: Sequence[int] = (1, 3, 24, 12), dtype: Any = "float32",
                 wtype: Any = None) -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(get_net(input_shape=input_shape, dtype=dtype, wtype=wtype), initializer=Constant(2))
