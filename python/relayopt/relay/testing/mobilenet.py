"""A network of depthwise convolutions."""

from ... import relay
from . import layers
from .init import create_workload


def conv_block(data, name, channels, kernel_size=(3, 3), strides=(1, 1), padding=(1, 1), epsilon=1e-5, layout="NCHW"):
    """Convolution, normalization, relu."""
    conv = layers.conv2d(data=data, channels=channels, kernel_size=kernel_size, strides=strides, padding=padding,
                         data_layout=layout, kernel_layout=layers_layout(layout), name=name + "_conv")
    return relay.nn.relu(layers.batch_norm_infer(data=conv, epsilon=epsilon, name=name + "_bn", axis=layout.index("C")))


def layers_layout(layout, depthwise=False):
    """The layout of the weights."""
    return "OIHW" if layout == "NCHW" else ("HWOI" if depthwise else "HWIO")


def separable_conv_block(data, name, depthwise_channels, pointwise_channels, kernel_size=(3, 3), downsample=False,
                         padding=(1, 1), epsilon=1e-5, layout="NCHW", dtype="float32"):
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


def mobile_net(num_classes=1000, data_shape=(1, 3, 224, 224), dtype="float32", alpha=1.0, is_shallow=False, layout="NCHW"):
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


def get_workload(batch_size=1, num_classes=1000, image_shape=(3, 224, 224), dtype="float32", layout="NCHW"):
    """(module, parameters) of the network."""
    return create_workload(mobile_net(num_classes=num_classes, data_shape=(batch_size,) + tuple(image_shape), dtype=dtype,
                                      layout=layout))
