"""A small network."""

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


def _conv(value: RelayExpr, channels: int, kernel: int, name: str, stride: int = 1, pad: int = 0) -> Call:
    value = layers.conv2d(value, channels=channels, kernel_size=(kernel, kernel), strides=(stride, stride),
                          padding=(pad, pad), name=name)
    return relay.nn.relu(relay.nn.bias_add(value, relay.var(name + "_bias")))


def _fire(value: RelayExpr, squeeze: int, expand: int, name: str) -> Call:
    value = _conv(value, squeeze, 1, name + "_squeeze")
    return relay.concatenate((_conv(value, expand, 1, name + "_left"), _conv(value, expand, 3, name + "_right", pad=1)),
                             axis=1)


def get_net(batch_size: int, image_shape: Sequence[int], num_classes: Any, version: str, dtype: Any) -> Function:
    """The function of the network, version 1.0 or 1.1."""
    if version not in ("1.0", "1.1"):
        raise ValueError(f"Unsupported SqueezeNet version {version}: 1.0 or 1.1 expected")
    value: relay.Expr = relay.var("data", shape=(batch_size,) + tuple(image_shape), dtype=dtype)
    first, pools = ((96, 7), (2, 6)) if version == "1.0" else ((64, 3), (1, 3))
    value = relay.nn.max_pool2d(_conv(value, first[0], first[1], "conv1", stride=2), pool_size=(3, 3), strides=(2, 2))
    for i, size in enumerate((16, 16, 32, 32, 48, 48, 64, 64)):
        value = _fire(value, size, size * 4, f"fire{i + 1}")
        if i in pools:
            value = relay.nn.max_pool2d(value, pool_size=(3, 3), strides=(2, 2))
    value = relay.nn.dropout(value, rate=0.5)
    value = _conv(value, num_classes, 1, "conv_final")
    value = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(value))
    net = relay.nn.softmax(value)
    return relay.Function(relay.analysis.free_vars(net), net)


def get_workload(batch_size: int = 1, num_classes: int = 1000, version: str = "1.0",
                 image_shape: Sequence[int] = (3, 224, 224),
                 dtype: Any = "float32") -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(get_net(batch_size, image_shape, num_classes, version, dtype))
