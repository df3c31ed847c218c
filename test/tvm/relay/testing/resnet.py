"""Residual networks."""

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


def residual_unit(data: RelayExpr, num_filter: int, stride: Sequence[int], dim_match: bool, name: str,
                  bottle_neck: bool = True, data_layout: str = "NCHW", kernel_layout: str = "IOHW") -> Call:
    """One unit: normalization before each convolution, and the data added to the result."""
    axis = data_layout.index("C")

    def conv(value: RelayExpr, channels: int, kernel: Sequence[int], strides: Sequence[int], pad: Sequence[int],
             part: str) -> Call:
        return layers.conv2d(data=value, channels=channels, kernel_size=kernel, strides=strides, padding=pad,
                             name=f"{name}_{part}", data_layout=data_layout, kernel_layout=kernel_layout)

    def normed(value: RelayExpr, part: str) -> Call:
        return relay.nn.relu(layers.batch_norm_infer(data=value, epsilon=2e-5, axis=axis, name=f"{name}_{part}"))

    first = normed(data, "bn1")
    if bottle_neck:
        value = conv(first, int(num_filter * 0.25), (1, 1), stride, (0, 0), "conv1")
        value = conv(normed(value, "bn2"), int(num_filter * 0.25), (3, 3), (1, 1), (1, 1), "conv2")
        value = conv(normed(value, "bn3"), num_filter, (1, 1), (1, 1), (0, 0), "conv3")
    else:
        value = conv(first, num_filter, (3, 3), stride, (1, 1), "conv1")
        value = conv(normed(value, "bn2"), num_filter, (3, 3), (1, 1), (1, 1), "conv2")
    shortcut = data if dim_match else conv(first, num_filter, (1, 1), stride, (0, 0), "sc")
    return relay.add(value, shortcut)


def resnet(units: Sequence[int], num_stages: int, filter_list: Any, num_classes: int, data_shape: Sequence[int],
           bottle_neck: bool = True, layout: Any = "NCHW", dtype: Any = "float32") -> Function:
    """The function of a network of so many stages."""
    kernel_layout = "OIHW" if layout == "NCHW" else "HWIO"
    axis = layout.index("C")
    data = relay.var("data", shape=data_shape, dtype=dtype)
    value: relay.Expr = layers.batch_norm_infer(data=data, epsilon=2e-5, axis=axis, scale=False, name="bn_data")
    height = data_shape[2] if layout == "NCHW" else data_shape[1]
    if height <= 32:
        value = layers.conv2d(data=value, channels=filter_list[0], kernel_size=(3, 3), strides=(1, 1), padding=(1, 1),
                              name="conv0", data_layout=layout, kernel_layout=kernel_layout)
    else:
        value = layers.conv2d(data=value, channels=filter_list[0], kernel_size=(7, 7), strides=(2, 2), padding=(3, 3),
                              name="conv0", data_layout=layout, kernel_layout=kernel_layout)
        value = relay.nn.relu(layers.batch_norm_infer(data=value, epsilon=2e-5, axis=axis, name="bn0"))
        value = relay.nn.max_pool2d(data=value, pool_size=(3, 3), strides=(2, 2), padding=(1, 1), layout=layout)
    for stage in range(num_stages):
        value = residual_unit(value, filter_list[stage + 1], (1 if stage == 0 else 2,) * 2, False,
                              f"stage{stage + 1}_unit1", bottle_neck, layout, kernel_layout)
        for unit in range(units[stage] - 1):
            value = residual_unit(value, filter_list[stage + 1], (1, 1), True, f"stage{stage + 1}_unit{unit + 2}",
                                  bottle_neck, layout, kernel_layout)
    value = relay.nn.relu(layers.batch_norm_infer(data=value, epsilon=2e-5, axis=axis, name="bn1"))
    value = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(data=value, layout=layout))
    net = relay.nn.softmax(layers.dense_add_bias(data=value, units=num_classes, name="fc1"))
    return relay.Function(relay.analysis.free_vars(net), net)


def stages_of(num_layers: int, height: int) -> tuple[list[int], list[int], bool]:
    """(units of each stage, channels, whether units are bottlenecks) of a network of so many layers for data of a height."""
    if height <= 28:
        if (num_layers - 2) % 9 == 0 and num_layers >= 164:
            return [(num_layers - 2) // 9] * 3, [16, 64, 128, 256], True
        if (num_layers - 2) % 6 == 0 and num_layers < 164:
            return [(num_layers - 2) // 6] * 3, [16, 16, 32, 64], False
        raise ValueError(f"no experiments done on num_layers {num_layers}")
    known = {18: [2, 2, 2, 2], 34: [3, 4, 6, 3], 50: [3, 4, 6, 3], 101: [3, 4, 23, 3], 152: [3, 8, 36, 3],
             200: [3, 24, 36, 3], 269: [3, 30, 48, 8]}
    if num_layers not in known:
        raise ValueError(f"no experiments done on num_layers {num_layers}")
    bottle = num_layers >= 50
    return known[num_layers], [64, 256, 512, 1024, 2048] if bottle else [64, 64, 128, 256, 512], bottle


def get_net(batch_size: int, num_classes: int, num_layers: int = 50, image_shape: Sequence[int] = (3, 224, 224),
            layout: str = "NCHW", dtype: Any = "float32", **kwargs: Any) -> Function:
    """The function of the network with so many layers."""
    units, filters, bottle = stages_of(num_layers, image_shape[1] if layout == "NCHW" else image_shape[0])
    return resnet(units=units, num_stages=len(units), filter_list=filters, num_classes=num_classes,
                  data_shape=(batch_size,) + tuple(image_shape), bottle_neck=bottle, layout=layout, dtype=dtype)


def get_workload(batch_size: int = 1, num_classes: int = 1000, num_layers: int = 18,
                 image_shape: Sequence[int] = (3, 224, 224), layout: str = "NCHW", dtype: Any = "float32",
                 **kwargs: Any) -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(get_net(batch_size=batch_size, num_classes=num_classes, num_layers=num_layers,
                                   image_shape=image_shape, dtype=dtype, layout=layout, **kwargs))
