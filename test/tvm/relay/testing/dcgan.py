"""A network that makes images."""

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


def get_net(batch_size: int, random_len: int = 100, oshape: Sequence[int] = (3, 64, 64), ngf: int = 128,
            code: Any = None, layout: str = "NCHW", dtype: Any = "float32") -> Function:
    """The function of the network."""
    kernel = "IOHW" if layout == "NCHW" else "HWOI"
    code = relay.var("data", dtype=dtype, shape=(batch_size, random_len)) if code is None else code
    value = relay.nn.dense(code, weight=relay.var("dense_weight"), units=4 * 4 * ngf * 8)
    value = relay.nn.relu(value)
    value = relay.reshape(value, newshape=(-1, ngf * 8, 4, 4) if layout == "NCHW" else (-1, 4, 4, ngf * 8))
    for i, channels in enumerate((ngf * 4, ngf * 2, ngf, oshape[-3])):
        value = layers.conv2d_transpose(value, kernel_size=(4, 4), strides=(2, 2), padding=(1, 1, 1, 1),
                                        channels=channels, data_layout=layout, kernel_layout=kernel, name=f"g{i + 2}")
        if i < 3:
            value = relay.nn.relu(layers.batch_norm_infer(value, epsilon=1e-5, scale=False, name=f"g{i + 2}_bn",
                                                          axis=layout.index("C")))
    net = relay.tanh(value)
    return relay.Function(relay.analysis.free_vars(net), net)


def get_workload(batch_size: int, oshape: Sequence[int] = (3, 64, 64), ngf: int = 128, random_len: int = 100,
                 layout: str = "NCHW", dtype: Any = "float32") -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(get_net(batch_size, random_len, oshape=oshape, ngf=ngf, layout=layout, dtype=dtype))
