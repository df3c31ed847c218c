"""Builders that look at their arguments: extents that are known choose an operator, others its dynamic sibling."""

from __future__ import annotations

import numbers

from ...tir.expr import IntImm
from ..expr import Call, Constant, RelayExpr, Tuple, TupleWrapper, const
from .builders import as_tuple, axes, call, expr, numbers_of, _integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ...target.virtual_device import VirtualDevice
    from ..expr import TupleGetItem

def _shape(value: Any, what: str) -> Any:
    """A list of extents, or None when an expression computes them."""
    found = numbers_of(value, what)
    return found if found is None else [numbers_of(v, what)[0] if isinstance(v, Constant) else v for v in found]


def _extents(value: Any, what: str) -> Any:
    """The same for what shapes of results are made of: as TVM, extents of a constant of 64 bits have 64 bits."""
    extents = _shape(value, what)
    if isinstance(value, Constant) and value.data.dtype == "int64":
        return [IntImm("int64", extent) for extent in extents]
    return extents


def _number(value: Any, what: str) -> Any:
    """The number that a constant is, or the value."""
    return numbers_of(value, what)[0] if isinstance(value, Constant) else value


def _dtype(value: Any) -> str:
    return "" if value is None else str(value)


# relay.*


def arange(start: RelayExpr, stop: Any = None, step: Any = None, dtype: Any = "float32") -> Call:
    """The numbers from start up to stop.

    >>> relay.transform.InferTypeLocal(relay.arange(relay.const(0), relay.const(10), relay.const(3), dtype="int32"))
    Tensor[(4), int32]
    """
    if step is None:
        step = const(1, dtype)
    if stop is None:
        stop = start
        start = const(0, dtype=dtype)
    start, stop, step = [v if isinstance(v, RelayExpr) else const(v, dtype) for v in (start, stop, step)]
    return call("arange", (start, stop, step), {"start": start, "stop": stop, "step": step, "dtype": dtype})


def full(fill_value: RelayExpr, shape: Any = (), dtype: Any = "") -> Call:
    """A tensor of one value.

    >>> relay.transform.InferTypeLocal(relay.full(relay.const(1.0), (2, 3)))
    Tensor[(2, 3), float32]
    """
    static = _extents(shape, "full: shape")
    if static is None:
        return call("dyn.full", (fill_value, shape), {"dtype": _dtype(dtype)})
    return call("full", (fill_value,), {"shape": static, "dtype": _dtype(dtype)})


def _filled(name: str) -> Callable[..., Any]:
    def build(shape: Any, dtype: Any) -> Call:
        static = _extents(shape, f"{name}: shape")
        if static is None:
            return call("dyn." + name, (shape,), {"dtype": _dtype(dtype)})
        return call(name, (), {"shape": static, "dtype": _dtype(dtype)})

    build.__name__ = name
    build.__doc__ = f"A tensor of {name}."
    return build


ones = _filled("ones")
zeros = _filled("zeros")


def reshape(data: RelayExpr, newshape: Any, allowzero: bool = False) -> Call:
    """The same elements in another shape; 0, -1, -2, -3 and -4 as TVM says.

    >>> x = relay.var("x", shape=(2, 3, 4))
    >>> relay.transform.InferTypeLocal(relay.reshape(x, (0, -1)))
    Tensor[(2, 12), float32]
    >>> relay.transform.InferTypeLocal(relay.reshape(x, (-3, 4)))
    Tensor[(6, 4), float32]
    """
    static = _shape(newshape, "reshape: newshape")
    if static is None:
        return call("dyn.reshape", (data, newshape), {"newshape": None, "allowzero": bool(allowzero)})
    shape = []
    for extent in static:
        if isinstance(extent, numbers.Integral):
            extent = int(extent)
        shape.append(extent)
    return call("reshape", (data,), {"newshape": shape, "allowzero": bool(allowzero)})


def expand_dims(data: RelayExpr, axis: Any, num_newaxis: int = 1) -> Call:
    """New axes of extent 1.

    >>> relay.transform.InferTypeLocal(relay.expand_dims(relay.var("x", shape=(2, 3)), axis=1, num_newaxis=2))
    Tensor[(2, 1, 1, 3), float32]
    """
    if isinstance(axis, int) or _integer(axis):
        return call("expand_dims", (data,), {"axis": int(axis), "num_newaxis": num_newaxis})
    if isinstance(axis, Constant):
        return call("expand_dims", (data,), {"axis": _number(axis, "expand_dims: axis"), "num_newaxis": num_newaxis})
    if isinstance(axis, RelayExpr):
        return call("dyn.expand_dims", (data, axis), {"num_newaxis": num_newaxis})
    raise ValueError(f"Unknown type for axis: {type(axis)}")


def squeeze(data: RelayExpr, axis: Any = None) -> Call:
    """Without axes of extent 1.

    >>> relay.transform.InferTypeLocal(relay.squeeze(relay.var("x", shape=(1, 2, 1, 3)), axis=[0]))
    Tensor[(2, 1, 3), float32]
    """
    if isinstance(axis, Constant):
        axis = numbers_of(axis, "squeeze: axis") or None
    if isinstance(axis, RelayExpr):
        return call("dyn.squeeze", (data, axis))
    return call("squeeze", (data,), {"axis": axes(axis)})


def tile(data: RelayExpr, reps: Sequence[int]) -> Call:
    """The data repeated along each axis."""
    static = _shape(reps, "tile: reps")
    if static is None:
        return call("dyn.tile", (data, reps), {"reps": None})
    return call("tile", (data,), {"reps": static})


def broadcast_to(data: RelayExpr, shape: Any) -> Call:
    """The data broadcast to a shape."""
    static = _extents(shape, "broadcast_to: shape")
    if static is None:
        return call("dyn.broadcast_to", (data, shape), {"shape": None})
    return call("broadcast_to", (data,), {"shape": static})


def collapse_sum_to(data: RelayExpr, shape: Any) -> Call:
    """The sum over axes along which a shape was broadcast."""
    if isinstance(shape, (list, tuple)):
        shape = const(list(shape), "int32")
    static = numbers_of(shape, "collapse_sum_to: shape") if isinstance(shape, Constant) else None
    return call("collapse_sum_to", (data, shape), {"shape": static})


def split(data: RelayExpr, indices_or_sections: Any, axis: Any = 0) -> TupleWrapper:
    """Parts along an axis: so many equal ones, or at these places.

    >>> a, b, c = relay.split(relay.var("x", shape=(6, 4)), 3, axis=0)
    >>> relay.transform.InferTypeLocal(relay.split(relay.var("x", shape=(6, 4)), [2, 5]).astuple())
    (Tensor[(2, 4), float32], Tensor[(3, 4), float32], Tensor[(1, 4), float32])
    """
    if _integer(indices_or_sections):
        sections = int(indices_or_sections)
        if sections < 1:
            raise ValueError(f"split: indices_or_sections must be at least 1, not {sections}")
        parts: Any = _boxed("split: indices_or_sections", sections)
    else:
        parts = [int(_boxed("split: indices_or_sections", v)) for v in numbers_of(indices_or_sections, "split: indices_or_sections") or ()]
        sections = len(parts) + 1
    return TupleWrapper(call("split", (data,), {"indices_or_sections": parts, "axis": axis}), sections)


def _boxed(name: str, value: Any) -> IntImm:
    if not _integer(value):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    value = int(value)
    return IntImm("int32" if -(2**31) <= value < 2**31 else "int64", value)


def meshgrid(data: Any, indexing: str = "ij") -> TupleWrapper:
    """Coordinates of a grid."""
    grid = as_tuple(data, "meshgrid: data")
    return TupleWrapper(call("meshgrid", (grid,), {"indexing": indexing}), len(data))


def strided_slice(data: RelayExpr, begin: Any, end: Any, strides: Any = None, axes: Sequence[int] | None = None,
                  slice_mode: str = "end") -> Call:
    """A part of each axis.

    >>> x = relay.var("x", shape=(6, 4))
    >>> relay.transform.InferTypeLocal(relay.strided_slice(x, [1, 0], [5, 4], strides=[2, 1]))
    Tensor[(2, 4), float32]
    """
    strides = strides if strides is not None else [1]
    if any(isinstance(v, RelayExpr) and not isinstance(v, Constant) for v in (begin, end, strides)):
        if isinstance(begin, (tuple, list)):
            begin = const(list(begin))
        if isinstance(end, (tuple, list)):
            end = const(list(end))
        if isinstance(strides, (tuple, list)):
            strides = const(list(strides))
        if axes:
            raise ValueError("Axes argument is not supported for dynamic strided slice")
        begin, end, strides = [v if isinstance(v, RelayExpr) else const(v) for v in (begin, end, strides)]
        return call("dyn.strided_slice", (data, begin, end, strides), {"slice_mode": slice_mode})
    wanted = {name: _shape(value, f"strided_slice: {name}") for name, value in (("begin", begin), ("end", end), ("strides", strides))}
    wanted.update(slice_mode=slice_mode, axes=None if axes is None else list(axes))
    return call("strided_slice", (data,), wanted)


def strided_set(data: RelayExpr, v: RelayExpr, begin: RelayExpr, end: RelayExpr, strides: Any = None) -> Call:
    """The data with a part of each axis replaced."""
    strides = strides if strides is not None else const([1], dtype="int32")
    begin, end, strides = [w if isinstance(w, RelayExpr) else const(list(w)) for w in (begin, end, strides)]
    return call("strided_set", (data, v, begin, end, strides))


def one_hot(indices: RelayExpr, on_value: RelayExpr, off_value: RelayExpr, depth: Any, axis: Any, dtype: Any) -> Call:
    """Rows with one value at an index and another elsewhere."""
    if isinstance(depth, RelayExpr) and not isinstance(depth, Constant):
        return call("dyn.one_hot", (indices, on_value, off_value, depth), {"axis": axis, "dtype": _dtype(dtype)})
    depth = _number(depth, "one_hot: depth")
    return call("one_hot", (indices, on_value, off_value), {"depth": depth, "axis": axis, "dtype": _dtype(dtype)})


def take(data: RelayExpr, indices: RelayExpr, axis: Any = None, batch_dims: int = 0, mode: str = "clip") -> Call:
    """Elements at indices.

    >>> table, rows = relay.var("table", shape=(100, 16)), relay.var("rows", shape=(2, 3), dtype="int32")
    >>> relay.transform.InferTypeLocal(relay.take(table, rows, axis=0))
    Tensor[(2, 3, 16), float32]
    """
    return call("take", (data, indices), {"axis": None if axis is None else _boxed("take: axis", axis),
                                          "batch_dims": _boxed("take: batch_dims", batch_dims), "mode": mode})


def gather(data: RelayExpr, axis: Any, indices: RelayExpr) -> Call:
    """Elements at indices along an axis."""
    return call("gather", (data, indices), {"axis": _boxed("gather: axis", axis)})


def topk(data: RelayExpr, k: Any = 1, axis: Any = -1, ret_type: str = "both", is_ascend: bool = False,
         dtype: Any = "int32") -> Any:
    """The largest or smallest elements, their indices, or both."""
    k = _number(k, "topk: k")
    attrs = {"axis": axis, "ret_type": ret_type, "is_ascend": is_ascend, "dtype": _dtype(dtype)}
    if isinstance(k, RelayExpr):
        out = call("dyn.topk", (data, k), attrs)
    else:
        out = call("topk", (data,), {"k": k, **attrs})
    return TupleWrapper(out, 2) if ret_type == "both" else out


def unique(data: RelayExpr, is_sorted: bool = True, return_counts: bool = False) -> TupleWrapper:
    """The different elements, where they stand, and how many there are."""
    out = call("unique", (data,), {"sorted": is_sorted, "return_counts": return_counts})
    return TupleWrapper(out, 5 if return_counts else 4)


def sparse_to_dense(sparse_indices: RelayExpr, output_shape: Sequence[int], sparse_values: RelayExpr,
                    default_value: Any = 0) -> Call:
    """A tensor from its sparse form."""
    if default_value == 0 and not isinstance(default_value, RelayExpr):
        default_value = const(0)
    elif not isinstance(default_value, RelayExpr):
        default_value = const(default_value)
    static = _shape(output_shape, "sparse_to_dense: output_shape")
    if static is None:
        return call("dyn.sparse_to_dense", (sparse_indices, sparse_values, default_value, output_shape))
    return call("sparse_to_dense", (sparse_indices, sparse_values, default_value), {"output_shape": static})


def sparse_fill_empty_rows(sparse_indices: Any, sparse_values: Any, dense_shape: Any, default_value: Any) -> Tuple:
    """The sparse form with a value in rows that had none: indices, values, and which rows were empty."""
    args = [sparse_indices, sparse_values, dense_shape, default_value]
    args[2:] = [v if isinstance(v, RelayExpr) else const(v) for v in args[2:]]
    filled = TupleWrapper(call("sparse_fill_empty_rows", args), 3)
    return Tuple([call("cast_like", (filled[0], sparse_indices)), call("cast_like", (filled[1], sparse_values)),
                  call("cast", (filled[2],), {"dtype": "bool"})])


def segment_sum(data: RelayExpr, segment_ids: RelayExpr, num_segments: int | None = None) -> Call:
    """Sums of the elements with each id."""
    def cast_like(value: RelayExpr, other: RelayExpr) -> Call:
        return call("cast_like", (value, other))

    one = cast_like(const([1]), segment_ids)
    if num_segments is None:
        count = call("add", (reshape(call("max", (segment_ids,), {"axis": [0]}), -1), one))
    else:
        count = cast_like(const([num_segments]) if isinstance(num_segments, int) else num_segments, segment_ids)
    shape = call("shape_of", (data,), {"dtype": "int32"})
    rest = cast_like(strided_slice(shape, [1], [-1], slice_mode="size"), count)
    out_shape = call("concatenate", (as_tuple([count, rest], "segment_sum: num_segments"),), {"axis": 0})
    zeros_there = cast_like(call("dyn.zeros", (out_shape,), {"dtype": "float64"}), data)
    return call("scatter_nd", (zeros_there, expand_dims(segment_ids, 0), data), {"mode": "add"})


def matrix_set_diag(data: RelayExpr, diagonal: RelayExpr, k: Any = 0, align: str = "RIGHT_LEFT") -> Call:
    """The matrices with diagonals replaced."""
    low, high = (k[0], k[1] if len(k) > 1 else k[0]) if isinstance(k, (tuple, list)) else (k, k)
    return call("matrix_set_diag", (data, diagonal),
                {"k1": low, "k2": high, "super_diag_right_align": align[:5] == "RIGHT",
                 "sub_diag_right_align": align[-5:] == "RIGHT"})


def stft(data: RelayExpr, n_fft: int, hop_length: Any = None, win_length: Any = None, window: Any = None,
         normalized: bool = False, onesided: bool = True) -> Call:
    """The short-time Fourier transform."""
    if hop_length is None:
        hop_length = n_fft // 4
    if win_length is None:
        win_length = n_fft
    if window is None:
        window = ones([n_fft], "int32")
    return call("stft", (data, window), {"n_fft": n_fft, "hop_length": hop_length, "win_length": win_length,
                                         "normalized": normalized, "onesided": onesided})


def _kept(name: str, data: RelayExpr, over: list[int] | None, exclude: bool = False) -> Call:
    """A reduction that keeps the axes, with extent 1."""
    return call(name, (data,), {"axis": over, "keepdims": True, "exclude": exclude})


def variance(data: RelayExpr, axis: Any = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False,
             with_mean: RelayExpr | None = None) -> Call:
    """The variance along axes."""
    axis = axes(axis)
    m = _kept("mean", data, axis, exclude) if with_mean is None else with_mean
    return call("variance", (data, m), {"axis": axis, "keepdims": keepdims, "exclude": exclude, "unbiased": unbiased})


def std(data: RelayExpr, axis: Any = None, keepdims: bool = False, exclude: bool = False,
        unbiased: bool = False) -> Call:
    """The standard deviation along axes."""
    return call("sqrt", (variance(data, axis, keepdims, exclude, unbiased),))


def mean_variance(data: RelayExpr, axis: Any = None, keepdims: bool = False, exclude: bool = False,
                  unbiased: bool = False) -> TupleWrapper:
    """Mean and variance."""
    axis = axes(axis)
    m = _kept("mean", data, axis, exclude)
    var = variance(data, axis, keepdims, exclude, unbiased, with_mean=m)
    return TupleWrapper(Tuple((m if keepdims else squeeze(m, axis), var)), 2)


def mean_std(data: RelayExpr, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> TupleWrapper:
    """Mean and standard deviation."""
    axis = axes(axis)
    m = _kept("mean", data, axis, exclude)
    s = call("sqrt", (variance(data, axis, keepdims, exclude, False, with_mean=m),))
    return TupleWrapper(Tuple((m if keepdims else squeeze(m, axis), s)), 2)


def logsumexp(data: RelayExpr, axis: Any = None, keepdims: bool = False) -> Call:
    """The logarithm of the sum of exponentials."""
    axis = axes(axis)
    largest = _kept("max", data, axis)
    powers = call("exp", (call("subtract", (data, largest)),))
    out = call("add", (call("log", (_kept("sum", powers, axis),)), largest))
    return out if keepdims else squeeze(out, axis)


def device_copy(data: RelayExpr, src_device: VirtualDevice | None = None,
                dst_device: VirtualDevice | None = None) -> Call:
    """The data moved between devices."""
    from ...target.virtual_device import virtual_device_of

    return call("device_copy", (data,), {"src_virtual_device": virtual_device_of(src_device),
                                         "dst_virtual_device": virtual_device_of(dst_device)})


def shape_func(func: Any, inputs: Any, outputs: Any, is_inputs: Any) -> Any:
    raise NotImplementedError("shape functions belong to code generation")


def copy_shape_func(expr_: Any) -> Any:
    raise NotImplementedError("shape functions belong to code generation")


# relay.nn.*


class nn:
    """Functions of relay.nn."""

    @staticmethod
    def pad(data: RelayExpr, pad_width: Any, pad_value: Any = 0, pad_mode: str = "constant") -> Call:
        """The data with a border.

        >>> x = relay.var("x", shape=(1, 3, 8, 8))
        >>> relay.transform.InferTypeLocal(relay.nn.pad(x, ((0, 0), (0, 0), (1, 1), (2, 2))))
        Tensor[(1, 3, 10, 12), float32]
        """
        if isinstance(pad_value, float):
            pad_value = const(pad_value, "float32")
        elif not isinstance(pad_value, RelayExpr):
            pad_value = const(pad_value)
        if isinstance(pad_width, Constant):
            pad_width = [[int(v) for v in row] for row in pad_width.data.numpy()]
        if isinstance(pad_width, RelayExpr):
            return call("dyn.nn.pad", (data, pad_width, pad_value), {"pad_mode": pad_mode})
        if not hasattr(pad_width, "__iter__") or not all(hasattr(row, "__iter__") for row in pad_width):
            raise TypeError(f"nn.pad: pad_width must be a list of pairs, not {pad_width!r}")
        return call("nn.pad", (data, pad_value), {"pad_width": [list(row) for row in pad_width], "pad_mode": pad_mode})

    @staticmethod
    def upsampling(data: RelayExpr, scale_h: Any = 1, scale_w: Any = 1, layout: str = "NCHW",
                   method: str = "nearest_neighbor", align_corners: bool = False) -> Call:
        """A larger image."""
        scale_h, scale_w = [_number(v, "nn.upsampling: a scale") for v in (scale_h, scale_w)]
        attrs = {"layout": layout, "method": method, "align_corners": align_corners}
        if isinstance(scale_h, RelayExpr) or isinstance(scale_w, RelayExpr):
            scale_h, scale_w = [v if isinstance(v, RelayExpr) else const(v, "float64") for v in (scale_h, scale_w)]
            return call("dyn.nn.upsampling", (data, scale_h, scale_w), attrs)
        return call("nn.upsampling", (data,), {"scale_h": float(scale_h), "scale_w": float(scale_w), **attrs})

    @staticmethod
    def upsampling3d(data: Any, scale_d: int = 1, scale_h: int = 1, scale_w: int = 1, layout: str = "NCDHW",
                     method: str = "nearest_neighbor", coordinate_transformation_mode: str = "half_pixel") -> Any:
        """A larger volume."""
        scales: list[Any] = [_number(v, "nn.upsampling3d: a scale") for v in (scale_d, scale_h, scale_w)]
        attrs = {"layout": layout, "method": method, "coordinate_transformation_mode": coordinate_transformation_mode}
        if any(isinstance(v, RelayExpr) for v in scales):
            scales = [v if isinstance(v, RelayExpr) else const(v, "float64") for v in scales]
            return call("dyn.nn.upsampling3d", (data, *scales), attrs)
        names = ("scale_d", "scale_h", "scale_w")
        return call("nn.upsampling3d", (data,), {**{n: float(v) for n, v in zip(names, scales)}, **attrs})

    @staticmethod
    def dropout(data: RelayExpr, rate: float = 0.5) -> TupleGetItem:
        """The data with a part of it zero."""
        return TupleWrapper(call("nn.dropout", (data,), {"rate": rate}), 2)[0]

    @staticmethod
    def sparse_dense(dense_mat: Any, sparse_mat: Any, sparse_lhs: bool = False) -> Any:
        """The product of a dense and a sparse matrix."""
        parts = _sparse_parts(sparse_mat)
        return call("nn.sparse_dense", (dense_mat, *parts), {"sparse_lhs": sparse_lhs})

    @staticmethod
    def sparse_transpose(x: Any) -> Any:
        """The transposed sparse matrix."""
        return TupleWrapper(call("nn.sparse_transpose", _sparse_parts(x)), 3)

    @staticmethod
    def sparse_add(dense_mat: Any, sparse_mat: Any) -> Any:
        """The sum of a dense and a sparse matrix."""
        return call("nn.sparse_add", (dense_mat, *_sparse_parts(sparse_mat)))

    @staticmethod
    def sparse_conv2d(dense_mat: Any, sparse_mat: Any, layout: str = "NHWC",
                      kernel_size: Sequence[int] = (1, 1)) -> Any:
        """A convolution with sparse weights."""
        return call("nn.sparse_conv2d", (dense_mat, *_sparse_parts(sparse_mat)),
                    {"layout": layout, "kernel_size": list(kernel_size)})



def _global_pool(kind: str, rank: int, layout_: str) -> Callable[..., Call]:
    def pool(data: RelayExpr, layout: str = layout_, out_layout: str = "") -> Call:
        return call(f"nn.adaptive_{kind}_pool{rank}d", (data,),
                    {"output_size": [1] * rank, "layout": layout, "out_layout": out_layout})

    pool.__name__ = pool.__qualname__ = f"global_{kind}_pool{rank}d"
    pool.__doc__ = "Pooling of each channel to one value."
    return pool


for _rank, _layout in ((1, "NCW"), (3, "NCDHW")):
    for _kind in ("max", "avg"):
        setattr(nn, f"global_{_kind}_pool{_rank}d", staticmethod(_global_pool(_kind, _rank, _layout)))


def _sparse_parts(matrix: Any) -> Any:
    if hasattr(matrix, "indices") and not isinstance(matrix, RelayExpr):
        matrix = (matrix.data, matrix.indices, matrix.indptr)
    parts = list(matrix.tuple_value.fields if isinstance(matrix, TupleWrapper) and isinstance(matrix.tuple_value, Tuple)
                 else matrix)
    return [part if isinstance(part, RelayExpr) else const(part, str(part.dtype)) for part in parts]


# relay.image.*


class image:
    """Functions of relay.image."""


def _resizer(rank: int, layout_: str, what: str) -> Callable[..., Call]:
    def resize(data: RelayExpr, size: Any, roi: Any = None, layout: str = layout_, method: str = "linear",
               coordinate_transformation_mode: str = "half_pixel", rounding_method: str = "", cubic_alpha: float = -0.5,
               cubic_exclude: int = 0, extrapolation_value: float = 0.0, out_dtype: Any = None) -> Call:
        from ...tir.expr import FloatImm

        attrs = {"layout": layout, "method": method, "coordinate_transformation_mode": coordinate_transformation_mode,
                 "rounding_method": rounding_method, "cubic_alpha": float(cubic_alpha), "cubic_exclude": cubic_exclude,
                 "extrapolation_value": float(extrapolation_value), "out_dtype": _dtype(out_dtype)}
        static = _shape(size, f"image.resize{rank}d: size")
        none = [0.0] * (2 * rank)
        if rank == 2 and (static is None or isinstance(roi, RelayExpr) and not isinstance(roi, Constant)):
            size = size if static is None else const(static, "int64")
            roi = roi if isinstance(roi, RelayExpr) else const(none if roi is None else roi, "float32")
            return call("dyn.image.resize2d", (data, size, roi), attrs)
        roi = none if roi is None else numbers_of(roi, f"image.resize{rank}d: roi")
        static = static * rank if len(static) == 1 else static
        attrs["size"] = [int(v) if isinstance(v, float) and v.is_integer() else v for v in static]
        attrs["roi"] = [FloatImm("float32", float(v)) for v in roi]
        return call(f"image.resize{rank}d", (data,), attrs)

    resize.__name__ = resize.__qualname__ = f"resize{rank}d"
    resize.__doc__ = f"{what} of another size."
    return resize


for _rank, _layout, _what in ((1, "NCW", "A row"), (2, "NCHW", "An image"), (3, "NCDHW", "A volume")):
    setattr(image, f"resize{_rank}d", staticmethod(_resizer(_rank, _layout, _what)))


# relay.vision.*


class vision:
    """Functions of relay.vision."""

    @staticmethod
    def non_max_suppression(data: RelayExpr, valid_count: RelayExpr, indices: RelayExpr, max_output_size: Any = -1,
                            iou_threshold: Any = 0.5, force_suppress: bool = False, top_k: int = -1,
                            coord_start: int = 2, score_index: int = 1, id_index: int = 0, return_indices: bool = True,
                            invalid_to_bottom: bool = False) -> Any:
        """Boxes that do not overlap better ones."""
        if not isinstance(max_output_size, RelayExpr):
            max_output_size = const(max_output_size, "int32")
        if not isinstance(iou_threshold, RelayExpr):
            iou_threshold = const(iou_threshold, "float32")
        out = call("vision.non_max_suppression", (data, valid_count, indices, max_output_size, iou_threshold),
                   {"force_suppress": force_suppress, "top_k": top_k, "coord_start": coord_start,
                    "score_index": score_index, "id_index": id_index, "return_indices": return_indices,
                    "invalid_to_bottom": invalid_to_bottom})
        return TupleWrapper(out, 2) if return_indices else out

    @staticmethod
    def all_class_non_max_suppression(boxes: RelayExpr, scores: RelayExpr, max_output_boxes_per_class: Any = -1,
                                      iou_threshold: Any = -1.0, score_threshold: Any = -1.0,
                                      output_format: str = "onnx") -> TupleWrapper:
        """Boxes that do not overlap better ones, for every class."""
        if not isinstance(max_output_boxes_per_class, RelayExpr):
            max_output_boxes_per_class = const(max_output_boxes_per_class, "int32")
        if not isinstance(iou_threshold, RelayExpr):
            iou_threshold = const(iou_threshold, "float32")
        if not isinstance(score_threshold, RelayExpr):
            score_threshold = const(score_threshold, "float32")
        out = call("vision.all_class_non_max_suppression",
                   (boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold),
                   {"output_format": output_format})
        return TupleWrapper(out, 2 if output_format == "onnx" else 3)


# relay.annotation.*


class annotation:
    """Functions of relay.annotation."""

    @staticmethod
    def on_device(body: RelayExpr, device: Any = None, constrain_result: bool = False,
                  constrain_body: bool = True) -> Call:
        """The body computed on a device."""
        from ...target.virtual_device import VirtualDevice, virtual_device_of

        # What constrains nothing says no device.
        on = virtual_device_of(device) if constrain_result or constrain_body else VirtualDevice()
        return call("on_device", (body,), {"virtual_device": on,
                                           "constrain_result": constrain_result, "constrain_body": constrain_body})

# relay.random.*


class random:
    """Functions of relay.random."""

    @staticmethod
    def threefry_key(seed: Any) -> Any:
        """A key from a seed."""
        import sys

        import numpy as np

        if isinstance(seed, str):
            seed = int(seed, 0)
        state = np.zeros(10, dtype="uint64")
        parts = [(int(seed) >> (64 * i)) & 0xFFFFFFFFFFFFFFFF for i in range(4)]
        state[0:4] = parts[::-1]
        state[7] = 1 << 63
        return const(state, "uint64")

    @staticmethod
    def uniform(key: Any, shape: Any, dtype: Any = "float32", low: Any = 0.0, high: Any = 1.0) -> Any:
        """A new key and numbers of a range."""
        low, high = [v if isinstance(v, RelayExpr) else const(v, dtype) for v in (low, high)]
        return TupleWrapper(call("random.uniform", (key, low, high), {"out_shape": list(shape), "out_dtype": dtype}), 2)

    @staticmethod
    def normal(key: Any, shape: Any, dtype: Any = "float32", mean: Any = 0.0, scale: Any = 1.0) -> Any:
        """A new key and numbers of a normal distribution."""
        mean, scale = [v if isinstance(v, RelayExpr) else const(v, dtype) for v in (mean, scale)]
        return TupleWrapper(call("random.normal", (key, mean, scale), {"out_shape": list(shape), "out_dtype": dtype}), 2)

    @staticmethod
    def multinomial(key: Any, probs: Any, num_samples: Any) -> Any:
        """A new key and draws."""
        if num_samples < 1:
            raise AssertionError("num_samples must be greater than zero.")
        return TupleWrapper(call("random.multinomial", (key, probs), {"num_samples": _boxed("random.multinomial: num_samples", num_samples)}), 2)


# relay.qnn.op.*


class qnn:
    """Functions of relay.qnn.op."""

    @staticmethod
    def concatenate(data: Any, input_scales: Sequence[RelayExpr], input_zero_points: Sequence[RelayExpr],
                    output_scale: RelayExpr, output_zero_point: RelayExpr, axis: Any) -> Call:
        """Tensors of scales of their own in one of a given scale."""
        data = data.astuple() if isinstance(data, TupleWrapper) else as_tuple(data, "qnn.concatenate: data")
        scales, zero_points = [as_tuple(each, f"qnn.concatenate: input_{what}")
                               for each, what in ((input_scales, "scales"), (input_zero_points, "zero_points"))]
        return call("qnn.concatenate", (data, scales, zero_points, output_scale, output_zero_point), {"axis": axis})

    @staticmethod
    def leaky_relu(x: RelayExpr, alpha: float, input_scale: RelayExpr, input_zero_point: RelayExpr,
                   output_scale: RelayExpr, output_zero_point: RelayExpr) -> Call:
        """nn.leaky_relu of quantized numbers."""
        return call("qnn.leaky_relu", (x, input_scale, input_zero_point, output_scale, output_zero_point),
                    {"alpha": float(alpha)})

    @staticmethod
    def simulated_quantize(data: Any, output_scale: Any, output_zero_point: Any, axis: Any = -1,
                           out_dtype: Any = "int8") -> Any:
        """As quantize, computed on floats."""
        if isinstance(out_dtype, str):
            out_dtype = const(_SQNN_CODES[out_dtype], "int32")
        return call("qnn.simulated_quantize", (data, out_dtype, output_scale, output_zero_point), {"axis": axis})

    @staticmethod
    def simulated_dequantize(data: Any, input_scale: Any, input_zero_point: Any, axis: Any = -1,
                             in_dtype: Any = "int8") -> Any:
        """As dequantize, computed on floats."""
        if isinstance(in_dtype, str):
            in_dtype = const(_SQNN_CODES[in_dtype], "int32")
        return call("qnn.simulated_dequantize", (data, in_dtype, input_scale, input_zero_point), {"axis": axis})


_SQNN_CODES = {"disable": 0, "int8": 1, "uint8": 2, "int32": 3}
