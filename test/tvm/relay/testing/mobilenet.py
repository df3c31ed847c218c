"""A network of depthwise convolutions."""

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


def conv_block(data: RelayExpr, name: str, channels: int, kernel_size: Sequence[int] = (3, 3),
               strides: Sequence[int] = (1, 1), padding: Sequence[int] = (1, 1), epsilon: float = 1e-5,
               layout: str = "NCHW") -> Call:
    """Convolution, normalization, relu."""
    conv = layers.conv2d(data=data, channels=channels, kernel_size=kernel_size, strides=strides, padding=padding,
                         data_layout=layout, kernel_layout=layers_layout(layout), name=name + "_conv")
    return relay.nn.relu(layers.batch_norm_infer(data=conv, epsilon=epsilon, name=name + "_bn", axis=layout.index("C")))


def layers_layout(layout: str, depthwise: bool = False) -> str:
    """The layout of the weights."""
    return "OIHW" if layout == "NCHW" else ("HWOI" if depthwise else "HWIO")


def separable_conv_block(data: RelayExpr, name: str, depthwise_channels: Any, pointwise_channels: int,
                         kernel_size: Any = (3, 3), downsample: bool = False, padding: Sequence[int] = (1, 1),
                         epsilon: float = 1e-5, layout: Any = "NCHW", dtype: Any = "float32") -> Call:
    """A depthwise and a pointwise convolution."""
    strides = (2, 2) if downsample else (1, 1)
    shape = (depthwise_channels, 1) + kernel_size if layout == "NCHW" else kernel_size + (depthwise_channels, 1)
    weight = relay.var(name + "_weight", shape=shape, dtype=dtype)
    axis = layout.index("C")
    conv1 = layers.conv2d(data=data, weight=weight, channels=depthwise_channels, groups=depthwise_channels,
                          kernel_size=kernel_size, strides=strides, padding=padding, data_layout=layout,
                          kernel_layout=layers_layout(layout, True), name=name + "_depthwise_conv1")
    act1 = relay.nn.relu(layers.batch_norm_infer(data=conv1, epsilon=epsilon, axis=axis, name=name + "_bn1"))
    conv2 = layers.conv2d(data=act1, channels=pointwise_channels, kernel_size=(1, 1), strides=(1, 1), padding=(0, 0),
                          data_layout=layout, kernel_layout=layers_layout(layout), name=name + "_conv2")
    return relay.nn.relu(layers.batch_norm_infer(data=conv2, epsilon=epsilon, axis=axis, name=name + "_bn2"))


def mobile_net(num_classes: int = 1000, data_shape: Sequence[int] = (1, 3, 224, 224), dtype: Any = "float32",
               alpha: float = 1.0, is_shallow: bool = False, layout: str = "NCHW") -> Function:
    """The function of the network."""
    data = relay.var("data", shape=data_shape, dtype=dtype)
    body = conv_block(data, "conv_block_1", int(32 * alpha), strides=(2, 2), layout=layout)
    plan = [(32, 64, False), (64, 128, True), (128, 128, False), (128, 256, True), (256, 256, False), (256, 512, True)]
    if is_shallow:
        plan += [(512, 1024, True), (1024, 1024, False)]
    else:
        plan += [(512, 512, False)] * 5 + [(512, 1024, True), (1024, 1024, False)]
    for i, (inner, outer, down) in enumerate(plan):
        body = separable_conv_block(body, f"separable_conv_block_{i + 1}", int(inner * alpha), int(outer * alpha),
                                    downsample=down, layout=layout, dtype=dtype)
    flat = relay.nn.batch_flatten(data=relay.nn.global_avg_pool2d(data=body, layout=layout))
    fc = relay.nn.dense(data=flat, weight=relay.var("fc_weight"), units=num_classes)
    net = relay.nn.softmax(data=relay.nn.bias_add(fc, relay.var("fc_bias")))
    return relay.Function(relay.analysis.free_vars(net), net)


def get_workload(batch_size: int = 1, num_classes: int = 1000, image_shape: Sequence[int] = (3, 224, 224),
                 dtype: Any = "float32", layout: str = "NCHW") -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(mobile_net(num_classes=num_classes, data_shape=(batch_size,) + tuple(image_shape), dtype=dtype,
                                      layout=layout))
