"""A small network with one of everything."""

from __future__ import annotations

from ... import relay
from .init import Constant, create_workload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ...ir.module import IRModule
    from ...runtime.ndarray import NDArray
    from ..function import Function


def get_net(input_shape: Sequence[int] = (1, 3, 24, 12), dtype: Any = "float32", wtype: Any = None) -> Function:
    """The function of the network."""
    if wtype is None:
        wtype = dtype
    data = relay.var("data", shape=input_shape, dtype=dtype)
    dense_shape = [-1, input_shape[3]]
    dense = relay.nn.relu(relay.nn.dense(
        relay.reshape(data, dense_shape), relay.var("dense_weight", shape=[input_shape[3], dense_shape[1]], dtype=wtype)))
    dense = relay.reshape_like(dense, data)
    conv_shape = [input_shape[1], input_shape[1], 3, 3]
    conv = relay.nn.softmax(relay.nn.conv2d(
        data, relay.var("conv_weight", shape=conv_shape, dtype=wtype), kernel_size=conv_shape[2:], padding=[1, 1]))
    added = relay.add(dense, conv)
    biased = relay.nn.bias_add(added, relay.var("bias", dtype=wtype))
    net = relay.sum(biased)
    return relay.Function(relay.analysis.free_vars(net), net)


def get_workload(input_shape: Sequence[int] = (1, 3, 24, 12), dtype: Any = "float32",
                 wtype: Any = None) -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(get_net(input_shape=input_shape, dtype=dtype, wtype=wtype), initializer=Constant(2))
