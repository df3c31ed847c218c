"""A network that plays."""

from ... import relay
from . import layers
from .init import create_workload


def get_net(batch_size, num_actions=18, image_shape=(4, 84, 84), dtype="float32", layout="NCHW"):
    """The function of the network."""
    kernel = "OIHW" if layout == "NCHW" else "HWIO"
    value = relay.var("data", shape=(batch_size,) + tuple(image_shape), dtype=dtype)
    for i, (channels, size, stride) in enumerate(((32, 8, 4), (64, 4, 2), (64, 3, 1)), 1):
        value = layers.conv2d(data=value, kernel_size=(size, size), strides=(stride, stride), padding=(0, 0),
                              channels=channels, name=f"conv{i}", data_layout=layout, kernel_layout=kernel)
        value = relay.nn.relu(relay.nn.bias_add(value, relay.var(f"conv{i}_bias"), layout.index("C")))
    value = relay.nn.batch_flatten(value)
    value = relay.nn.relu(layers.dense_add_bias(value, units=512, name="dense1"))
    value = layers.dense_add_bias(value, units=num_actions, name="dense2")
    return relay.Function(relay.analysis.free_vars(value), value)


def get_workload(batch_size, num_actions=18, image_shape=(4, 84, 84), dtype="float32", layout="NCHW"):
    """(module, parameters) of the network."""
    return create_workload(get_net(batch_size, num_actions, image_shape, dtype, layout))
