"""The numpy references of operators agree with what the evaluator computes."""

import numpy as np
import pytest

import relayopt
from relayopt import relay
from testing import references


def evaluate(build, *arrays):
    params = [relay.var(f"x{i}", shape=array.shape) for i, array in enumerate(arrays)]
    return relay.create_executor("graph").evaluate(relay.Function(params, build(*params)))(*arrays).numpy()


def data(*shape):
    return np.random.default_rng(0).uniform(-1, 1, shape).astype("float32")


CONVOLUTIONS = {
    "conv1d": (relay.nn.conv1d, (1, 4, 9), (6, 4, 3), dict(strides=2, padding=1, channels=6, kernel_size=3),
               lambda x, w: references.conv1d_ncw_python(x, w, 2, 1, 1)),
    "conv2d, groups": (relay.nn.conv2d, (1, 4, 9, 8), (6, 2, 3, 3), dict(groups=2, padding=(1, 0, 0, 1)),
                       lambda x, w: references.conv2d_nchw_python(x, w, 1, (1, 0, 0, 1), groups=2)),
    "conv2d, dilated": (relay.nn.conv2d, (1, 3, 9, 9), (5, 3, 3, 3), dict(dilation=(2, 2)),
                        lambda x, w: references.conv2d_nchw_python(x, references.dilate_python(w, (1, 1, 2, 2)), 1, 0)),
    "conv2d NHWC": (relay.nn.conv2d, (1, 9, 8, 3), (3, 3, 3, 5),
                    dict(channels=5, kernel_size=(3, 3), data_layout="NHWC", kernel_layout="HWIO"),
                    lambda x, w: references.conv2d_nhwc_python(x, w, 1, 0)),
    "depthwise": (relay.nn.conv2d, (1, 4, 9, 9), (4, 1, 3, 3),
                  dict(groups=4, channels=4, kernel_size=(3, 3), padding=(1, 1)),
                  lambda x, w: references.depthwise_conv2d_python_nchw(x, w, (1, 1), "SAME")),
    "conv3d": (relay.nn.conv3d, (1, 2, 5, 6, 7), (3, 2, 2, 2, 2), {},
               lambda x, w: references.conv3d_ncdhw_python(x, w, 1, 0)),
    "conv1d_transpose": (relay.nn.conv1d_transpose, (1, 3, 9), (3, 5, 3),
                         dict(channels=5, kernel_size=3, strides=2, padding=1, output_padding=1),
                         lambda x, w: references.conv1d_transpose_ncw_python(x, w, 2, 1, 1)),
    "conv2d_transpose": (relay.nn.conv2d_transpose, (1, 3, 6, 6), (3, 5, 3, 3),
                         dict(channels=5, kernel_size=(3, 3), strides=(2, 2), padding=(1, 1), output_padding=(1, 1)),
                         lambda x, w: references.conv2d_transpose_nchw_python(x, w, 2, 1, (1, 1))),
    "conv3d_transpose": (relay.nn.conv3d_transpose, (1, 3, 4, 4, 4), (3, 2, 2, 2, 2),
                         dict(channels=2, kernel_size=(2, 2, 2), padding=(1, 1, 1)),
                         lambda x, w: references.conv3d_transpose_ncdhw_python(x, w, 1, 1, 0)),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution(name):
    builder, shape, kernel, attrs, reference = CONVOLUTIONS[name]
    x, w = data(*shape), data(*kernel)
    np.testing.assert_allclose(evaluate(lambda a, b: builder(a, b, **attrs), x, w), reference(x, w), 1e-4, 1e-5)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_pooling(kind, ceil_mode):
    builder = {"max": relay.nn.max_pool2d, "avg": relay.nn.avg_pool2d}[kind]
    x = data(1, 2, 8, 9)
    found = evaluate(lambda a: builder(a, (3, 3), (2, 2), padding=(1, 1), ceil_mode=ceil_mode), x)
    wanted = references.poolnd_python(x, (3, 3), (2, 2), (1, 1), (1, 1), (1, 1), kind, False, ceil_mode)
    np.testing.assert_allclose(found, wanted, 1e-5)


@pytest.mark.parametrize("kind", ["max", "avg"])
def test_gradient_of_pooling(kind):
    builder = {"max": relay.nn.max_pool2d_grad, "avg": relay.nn.avg_pool2d_grad}[kind]
    x, grad = data(1, 2, 8, 8), data(1, 2, 4, 4)
    found = evaluate(lambda g, a: builder(g, a, (2, 2), (2, 2)), grad, x)
    wanted = references.pool_grad_nchw(x, grad, (2, 2), (2, 2), (0, 0, 0, 0), kind, False)
    np.testing.assert_allclose(found, wanted, 1e-5)


def test_windows_of_padding_alone_add_nothing_to_the_gradient_of_pooling():
    x, grad = np.ones((1, 1, 2, 2), "float32"), np.ones((1, 1, 4, 4), "float32")
    for kind in ("max", "avg"):
        found = references.pool_grad_nchw(x, grad, (1, 1), (1, 1), (1, 1, 1, 1), kind, False)
        np.testing.assert_array_equal(found, np.ones((1, 1, 2, 2)))


@pytest.mark.parametrize("shape, channels, stride, padding, groups", [
    ((2, 3, 6, 6), 4, (1, 1), (1, 1), 1), ((1, 4, 7, 7), 6, (2, 2), (0, 0), 1), ((2, 4, 6, 6), 4, (1, 1), (1, 1), 4),
    ((2, 4, 6, 6), 2, (1, 2), (1, 0), 2),
])
def test_gradient_of_the_weight_of_a_convolution(shape, channels, stride, padding, groups):
    x = data(*shape)
    height, width = ((shape[2 + i] + 2 * padding[i] - 3) // stride[i] + 1 for i in (0, 1))
    grad = data(shape[0], channels, height, width)
    options = dict(strides=stride, padding=padding, kernel_size=(3, 3), groups=groups, channels=channels, out_dtype="float32")
    g, v = relay.var("g", shape=grad.shape), relay.var("x", shape=x.shape)
    function = relay.Function([g, v], relay.nn.conv2d_backward_weight(g, v, **options))
    legal = relay.transform.Legalize()(relayopt.IRModule.from_expr(function))
    found = relay.create_executor("debug", legal).evaluate()(grad, x).numpy()
    wanted = references.conv2d_backward_weight_python(grad, x, (3, 3), stride, padding, groups, channels)
    np.testing.assert_allclose(found, wanted, 1e-4, 1e-5)


def test_correlation():
    a, b = data(1, 3, 8, 8), data(1, 3, 8, 8)
    found = evaluate(lambda x, y: relay.nn.correlation(x, y, 3, 2, 1, 1, 3, True, "NCHW"), a, b)
    np.testing.assert_allclose(found, references.correlation_nchw_python(a, b, 3, 2, 1, 1, 3, True), 1e-4, 1e-6)


NORMS = {
    "layer_norm": (lambda x, g, b: relay.nn.layer_norm(x, g, b, axis=1),
                   lambda x, g, b: references.layer_norm_python(x, g, b, 1)),
    "instance_norm": (relay.nn.instance_norm, lambda x, g, b: references.instance_norm_python(x, g, b, (2, 3))),
    "group_norm": (lambda x, g, b: relay.nn.group_norm(x, g, b, num_groups=2),
                   lambda x, g, b: references.group_norm_python(x, g, b, 2, 1, (2, 3))),
}


@pytest.mark.parametrize("name", NORMS)
def test_norms(name):
    operator, reference = NORMS[name]
    x, gamma, beta = data(2, 4, 3, 3), data(4), data(4)
    np.testing.assert_allclose(evaluate(operator, x, gamma, beta), reference(x, gamma, beta), 1e-4, 1e-5)


def test_response_normalization_rounds_every_step():
    x = data(1, 5, 4, 4).astype("float16")
    wanted = references.lrn_python(x, 5, 1, 0.5, 1e-5, 0.75)
    assert wanted.dtype == "float16"
    param = relay.var("x", shape=x.shape, dtype="float16")
    made = relay.nn.lrn(param, size=5, axis=1, bias=0.5, alpha=1e-5, beta=0.75)
    found = relay.create_executor("graph").evaluate(relay.Function([param], made))(x).numpy()
    np.testing.assert_array_equal(found, wanted)


def test_windows_in_the_padding_pool_to_the_least_number():
    x = data(1, 2, 4, 4, 4)
    found = evaluate(lambda a: relay.nn.max_pool3d(a, 2, 2, padding=(0, 0, 4, 0, 0, 4)), x)
    wanted = references.poolnd_python(x, (2,) * 3, (2,) * 3, (1,) * 3, (0, 0, 4), (0, 0, 4), "max", False)
    np.testing.assert_array_equal(found, wanted)
    assert found[0, 0, 0, 0, 0] == np.finfo("float32").min


def test_pooling_in_another_layout():
    x = data(1, 2, 8, 9)
    rest = ((3, 3), (2, 2), (1, 1), (1, 1), (1, 1), "avg")
    moved = references.poolnd_python(x.transpose(0, 2, 3, 1), *rest, layout="NHWC")
    np.testing.assert_array_equal(moved.transpose(0, 3, 1, 2), references.poolnd_python(x, *rest))
