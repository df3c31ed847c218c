"""Plain convolutions."""

from __future__ import annotations

from ... import relay
from . import layers
from .init import create_workload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_LAYERS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


def get_net(batch_size: Any, image_shape: Any, num_classes: Any, dtype: Any, num_layers: int = 11,
            batch_norm: bool = False) -> Any:
    """The function of the network with so many layers."""
    if num_layers not in _LAYERS:
        raise ValueError(f"Invalid num_layers {num_layers}. Choices are 11,13,16,19.")
    value: relay.Expr = relay.var("data", shape=(batch_size,) + tuple(image_shape), dtype=dtype)
    for i, (count, channels) in enumerate(zip(_LAYERS[num_layers], (64, 128, 256, 512, 512)), 1):
        for k in range(1, count + 1):
            name = f"conv{i}_{k}"
            value = layers.conv2d(value, kernel_size=(3, 3), padding=(1, 1), channels=channels, name=name)
            value = relay.nn.bias_add(value, relay.var(name + "_bias"))
            if batch_norm:
                value = layers.batch_norm_infer(value, name=f"bn{i}_{k}")
            value = relay.nn.relu(value)
        value = relay.nn.max_pool2d(value, pool_size=(2, 2), strides=(2, 2))
    value = relay.nn.batch_flatten(value)
    for name in ("fc6", "fc7"):
        value = relay.nn.dropout(relay.nn.relu(layers.dense_add_bias(value, units=4096, name=name)), rate=0.5)
    net = relay.nn.softmax(layers.dense_add_bias(value, units=num_classes, name="fc8"))
    return relay.Function(relay.analysis.free_vars(net), net)


def get_workload(batch_size: Any, num_classes: int = 1000, image_shape: Sequence[int] = (3, 224, 224),
                 dtype: Any = "float32", num_layers: int = 11, batch_norm: bool = False) -> Any:
    """(module, parameters) of the network."""
    return create_workload(get_net(batch_size, image_shape, num_classes, dtype, num_layers, batch_norm))
