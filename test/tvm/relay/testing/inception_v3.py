"""Inception, third version."""

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


def Conv(data: RelayExpr, num_filter: int, kernel: Sequence[int] = (1, 1), stride: Sequence[int] = (1, 1),
         pad: Sequence[int] = (0, 0), name: str | None = None, suffix: str = "") -> Call:
    """Convolution, normalization, relu."""
    conv = layers.conv2d(data=data, channels=int(num_filter), kernel_size=kernel, strides=stride, padding=pad,
                         name=f"{name}{suffix}_conv1")
    return relay.nn.relu(layers.batch_norm_infer(data=conv, epsilon=2e-5, scale=False, name=f"{name}{suffix}_bn"))


def Pooling(data: RelayExpr, kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int], pool_type: str,
            name: str) -> Call:
    """Pooling of a kind."""
    if pool_type == "max":
        return relay.nn.max_pool2d(data=data, pool_size=kernel, strides=stride, padding=pad)
    return relay.nn.avg_pool2d(data=data, pool_size=kernel, strides=stride, padding=pad, count_include_pad=True)


def _tower(data: RelayExpr, name: str, part: str, steps: Sequence[tuple[int, Any, Any, Any]]) -> RelayExpr:
    for i, (channels, kernel, stride, pad) in enumerate(steps):
        data = Conv(data, channels, kernel, stride, pad, name=f"{name}_{part}", suffix=f"_conv_{i}" if i else "_conv")
    return data


def get_net(batch_size: int, num_classes: int, image_shape: Sequence[int], dtype: Any) -> Function:
    """The function of the network."""
    one, two, none = (1, 1), (2, 2), (0, 0)
    data = relay.var("data", shape=(batch_size,) + tuple(image_shape), dtype=dtype)
    x = Conv(data, 32, (3, 3), two, name="conv")
    x = Conv(x, 32, (3, 3), name="conv_1")
    x = Conv(x, 64, (3, 3), pad=one, name="conv_2")
    x = Pooling(x, (3, 3), two, none, "max", "pool")
    x = Conv(x, 80, name="conv_3")
    x = Conv(x, 192, (3, 3), name="conv_4")
    x = Pooling(x, (3, 3), two, none, "max", "pool1")

    def join(*parts: Any) -> Call:
        return relay.concatenate(list(parts), axis=1)

    for i, proj in enumerate((32, 64, 64)):
        name = ("mixed", "mixed_1", "mixed_2")[i]
        x = join(Conv(x, 64, name=f"{name}_conv"),
                 _tower(x, name, "tower", [(48, one, one, none), (64, (5, 5), one, (2, 2))]),
                 _tower(x, name, "tower_1", [(64, one, one, none), (96, (3, 3), one, one), (96, (3, 3), one, one)]),
                 Conv(Pooling(x, (3, 3), one, one, "avg", name), proj, name=f"{name}_tower_2"))
    x = join(Conv(x, 384, (3, 3), two, name="mixed_3_conv"),
             _tower(x, "mixed_3", "tower", [(64, one, one, none), (96, (3, 3), one, one), (96, (3, 3), two, none)]),
             Pooling(x, (3, 3), two, none, "max", "mixed_3"))
    for i, c in enumerate((128, 160, 160, 192)):
        name = f"mixed_{i + 4}"
        x = join(Conv(x, 192, name=f"{name}_conv"),
                 _tower(x, name, "tower", [(c, one, one, none), (c, (1, 7), one, (0, 3)), (192, (7, 1), one, (3, 0))]),
                 _tower(x, name, "tower_1", [(c, one, one, none), (c, (7, 1), one, (3, 0)), (c, (1, 7), one, (0, 3)),
                                             (c, (7, 1), one, (3, 0)), (192, (1, 7), one, (0, 3))]),
                 Conv(Pooling(x, (3, 3), one, one, "avg", name), 192, name=f"{name}_tower_2"))
    x = join(_tower(x, "mixed_8", "tower", [(192, one, one, none), (320, (3, 3), two, none)]),
             _tower(x, "mixed_8", "tower_1", [(192, one, one, none), (192, (1, 7), one, (0, 3)),
                                              (192, (7, 1), one, (3, 0)), (192, (3, 3), two, none)]),
             Pooling(x, (3, 3), two, none, "max", "mixed_8"))
    for i, kind in enumerate(("avg", "max")):
        name = f"mixed_{i + 9}"
        a = Conv(x, 384, name=f"{name}_tower_conv")
        b = _tower(x, name, "tower_1", [(448, one, one, none), (384, (3, 3), one, one)])
        x = join(Conv(x, 320, name=f"{name}_conv"), Conv(a, 384, (1, 3), pad=(0, 1), name=f"{name}_tower_mixed_conv"),
                 Conv(a, 384, (3, 1), pad=(1, 0), name=f"{name}_tower_mixed_conv_1"),
                 Conv(b, 384, (1, 3), pad=(0, 1), name=f"{name}_tower_1_mixed_conv"),
                 Conv(b, 384, (3, 1), pad=(1, 0), name=f"{name}_tower_1_mixed_conv_1"),
                 Conv(Pooling(x, (3, 3), one, one, kind, name), 192, name=f"{name}_tower_2"))
    pool = relay.nn.batch_flatten(Pooling(x, (8, 8), one, none, "avg", "global_pool"))
    fc1 = relay.nn.dense(pool, relay.var("fc1_weight"), units=num_classes)
    net = relay.nn.softmax(data=relay.nn.bias_add(fc1, relay.var("fc2_bias"), axis=-1))
    return relay.Function(relay.analysis.free_vars(net), net)


def get_workload(batch_size: int = 1, num_classes: int = 1000, image_shape: Sequence[int] = (3, 299, 299),
                 dtype: Any = "float32") -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
