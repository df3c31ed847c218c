"""Layers with parameters of their own."""

from __future__ import annotations

from ... import relay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.expr import RelayExpr
    from ..expr import Call, TupleGetItem


def batch_norm_infer(data: RelayExpr, gamma: Any = None, beta: Any = None, moving_mean: Any = None,
                     moving_var: Any = None, **kwargs: Any) -> TupleGetItem:
    """Batch normalization, without statistics."""
    name = kwargs.pop("name")
    gamma = gamma if gamma else relay.var(name + "_gamma")
    beta = beta if beta else relay.var(name + "_beta")
    moving_mean = moving_mean if moving_mean else relay.var(name + "_moving_mean")
    moving_var = moving_var if moving_var else relay.var(name + "_moving_var")
    return relay.nn.batch_norm(data, gamma=gamma, beta=beta, moving_mean=moving_mean, moving_var=moving_var, **kwargs)[0]


def conv1d(data: Any, weight: Any = None, **kwargs: Any) -> Any:
    name = kwargs.pop("name")
    return relay.nn.conv1d(data, weight if weight else relay.var(name + "_weight"), **kwargs)


def conv2d(data: RelayExpr, weight: RelayExpr | None = None, **kwargs: Any) -> Call:
    """A convolution with its weights as a variable."""
    name = kwargs.pop("name")
    return relay.nn.conv2d(data, weight if weight else relay.var(name + "_weight"), **kwargs)


def conv3d(data: Any, weight: Any = None, **kwargs: Any) -> Any:
    name = kwargs.pop("name")
    return relay.nn.conv3d(data, weight if weight else relay.var(name + "_weight"), **kwargs)


def conv2d_transpose(data: RelayExpr, weight: Any = None, **kwargs: Any) -> Call:
    name = kwargs.pop("name")
    return relay.nn.conv2d_transpose(data, weight if weight else relay.var(name + "_weight"), **kwargs)


def dense_add_bias(data: RelayExpr, weight: RelayExpr | None = None, bias: RelayExpr | None = None,
                   units: int | None = None, **kwargs: str) -> Call:
    """A dense layer with a bias."""
    name = kwargs.pop("name")
    data = relay.nn.dense(data, weight if weight else relay.var(name + "_weight"), units, **kwargs)
    return relay.nn.bias_add(data, bias if bias else relay.var(name + "_bias"), axis=-1)
