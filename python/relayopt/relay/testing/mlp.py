"""A network of dense layers."""

import numpy as np

from ... import relay
from .init import create_workload


def get_net(batch_size, num_classes=10, image_shape=(1, 28, 28), dtype="float32"):
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


def get_workload(batch_size, num_classes=10, image_shape=(1, 28, 28), dtype="float32"):
    """(module, parameters) of the network."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
