"""What windows that slide over tensors compute - convolutions, pooling, correlation - in numpy, for tests.

Paddings are a number, a pair, `(before..., after...)` for all axes, "SAME" or "VALID".
"""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = [
    "conv1d_ncw_python", "group_conv1d_ncw_python", "conv1d_transpose_ncw_python", "group_conv1d_transpose_ncw_python",
    "conv2d_nchw_python", "conv2d_nhwc_python", "conv2d_hwcn_python", "conv2d_transpose_nchw_python",
    "conv2d_transpose_nhwc_python", "conv3d_ncdhw_python", "conv3d_ndhwc_python", "conv3d_transpose_ncdhw_python",
    "depthwise_conv2d_python_nchw", "depthwise_conv2d_python_nhwc", "dilate_python", "correlation_nchw_python",
    "conv2d_backward_weight_python",
    "poolnd_python", "pool_grad_nchw",
]


def _each(value: Any, rank: int) -> tuple[int, ...]:
    """One number for each axis."""
    return tuple(int(v) for v in value) if isinstance(value, (tuple, list, np.ndarray)) else (int(value),) * rank


def _paddings(padding: Any, kernel: Sequence[int], stride: Sequence[int], size: Sequence[int]) -> list[tuple[int, int]]:
    """(before, after) of each axis."""
    rank = len(kernel)
    if padding == "VALID":
        return [(0, 0)] * rank
    if padding == "SAME":
        total = [max((-(-n // s) - 1) * s + k - n, 0) for n, s, k in zip(size, stride, kernel)]
        return [(t // 2, t - t // 2) for t in total]
    given = _each(padding, rank)
    if len(given) == 2 * rank:
        return list(zip(given[:rank], given[rank:]))
    return [(p, p) for p in given]


def dilate_python(input_np: np.ndarray[Any, Any], strides: Sequence[int], dilation_value: float = 0.0,
                  out_dtype: Any = None) -> np.ndarray[Any, Any]:
    """The tensor with `strides[i] - 1` values between neighbours along axis i."""
    shape = [(n - 1) * s + 1 for n, s in zip(input_np.shape, strides)]
    out = np.full(shape, dilation_value, out_dtype or input_np.dtype)
    out[tuple(slice(None, None, s) for s in strides)] = input_np
    return out


def _windows(data: Any, kernel: Any, stride: Sequence[int]) -> Any:
    """data[N, C, *size] as [N, C, *places, *kernel]."""
    axes: Any = tuple(range(2, data.ndim))
    views = np.lib.stride_tricks.sliding_window_view(data, kernel, axis=axes)
    return views[(slice(None), slice(None), *(slice(None, None, s) for s in stride))]


def _conv(data: np.ndarray[Any, Any], weight: Any, stride: Any, padding: Any, groups: int = 1,
          dilation: int = 1) -> Any:
    """data[N, C, *size], weight[O, C / groups, *kernel]."""
    rank = data.ndim - 2
    stride = _each(stride, rank)
    weight = dilate_python(weight, (1, 1, *_each(dilation, rank)))
    kernel = weight.shape[2:]
    pads = _paddings(padding, kernel, stride, data.shape[2:])
    views = _windows(np.pad(data, [(0, 0), (0, 0), *pads]), kernel, stride)
    taken, made = data.shape[1] // groups, weight.shape[0] // groups
    sums = [1, *range(2 + rank, 2 + 2 * rank)]
    parts = []
    for group in range(groups):
        part = views[:, group * taken:(group + 1) * taken]
        filters = weight[group * made:(group + 1) * made]
        parts.append(np.moveaxis(np.tensordot(part, filters, (sums, range(1, 2 + rank))), -1, 1))
    return np.concatenate(parts, axis=1).astype(np.result_type(data, weight), copy=False)


def _conv_transpose(data: np.ndarray[Any, Any], weight: np.ndarray[Any, Any], stride: Any, padding: int,
                    output_padding: Any, groups: int = 1) -> Any:
    """data[N, C, *size], weight[C, O / groups, *kernel]."""
    rank = data.ndim - 2
    stride, extra = _each(stride, rank), _each(output_padding, rank)
    kernel = weight.shape[2:]
    pads = _paddings(padding, kernel, stride, data.shape[2:])
    spread = dilate_python(data, (1, 1, *stride))
    # A negative padding is a cut.
    wide = np.pad(spread, [(0, 0), (0, 0)] + [(k - 1, k - 1 + e) for k, e in zip(kernel, extra)])
    cut = tuple(slice(before, n - after) for (before, after), n in zip(pads, wide.shape[2:]))
    per_group = weight.shape[0] // groups
    flipped = np.flip(weight, tuple(range(2, 2 + rank)))
    filters = [np.swapaxes(flipped[g * per_group:(g + 1) * per_group], 0, 1) for g in range(groups)]
    return _conv(wide[(slice(None), slice(None), *cut)], np.concatenate(filters), 1, 0, groups)


def conv1d_ncw_python(a_np: np.ndarray[Any, Any], w_np: np.ndarray[Any, Any], stride: int, padding: int,
                      dilation: int = 1) -> Any:
    return _conv(a_np, w_np, stride, padding, 1, dilation)


def group_conv1d_ncw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, dilation: Any, groups: Any) -> Any:
    return _conv(a_np, w_np, stride, padding, groups, dilation)


def conv2d_nchw_python(a_np: np.ndarray[Any, Any], w_np: np.ndarray[Any, Any], stride: int, padding: Any,
                       groups: int = 1) -> Any:
    return _conv(a_np, w_np, stride, padding, groups)


def conv2d_nhwc_python(a_np: np.ndarray[Any, Any], w_np: np.ndarray[Any, Any], stride: int, padding: int,
                       groups: int = 1) -> np.ndarray[Any, Any]:
    """w_np is HWIO."""
    return np.moveaxis(_conv(np.moveaxis(a_np, 3, 1), w_np.transpose(3, 2, 0, 1), stride, padding, groups), 1, 3)


def conv2d_hwcn_python(a_np: Any, w_np: Any, stride: Any, padding: Any) -> Any:
    """w_np is HWIO."""
    return _conv(a_np.transpose(3, 2, 0, 1), w_np.transpose(3, 2, 0, 1), stride, padding).transpose(2, 3, 1, 0)


def conv3d_ncdhw_python(a_np: np.ndarray[Any, Any], w_np: np.ndarray[Any, Any], stride: int, padding: int,
                        groups: int = 1) -> Any:
    return _conv(a_np, w_np, stride, padding, groups)


def conv3d_ndhwc_python(a_np: Any, w_np: Any, stride: Any, padding: Any, groups: int = 1) -> Any:
    """w_np is DHWIO."""
    return np.moveaxis(_conv(np.moveaxis(a_np, 4, 1), w_np.transpose(4, 3, 0, 1, 2), stride, padding, groups), 1, 4)


def conv2d_backward_weight_python(dy_np: np.ndarray[Any, Any], x_np: np.ndarray[Any, Any], kernel_size: Sequence[int],
                                  stride: Sequence[int], padding: Sequence[int], groups: int = 1,
                                  channels: int | None = None) -> np.ndarray[Any, Any]:
    """The gradient of the weight, OIHW, of a convolution of x_np[N, C, H, W] whose result has the gradient dy_np."""
    assert channels is None or channels == dy_np.shape[1]
    batch, outputs, height, width = dy_np.shape
    inputs = x_np.shape[1] // groups
    padded = np.pad(x_np, [(0, 0), (0, 0), (padding[0], padding[0]), (padding[1], padding[1])])
    dy = dy_np.reshape(batch, groups, outputs // groups, height, width)
    grad = np.zeros((outputs, inputs, *kernel_size), dy_np.dtype)
    for i, j in np.ndindex(*kernel_size):
        window = padded[:, :, i : i + stride[0] * height : stride[0], j : j + stride[1] * width : stride[1]]
        window = window[:, :, :height, :width].reshape(batch, groups, inputs, height, width)
        grad[:, :, i, j] = np.einsum("ngohw,ngihw->goi", dy, window).reshape(outputs, inputs)
    return grad


def depthwise_conv2d_python_nchw(input_np: np.ndarray[Any, Any], filter_np: np.ndarray[Any, Any], stride: Sequence[int],
                                 padding: str) -> Any:
    """filter_np is [channels, multiplier, kh, kw]."""
    channels, multiplier = filter_np.shape[:2]
    weight = filter_np.reshape(channels * multiplier, 1, *filter_np.shape[2:])
    return _conv(input_np, weight, stride, padding, channels)


def depthwise_conv2d_python_nhwc(input_np: Any, filter_np: Any, stride: Any, padding: Any) -> Any:
    """filter_np is [kh, kw, channels, multiplier]."""
    made = depthwise_conv2d_python_nchw(np.moveaxis(input_np, 3, 1), filter_np.transpose(2, 3, 0, 1), stride, padding)
    return np.moveaxis(made, 1, 3)


def conv1d_transpose_ncw_python(a_np: np.ndarray[Any, Any], w_np: np.ndarray[Any, Any], stride: int, padding: int,
                                output_padding: int) -> Any:
    return _conv_transpose(a_np, w_np, stride, padding, output_padding)


def group_conv1d_transpose_ncw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, output_padding: Any,
                                      groups: int = 1) -> Any:
    return _conv_transpose(a_np, w_np, stride, padding, output_padding, groups)


def conv2d_transpose_nchw_python(a_np: np.ndarray[Any, Any], w_np: np.ndarray[Any, Any], stride: int, padding: int,
                                 output_padding: Sequence[int], groups: int = 1) -> Any:
    return _conv_transpose(a_np, w_np, stride, padding, output_padding, groups)


def conv2d_transpose_nhwc_python(a_nhwc: Any, weight: Any, weight_format: Any, stride: Any, padding: Any,
                                 output_padding: Sequence[int] = (0, 0)) -> Any:
    """`weight_format` names the axes of the weight: "HWIO", "HWOI", "OIHW" or "IOHW"; I are the channels of the input."""
    order = [weight_format.index(axis) for axis in "IOHW"]
    made = _conv_transpose(np.moveaxis(a_nhwc, 3, 1), weight.transpose(order), stride, padding, output_padding)
    return np.moveaxis(made, 1, 3)


def conv3d_transpose_ncdhw_python(a_np: np.ndarray[Any, Any], w_np: np.ndarray[Any, Any], stride: int, padding: int,
                                  output_padding: int) -> Any:
    return _conv_transpose(a_np, w_np, stride, padding, output_padding)


def correlation_nchw_python(data1: np.ndarray[Any, Any], data2: np.ndarray[Any, Any], kernel_size: int,
                            max_displacement: int, stride1: int, stride2: int, padding: int,
                            is_multiply: bool) -> np.ndarray[Any, Any]:
    """How well patches of two images fit for each displacement."""
    pads = [(0, 0), (0, 0), (padding, padding), (padding, padding)]
    left, right = np.pad(data1, pads), np.pad(data2, pads)
    batch, channels, height, width = left.shape
    reach = (kernel_size - 1) // 2
    border = max_displacement + reach
    radius = max_displacement // stride2
    steps = [stride2 * i for i in range(-radius, radius + 1)]
    rows = range(border, height - border, stride1)
    columns = range(border, width - border, stride1)
    out = np.zeros((batch, len(steps) ** 2, len(rows), len(columns)), data1.dtype)
    size = kernel_size * kernel_size * channels
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            def patch(image: np.ndarray[Any, Any], y: Any, x: Any) -> np.ndarray[Any, Any]:
                y, x = row + y - reach, column + x - reach
                return image[:, :, y:y + kernel_size, x:x + kernel_size]

            here = patch(left, 0, 0)
            for k, (y, x) in enumerate((y, x) for y in steps for x in steps):
                there = patch(right, y, x)
                values = here * there if is_multiply else np.abs(here - there)
                out[:, k, i, j] = values.sum((1, 2, 3)) / size
    return out


def _pool_places(size: int, kernel: int, stride: int, dilation: int, before: int, after: int, ceil_mode: bool) -> int:
    span = size + before + after - (kernel - 1) * dilation - 1
    return (-(-span // stride) if ceil_mode else span // stride) + 1


def poolnd_python(np_data: np.ndarray[Any, Any], kernel: Sequence[int], strides: Sequence[int], dilation: Sequence[int],
                  padding_before: Sequence[int], padding_after: Sequence[int], pool_type: str,
                  count_include_pad: bool = True, ceil_mode: bool = False,
                  dtype: Any = "float32", layout: str | None = None) -> np.ndarray[Any, Any]:
    """Pooling over the axes behind the first two, or over those that `layout` calls D, H and W; `pool_type` is "max" or "avg".

    The largest of a window that lies in the padding alone is the least number of the data type.
    """
    rank = np_data.ndim - 2
    if layout is not None:
        order = [layout.index(axis) for axis in "NC" + "DHW"[3 - rank:]]
        pooled = poolnd_python(np_data.transpose(order), kernel, strides, dilation, padding_before, padding_after, pool_type,
                               count_include_pad, ceil_mode, dtype)
        return pooled.transpose(np.argsort(order))
    size = np_data.shape[2:]
    axes = list(zip(size, kernel, strides, dilation, padding_before, padding_after))
    places = [_pool_places(n, k, s, d, b, a, ceil_mode) for n, k, s, d, b, a in axes]
    out = np.zeros((*np_data.shape[:2], *places), dtype)
    least = np.finfo(dtype).min if np.issubdtype(np.dtype(dtype), np.floating) else np.iinfo(dtype).min
    for place in np.ndindex(*places):
        picks, padded = [], 1
        for at, (n, k, s, d, before, after) in zip(place, axes):
            index = at * s - before + d * np.arange(k)
            picks.append(index[(index >= 0) & (index < n)])
            # Windows that stand out beyond the padding count what is inside of it.
            padded *= int(np.sum(index < n + after))
        inside = np_data[(slice(None), slice(None), *np.ix_(*picks))]
        over = tuple(range(2, 2 + rank))
        if pool_type == "max":
            value = inside.max(over) if all(p.size for p in picks) else np.full(np_data.shape[:2], least)
        else:
            count = padded if count_include_pad else int(np.prod([p.size for p in picks]))
            value = inside.sum(over) / max(count, 1)
        out[(slice(None), slice(None), *place)] = value
    return out


def pool_grad_nchw(a_np: np.ndarray[Any, Any], out_grad_np: np.ndarray[Any, Any], pool_size: Sequence[int],
                   strides: Sequence[int], padding: Sequence[int], pool_type: str, ceil_mode: bool,
                   count_include_pad: bool = True, add_relu: bool = False) -> np.ndarray[Any, Any]:
    """The gradient of pooling a_np[N, C, H, W]."""
    top, left = padding[0], padding[1]
    height, width = a_np.shape[2:]
    grad = np.zeros_like(a_np)
    for i, j in np.ndindex(*out_grad_np.shape[2:]):
        y, x = i * strides[0] - top, j * strides[1] - left
        rows = slice(max(y, 0), min(y + pool_size[0], height))
        columns = slice(max(x, 0), min(x + pool_size[1], width))
        window = a_np[:, :, rows, columns]
        if window.size == 0:
            continue
        given = out_grad_np[:, :, i, j]
        if pool_type == "avg":
            count = pool_size[0] * pool_size[1] if count_include_pad else window.shape[2] * window.shape[3]
            grad[:, :, rows, columns] += (given / count)[:, :, None, None]
            continue
        flat = window.reshape(*window.shape[:2], -1)
        best = flat.argmax(2)
        part = np.zeros_like(flat)
        np.put_along_axis(part, best[:, :, None], given[:, :, None], 2)
        if add_relu:
            part *= flat > 0
        grad[:, :, rows, columns] += part.reshape(window.shape)
    return grad
