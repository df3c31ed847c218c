"""Densely connected layers."""

from __future__ import annotations

from ... import relay
from . import layers
from .init import create_workload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ...ir.expr import RelayExpr
    from ...ir.module import IRModule
    from ...runtime.ndarray import NDArray
    from ..expr import Call
    from ..function import Function


def _dense_layer(data: RelayExpr, growth_rate: int, bn_size: int, name: str) -> Call:
    value = relay.nn.relu(layers.batch_norm_infer(data, name=name + "_batch_norm1"))
    value = layers.conv2d(value, channels=bn_size * growth_rate, kernel_size=(1, 1), name=name + "_conv2d1")
    value = relay.nn.relu(layers.batch_norm_infer(value, name=name + "_batch_norm2"))
    return layers.conv2d(value, channels=growth_rate, kernel_size=(3, 3), padding=(1, 1), name=name + "_conv2d2")


def get_net(data_shape: Sequence[int], dtype: Any, classes: int = 1000, bn_size: Any = 4,
            config: Sequence[Any] = (64, 32, (6, 12, 24, 16))) -> Function:
    """The function of the network."""
    features, growth_rate, blocks = config
    value: relay.Expr = relay.var("data", shape=data_shape, dtype=dtype)
    value = layers.conv2d(value, channels=features, kernel_size=(7, 7), strides=(2, 2), padding=(3, 3), name="conv1")
    value = relay.nn.relu(layers.batch_norm_infer(value, name="batch_norm1"))
    value = relay.nn.max_pool2d(value, pool_size=(3, 3), strides=(2, 2), padding=(1, 1))
    for i, count in enumerate(blocks):
        for k in range(count):
            value = relay.concatenate((value, _dense_layer(value, growth_rate, bn_size, f"block{i}_layer{k}")), axis=1)
        features += count * growth_rate
        if i != len(blocks) - 1:
            features //= 2
            value = relay.nn.relu(layers.batch_norm_infer(value, name=f"transition{i}_batch_norm"))
            value = layers.conv2d(value, channels=features, kernel_size=(1, 1), name=f"transition{i}_conv2d")
            value = relay.nn.avg_pool2d(value, pool_size=(2, 2), strides=(2, 2))
    value = relay.nn.relu(layers.batch_norm_infer(value, name="batch_norm5"))
    value = relay.nn.batch_flatten(relay.nn.avg_pool2d(value, pool_size=(7, 7)))
    net = layers.dense_add_bias(value, units=classes, name="dense1")
    return relay.Function(relay.analysis.free_vars(net), net)


_CONFIGS = {121: (64, 32, (6, 12, 24, 16)), 161: (96, 48, (6, 12, 36, 24)), 169: (69, 32, (6, 12, 32, 32)),
            201: (64, 32, (6, 12, 48, 32))}


def get_workload(densenet_size: int = 121, classes: int = 1000, batch_size: int = 4,
                 image_shape: Sequence[int] = (3, 224, 224),
                 dtype: Any = "float32") -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(get_net((batch_size,) + tuple(image_shape), dtype, classes=classes,
                                   config=_CONFIGS[densenet_size]))
