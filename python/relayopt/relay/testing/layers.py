"""Layers with parameters of their own."""

from ... import relay


def batch_norm_infer(data, gamma=None, beta=None, moving_mean=None, moving_var=None, **kwargs):
    """Batch normalization, without statistics."""
    name = kwargs.pop("name")
    gamma = gamma if gamma else relay.var(name + "_gamma")
    beta = beta if beta else relay.var(name + "_beta")
    moving_mean = moving_mean if moving_mean else relay.var(name + "_moving_mean")
    moving_var = moving_var if moving_var else relay.var(name + "_moving_var")
    return relay.nn.batch_norm(data, gamma=gamma, beta=beta, moving_mean=moving_mean, moving_var=moving_var, **kwargs)[0]


def conv1d(data, weight=None, **kwargs):
    name = kwargs.pop("name")
    return relay.nn.conv1d(data, weight if weight else relay.var(name + "_weight"), **kwargs)


def conv2d(data, weight=None, **kwargs):
    """A convolution with its weights as a variable."""
    name = kwargs.pop("name")
    return relay.nn.conv2d(data, weight if weight else relay.var(name + "_weight"), **kwargs)


def conv3d(data, weight=None, **kwargs):
    name = kwargs.pop("name")
    return relay.nn.conv3d(data, weight if weight else relay.var(name + "_weight"), **kwargs)


def conv2d_transpose(data, weight=None, **kwargs):
    name = kwargs.pop("name")
    return relay.nn.conv2d_transpose(data, weight if weight else relay.var(name + "_weight"), **kwargs)


def dense_add_bias(data, weight=None, bias=None, units=None, **kwargs):
    """A dense layer with a bias."""
    name = kwargs.pop("name")
    data = relay.nn.dense(data, weight if weight else relay.var(name + "_weight"), units, **kwargs)
    return relay.nn.bias_add(data, bias if bias else relay.var(name + "_bias"), axis=-1)
