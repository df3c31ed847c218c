"""Normalizations and recurrent cells in numpy, for tests."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["batch_norm", "softmax_python", "layer_norm_python", "group_norm_python", "instance_norm_python", "lstm_python",
           "slice_axis_python", "scatter_elements", "scatter_nd_python", "trilu_np", "softmax_4d_python"]


def _normalized(data: np.ndarray[Any, Any], axes: Sequence[Any], epsilon: float) -> Any:
    mean = data.mean(axis=axes, keepdims=True)
    return (data - mean) / np.sqrt(data.var(axis=axes, keepdims=True) + epsilon)


def _along(vector: np.ndarray[Any, Any], rank: int, axis: Any) -> np.ndarray[Any, Any]:
    """A vector with as many axes as another tensor, lying along `axis`."""
    shape = [1] * rank
    shape[axis] = -1
    return vector.reshape(shape)


def batch_norm(x: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, axis: Any = 1, epsilon: float = 1e-5,
               center: bool = True, scale: bool = True, training: bool = False, momentum: float = 0.1) -> Any:
    """[result, mean, variance]; the statistics are those given unless `training`."""
    others = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
    mean, var = (x.mean(others), x.var(others)) if training else (moving_mean, moving_var)
    out = (x - _along(mean, x.ndim, axis)) / np.sqrt(_along(var, x.ndim, axis) + epsilon)
    if scale:
        out = out * _along(gamma, x.ndim, axis)
    if center:
        out = out + _along(beta, x.ndim, axis)
    if not training:
        return [out, moving_mean, moving_var]
    return [out, (1 - momentum) * moving_mean + momentum * mean, (1 - momentum) * moving_var + momentum * var]


def layer_norm_python(data: np.ndarray[Any, Any], gamma: np.ndarray[Any, Any], beta: np.ndarray[Any, Any], axis: Any,
                      epsilon: float = 1e-5) -> Any:
    axes = tuple(sorted(a % data.ndim for a in np.atleast_1d(axis)))
    shape = [n if i in axes else 1 for i, n in enumerate(data.shape)]
    out = _normalized(data.astype("float32"), axes, epsilon) * gamma.reshape(shape)
    return (out if beta is None else out + beta.reshape(shape)).astype(data.dtype)


def instance_norm_python(data: np.ndarray[Any, Any], gamma: np.ndarray[Any, Any], beta: np.ndarray[Any, Any], axis: Any,
                         epsilon: float = 1e-5) -> Any:
    """Normalized over `axis`; gamma and beta lie along axis 1."""
    out = _normalized(data, tuple(np.atleast_1d(axis)), epsilon) * _along(gamma, data.ndim, 1)
    return (out if beta is None else out + _along(beta, data.ndim, 1)).astype(data.dtype)


def group_norm_python(data: np.ndarray[Any, Any], gamma: np.ndarray[Any, Any], beta: np.ndarray[Any, Any],
                      num_groups: int, channel_axis: Any, axes: Sequence[int],
                      epsilon: float = 1e-5) -> Any:
    """Normalized over `axes` and the channels of each group."""
    channel_axis %= data.ndim
    shape = list(data.shape)
    split = shape[:channel_axis] + [num_groups, shape[channel_axis] // num_groups] + shape[channel_axis + 1:]
    over = tuple(a % data.ndim + (a % data.ndim >= channel_axis) for a in axes if a % data.ndim != channel_axis)
    out = _normalized(data.reshape(split).astype("float32"), (*over, channel_axis + 1), epsilon).reshape(shape)
    out = out * _along(gamma, data.ndim, channel_axis)
    return (out if beta is None else out + _along(beta, data.ndim, channel_axis)).astype(data.dtype)


def lstm_python(Xs: Any, Wi: Any, Wh: Any, Bi: Any = None, Bh: Any = None, h_init: Any = None, c_init: Any = None,
                proj: Any = None, p_i: Any = None, p_f: Any = None, p_o: Any = None, f_act: str = "sigmoid",
                g_act: str = "tanh", h_act: str = "tanh", reverse: bool = False, weight_layout: str = "IFGO") -> Any:
    """All hidden and cell states of a long short-term memory; Xs is [time, batch, inputs]."""
    functions: dict[str, Callable[..., Any]] = {"sigmoid": lambda x: 1 / (1 + np.exp(-x)), "tanh": np.tanh,
                                                "relu": lambda x: np.maximum(x, 0)}
    gate, update, output = functions[f_act], functions[g_act], functions[h_act]
    steps, batch, _ = Xs.shape
    width = Wi.shape[0] // 4
    h = np.zeros((batch, Wh.shape[1]), Xs.dtype) if h_init is None else h_init
    c = np.zeros((batch, width), Xs.dtype) if c_init is None else c_init
    hidden: list[Any] = [None] * steps
    cells: list[Any] = [None] * steps
    for k in range(steps):
        time = steps - 1 - k if reverse else k
        z = Xs[time] @ Wi.T + h @ Wh.T
        for bias in (Bi, Bh):
            z = z if bias is None else z + bias
        parts = dict(zip(weight_layout, np.split(z, 4, axis=1)))
        i = gate(parts["I"] + (0 if p_i is None else p_i * c))
        f = gate(parts["F"] + (0 if p_f is None else p_f * c))
        c = f * c + i * update(parts["G"])
        o = gate(parts["O"] + (0 if p_o is None else p_o * c))
        h = o * output(c)
        h = h if proj is None else h @ proj.T
        hidden[k], cells[k] = h, c
    return np.stack(hidden), np.stack(cells)


def slice_axis_python(data: Any, axis: Any, begin: Any, end: Any = None) -> Any:
    return data[(slice(None),) * (axis % data.ndim) + (slice(begin, end),)]


_COMBINE: dict[str, Callable[..., Any]] = {"update": lambda old, new: new, "add": lambda old, new: old + new,
                                           "mul": lambda old, new: old * new, "min": min, "max": max}


def _scattered(data: Any, places: Any, values: Any, mode: Any) -> Any:
    combine: Callable[..., Any] = (lambda old, new: (old + new)) if mode == "mean" else _COMBINE[mode]
    out, counts = data.copy(), np.ones(data.shape, int)
    for place, value in zip(places, values):
        out[place] = combine(out[place], value)
        counts[place] += 1
    return (out / counts).astype(data.dtype) if mode == "mean" else out


def scatter_elements(data: Any, indices: Any, updates: Any, axis: Any = 0, mode: str = "update") -> Any:
    places = ((*at[:axis % data.ndim], indices[at], *at[axis % data.ndim + 1:]) for at in np.ndindex(*indices.shape))
    return _scattered(data, places, (updates[at] for at in np.ndindex(*indices.shape)), mode)


_ELEMENTWISE: dict[str, Callable[..., Any]] = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def scatter_nd_python(data: Any, indices: Any, updates: Any, mode: Any = "add") -> Any:
    """The first axis of `indices` is the place."""
    rows = list(np.ndindex(*indices.shape[1:]))
    places = (tuple(indices[(slice(None), *at)]) for at in rows)
    out = data.copy()
    for place, at in zip(places, rows):
        out[place] = updates[at] if mode == "update" else _ELEMENTWISE[mode](out[place], updates[at])
    return out


def trilu_np(data: Any, upper: bool = True, k: int = 0) -> Any:
    return (np.triu if upper else np.tril)(data, k)


def softmax_4d_python(a_np: Any, axis: Any = 1) -> Any:
    return softmax_python(a_np, axis)


def softmax_python(a_np: np.ndarray[Any, Any], axis: Any = 1) -> Any:
    """Softmax along an axis."""
    e = np.exp(a_np - np.amax(a_np, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)
