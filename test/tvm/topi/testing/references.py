"""What operators compute, in numpy: for tests. Names and arguments are those of `tvm.topi.testing`."""

from __future__ import annotations

import itertools
import math

import numpy as np

from .norms import *
from .sliding import *

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def batch_matmul(x: Any, y: Any, out_dtype: Any = None, trans_x: bool = False,
                 trans_y: bool = True) -> Any:
    """Matrix products of a batch; a batch of one serves for all."""
    x = x.swapaxes(1, 2) if trans_x else x
    y = y.swapaxes(1, 2) if trans_y else y
    out = np.matmul(x.astype(out_dtype) if out_dtype else x, y.astype(out_dtype) if out_dtype else y)
    return out


def log_softmax_python(a_np: Any, axis: Any = 1) -> Any:
    """The logarithm of softmax."""
    shifted = a_np - np.amax(a_np, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def strided_slice_python(data: np.ndarray[Any, Any], begin: Sequence[int], end: Sequence[int], strides: Any,
                         slice_mode: str = "end", axes: Any = None) -> np.ndarray[Any, Any]:
    """A part of each axis."""
    strides = [] if strides is None else strides
    slices = [slice(None)] * data.ndim
    axes = range(len(begin)) if axes is None else axes
    for i, axis in enumerate(axes):
        b = begin[i] if i < len(begin) else 0
        if slice_mode == "size":
            e = None if end[i] < 0 else b + end[i]
            slices[axis] = slice(b, e, 1)
            continue
        e = end[i] if i < len(end) else None
        s = strides[i] if i < len(strides) else (strides[0] if len(strides) == 1 else 1)
        slices[axis] = slice(b, e, s)
    return data[tuple(slices)]


def strided_set_python(data: np.ndarray[Any, Any], v: np.ndarray[Any, Any], begin: Sequence[int], end: Sequence[int],
                       strides: Any) -> np.ndarray[Any, Any]:
    """The data with a part of each axis replaced."""
    strides = [] if strides is None else strides
    slices = []
    for i in range(data.ndim):
        slices.append(slice(begin[i] if i < len(begin) else None, end[i] if i < len(end) else None,
                            strides[i] if i < len(strides) else None))
    out = data.copy()
    out[tuple(slices)] = v
    return out


def one_hot(indices: np.ndarray[Any, Any], on_value: float, off_value: float, depth: int, axis: Any,
            dtype: Any) -> np.ndarray[Any, Any]:
    """Rows with one value at an index."""
    out = np.where(np.arange(depth) == np.asarray(indices)[..., None], on_value, off_value).astype(dtype)
    return out if axis in (-1, indices.ndim) else np.moveaxis(out, -1, axis)


def space_to_depth_python(data: np.ndarray[Any, Any], block_size: int) -> np.ndarray[Any, Any]:
    """Blocks as channels, NCHW."""
    n, c, h, w = data.shape
    out = data.reshape(n, c, h // block_size, block_size, w // block_size, block_size)
    return out.transpose(0, 3, 5, 1, 2, 4).reshape(n, c * block_size**2, h // block_size, w // block_size)


def depth_to_space_python(data: np.ndarray[Any, Any], block_size: int, mode: str = "DCR") -> np.ndarray[Any, Any]:
    """Channels as blocks, NCHW."""
    n, c, h, w = data.shape
    b = block_size
    if mode == "DCR":
        out = data.reshape(n, b, b, c // b**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        out = data.reshape(n, c // b**2, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return out.reshape(n, c // b**2, h * b, w * b)


def space_to_batch_nd_python(data: np.ndarray[Any, Any], block_shape: Sequence[int], pad_before: Sequence[int],
                             pad_after: Sequence[int], pad_value: int = 0) -> np.ndarray[Any, Any]:
    """Blocks as batches."""
    count = len(block_shape)
    pads = [(0, 0)] + list(zip(pad_before, pad_after)) + [(0, 0)] * (data.ndim - 1 - count)
    padded = np.pad(data, pads, constant_values=pad_value)
    shape = [padded.shape[0]]
    for i, block in enumerate(block_shape):
        shape += [padded.shape[1 + i] // block, block]
    shape += list(padded.shape[1 + count :])
    order = [2 * i + 2 for i in range(count)] + [0] + [2 * i + 1 for i in range(count)] + list(
        range(2 * count + 1, len(shape)))
    out = padded.reshape(shape).transpose(order)
    return out.reshape([-1] + [padded.shape[1 + i] // b for i, b in enumerate(block_shape)] + list(
        padded.shape[1 + count :]))


def batch_to_space_nd_python(data: np.ndarray[Any, Any], block_shape: Sequence[int], crop_begin: Sequence[int],
                             crop_end: Sequence[int]) -> np.ndarray[Any, Any]:
    """Batches as blocks."""
    count = len(block_shape)
    batch = data.shape[0] // int(np.prod(block_shape))
    out = data.reshape(list(block_shape) + [batch] + list(data.shape[1:]))
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    order += list(range(2 * count + 1, out.ndim))
    out = out.transpose(order).reshape([batch] + [data.shape[1 + i] * b for i, b in enumerate(block_shape)] + list(
        data.shape[1 + count :]))
    slices = [slice(None)] + [slice(b, out.shape[1 + i] - e) for i, (b, e) in enumerate(zip(crop_begin, crop_end))]
    return out[tuple(slices)]


def sequence_mask(data: np.ndarray[Any, Any], valid_length: np.ndarray[Any, Any], mask_value: float,
                  axis: Any) -> np.ndarray[Any, Any]:
    """The data with what lies behind a length masked; the batch is the other of the first two axes."""
    out = data.copy()
    for i in range(data.shape[1 - axis]):
        index: list[Any] = [slice(None)] * data.ndim
        index[1 - axis] = i
        index[axis] = slice(int(valid_length[i]), None)
        out[tuple(index)] = mask_value
    return out


def nll_loss(predictions: np.ndarray[Any, Any], targets: np.ndarray[Any, Any], weights: np.ndarray[Any, Any],
             reduction: str = "mean", ignore_index: int = -100) -> Any:
    """The negative log likelihood."""
    result = np.zeros(targets.shape, predictions.dtype)
    total = 0.0
    for index in np.ndindex(*targets.shape):
        target = targets[index]
        if target == ignore_index:
            continue
        at = (index[0], target, *index[1:]) if predictions.ndim > 1 else (target,)
        result[index] = -predictions[at] * weights[target]
        total += weights[target]
    if reduction == "mean":
        return np.sum(result) / total
    return np.sum(result) if reduction == "sum" else result


def matrix_set_diag(input_np: np.ndarray[Any, Any], diagonal: np.ndarray[Any, Any], k: Any = 0,
                    align: str = "RIGHT_LEFT") -> np.ndarray[Any, Any]:
    """Matrices with diagonals replaced."""
    out = np.array(input_np)
    low, high = (k[0], k[1] if len(k) > 1 else k[0]) if isinstance(k, (tuple, list)) else (k, k)
    rows, cols = out.shape[-2:]
    several = low != high
    longest = diagonal.shape[-1]
    for batch in np.ndindex(*out.shape[:-2]):
        for d in range(low, high + 1):
            size = min(cols - max(d, 0), rows + min(d, 0))
            right = align.startswith("RIGHT") if d >= 0 else align.endswith("RIGHT")
            offset = longest - size if several and right else 0
            for i in range(size):
                row, col = i - min(d, 0), i + max(d, 0)
                value = diagonal[batch + (high - d, offset + i)] if several else diagonal[batch + (i,)]
                out[batch + (row, col)] = value
    return out


def adaptive_pool(np_data: np.ndarray[Any, Any], out_size: Any, pool_type: str, layout: str) -> np.ndarray[Any, Any]:
    """Pooling to an output of a given size."""
    axes = [i for i, c in enumerate(layout) if c in "DHW"]
    sizes = [out_size] * len(axes) if isinstance(out_size, int) else list(out_size)
    sizes = [np_data.shape[a] if s is None else s for a, s in zip(axes, sizes)]
    shape = list(np_data.shape)
    for a, s in zip(axes, sizes):
        shape[a] = s
    out = np.zeros(shape, np_data.dtype)
    reduce = np.max if pool_type == "max" else np.mean
    for index in itertools.product(*map(range, sizes)):
        source: list[Any] = [slice(None)] * np_data.ndim
        target: list[Any] = [slice(None)] * np_data.ndim
        for a, s, i in zip(axes, sizes, index):
            extent = np_data.shape[a]
            source[a] = slice(i * extent // s, -(-(i + 1) * extent // s))
            target[a] = i
        out[tuple(target)] = reduce(np_data[tuple(source)], axis=tuple(axes))
    return out


# Resizing.


def _source(x: int, old: int, new: int, mode: str, roi_start: float = 0.0, roi_end: float = 1.0) -> float:
    scale = old / new
    if mode == "half_pixel":
        return (x + 0.5) * scale - 0.5
    if mode == "align_corners":
        return x * (old - 1) / (new - 1) if new > 1 else 0.0
    if mode == "asymmetric":
        return x * scale
    if mode == "pytorch_half_pixel":
        return (x + 0.5) * scale - 0.5 if new > 1 else 0.0
    if mode == "tf_half_pixel_for_nn":
        return (x + 0.5) * scale
    if mode == "tf_crop_and_resize":
        if new > 1:
            return roi_start * (old - 1) + x * (roi_end - roi_start) * (old - 1) / (new - 1)
        return 0.5 * (roi_start + roi_end) * (old - 1)
    raise ValueError(mode)


def _weights(method: str, mode: str, old: int, new: int, alpha: float = -0.5, exclude: int = 0) -> list[list[Any]]:
    """For each output the inputs and weights that it consists of."""
    table = []
    for x in range(new):
        at = _source(x, old, new, mode)
        if method == "nearest_neighbor":
            if mode == "align_corners":
                near = math.floor(at + 0.5)
            else:
                near = math.floor(at)
            table.append([(min(max(near, 0), old - 1), 1.0)])
        elif method in ("linear", "bilinear", "trilinear"):
            low = math.floor(at)
            part = at - low
            table.append([(min(max(low, 0), old - 1), 1 - part), (min(max(low + 1, 0), old - 1), part)])
        else:
            low = math.floor(at)
            part = at - low
            w = [_cubic(part + 1, alpha), _cubic(part, alpha), _cubic(1 - part, alpha), _cubic(2 - part, alpha)]
            indices = [low - 1 + i for i in range(4)]
            if exclude:
                w = [v if 0 <= i < old else 0.0 for v, i in zip(w, indices)]
                total = sum(w)
                w = [v / total for v in w]
            table.append([(min(max(i, 0), old - 1), v) for i, v in zip(indices, w)])
    return table


def _cubic(x: Any, a: float) -> Any:
    x = abs(x)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0


def _resize(data: np.ndarray[Any, Any], axes: Sequence[int], sizes: Sequence[int], method: str, mode: str,
            alpha: float = -0.5, exclude: int = 0) -> np.ndarray[Any, Any]:
    out = data.astype("float64")
    for axis, size in zip(axes, sizes):
        table = _weights(method, mode, data.shape[axis], size, alpha, exclude)
        parts = [sum(np.take(out, i, axis) * w for i, w in row) for row in table]
        out = np.stack(parts, axis)
    return out.astype(data.dtype)


def _layout_axes(layout: str) -> list[int]:
    return [i for i, c in enumerate(layout) if c in "DHW"]


def _sizes(data: np.ndarray[Any, Any], layout: str, scale: Sequence[int]) -> list[int]:
    return [int(round(data.shape[a] * s)) for a, s in zip(_layout_axes(layout), scale)]


def resize1d_python(data: np.ndarray[Any, Any], scale: Sequence[int], layout: str = "NCW",
                    method: str = "nearest_neighbor",
                    coordinate_transformation_mode: str = "align_corners") -> np.ndarray[Any, Any]:
    """A row of another length."""
    return _resize(data, _layout_axes(layout), _sizes(data, layout, scale), method, coordinate_transformation_mode)


def resize2d_python(data: np.ndarray[Any, Any], scale: Sequence[int], layout: str = "NCHW", method: str = "bilinear",
                    coordinate_transformation_mode: str = "align_corners") -> np.ndarray[Any, Any]:
    """An image of another size."""
    return _resize(data, _layout_axes(layout), _sizes(data, layout, scale), method, coordinate_transformation_mode)


def resize3d_python(data: np.ndarray[Any, Any], scale: Sequence[int], layout: str = "NCDHW",
                    method: str = "nearest_neighbor",
                    coordinate_transformation_mode: str = "align_corners") -> np.ndarray[Any, Any]:
    """A volume of another size."""
    return _resize(data, _layout_axes(layout), _sizes(data, layout, scale), method, coordinate_transformation_mode)


def crop_and_resize_python(image: Any, boxes: np.ndarray[Any, Any], box_indices: np.ndarray[Any, Any],
                           crop_size: np.ndarray[Any, Any], layout: str, method: str = "bilinear",
                           extrapolation_value: float = 0) -> np.ndarray[Any, Any]:
    """Boxes of images, resized."""
    nhwc = layout == "NHWC"
    image = image if nhwc else image.transpose(0, 2, 3, 1)
    h, w = image.shape[1:3]
    ch, cw = crop_size
    out = np.full((boxes.shape[0], ch, cw, image.shape[3]), extrapolation_value, "float64")
    for b in range(boxes.shape[0]):
        y1, x1, y2, x2 = boxes[b]
        source = image[box_indices[b]]
        for y in range(ch):
            in_y = y1 * (h - 1) + y * (y2 - y1) * (h - 1) / (ch - 1) if ch > 1 else 0.5 * (y1 + y2) * (h - 1)
            if in_y < 0 or in_y > h - 1:
                continue
            for x in range(cw):
                in_x = x1 * (w - 1) + x * (x2 - x1) * (w - 1) / (cw - 1) if cw > 1 else 0.5 * (x1 + x2) * (w - 1)
                if in_x < 0 or in_x > w - 1:
                    continue
                if method == "bilinear":
                    top, left = math.floor(in_y), math.floor(in_x)
                    bottom, right = math.ceil(in_y), math.ceil(in_x)
                    dy, dx = in_y - top, in_x - left
                    upper = source[top, left] * (1 - dx) + source[top, right] * dx
                    lower = source[bottom, left] * (1 - dx) + source[bottom, right] * dx
                    out[b, y, x] = upper * (1 - dy) + lower * dy
                else:
                    out[b, y, x] = source[int(round(in_y)), int(round(in_x))]
    out = out.astype("float32")
    return out if nhwc else out.transpose(0, 3, 1, 2)


# Regions.


def _bilinear(plane: np.ndarray[Any, Any], y: Any, x: Any) -> Any:
    """The value of a plane (channels last) between its points; zero outside."""
    h, w = plane.shape[:2]
    if y < -1 or y > h or x < -1 or x > w:
        return np.zeros(plane.shape[2:], "float64")
    y, x = max(y, 0.0), max(x, 0.0)
    y0, x0 = int(y), int(x)
    if y0 >= h - 1:
        y0 = y1 = h - 1
        y = float(y0)
    else:
        y1 = y0 + 1
    if x0 >= w - 1:
        x0 = x1 = w - 1
        x = float(x0)
    else:
        x1 = x0 + 1
    dy, dx = y - y0, x - x0
    return (plane[y0, x0] * (1 - dy) * (1 - dx) + plane[y0, x1] * (1 - dy) * dx + plane[y1, x0] * dy * (1 - dx)
            + plane[y1, x1] * dy * dx)


def _roi_align(data: np.ndarray[Any, Any], rois: np.ndarray[Any, Any], pooled_size: int, spatial_scale: float,
               sample_ratio: int, mode: str) -> np.ndarray[Any, Any]:
    ph, pw = (pooled_size, pooled_size) if isinstance(pooled_size, int) else pooled_size
    out = np.zeros((rois.shape[0], ph, pw, data.shape[3]), "float64")
    for r, roi in enumerate(rois):
        plane = data[int(roi[0])].astype("float64")
        x1, y1, x2, y2 = [v * spatial_scale for v in roi[1:]]
        rh, rw = max(y2 - y1, 1.0), max(x2 - x1, 1.0)
        bh, bw = rh / ph, rw / pw
        ny = sample_ratio if sample_ratio > 0 else int(math.ceil(rh / ph))
        nx = sample_ratio if sample_ratio > 0 else int(math.ceil(rw / pw))
        for i in range(ph):
            for j in range(pw):
                values = [_bilinear(plane, y1 + (i + (a + 0.5) / ny) * bh, x1 + (j + (b + 0.5) / nx) * bw)
                          for a in range(ny) for b in range(nx)]
                if mode in (b"avg", "avg"):
                    out[r, i, j] = sum(values) / (ny * nx)
                else:
                    out[r, i, j] = np.max(np.stack(values), axis=0)
    return out.astype(data.dtype)


def roi_align_nchw_python(a_np: np.ndarray[Any, Any], rois_np: np.ndarray[Any, Any], pooled_size: int,
                          spatial_scale: Any, sample_ratio: Any, mode: Any = b"avg") -> np.ndarray[Any, Any]:
    """Means or maxima of parts of regions."""
    return _roi_align(a_np.transpose(0, 2, 3, 1), rois_np, pooled_size, spatial_scale, sample_ratio, mode).transpose(
        0, 3, 1, 2)


def roi_align_nhwc_python(a_np: np.ndarray[Any, Any], rois_np: np.ndarray[Any, Any], pooled_size: int,
                          spatial_scale: Any, sample_ratio: Any, mode: Any = b"avg") -> np.ndarray[Any, Any]:
    """The same, channels last."""
    return _roi_align(a_np, rois_np, pooled_size, spatial_scale, sample_ratio, mode)


def roi_pool_nchw_python(a_np: np.ndarray[Any, Any], rois_np: np.ndarray[Any, Any], pooled_size: int,
                         spatial_scale: float) -> np.ndarray[Any, Any]:
    """Maxima of parts of regions."""
    ph, pw = (pooled_size, pooled_size) if isinstance(pooled_size, int) else pooled_size
    h, w = a_np.shape[2:]
    out = np.zeros((rois_np.shape[0], a_np.shape[1], ph, pw), a_np.dtype)
    for r, roi in enumerate(rois_np):
        x1, y1, x2, y2 = [int(round(v * spatial_scale)) for v in roi[1:]]
        rh, rw = max(y2 - y1 + 1, 1), max(x2 - x1 + 1, 1)
        for i in range(ph):
            for j in range(pw):
                hs = min(max(int(math.floor(i * float(rh) / ph)) + y1, 0), h)
                he = min(max(int(math.ceil((i + 1) * float(rh) / ph)) + y1, 0), h)
                ws = min(max(int(math.floor(j * float(rw) / pw)) + x1, 0), w)
                we = min(max(int(math.ceil((j + 1) * float(rw) / pw)) + x1, 0), w)
                if he > hs and we > ws:
                    out[r, :, i, j] = a_np[int(roi[0]), :, hs:he, ws:we].max(axis=(1, 2))
    return out


def reorg_python(a_np: np.ndarray[Any, Any], stride: int) -> np.ndarray[Any, Any]:
    """The reordering of YOLO."""
    batch, c, h, w = a_np.shape
    flat = a_np.reshape(-1)
    out = np.zeros(flat.shape, a_np.dtype)
    out_c = c // (stride * stride)
    for b, k, j, i in itertools.product(range(batch), range(c), range(h), range(w)):
        c2, offset = k % out_c, k // out_c
        w2, h2 = i * stride + offset % stride, j * stride + offset // stride
        out[i + w * (j + h * (k + c * b))] = flat[w2 + w * stride * (h2 + h * stride * (c2 + out_c * b))]
    return out.reshape(batch, c * stride * stride, h // stride, w // stride)


def affine_grid_python(data: np.ndarray[Any, Any], target_shape: Sequence[int]) -> Any:
    """The points of an affine transformation."""
    h, w = target_shape
    grid = np.stack([v.reshape(-1) for v in np.meshgrid(np.linspace(-1, 1, w), np.linspace(-1, 1, h))])
    grid = np.concatenate([grid, np.ones((1, h * w))])
    return np.matmul(data, grid).reshape(data.shape[0], 2, h, w)


def grid_sample_python(data: np.ndarray[Any, Any], grid: np.ndarray[Any, Any], method: str = "bilinear",
                       layout: str = "NCHW", padding_mode: str = "zeros",
                       align_corners: bool = True) -> np.ndarray[Any, Any]:
    """Values at points of a grid."""
    spatial = data.shape[2:]
    rank = len(spatial)
    out_shape = grid.shape[2:]
    out = np.zeros(data.shape[:2] + out_shape, "float64")

    def unnormal(v: Any, size: int) -> Any:
        return (v + 1) * (size - 1) / 2 if align_corners else ((v + 1) * size - 1) / 2

    def reflect(v: Any, size: int) -> float:
        low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
        span = high - low
        if span == 0:
            return 0.0
        v = abs(v - low)
        extra, flips = math.fmod(v, span), int(v // span)
        return (extra + low) if flips % 2 == 0 else (span - extra + low)

    def prepare(v: float, size: int) -> float:
        if padding_mode == "border":
            return min(max(v, 0), size - 1)
        if padding_mode == "reflection":
            return min(max(reflect(v, size), 0), size - 1)
        return v

    def point(n: int, index: Sequence[int]) -> Any:
        if all(0 <= i < s for i, s in zip(index, spatial)):
            return data[(n, slice(None)) + tuple(index)]
        if padding_mode == "border" or method == "bicubic" and padding_mode == "reflection":
            return data[(n, slice(None)) + tuple(
                int(min(max(prepare(i, s), 0), s - 1)) for i, s in zip(index, spatial))]
        return 0.0

    for n in range(data.shape[0]):
        for position in np.ndindex(*out_shape):
            at = [unnormal(grid[(n, rank - 1 - d) + position], spatial[d]) for d in range(rank)]
            if method != "bicubic":
                at = [prepare(v, s) for v, s in zip(at, spatial)]
            if method == "nearest":
                out[(n, slice(None)) + position] = point(n, [int(round(v)) for v in at])
                continue
            total = 0.0
            base = [math.floor(v) for v in at]
            if method == "bilinear":
                for corner in itertools.product((0, 1), repeat=rank):
                    weight = 1.0
                    for d in range(rank):
                        part = at[d] - base[d]
                        weight *= part if corner[d] else 1 - part
                    total = total + weight * point(n, [b + c for b, c in zip(base, corner)])
            else:
                for dy, dx in itertools.product(range(-1, 3), repeat=2):
                    weight = _cubic(at[0] - base[0] - dy, -0.75) * _cubic(at[1] - base[1] - dx, -0.75)
                    total = total + weight * point(n, [base[0] + dy, base[1] + dx])
            out[(n, slice(None)) + position] = total
    return out.astype(data.dtype)


def _deformable(a: np.ndarray[Any, Any], offset: np.ndarray[Any, Any], w: np.ndarray[Any, Any], stride: Sequence[int],
                padding: Any, dilation: Sequence[int], deformable_groups: int, groups: int) -> np.ndarray[Any, Any]:
    """Channels last; the kernel is HWIO."""
    batch, h, wd, c = a.shape
    kh, kw, _, oc = w.shape
    sh, sw = (stride, stride) if isinstance(stride, int) else stride
    dh, dw = (dilation, dilation) if isinstance(dilation, int) else dilation
    if isinstance(padding, int):
        pt = pl = padding
    else:
        pt, pl = padding[0], padding[1]
    oh, ow = offset.shape[1:3]
    out = np.zeros((batch, oh, ow, oc), a.dtype)
    per_group = c // deformable_groups
    for n, y, x in itertools.product(range(batch), range(oh), range(ow)):
        patch = np.zeros((kh, kw, c), "float64")
        for i, j, g in itertools.product(range(kh), range(kw), range(deformable_groups)):
            at = (g * kh * kw + i * kw + j) * 2
            py = y * sh - pt + i * dh + offset[n, y, x, at]
            px = x * sw - pl + j * dw + offset[n, y, x, at + 1]
            if 0 <= py < h and 0 <= px < wd:
                part = slice(g * per_group, (g + 1) * per_group)
                patch[i, j, part] = _inside(a[n][:, :, part], py, px)
        for g in range(groups):
            ci, co = c // groups, oc // groups
            out[n, y, x, g * co : (g + 1) * co] = np.tensordot(
                patch[:, :, g * ci : (g + 1) * ci], w[:, :, :, g * co : (g + 1) * co], 3)
    return out


def _inside(plane: np.ndarray[Any, Any], y: float, x: float) -> Any:
    """The value between four neighbours; those behind the last row and column are these."""
    h, w = plane.shape[:2]
    y0, x0 = math.floor(y), math.floor(x)
    y1, x1 = min(y0 + 1, h - 1), min(x0 + 1, w - 1)
    dy, dx = y - y0, x - x0
    return (plane[y0, x0] * (1 - dy) * (1 - dx) + plane[y0, x1] * (1 - dy) * dx + plane[y1, x0] * dy * (1 - dx)
            + plane[y1, x1] * dy * dx)


def deformable_conv2d_nchw_python(a_np: np.ndarray[Any, Any], offset_np: np.ndarray[Any, Any],
                                  w_np: np.ndarray[Any, Any], stride: Sequence[int], padding: Sequence[int],
                                  dilation: Sequence[int], deformable_groups: int, groups: int) -> np.ndarray[Any, Any]:
    """A convolution whose kernel has offsets."""
    return _deformable(a_np.transpose(0, 2, 3, 1), offset_np.transpose(0, 2, 3, 1), w_np.transpose(2, 3, 1, 0), stride,
                       padding, dilation, deformable_groups, groups).transpose(0, 3, 1, 2)


def deformable_conv2d_nhwc_python(a_np: np.ndarray[Any, Any], offset_np: np.ndarray[Any, Any],
                                  w_np: np.ndarray[Any, Any], stride: Sequence[int], padding: Sequence[int],
                                  dilation: Sequence[int], deformable_groups: int, groups: int) -> np.ndarray[Any, Any]:
    """The same, channels last."""
    return _deformable(a_np, offset_np, w_np, stride, padding, dilation, deformable_groups, groups)


def searchsorted_ref(sorted_sequence: Any, values: Any, right: bool, out_dtype: Any) -> Any:
    """Where values belong in sorted rows."""
    side: Any = "right" if right else "left"
    if sorted_sequence.ndim == 1:
        return np.searchsorted(sorted_sequence, values, side=side).astype(out_dtype)
    rows = sorted_sequence.reshape(-1, sorted_sequence.shape[-1])
    wanted = values.reshape(rows.shape[0], -1)
    out = np.stack([np.searchsorted(r, v, side=side) for r, v in zip(rows, wanted)])
    return out.reshape(values.shape).astype(out_dtype)


def gather_python(data: Any, axis: Any, indices: Any) -> Any:
    """Elements at indices along an axis."""
    return np.take_along_axis(data, indices, axis)


def gather_nd_python(a_np: Any, indices_np: Any) -> Any:
    """Elements at coordinates."""
    return a_np[tuple(indices_np.astype("int32"))]


def l2_normalize_python(a_np: Any, eps: Any, axis: Any = None) -> Any:
    """The data divided by its norm."""
    return a_np / np.sqrt(np.maximum(np.sum(a_np * a_np, axis=None if axis is None else tuple(np.atleast_1d(axis)), keepdims=True), eps))


def lrn_python(a_np: Any, size: Any, axis: Any, bias: Any, alpha: Any, beta: Any) -> Any:
    """Local response normalization, every step in the data type of the data."""
    radius = size // 2
    squares = np.zeros_like(a_np)
    for i in range(a_np.shape[axis]):
        index: list[Any] = [slice(None)] * a_np.ndim
        index[axis] = i
        for k in range(max(0, i - radius), min(a_np.shape[axis], i + radius + 1)):
            part = np.take(a_np, k, axis)
            squares[tuple(index)] += part * part
    return a_np / np.power(bias + alpha * squares / size, beta)


def upsampling_python(data: Any, scale: Any, layout: str = "NCHW") -> Any:
    """A larger image by repetition."""
    axes = _layout_axes(layout)
    for axis, factor in zip(axes, scale):
        data = np.repeat(data, int(factor), axis)
    return data


def dense(x: Any, y: Any, bias: Any, use_bias: bool = False, use_relu: bool = False, out_dtype: Any = None) -> Any:
    """A dense layer."""
    out = np.dot(x.astype(out_dtype or x.dtype), y.T.astype(out_dtype or y.dtype))
    out = out + bias if use_bias else out
    return np.maximum(out, 0) if use_relu else out


def adaptive_pool_channel_first(np_data: Any, out_size: Any, pool_op: Any, np_op: Any) -> Any:
    """Adaptive pooling with the channels second; `np_op` reduces a window."""
    return _adaptive(np_data, out_size, np_op, range(2, np_data.ndim))


def adaptive_pool_channel_last(np_data: Any, out_size: Any, pool_op: Any, np_op: Any) -> Any:
    """Adaptive pooling with the channels last; `np_op` reduces a window."""
    return _adaptive(np_data, out_size, np_op, range(1, np_data.ndim - 1))


def _adaptive(data: Any, out_size: Any, reduce: Any, axes: Any) -> Any:
    for axis, extent in zip(axes, out_size):
        size = data.shape[axis]
        ends = [(i * size // extent, -(-(i + 1) * size // extent)) for i in range(extent)]
        parts = [reduce(np.take(data, range(begin, end), axis), axis=axis, keepdims=True) for begin, end in ends]
        data = np.concatenate(parts, axis)
    return data
