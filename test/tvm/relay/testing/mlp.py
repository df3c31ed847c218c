"""A network of dense layers."""

from __future__ import annotations


from ... import relay
from .init import create_workload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ...ir.module import IRModule
    from ...runtime.ndarray import NDArray
    from ..function import Function


def get_net(batch_size: Any, num_classes: int = 10, image_shape: Any = (1, 28, 28), dtype: Any = "float32") -> Function:
    """The function of the network."""
    data = relay.nn.batch_flatten(relay.var("data", shape=(batch_size,) + image_shape, dtype=dtype))
    for number, units in ((1, 128), (2, 64), (3, num_classes)):
        weight = relay.var(f"fc{number}_weight")
        data = relay.nn.dense(data, weight, units=units)
        bias = relay.var(f"fc{number}_bias")
        data = relay.nn.bias_add(data, bias, axis=-1)
        if number != 3:
            data = relay.nn.relu(data)
    net = relay.nn.softmax(data=data)
    return relay.Function(relay.analysis.free_vars(net), net)


def get_workload(batch_size: int, num_classes: int = 10, image_shape: Sequence[int] = (1, 28, 28),
                 dtype: Any = "float32") -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
