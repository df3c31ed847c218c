"""Residual networks over films: three-dimensional convolutions."""

from __future__ import annotations

from ... import relay
from . import layers
from .init import create_workload
from .resnet import stages_of

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
                  bottle_neck: bool = True, data_layout: str = "NCDHW", kernel_layout: str = "OIDHW") -> Call:
    """One unit: normalization before each convolution, and the data added to the result."""
    axis = data_layout.index("C")

    def conv(value: RelayExpr, channels: int, kernel: int, strides: Sequence[int], part: str) -> Any:
        return layers.conv3d(data=value, channels=channels, kernel_size=(kernel,) * 3, strides=strides,
                             padding=(kernel // 2,) * 3, name=f"{name}_{part}", data_layout=data_layout,
                             kernel_layout=kernel_layout)

    def normed(value: RelayExpr, part: str) -> Call:
        return relay.nn.relu(layers.batch_norm_infer(data=value, epsilon=2e-5, axis=axis, name=f"{name}_{part}"))

    first = normed(data, "bn1")
    ones = (1, 1, 1)
    if bottle_neck:
        value = conv(first, int(num_filter * 0.25), 1, stride, "conv1")
        value = conv(normed(value, "bn2"), int(num_filter * 0.25), 3, ones, "conv2")
        value = conv(normed(value, "bn3"), num_filter, 1, ones, "conv3")
    else:
        value = conv(first, num_filter, 3, stride, "conv1")
        value = conv(normed(value, "bn2"), num_filter, 3, ones, "conv2")
    return relay.add(value, data if dim_match else conv(first, num_filter, 1, stride, "sc"))


def resnet(units: Sequence[int], num_stages: int, filter_list: Sequence[int], num_classes: int, data_shape: Sequence[int],
           bottle_neck: bool = True, layout: str = "NCDHW", dtype: str = "float32") -> Function:
    """The function of a network of so many stages. `data_shape` is in the layout, NCDHW or NDHWC."""
    kernel_layout = "OIDHW" if layout == "NCDHW" else "DHWIO"
    axis = layout.index("C")
    data = relay.var("data", shape=data_shape, dtype=dtype)
    value: relay.Expr = layers.batch_norm_infer(data=data, epsilon=2e-5, axis=axis, scale=False, name="bn_data")
    small = data_shape[layout.index("H")] <= 32
    value = layers.conv3d(data=value, channels=filter_list[0], kernel_size=(3, 3, 3) if small else (3, 7, 7),
                          strides=(1, 1, 1) if small else (1, 2, 2), padding=(1, 1, 1) if small else (1, 3, 3), name="conv0",
                          data_layout=layout, kernel_layout=kernel_layout)
    if not small:
        value = relay.nn.relu(layers.batch_norm_infer(data=value, epsilon=2e-5, axis=axis, name="bn0"))
    for stage in range(num_stages):
        for unit in range(units[stage]):
            value = residual_unit(value, filter_list[stage + 1], (1 if stage == 0 or unit > 0 else 2,) * 3, unit > 0,
                                  f"stage{stage + 1}_unit{unit + 1}", bottle_neck, layout, kernel_layout)
    value = relay.nn.relu(layers.batch_norm_infer(data=value, epsilon=2e-5, axis=axis, name="bn1"))
    value = relay.nn.batch_flatten(relay.nn.global_avg_pool3d(data=value, layout=layout))
    net = relay.nn.softmax(layers.dense_add_bias(data=value, units=num_classes, name="fc1"))
    return relay.Function(relay.analysis.free_vars(net), net)


def get_net(batch_size: int, num_classes: int, num_layers: int = 50, image_shape: Sequence[int] = (3, 16, 112, 112),
            layout: str = "NCDHW", dtype: str = "float32", **kwargs: Any) -> Function:
    """The function of the network with so many layers."""
    units, filters, bottle = stages_of(num_layers, image_shape[layout.index("H") - 1])
    return resnet(units=units, num_stages=len(units), filter_list=filters, num_classes=num_classes,
                  data_shape=(batch_size,) + tuple(image_shape), bottle_neck=bottle, layout=layout, dtype=dtype)


def get_workload(batch_size: int = 1, num_classes: int = 1000, num_layers: int = 18,
                 image_shape: Sequence[int] = (3, 16, 112, 112), layout: str = "NCDHW", dtype: str = "float32",
                 **kwargs: Any) -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(get_net(batch_size=batch_size, num_classes=num_classes, num_layers=num_layers,
                                   image_shape=image_shape, dtype=dtype, layout=layout, **kwargs))
