"""A network that plays."""

from __future__ import annotations

from ... import relay
from . import layers
from .init import create_workload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ...ir.module import IRModule
    from ...runtime.ndarray import NDArray
    from ..function import Function


def get_net(batch_size: int, num_actions: Any = 18, image_shape: Sequence[int] = (4, 84, 84), dtype: Any = "float32",
            layout: Any = "NCHW") -> Function:
    """The function of the network."""
    kernel = "OIHW" if layout == "NCHW" else "HWIO"
    value: relay.Expr = relay.var("data", shape=(batch_size,) + tuple(image_shape), dtype=dtype)
    for i, (channels, size, stride) in enumerate(((32, 8, 4), (64, 4, 2), (64, 3, 1)), 1):
        value = layers.conv2d(data=value, kernel_size=(size, size), strides=(stride, stride), padding=(0, 0),
                              channels=channels, name=f"conv{i}", data_layout=layout, kernel_layout=kernel)
        value = relay.nn.relu(relay.nn.bias_add(value, relay.var(f"conv{i}_bias"), layout.index("C")))
    value = relay.nn.batch_flatten(value)
    value = relay.nn.relu(layers.dense_add_bias(value, units=512, name="dense1"))
    value = layers.dense_add_bias(value, units=num_actions, name="dense2")
    return relay.Function(relay.analysis.free_vars(value), value)


def get_workload(batch_size: int, num_actions: int = 18, image_shape: Sequence[int] = (4, 84, 84),
                 dtype: Any = "float32", layout: str = "NCHW") -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(get_net(batch_size, num_actions, image_shape, dtype, layout))
