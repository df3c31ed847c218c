"""Builders that look at their arguments: extents that are known choose an operator, others its dynamic sibling."""

import numbers

from ...runtime.ndarray import NDArray
from ..expr import Call, Constant, RelayExpr, Tuple, TupleWrapper, const
from .builders import as_tuple, axes, call, expr, numbers_of, pad2d, repeated, _integer

def _shape(value):
    """A list of extents, or None when an expression computes them."""
    if isinstance(value, RelayExpr) and not isinstance(value, Constant):
        return None
    if isinstance(value, Constant):
        return numbers_of(value)
    if _integer(value):
        return [value]
    return [numbers_of(v)[0] if isinstance(v, Constant) else v for v in value]


def _dtype(value):
    return "" if value is None else str(value)


# relay.*


def arange(start, stop=None, step=None, dtype="float32"):
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


def full(fill_value, shape=(), dtype=""):
    """A tensor of one value.

    >>> relay.transform.InferTypeLocal(relay.full(relay.const(1.0), (2, 3)))
    Tensor[(2, 3), float32]
    """
    static = _shape(shape)
    if static is None:
        return call("dyn.full", (fill_value, shape), {"dtype": _dtype(dtype)})
    return call("full", (fill_value,), {"shape": static, "dtype": _dtype(dtype)})


def full_like(data, fill_value):
    """A tensor of one value, like another."""
    return call("full_like", (data, fill_value))


def _filled(name):
    def build(shape, dtype):
        static = _shape(shape)
        if static is None:
            return call("dyn." + name, (shape,), {"dtype": _dtype(dtype)})
        return call(name, (), {"shape": static, "dtype": _dtype(dtype)})

    build.__name__ = name
    build.__doc__ = f"A tensor of {name}."
    return build


ones = _filled("ones")
zeros = _filled("zeros")


def reshape(data, newshape, allowzero=False):
    """The same elements in another shape; 0, -1, -2, -3 and -4 as the reference says.

    >>> x = relay.var("x", shape=(2, 3, 4))
    >>> relay.transform.InferTypeLocal(relay.reshape(x, (0, -1)))
    Tensor[(2, 12), float32]
    >>> relay.transform.InferTypeLocal(relay.reshape(x, (-3, 4)))
    Tensor[(6, 4), float32]
    """
    static = _shape(newshape)
    if static is None:
        return call("dyn.reshape", (data, newshape), {"newshape": None, "allowzero": bool(allowzero)})
    shape = []
    for extent in static:
        if isinstance(extent, numbers.Integral):
            extent = int(extent)
        shape.append(extent)
    return call("reshape", (data,), {"newshape": shape, "allowzero": bool(allowzero)})


def reverse_reshape(data, newshape):
    """As reshape, with the special values read from the right."""
    return call("contrib_reverse_reshape", (data,), {"newshape": [int(v) for v in newshape]})


def reshape_like(data, shape_like, lhs_begin=0, lhs_end=None, rhs_begin=0, rhs_end=None):
    """A range of axes in the shape of a range of axes of another tensor."""
    return call("reshape_like", (data, shape_like),
                {"lhs_begin": lhs_begin, "lhs_end": lhs_end, "rhs_begin": rhs_begin, "rhs_end": rhs_end})


def expand_dims(data, axis, num_newaxis=1):
    """New axes of extent 1.

    >>> relay.transform.InferTypeLocal(relay.expand_dims(relay.var("x", shape=(2, 3)), axis=1, num_newaxis=2))
    Tensor[(2, 1, 1, 3), float32]
    """
    if isinstance(axis, int) or _integer(axis):
        return call("expand_dims", (data,), {"axis": int(axis), "num_newaxis": num_newaxis})
    if isinstance(axis, Constant):
        return call("expand_dims", (data,), {"axis": numbers_of(axis)[0], "num_newaxis": num_newaxis})
    if isinstance(axis, RelayExpr):
        return call("dyn.expand_dims", (data, axis), {"num_newaxis": num_newaxis})
    raise ValueError(f"Unknown type for axis: {type(axis)}")


def squeeze(data, axis=None):
    """Without axes of extent 1.

    >>> relay.transform.InferTypeLocal(relay.squeeze(relay.var("x", shape=(1, 2, 1, 3)), axis=[0]))
    Tensor[(2, 1, 3), float32]
    """
    if isinstance(axis, Constant):
        axis = numbers_of(axis) or None
    if isinstance(axis, RelayExpr):
        return call("dyn.squeeze", (data, axis))
    return call("squeeze", (data,), {"axis": axes(axis)})


def tile(data, reps):
    """The data repeated along each axis."""
    static = _shape(reps)
    if static is None:
        return call("dyn.tile", (data, reps), {"reps": None})
    return call("tile", (data,), {"reps": static})


def broadcast_to(data, shape):
    """The data broadcast to a shape."""
    static = _shape(shape)
    if static is None:
        return call("dyn.broadcast_to", (data, shape), {"shape": None})
    return call("broadcast_to", (data,), {"shape": static})


def collapse_sum_to(data, shape):
    """The sum over axes along which a shape was broadcast."""
    if isinstance(shape, (list, tuple)):
        shape = const(list(shape), "int32")
    static = numbers_of(shape) if isinstance(shape, Constant) else None
    return call("collapse_sum_to", (data, shape), {"shape": static})


def split(data, indices_or_sections, axis=0):
    """Parts along an axis: so many equal ones, or at these places.

    >>> a, b, c = relay.split(relay.var("x", shape=(6, 4)), 3, axis=0)
    >>> relay.transform.InferTypeLocal(relay.split(relay.var("x", shape=(6, 4)), [2, 5]).astuple())
    (Tensor[(2, 4), float32], Tensor[(3, 4), float32], Tensor[(1, 4), float32])
    """
    if _integer(indices_or_sections):
        sections = int(indices_or_sections)
        result = call("split", (data,), {"indices_or_sections": _boxed(sections), "axis": axis})
        return TupleWrapper(result, sections)
    indices = list(indices_or_sections)
    result = call("split", (data,), {"indices_or_sections": indices, "axis": axis})
    return TupleWrapper(result, len(indices) + 1)


def _boxed(value):
    from ...tir.expr import IntImm

    return IntImm("int32" if -(2**31) <= value < 2**31 else "int64", value)


def meshgrid(data, indexing="ij"):
    """Coordinates of a grid."""
    data = list(data) if not isinstance(data, RelayExpr) else data
    count = len(data)
    return TupleWrapper(call("meshgrid", (as_tuple(data),), {"indexing": indexing}), count)


def strided_slice(data, begin, end, strides=None, axes=None, slice_mode="end"):
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
    wanted = {"begin": _shape(begin), "end": _shape(end), "strides": _shape(strides), "slice_mode": slice_mode,
              "axes": None if axes is None else list(axes)}
    return call("strided_slice", (data,), wanted)


def strided_set(data, v, begin, end, strides=None):
    """The data with a part of each axis replaced."""
    strides = strides if strides is not None else const([1], dtype="int32")
    begin, end, strides = [w if isinstance(w, RelayExpr) else const(list(w)) for w in (begin, end, strides)]
    return call("strided_set", (data, v, begin, end, strides))


def one_hot(indices, on_value, off_value, depth, axis, dtype):
    """Rows with one value at an index and another elsewhere."""
    if isinstance(depth, RelayExpr) and not isinstance(depth, Constant):
        return call("dyn.one_hot", (indices, on_value, off_value, depth), {"axis": axis, "dtype": _dtype(dtype)})
    if isinstance(depth, Constant):
        depth = numbers_of(depth)[0]
    return call("one_hot", (indices, on_value, off_value), {"depth": depth, "axis": axis, "dtype": _dtype(dtype)})


def take(data, indices, axis=None, batch_dims=0, mode="clip"):
    """Elements at indices.

    >>> table, rows = relay.var("table", shape=(100, 16)), relay.var("rows", shape=(2, 3), dtype="int32")
    >>> relay.transform.InferTypeLocal(relay.take(table, rows, axis=0))
    Tensor[(2, 3, 16), float32]
    """
    return call("take", (data, indices), {"axis": None if axis is None else _boxed(int(axis)),
                                          "batch_dims": _boxed(int(batch_dims)), "mode": mode})


def gather(data, axis, indices):
    """Elements at indices along an axis."""
    return call("gather", (data, indices), {"axis": _boxed(int(axis))})


def where(condition, x, y):
    """Elements of x where the condition holds, of y elsewhere."""
    return call("where", (condition, x, y))


def topk(data, k=1, axis=-1, ret_type="both", is_ascend=False, dtype="int32"):
    """The largest or smallest elements, their indices, or both."""
    if isinstance(k, Constant):
        k = numbers_of(k)[0]
    attrs = {"axis": axis, "ret_type": ret_type, "is_ascend": is_ascend, "dtype": _dtype(dtype)}
    if isinstance(k, RelayExpr):
        out = call("dyn.topk", (data, k), attrs)
    else:
        out = call("topk", (data,), {"k": k, **attrs})
    return TupleWrapper(out, 2) if ret_type == "both" else out


def unique(data, is_sorted=True, return_counts=False):
    """The different elements, where they stand, and how many there are."""
    out = call("unique", (data,), {"sorted": is_sorted, "return_counts": return_counts})
    return TupleWrapper(out, 5 if return_counts else 4)


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0):
    """A tensor from its sparse form."""
    if default_value == 0 and not isinstance(default_value, RelayExpr):
        default_value = const(0)
    elif not isinstance(default_value, RelayExpr):
        default_value = const(default_value)
    static = _shape(output_shape)
    if static is None:
        return call("dyn.sparse_to_dense", (sparse_indices, sparse_values, default_value, output_shape))
    return call("sparse_to_dense", (sparse_indices, sparse_values, default_value), {"output_shape": static})


def sparse_fill_empty_rows(sparse_indices, sparse_values, dense_shape, default_value):
    """The sparse form with a value in rows that had none."""
    args = [sparse_indices, sparse_values, dense_shape, default_value]
    args[2:] = [v if isinstance(v, RelayExpr) else const(v) for v in args[2:]]
    return TupleWrapper(call("sparse_fill_empty_rows", args), 3)


def sparse_reshape(sparse_indices, prev_shape, new_shape):
    """The sparse form in another shape."""
    return TupleWrapper(call("sparse_reshape", (sparse_indices, prev_shape, new_shape)), 2)


def segment_sum(data, segment_ids, num_segments=None):
    """Sums of the elements with each id."""
    from . import add, cast_like, expand_dims as _expand, max as _max, scatter_nd

    one = cast_like(const([1]), segment_ids)
    if num_segments is None:
        count = add(reshape(_max(segment_ids, [0]), -1), one)
    else:
        count = cast_like(const([num_segments]) if isinstance(num_segments, int) else num_segments, segment_ids)
    shape = call("shape_of", (data,), {"dtype": "int32"})
    rest = cast_like(strided_slice(shape, [1], [-1], slice_mode="size"), count)
    out_shape = call("concatenate", (as_tuple([count, rest]),), {"axis": 0})
    zeros_there = cast_like(call("dyn.zeros", (out_shape,), {"dtype": "float64"}), data)
    return scatter_nd(zeros_there, _expand(segment_ids, 0), data, "add")


def unravel_index(indices, shape):
    """Indices into a flat tensor as coordinates."""
    return call("unravel_index", (indices, shape))


def trilu(data, k, upper=True):
    """The upper or lower triangle."""
    if not isinstance(k, RelayExpr):
        k = const(k, dtype="int32")
    return call("trilu", (data, k), {"upper": upper})


def matrix_set_diag(data, diagonal, k=0, align="RIGHT_LEFT"):
    """The matrices with diagonals replaced."""
    low, high = (k[0], k[1] if len(k) > 1 else k[0]) if isinstance(k, (tuple, list)) else (k, k)
    return call("matrix_set_diag", (data, diagonal),
                {"k1": low, "k2": high, "super_diag_right_align": align[:5] == "RIGHT",
                 "sub_diag_right_align": align[-5:] == "RIGHT"})


def stft(data, n_fft, hop_length=None, win_length=None, window=None, normalized=False, onesided=True):
    """The short-time Fourier transform."""
    if hop_length is None:
        hop_length = n_fft // 4
    if win_length is None:
        win_length = n_fft
    if window is None:
        window = ones([n_fft], "int32")
    return call("stft", (data, window), {"n_fft": n_fft, "hop_length": hop_length, "win_length": win_length,
                                         "normalized": normalized, "onesided": onesided})


def dft(re_data, im_data, inverse=False):
    """The discrete Fourier transform: real and imaginary part."""
    return TupleWrapper(call("dft", (re_data, im_data), {"inverse": inverse}), 2)


def variance(data, axis=None, keepdims=False, exclude=False, unbiased=False, with_mean=None):
    """The variance along axes."""
    from . import mean

    axis = axes(axis)
    m = mean(data, axis, True, exclude) if with_mean is None else with_mean
    return call("variance", (data, m), {"axis": axis, "keepdims": keepdims, "exclude": exclude, "unbiased": unbiased})


def std(data, axis=None, keepdims=False, exclude=False, unbiased=False):
    """The standard deviation along axes."""
    from . import sqrt

    return sqrt(variance(data, axis, keepdims, exclude, unbiased))


def mean_variance(data, axis=None, keepdims=False, exclude=False, unbiased=False):
    """Mean and variance."""
    from . import mean, squeeze as _squeeze

    axis = axes(axis)
    m = mean(data, axis, True, exclude)
    var = variance(data, axis, keepdims, exclude, unbiased, with_mean=m)
    return TupleWrapper(Tuple((m if keepdims else _squeeze(m, axis), var)), 2)


def mean_std(data, axis=None, keepdims=False, exclude=False):
    """Mean and standard deviation."""
    from . import mean, sqrt, squeeze as _squeeze

    axis = axes(axis)
    m = mean(data, axis, True, exclude)
    s = sqrt(variance(data, axis, keepdims, exclude, False, with_mean=m))
    return TupleWrapper(Tuple((m if keepdims else _squeeze(m, axis), s)), 2)


def logsumexp(data, axis=None, keepdims=False):
    """The logarithm of the sum of exponentials."""
    from . import add, exp, log, max as _max, squeeze as _squeeze, subtract, sum as _sum

    axis = axes(axis)
    largest = _max(data, axis, True)
    shifted = subtract(data, largest)
    out = add(log(_sum(exp(shifted), axis, True)), largest)
    return out if keepdims else _squeeze(out, axis)


def fixed_point_multiply_per_axis(x, y, lshift, rshift, is_lshift_required, is_rshift_required, axis):
    """Products with fixed-point factors of their own along axes."""
    return call("fixed_point_multiply_per_axis", (x, y, lshift, rshift),
                {"is_lshift_required": is_lshift_required, "is_rshift_required": is_rshift_required,
                 "axes": list(axis)})


def device_copy(data, src_device=None, dst_device=None):
    """The data moved between devices."""
    from ...target.virtual_device import virtual_device_of

    return call("device_copy", (data,), {"src_virtual_device": virtual_device_of(src_device),
                                         "dst_virtual_device": virtual_device_of(dst_device)})


def shape_func(func, inputs, outputs, is_inputs):
    raise NotImplementedError("shape functions belong to code generation")


def copy_shape_func(expr_):
    raise NotImplementedError("shape functions belong to code generation")


# relay.nn.*


class nn:
    """Functions of relay.nn."""

    @staticmethod
    def pad(data, pad_width, pad_value=0, pad_mode="constant"):
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
        return call("nn.pad", (data, pad_value), {"pad_width": [list(row) for row in pad_width], "pad_mode": pad_mode})

    @staticmethod
    def upsampling(data, scale_h=1, scale_w=1, layout="NCHW", method="nearest_neighbor", align_corners=False):
        """A larger image."""
        scale_h, scale_w = [numbers_of(v)[0] if isinstance(v, Constant) else v for v in (scale_h, scale_w)]
        attrs = {"layout": layout, "method": method, "align_corners": align_corners}
        if isinstance(scale_h, RelayExpr) or isinstance(scale_w, RelayExpr):
            scale_h, scale_w = [v if isinstance(v, RelayExpr) else const(v, "float64") for v in (scale_h, scale_w)]
            return call("dyn.nn.upsampling", (data, scale_h, scale_w), attrs)
        return call("nn.upsampling", (data,), {"scale_h": float(scale_h), "scale_w": float(scale_w), **attrs})

    @staticmethod
    def upsampling3d(data, scale_d=1, scale_h=1, scale_w=1, layout="NCDHW", method="nearest_neighbor",
                     coordinate_transformation_mode="half_pixel"):
        """A larger volume."""
        scales = [numbers_of(v)[0] if isinstance(v, Constant) else v for v in (scale_d, scale_h, scale_w)]
        attrs = {"layout": layout, "method": method, "coordinate_transformation_mode": coordinate_transformation_mode}
        if any(isinstance(v, RelayExpr) for v in scales):
            scales = [v if isinstance(v, RelayExpr) else const(v, "float64") for v in scales]
            return call("dyn.nn.upsampling3d", (data, *scales), attrs)
        names = ("scale_d", "scale_h", "scale_w")
        return call("nn.upsampling3d", (data,), {**{n: float(v) for n, v in zip(names, scales)}, **attrs})

    @staticmethod
    def dropout(data, rate=0.5):
        """The data with a part of it zero."""
        return TupleWrapper(nn.dropout_raw(data, rate), 2)[0]

    @staticmethod
    def dropout_raw(data, rate=0.5):
        """As dropout, together with the mask."""
        return call("nn.dropout", (data,), {"rate": rate})

    @staticmethod
    def sparse_dense(dense_mat, sparse_mat, sparse_lhs=False):
        """The product of a dense and a sparse matrix."""
        parts = _sparse_parts(sparse_mat)
        return call("nn.sparse_dense", (dense_mat, *parts), {"sparse_lhs": sparse_lhs})

    @staticmethod
    def sparse_transpose(x):
        """The transposed sparse matrix."""
        return TupleWrapper(call("nn.sparse_transpose", _sparse_parts(x)), 3)

    @staticmethod
    def sparse_add(dense_mat, sparse_mat):
        """The sum of a dense and a sparse matrix."""
        return call("nn.sparse_add", (dense_mat, *_sparse_parts(sparse_mat)))

    @staticmethod
    def sparse_conv2d(dense_mat, sparse_mat, layout="NHWC", kernel_size=(1, 1)):
        """A convolution with sparse weights."""
        return call("nn.sparse_conv2d", (dense_mat, *_sparse_parts(sparse_mat)),
                    {"layout": layout, "kernel_size": list(kernel_size)})

    @staticmethod
    def deformable_conv2d(data, offset, weight, strides=(1, 1), padding=(0, 0), dilation=(1, 1), deformable_groups=1,
                          groups=1, channels=None, kernel_size=None, data_layout="NCHW", kernel_layout="OIHW",
                          out_layout="", out_dtype=""):
        """A convolution whose kernel has offsets."""
        return call("nn.deformable_conv2d", (data, offset, weight),
                    {"strides": repeated(2)(strides), "padding": pad2d(padding), "dilation": repeated(2)(dilation),
                     "deformable_groups": deformable_groups, "groups": groups, "channels": channels,
                     "kernel_size": repeated(2)(kernel_size), "data_layout": data_layout,
                     "kernel_layout": kernel_layout, "out_layout": out_layout, "out_dtype": _dtype(out_dtype)})

    @staticmethod
    def cross_entropy(predictions, targets):
        """The cross entropy of probabilities."""
        return call("nn.cross_entropy", (predictions, targets))


def _adaptive(name, rank, layout_):
    def build(data, output_size=None, layout=layout_, out_layout=""):
        return call("nn." + name, (data,), {"output_size": repeated(rank)(output_size) or [], "layout": layout,
                                            "out_layout": out_layout})

    build.__name__ = name
    build.__doc__ = "Pooling to an output of a given size."
    return staticmethod(build)


for _rank, _layout in ((1, "NCW"), (2, "NCHW"), (3, "NCDHW")):
    for _kind in ("max", "avg"):
        setattr(nn, f"adaptive_{_kind}_pool{_rank}d", _adaptive(f"adaptive_{_kind}_pool{_rank}d", _rank, _layout))
nn.global_max_pool1d = staticmethod(lambda data, layout="NCW", out_layout="": nn.adaptive_max_pool1d(data, [1], layout, out_layout))
nn.global_avg_pool1d = staticmethod(lambda data, layout="NCW", out_layout="": nn.adaptive_avg_pool1d(data, [1], layout, out_layout))
nn.global_max_pool3d = staticmethod(lambda data, layout="NCDHW", out_layout="": nn.adaptive_max_pool3d(data, [1, 1, 1], layout, out_layout))
nn.global_avg_pool3d = staticmethod(lambda data, layout="NCDHW", out_layout="": nn.adaptive_avg_pool3d(data, [1, 1, 1], layout, out_layout))


def _sparse_parts(matrix):
    if hasattr(matrix, "indices") and not isinstance(matrix, RelayExpr):
        matrix = (matrix.data, matrix.indices, matrix.indptr)
    parts = list(matrix.tuple_value.fields if isinstance(matrix, TupleWrapper) and isinstance(matrix.tuple_value, Tuple)
                 else matrix)
    return [part if isinstance(part, RelayExpr) else const(part, str(part.dtype)) for part in parts]


# relay.image.*


class image:
    """Functions of relay.image."""

    @staticmethod
    def resize1d(data, size, roi=None, layout="NCW", method="linear", coordinate_transformation_mode="half_pixel",
                 rounding_method="", cubic_alpha=-0.5, cubic_exclude=0, extrapolation_value=0.0, out_dtype=None):
        """A row of another length."""
        size = [numbers_of(size)[0]] if isinstance(size, Constant) else (list(size) if not _integer(size) else [size])
        return call("image.resize1d", (data,), _resize(size, roi, 1, layout, method, coordinate_transformation_mode,
                                                       rounding_method, cubic_alpha, cubic_exclude,
                                                       extrapolation_value, out_dtype))

    @staticmethod
    def resize2d(data, size, roi=None, layout="NCHW", method="linear", coordinate_transformation_mode="half_pixel",
                 rounding_method="", cubic_alpha=-0.5, cubic_exclude=0, extrapolation_value=0.0, out_dtype=None):
        """An image of another size."""
        static = _shape(size)
        if static is None or isinstance(roi, RelayExpr) and not isinstance(roi, Constant):
            if static is not None:
                size = const(static, "int64")
            if roi is None:
                roi = [0.0] * 4
            if not isinstance(roi, RelayExpr):
                roi = const(roi, "float32")
            attrs = _resize(None, None, 2, layout, method, coordinate_transformation_mode, rounding_method, cubic_alpha,
                            cubic_exclude, extrapolation_value, out_dtype)
            return call("dyn.image.resize2d", (data, size, roi), attrs)
        static = static * 2 if len(static) == 1 else static
        return call("image.resize2d", (data,), _resize(static, roi, 2, layout, method, coordinate_transformation_mode,
                                                       rounding_method, cubic_alpha, cubic_exclude,
                                                       extrapolation_value, out_dtype))

    @staticmethod
    def resize3d(data, size, roi=None, layout="NCDHW", method="linear", coordinate_transformation_mode="half_pixel",
                 rounding_method="", cubic_alpha=-0.5, cubic_exclude=0, extrapolation_value=0.0, out_dtype=None):
        """A volume of another size."""
        static = _shape(size)
        static = static * 3 if len(static) == 1 else static
        return call("image.resize3d", (data,), _resize(static, roi, 3, layout, method, coordinate_transformation_mode,
                                                       rounding_method, cubic_alpha, cubic_exclude,
                                                       extrapolation_value, out_dtype))


def _resize(size, roi, rank, layout, method, mode, rounding, alpha, exclude, extrapolation, out_dtype):
    from ...tir.expr import FloatImm

    if isinstance(roi, Constant):
        roi = roi.data.numpy().reshape(-1).tolist()
    roi = [0.0] * (2 * rank) if roi is None else roi
    attrs = {"layout": layout, "method": method, "coordinate_transformation_mode": mode, "rounding_method": rounding,
             "cubic_alpha": float(alpha), "cubic_exclude": int(exclude), "extrapolation_value": float(extrapolation),
             "out_dtype": _dtype(out_dtype)}
    if size is not None:
        attrs["size"] = [int(v) if isinstance(v, numbers.Number) else v for v in size]
        attrs["roi"] = [FloatImm("float32", float(v)) for v in roi]
    return attrs


# relay.vision.*


class vision:
    """Functions of relay.vision."""

    @staticmethod
    def get_valid_counts(data, score_threshold, id_index=0, score_index=1):
        """How many boxes have a score above the threshold, these boxes, and where they were."""
        if not isinstance(score_threshold, RelayExpr):
            score_threshold = const(score_threshold, dtype="float32")
        out = call("vision.get_valid_counts", (data, score_threshold), {"id_index": id_index, "score_index": score_index})
        return TupleWrapper(out, 3)

    @staticmethod
    def non_max_suppression(data, valid_count, indices, max_output_size=-1, iou_threshold=0.5, force_suppress=False,
                            top_k=-1, coord_start=2, score_index=1, id_index=0, return_indices=True,
                            invalid_to_bottom=False):
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
    def all_class_non_max_suppression(boxes, scores, max_output_boxes_per_class=-1, iou_threshold=-1.0,
                                      score_threshold=-1.0, output_format="onnx"):
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
    def on_device(body, device=None, constrain_result=False, constrain_body=True):
        """The body computed on a device."""
        from ...target.virtual_device import virtual_device_of

        return call("on_device", (body,), {"virtual_device": virtual_device_of(device),
                                           "constrain_result": constrain_result, "constrain_body": constrain_body})

    @staticmethod
    def stop_fusion(data):
        """The data, with which nothing is fused."""
        return call("annotation.stop_fusion", (data,))

    @staticmethod
    def checkpoint(data):
        """The data, computed again in the backward pass."""
        return call("annotation.checkpoint", (data,))

    @staticmethod
    def bitpack_start(data):
        return call("annotation.bitpack_start", (data,))

    @staticmethod
    def bitpack_end(data):
        return call("annotation.bitpack_end", (data,))

    @staticmethod
    def cast_hint(data, dtype):
        return call("annotation.cast_hint", (data,), {"dtype": dtype})

    @staticmethod
    def compiler_begin(data, compiler):
        """Where a region of an external compiler begins."""
        return call("annotation.compiler_begin", (data,), {"compiler": compiler})

    @staticmethod
    def compiler_end(data, compiler):
        """Where a region of an external compiler ends."""
        return call("annotation.compiler_end", (data,), {"compiler": compiler})


# relay.random.*


class random:
    """Functions of relay.random."""

    @staticmethod
    def threefry_key(seed):
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
    def threefry_split(key):
        """Two keys from one."""
        return TupleWrapper(call("random.threefry_split", (key,)), 2)

    @staticmethod
    def threefry_generate(key, shape):
        """A new key and random bits."""
        return TupleWrapper(call("random.threefry_generate", (key,), {"out_shape": list(shape)}), 2)

    @staticmethod
    def uniform(key, shape, dtype="float32", low=0.0, high=1.0):
        """A new key and numbers of a range."""
        low, high = [v if isinstance(v, RelayExpr) else const(v, dtype) for v in (low, high)]
        return TupleWrapper(call("random.uniform", (key, low, high), {"out_shape": list(shape), "out_dtype": dtype}), 2)

    @staticmethod
    def normal(key, shape, dtype="float32", mean=0.0, scale=1.0):
        """A new key and numbers of a normal distribution."""
        mean, scale = [v if isinstance(v, RelayExpr) else const(v, dtype) for v in (mean, scale)]
        return TupleWrapper(call("random.normal", (key, mean, scale), {"out_shape": list(shape), "out_dtype": dtype}), 2)

    @staticmethod
    def multinomial(key, probs, num_samples):
        """A new key and draws."""
        if num_samples < 1:
            raise AssertionError("num_samples must be greater than zero.")
        return TupleWrapper(call("random.multinomial", (key, probs), {"num_samples": _boxed(num_samples)}), 2)


# relay.qnn.op.*


class qnn:
    """Functions of relay.qnn.op."""

    @staticmethod
    def requantize(data, input_scale, input_zero_point, output_scale, output_zero_point, axis=-1, rounding="None",
                   compute_dtype="None", out_dtype="int8"):
        """Integers of one scale as integers of another."""
        return call("qnn.requantize", (data, input_scale, input_zero_point, output_scale, output_zero_point),
                    {"axis": axis, "rounding": rounding, "compute_dtype": compute_dtype, "out_dtype": out_dtype})

    @staticmethod
    def concatenate(data, input_scales, input_zero_points, output_scale, output_zero_point, axis):
        """Tensors of scales of their own in one of a given scale."""
        data = as_tuple(data)
        return call("qnn.concatenate", (data, as_tuple(input_scales), as_tuple(input_zero_points), output_scale,
                                        output_zero_point), {"axis": axis})

    @staticmethod
    def quantize(data, output_scale, output_zero_point, axis=-1, out_dtype="int8"):
        """Floats as integers."""
        return call("qnn.quantize", (data, output_scale, output_zero_point), {"axis": axis, "out_dtype": out_dtype})

    @staticmethod
    def simulated_quantize(data, output_scale, output_zero_point, axis=-1, out_dtype="int8"):
        """As quantize, computed on floats."""
        if isinstance(out_dtype, str):
            out_dtype = const(_SQNN_CODES[out_dtype], "int32")
        return call("qnn.simulated_quantize", (data, out_dtype, output_scale, output_zero_point), {"axis": axis})

    @staticmethod
    def simulated_dequantize(data, input_scale, input_zero_point, axis=-1, in_dtype="int8"):
        """As dequantize, computed on floats."""
        if isinstance(in_dtype, str):
            in_dtype = const(_SQNN_CODES[in_dtype], "int32")
        return call("qnn.simulated_dequantize", (data, in_dtype, input_scale, input_zero_point), {"axis": axis})


_SQNN_CODES = {"disable": 0, "int8": 1, "uint8": 2, "int32": 3}


def _qnn_binary(op):
    def build(lhs, rhs, lhs_scale, lhs_zero_point, rhs_scale, rhs_zero_point, output_scale, output_zero_point,
              lhs_axis=-1, rhs_axis=-1):
        return call("qnn." + op, (lhs, rhs, lhs_scale, lhs_zero_point, rhs_scale, rhs_zero_point, output_scale,
                                  output_zero_point), {"lhs_axis": lhs_axis, "rhs_axis": rhs_axis})

    build.__name__ = op
    build.__doc__ = f"`{op}` of quantized tensors."
    return staticmethod(build)


for _op in ("add", "subtract", "mul"):
    setattr(qnn, _op, _qnn_binary(_op))
