"""Operators of random ONNX models (random_models.py): each function draws one node or a few."""

import numpy as np
import onnx
from onnx import helper

from random_models import BOOL, DOUBLE, FLOAT, HALF, INT8, INT32, INT64, UINT8, Unfit, may_broadcast

UNARY = ("Sigmoid", "Tanh", "Exp", "Erf", "Softplus", "Softsign", "Sin", "Cos", "HardSigmoid", "Elu", "Selu",
         "Atan", "Log", "Sqrt", "Reciprocal")
EXACT_UNARY = ("Relu", "Neg", "Abs", "Identity", "Identity", "LeakyRelu", "Dropout", "ThresholdedRelu", "Relu")
STEPS = ("Floor", "Ceil", "Round", "Sign")


def unary(m):
    attributes = {}
    name = m.pick(UNARY)
    if name in ("HardSigmoid", "Elu") and m.chance(50):
        attributes["alpha"] = m.pick((0.5, 1.0, 0.25))
    m.add(name, [m.floats()], **attributes)


def newer_unary(m):
    names = [name for name, since in (("HardSwish", 14), ("Mish", 18), ("Gelu", 20), ("Celu", 12)) if since <= m.opset]
    m.add(m.pick(names), [m.floats()])


def exact_unary(m):
    name = m.pick(EXACT_UNARY)
    value = m.any() if name == "Identity" else m.value(lambda value: value.dtype.kind in "fi")
    m.add(name, [value], exact=True, alpha=m.pick((0.25, 0.5, 2.0)) if name in ("LeakyRelu", "ThresholdedRelu") else None)


def step(m):
    m.add(m.pick(STEPS), [m.exact("f")], exact=True)


def spelled_activation(m):
    x = m.floats()
    kind = m.pick(("swish", "hardswish", "gelu", "mish", "square", "clip", "gelu_tanh"))
    if kind == "swish":
        m.add("Mul", [x, m.add("Sigmoid", [x])])
    elif kind == "hardswish":
        y = m.add("Clip", [m.add("Add", [x, scalar(m, 3)]), scalar(m, 0), scalar(m, 6)])
        m.add("Div", [m.add("Mul", [x, y]), scalar(m, 6)])
    elif kind == "gelu":
        y = m.add("Add", [m.add("Erf", [m.add("Div", [x, scalar(m, 2 ** 0.5)])]), scalar(m, 1)])
        m.add("Mul", [m.add("Mul", [x, y]), scalar(m, 0.5)])
    elif kind == "gelu_tanh":
        y = m.add("Mul", [scalar(m, 0.044715), m.add("Pow", [x, scalar(m, 3)])])
        y = m.add("Tanh", [m.add("Mul", [scalar(m, 0.7978845608), m.add("Add", [x, y])])])
        m.add("Mul", [m.add("Mul", [scalar(m, 0.5), x]), m.add("Add", [scalar(m, 1), y])])
    elif kind == "mish":
        m.add("Mul", [x, m.add("Tanh", [m.add("Softplus", [x])])])
    elif kind == "square":
        m.add("Pow", [x, m.constant(np.asarray(m.pick((2, 1, 0, 0.5, 3)), m.pick((FLOAT, INT64))))])
    else:
        m.add("Clip", [m.add("Relu", [x]), None, scalar(m, 6)], exact=True)


def scalar(m, number):
    return m.constant(np.full(m.pick(((), (), (1,))), number, FLOAT))


def binary(m):
    x = m.value(lambda value: value.dtype in (FLOAT, FLOAT, INT64, INT32, DOUBLE))
    name = m.pick(("Add", "Add", "Sub", "Mul", "Mul", "Div", "Max", "Min"))
    operands = [x, m.operand_for(x)]
    m.random.shuffle(operands)
    if name == "Div" and x.dtype.kind == "i" and not np.all(operands[1].array):
        raise Unfit
    m.add(name, operands, exact=name != "Div")


def variadic(m):
    x = m.floats()
    m.add(m.pick(("Sum", "Max", "Min", "Mean")), [x] + [m.operand_for(x) for _ in range(m.random.randint(0, 3))])


def logic(m):
    x = m.value(lambda value: value.dtype == BOOL)
    if m.chance(30):
        m.add("Not", [x])
    else:
        m.add(m.pick(("And", "Or", "Xor")), [x, m.operand_for(x)])


def compare(m):
    x = m.exact("fi")
    names = ("Equal", "Less", "Greater") + (("LessOrEqual", "GreaterOrEqual") if m.opset >= 12 else ())
    m.add(m.pick(names), [x, m.operand_for(x)])


def where(m):
    x = m.any()
    condition = m.value(lambda value: value.dtype == BOOL) if m.chance(60) else m.constant(
        m.numbers_of(m.broadcast_shape(x.shape), BOOL))
    m.add("Where", [condition] + m.random.sample([x, m.operand_for(x)], 2), exact=True)


def clip(m):
    bounds = [m.constant(np.asarray(m.pick((-1, 0, 0.5)), FLOAT)), m.constant(np.asarray(m.pick((0.25, 1, 6)), FLOAT))]
    bounds = [bound if m.chance(70) else None for bound in bounds]
    while bounds and bounds[-1] is None:
        bounds.pop()
    m.add("Clip", [m.floats()] + bounds, exact=True)


def prelu(m):
    x = m.floats()
    m.add("PRelu", [x, m.constant(m.numbers_of(m.pick(((1,) if x.rank else (), x.shape[1:2] + (1,) * max(0, x.rank - 2), x.shape)), FLOAT))],
          exact=True)


def cast(m):
    x = m.value(lambda value: value.exact)
    to = m.pick((FLOAT, FLOAT, DOUBLE, INT64, INT32, BOOL, UINT8, INT8, HALF))
    if to.kind in "iu" and x.array.size and (x.array.min() < 0 and to == UINT8 or np.abs(x.array).max() > 100):
        raise Unfit
    y = m.add("Cast", [x], exact=True, to=helper.np_dtype_to_tensor_dtype(to))
    if m.chance(40):
        m.add("Cast", [y], exact=True, to=helper.np_dtype_to_tensor_dtype(m.pick((FLOAT, INT64, x.dtype))))


def integers(m):
    x = m.value(lambda value: value.dtype in (INT64, INT32))
    m.add("Mod", [x, m.constant(np.full(m.broadcast_shape(x.shape), m.pick((2, 3, -3, 5)), x.dtype))],
          fmod=m.pick((None, 0, 1)))


# -- movement --

def reshape(m):
    x = m.any()
    size = x.array.size
    left, target = size, []
    while left > 1 and len(target) < 5:
        target.append(m.pick([extent for extent in range(1, left + 1) if left % extent == 0]))
        left //= target[-1]
    if left > 1:
        target.append(left)
    if m.chance(30):
        target.insert(m.random.randint(0, len(target)), 1)
    if target and m.chance(50):
        target[m.random.randrange(len(target))] = -1
    for i, extent in enumerate(target):
        if i < x.rank and x.shape[i] == extent and m.chance(30):
            target[i] = 0
    m.add("Reshape", [x, m.ints(target)], exact=True)


def computed_reshape(m):
    """Shape, Gather, Unsqueeze, Concat, Reshape, as PyTorch writes it."""
    x = m.any(least=2)
    shape = m.add("Shape", [x], keep=m.chance(30))
    first = m.add("Gather", [shape, m.constant(np.asarray(0, INT64))], axis=0, keep=False)
    first = unsqueeze_node(m, first, [0], keep=False)
    joined = m.add("Concat", [first, m.ints([-1])] + ([m.ints([x.shape[-1]])] if m.chance(40) else []), axis=0, keep=False)
    m.add("Reshape", [x, joined], exact=True)


def flatten(m):
    x = m.any(least=1)
    m.add("Flatten", [x], exact=True, axis=m.pick((None, m.axis(x.rank))))


def transpose(m):
    x = m.any()
    order = list(range(x.rank))
    m.random.shuffle(order)
    if m.chance(30) and x.rank == 4:
        order = m.pick(([0, 2, 3, 1], [0, 3, 1, 2], [0, 2, 1, 3]))
    m.add("Transpose", [x], exact=True, perm=m.pick((None, order, order)) if x.rank else None)


def unsqueeze_node(m, x, axes, keep=True):
    if m.opset >= 13:
        return m.add("Unsqueeze", [x, m.ints(axes)], exact=True, keep=keep)
    return m.add("Unsqueeze", [x], exact=True, axes=axes, keep=keep)


def unsqueeze(m):
    x = m.value(lambda value: value.rank < 5)
    count = m.random.randint(1, 2)
    axes = m.random.sample(range(x.rank + count), count)
    unsqueeze_node(m, x, [axis - x.rank - count if m.opset >= 11 and m.chance(30) else axis for axis in axes])


def squeeze(m):
    x = m.value(lambda value: 1 in value.shape)
    axes = [i for i, extent in enumerate(x.shape) if extent == 1 and m.chance(60)]
    if m.chance(20):
        axes = None
    if m.opset >= 13:
        m.add("Squeeze", [x] + ([m.ints(axes)] if axes else []), exact=True)
    else:
        m.add("Squeeze", [x], exact=True, axes=axes or None)


def expand(m):
    x = m.value(lambda value: value.array.size < 200)
    shape = [m.extent() if extent == 1 and m.chance(60) else m.pick((1, extent)) for extent in x.shape]
    m.add("Expand", [x, m.ints([m.extent()] * m.pick((0, 0, 1)) + shape)], exact=True)


def tile(m):
    x = m.value(lambda value: value.array.size < 200 and value.rank)
    m.add("Tile", [x, m.ints([m.pick((1, 1, 2, 3)) for _ in x.shape])], exact=True)


def concat(m):
    x = m.any(least=1)
    axis = m.axis(x.rank)

    def fits(value):
        other = list(value.shape)
        if value.dtype != x.dtype or len(other) != x.rank:
            return False
        other[axis] = x.shape[axis]
        return tuple(other) == x.shape
    parts = [x] + [m.value(fits) for _ in range(m.random.randint(0, 3))]
    if m.chance(20):
        parts.append(m.constant(m.numbers_of(x.shape, x.dtype)))
    m.random.shuffle(parts)
    m.add("Concat", parts, exact=True, axis=axis)


def split(m):
    x = m.any(least=1)
    axis = m.axis(x.rank)
    extent = x.shape[axis]
    count = m.random.randint(1, min(3, extent))
    cuts = sorted(m.random.sample(range(1, extent), count - 1))
    sizes = [b - a for a, b in zip([0] + cuts, cuts + [extent])]
    if m.opset >= 13:
        m.add("Split", [x, m.ints(sizes)], exact=True, outputs=count, axis=axis)
    else:
        m.add("Split", [x], exact=True, outputs=count, axis=axis, split=sizes)


def slice_part(m):
    x = m.any(least=1)
    axes = m.axes(x.rank)
    steps = [m.pick((1, 1, 1, 2, -1, -2)) for _ in axes]
    begins, ends = [], []
    for axis, by in zip(axes, steps):
        extent = x.shape[axis]
        a, b = m.random.randint(-extent, extent), m.pick((extent, 2 ** 31 - 1, 2 ** 63 - 1, m.random.randint(-extent, extent)))
        if by < 0:
            # ONNX Runtime takes the greatest numbers as an end for none, also for negative steps.
            a, b = m.pick((-1, extent, 2 ** 31 - 1, a)), m.pick((-2 ** 63, -extent - 1, 0))
        begins.append(a)
        ends.append(b)
    operands = [x, m.ints(begins), m.ints(ends), m.ints(axes)]
    if any(by != 1 for by in steps) or m.chance(50):
        operands.append(m.ints(steps))
    m.add("Slice", operands, exact=True)


def gather(m):
    x = m.any(least=1)
    axis = m.axis(x.rank)
    extent = x.shape[axis]
    shape = m.pick(((), (1,), (2,), (3,), (2, 2)))
    indices = np.asarray(m.numbers.integers(-extent, max(extent, 1), shape), m.pick((INT64, INT32)))
    if m.chance(20):
        indices = np.arange(extent, dtype=INT64)
    m.add("Gather", [x, m.constant(indices)], exact=True, axis=axis)


def gather_elements(m):
    x = m.any(least=1)
    axis = m.axis(x.rank)
    extent = x.shape[axis]
    m.add("GatherElements", [x, m.constant(np.asarray(m.numbers.integers(-extent, max(extent, 1), x.shape), INT64))],
          exact=True, axis=axis)


def scatter(m):
    x = m.floats(least=1)
    if m.chance(50):
        axis = m.axis(x.rank)
        indices = np.argsort(m.numbers.random(x.shape), axis=axis).astype(INT64)
        m.add("ScatterElements", [x, m.constant(indices), m.constant(m.numbers_of(x.shape, FLOAT))], exact=True, axis=axis)
    else:
        rows = m.random.sample(range(x.shape[0]), m.random.randint(1, x.shape[0]))
        m.add("ScatterND", [x, m.constant(np.asarray(rows, INT64)[:, None]),
                            m.constant(m.numbers_of((len(rows),) + x.shape[1:], FLOAT))], exact=True)


def pad(m):
    x = m.floats(least=1)
    mode = m.pick(("constant", "constant", "constant", "reflect", "edge"))
    pads = [m.pick((0, 0, 1, 2, -1)) if m.chance(50) else 0 for _ in range(2 * x.rank)]
    extra = [scalar_of(m, m.pick((0, 0, 1, -3)))] if mode == "constant" and m.chance(60) else []
    m.add("Pad", [x, m.ints(pads)] + extra, exact=True, mode=mode)


def scalar_of(m, number):
    return m.constant(np.asarray(number, FLOAT))


def depth_space(m):
    x = m.floats(rank=4)
    if m.chance(50):
        m.add("DepthToSpace", [x], exact=True, blocksize=2, mode=m.pick(("DCR", "CRD")))
    else:
        m.add("SpaceToDepth", [x], exact=True, blocksize=2)


def shape_of(m):
    x = m.any()
    attributes = {}
    if m.opset >= 15 and m.chance(50):
        attributes = {"start": m.random.randint(-3, 3), "end": m.pick((None, m.random.randint(-3, 5)))}
    m.add(m.pick(("Shape", "Shape", "Size")) if not attributes else "Shape", [x], **attributes)


def filled(m):
    x = m.any()
    shape = m.add("Shape", [x], keep=False) if m.chance(50) else m.ints(m.broadcast_shape(x.shape))
    value = m.pick((None, np.asarray([1], FLOAT), np.asarray([0], INT64), np.asarray([True]), np.asarray([-2], INT32)))
    m.add("ConstantOfShape", [shape], exact=True,
          value=None if value is None else onnx.numpy_helper.from_array(value))


def arange(m):
    numbers = m.pick(((0, 4, 1), (3, -1, -1), (0, 7, 2), (2, 2, 1)))
    m.add("Range", [m.constant(np.asarray(number, INT64)) for number in numbers])


def triangle(m):
    if m.opset < 14:
        raise Unfit
    operands = [m.floats(least=2)] + ([m.constant(np.asarray(m.random.randint(-2, 2), INT64))] if m.chance(60) else [])
    m.add("Trilu", operands, exact=True, upper=m.pick((0, 1)))


def cumulative(m):
    x = m.floats(least=1)
    m.add("CumSum", [x, m.constant(np.asarray(m.axis(x.rank), m.pick((INT64, INT32))))], exact=True,
          exclusive=m.pick((0, 1)), reverse=m.pick((0, 1)))


def one_hot(m):
    x = m.value(lambda value: value.dtype == INT64 and value.rank < 4)
    m.add("OneHot", [x, m.constant(np.asarray(m.pick((3, 5)), INT64)), m.constant(np.asarray([0, 1], FLOAT))], exact=True,
          axis=m.pick((-1, 0)))


# -- reductions, order --

def reduce(m):
    name = m.pick(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
                   "ReduceSumSquare", "ReduceLogSumExp"))
    has_integers = name in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceSumSquare", "ReduceL1")
    x = m.floats() if not has_integers or m.chance(80) else m.value(lambda value: value.dtype in (INT32, INT64))
    axes = m.axes(x.rank) or None
    if m.chance(15):
        axes = None
    attributes = {"keepdims": m.pick((0, 1, None))}
    operands = [x]
    if name == "ReduceSum" and m.opset >= 13 or m.opset >= 18:
        if axes:
            operands.append(m.ints(axes))
        if m.chance(20):
            attributes["noop_with_empty_axes"] = 1
    elif axes:
        attributes["axes"] = axes
    m.add(name, operands, exact=name in ("ReduceSum", "ReduceMax", "ReduceMin"), **attributes)


def arg(m):
    x = m.exact("f", least=1)
    last = {"select_last_index": m.pick((0, 1))} if m.opset >= 12 else {}
    m.add(m.pick(("ArgMax", "ArgMin")), [x], axis=m.axis(x.rank), keepdims=m.pick((0, 1)), **last)


def top(m):
    x = m.exact("f", least=1)
    axis = m.axis(x.rank)
    m.add("TopK", [x, m.ints([m.random.randint(1, max(1, x.shape[axis]))])], exact=True, outputs=2, axis=axis,
          largest=m.pick((0, 1)), sorted=1)


def nonzero(m):
    m.add("NonZero", [m.exact("fib", least=1)])


# -- layers --

def windows(m, rank):
    """Attributes of a convolution or pool with `rank` spatial axes."""
    kernel = [m.pick((1, 2, 3, 3)) for _ in range(rank)]
    attributes = {"strides": [m.pick((1, 1, 2)) for _ in range(rank)]}
    if m.chance(30):
        attributes["auto_pad"] = m.pick(("SAME_UPPER", "SAME_LOWER", "VALID"))
    elif m.chance(60):
        attributes["pads"] = [m.pick((0, 1, 1, 2)) for _ in range(2 * rank)]
    return kernel, {name: value for name, value in attributes.items() if m.chance(80)}


def weight(m, shape):
    return m.constant(m.numbers_of(shape, FLOAT, -4, 4))


def convolution(m):
    x = m.value(lambda value: value.dtype == FLOAT and value.rank in (3, 4, 5) and 0 not in value.shape)
    kernel, attributes = windows(m, x.rank - 2)
    channels = x.shape[1]
    groups = m.pick([group for group in range(1, channels + 1) if channels % group == 0])
    filters = groups * m.random.randint(1, 3)
    if m.chance(30) and "auto_pad" not in attributes:
        attributes["dilations"] = [m.pick((1, 2)) for _ in kernel]
    operands = [x, weight(m, (filters, channels // groups, *kernel))] + ([weight(m, (filters,))] if m.chance(50) else [])
    y = m.add("Conv", operands, exact=True, group=groups, kernel_shape=kernel if m.chance(70) else None, **attributes)
    after_layer(m, y)


def transposed_convolution(m):
    x = m.value(lambda value: value.dtype == FLOAT and value.rank in (3, 4) and 0 not in value.shape)
    kernel, attributes = windows(m, x.rank - 2)
    channels = x.shape[1]
    groups = m.pick([group for group in range(1, channels + 1) if channels % group == 0])
    filters = m.random.randint(1, 3)
    operands = [x, weight(m, (channels, filters, *kernel))]
    if m.chance(50):
        operands.append(weight(m, (filters * groups,)))
    y = m.add("ConvTranspose", operands, exact=True, group=groups, **attributes)
    after_layer(m, y)


def after_layer(m, y):
    """What is folded into a layer: a scale, a bias, a normalization."""
    if not m.chance(60) or y.rank < 2:
        return
    channels = y.shape[1]
    shape = m.pick(((1, channels) + (1,) * (y.rank - 2), (channels,) + (1,) * (y.rank - 2), (1,), ()))
    if m.chance(40):
        normalize(m, y)
    else:
        m.add(m.pick(("Mul", "Add", "Sub", "Div")), m.random.sample([y, m.constant(m.numbers_of(shape, FLOAT, 1, 9))], 2))


def normalize(m, x):
    channels = x.shape[1]
    numbers = [m.numbers_of((channels,), FLOAT) for _ in range(3)] + [m.numbers_of((channels,), FLOAT, 1, 8)]
    m.add("BatchNormalization", [x] + [m.constant(array) for array in numbers],
          epsilon=m.pick((None, 1e-3)))


def batch_norm(m):
    normalize(m, m.floats(least=2))


def padded_convolution(m):
    x = m.value(lambda value: value.dtype == FLOAT and value.rank == 4 and 0 not in value.shape)
    pads = [0, 0, m.pick((0, 1)), m.pick((0, 1, 2)), 0, 0, m.pick((0, 1)), m.pick((0, 1, 2))]
    padded = m.add("Pad", [x, m.ints(pads)] + ([scalar_of(m, m.pick((0, 0, 1)))] if m.chance(40) else []), exact=True)
    if m.chance(60):
        y = m.add("Conv", [padded, weight(m, (2, x.shape[1], 3, 3))], exact=True, pads=m.pick((None, [1, 1, 1, 1])))
        after_layer(m, y)
    else:
        m.add(m.pick(("MaxPool", "AveragePool")), [padded], kernel_shape=[2, 2],
              pads=m.pick((None, [1, 1, 1, 1])), count_include_pad=None)


def pool(m):
    x = m.value(lambda value: value.dtype == FLOAT and value.rank in (3, 4, 5))
    kernel, attributes = windows(m, x.rank - 2)
    if any(reach > extent for reach, extent in zip(kernel, x.shape[2:])):
        raise Unfit
    name = m.pick(("MaxPool", "MaxPool", "AveragePool", "LpPool"))
    if name == "AveragePool":
        attributes["count_include_pad"] = m.pick((0, 1))
    if name in ("MaxPool", "AveragePool") and m.chance(30):
        attributes["ceil_mode"] = 1
    m.add(name, [x], exact=name == "MaxPool", kernel_shape=kernel, **attributes)


def global_pool(m):
    x = m.floats(least=3)
    m.add(m.pick(("GlobalAveragePool", "GlobalMaxPool")), [x])


def product(m):
    x = m.value(lambda value: value.dtype == FLOAT and value.rank and value.array.size)
    inner = x.shape[-1]
    if m.chance(30):
        others = [value for value in m.values if value.dtype == FLOAT and value.rank >= 2 and value.shape[-2] == inner]
        m.add("MatMul", [x, m.pick(others)], exact=True)
        return
    shape = m.pick(((inner, m.extent()), (inner,), (inner, inner), (1, inner, m.extent())))
    y = m.add("MatMul", [x, weight(m, shape)], exact=True)
    if m.chance(60) and y.rank:
        bias = m.pick((y.shape[-1:], (1,) + y.shape[-1:], (1,), ()))
        m.add(m.pick(("Add", "Add", "Mul", "Sub")), m.random.sample([y, m.constant(m.numbers_of(bias, FLOAT))], 2), exact=True)


def gemm(m):
    x = m.floats(rank=2)
    a_turned, b_turned = m.pick((0, 1)), m.pick((0, 1))
    inner = x.shape[0] if a_turned else x.shape[1]
    outer, rows = m.extent(), x.shape[1] if a_turned else x.shape[0]
    operands = [x, weight(m, (outer, inner) if b_turned else (inner, outer))]
    if m.chance(70):
        operands.append(weight(m, m.pick(((outer,), (1,), (rows, outer), (rows, 1), ()))))
    y = m.add("Gemm", operands, exact=True, transA=a_turned or None, transB=b_turned or None,
              alpha=m.pick((None, None, 0.5, 2.0)), beta=m.pick((None, None, 0.5, 0.0)))
    after_layer(m, y)


def softmax(m):
    x = m.floats(least=1)
    m.add(m.pick(("Softmax", "Softmax", "LogSoftmax")), [x], axis=m.pick((None, m.axis(x.rank))))


def layer_norm(m):
    x = m.floats(least=2)
    extent = x.shape[-1]
    if m.opset >= 17 and m.chance(50):
        m.add("LayerNormalization", [x, m.constant(m.numbers_of((extent,), FLOAT)), m.constant(m.numbers_of((extent,), FLOAT))],
              axis=-1)
        return
    axes = {"axes": [-1]} if m.opset < 18 else {}
    operand = lambda y: [y] if m.opset < 18 else [y, m.ints([-1])]
    centred = m.add("Sub", [x, m.add("ReduceMean", operand(x), keepdims=1, **axes)])
    square = m.add("Mul", [centred, centred]) if m.chance(30) else m.add("Pow", [centred, scalar(m, 2)])
    spread = m.add("Add", [m.add("ReduceMean", operand(square), keepdims=1, **axes), scalar(m, 1e-5)])
    y = m.add("Div", [centred, m.add("Sqrt", [spread])])
    y = m.add("Mul", [y, m.constant(m.numbers_of((extent,), FLOAT))])
    m.add("Add", [y, m.constant(m.numbers_of((extent,), FLOAT))])


def other_norm(m):
    x = m.floats(least=3)
    channels = x.shape[1]
    if m.chance(50):
        m.add("InstanceNormalization", [x, m.constant(m.numbers_of((channels,), FLOAT)),
                                        m.constant(m.numbers_of((channels,), FLOAT))])
    else:
        m.add("LRN", [m.floats(rank=4)], size=m.pick((1, 3)))


def resize(m):
    x = m.floats(rank=4)
    mode = m.pick(("nearest", "nearest", "linear"))
    transformation = m.pick(("asymmetric", "half_pixel", "align_corners"))
    nearest = m.pick(("floor", "round_prefer_floor", "ceil")) if mode == "nearest" else None
    empty = m.constant(np.zeros((0,), FLOAT))
    if m.chance(60):
        # With align_corners ONNX and ONNX Runtime disagree about extents that are not whole.
        by = m.pick((1, 2)) if transformation == "align_corners" else m.pick((1, 2, 0.5))
        scales = m.constant(np.asarray([1, 1, by, m.pick((1, 2))], FLOAT))
        operands = [x, empty, scales]
    else:
        operands = [x, empty, empty if m.opset < 13 else None,
                    m.ints([x.shape[0], x.shape[1], m.extent(), m.extent()])]
    m.add("Resize", operands, mode=mode, coordinate_transformation_mode=transformation, nearest_mode=nearest)


def einsum(m):
    if m.opset < 12:
        raise Unfit
    x = m.floats(rank=m.pick((2, 3)))
    a = "bij"[-x.rank:]
    equation = m.pick((f"{a},jk->{a[:-1]}k", f"{a}->{a[::-1]}", f"{a}->{a[:-1]}"))
    operands = [x] + ([weight(m, (x.shape[-1], m.extent()))] if "," in equation else [])
    m.add("Einsum", operands, exact=True, equation=equation)


def quantized(m):
    x = m.exact("f", least=1)
    if x.dtype != FLOAT:
        raise Unfit
    attributes = {}
    shape = ()
    if m.opset >= 13 and m.chance(40):
        axis = m.axis(x.rank)
        attributes, shape = {"axis": axis}, (x.shape[axis],)
    scale = m.constant(np.full(shape, m.pick((0.25, 0.5, 0.125)), FLOAT))
    zero = m.constant(np.full(shape, m.pick((0, 0, 3)), m.pick((INT8, UINT8))))
    y = m.add("QuantizeLinear", [x, scale, zero], exact=True, **attributes)
    m.add("DequantizeLinear", [y, scale, zero], exact=True, **attributes)


def quantized_product(m):
    x = m.value(lambda value: value.dtype in (INT8, UINT8) and value.rank >= 2 and value.array.size)
    m.add("MatMulInteger", [x, m.constant(m.numbers_of((x.shape[-1], m.extent()), m.pick((INT8, UINT8))))])


# -- graphs in nodes --

def branch(m, name, x, constant):
    """A graph of one or two nodes on values around it."""
    out = m.name("inner")
    nodes = [helper.make_node(m.pick(("Add", "Mul", "Sub", "Max")), [x.name, constant.name], [out], m.name("Inner"))]
    if m.chance(40):
        last = m.name("inner")
        nodes.append(helper.make_node(m.pick(("Relu", "Neg", "Identity")), [out], [last], m.name("Inner")))
        out = last
    return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(out, onnx.TensorProto.FLOAT, None)])


def condition(m):
    x = m.floats()
    shape = m.pick((x.shape, (), (1,)))
    constants = [m.constant(m.numbers_of(shape, FLOAT)) for _ in range(2)]
    test = m.constant(np.asarray(m.chance(50))) if m.chance(30) else m.value(
        lambda value: value.dtype == BOOL and value.array.size == 1)
    run_graphs(m, "If", [test], [x, *constants],
               then_branch=branch(m, "then", x, constants[0]), else_branch=branch(m, "other", x, constants[1]))


def run_graphs(m, op_type, inputs, captured, outputs=1, **attributes):
    """Adds a node with graphs; what they take from around them are inputs when it is run alone."""
    names = [m.name(op_type.lower()) for _ in range(outputs)]
    node = helper.make_node(op_type, [value.name if value else "" for value in inputs], names, m.name(op_type), **attributes)
    feeds = {value.name: value.array for value in [*inputs, *captured] if value}
    m.add_nodes([node], feeds, False)


def loop(m):
    x = m.floats()
    step_by = m.constant(m.numbers_of(m.pick((x.shape, ())), FLOAT))
    i, go, carried, kept, result = (m.name("body") for _ in range(5))
    nodes = [helper.make_node("Identity", [go], [kept], m.name("Inner")),
             helper.make_node(m.pick(("Add", "Sub", "Max")), [carried, step_by.name], [result], m.name("Inner"))]
    outputs = [helper.make_tensor_value_info(kept, onnx.TensorProto.BOOL, []),
               helper.make_tensor_value_info(result, onnx.TensorProto.FLOAT, None)]
    listed = m.chance(50)
    if listed:
        nodes.append(helper.make_node("Neg", [result], [m.name("item")], m.name("Inner")))
        outputs.append(helper.make_tensor_value_info(nodes[-1].output[0], onnx.TensorProto.FLOAT, None))
    body = helper.make_graph(nodes, "body", [helper.make_tensor_value_info(i, onnx.TensorProto.INT64, []),
                                             helper.make_tensor_value_info(go, onnx.TensorProto.BOOL, []),
                                             helper.make_tensor_value_info(carried, onnx.TensorProto.FLOAT, None)], outputs)
    count = m.constant(np.asarray(m.random.randint(0 if not listed else 1, 3), INT64))
    run_graphs(m, "Loop", [count, m.constant(np.asarray(True)), x], [step_by], 2 if listed else 1, body=body)


def copy_of(m):
    """A node once more, for those who look for equal ones."""
    node = m.pick([node for node in m.nodes if node.op_type not in ("Constant", "If", "Loop")])
    arrays = {value.name: value for value in m.values}
    if any(name and name not in arrays for name in node.input) or len(node.output) != 1:
        raise Unfit
    again = onnx.NodeProto()
    again.CopyFrom(node)
    again.name = m.name(node.op_type)
    again.output[:] = [m.name("again")]
    operands = [arrays[name] for name in node.input if name]
    m.add_nodes([again], {value.name: value.array for value in operands},
               node.output[0] in arrays and arrays[node.output[0]].exact)


def there_and_back(m):
    """A movement and its opposite."""
    x = m.any(least=2)
    if m.chance(50):
        order = list(range(x.rank))
        m.random.shuffle(order)
        y = m.add("Transpose", [x], exact=True, perm=order)
        if m.chance(50) and y.dtype == FLOAT:
            y = m.add(m.pick(("Relu", "Tanh", "Neg")), [y], exact=False)
        m.add("Transpose", [y], exact=True, perm=[order.index(i) for i in range(x.rank)])
    else:
        y = m.add("Reshape", [x, m.ints([-1])], exact=True)
        m.add("Reshape", [y, m.ints(x.shape)], exact=True)


# -- what exporters write of several nodes --

def extent_of(m, x):
    """An extent that is computed: a scalar, from the shape of a value."""
    shape = m.add("Shape", [x], keep=False)
    at = m.random.randrange(-x.rank, x.rank)
    if m.chance(60):
        return m.add("Gather", [shape, m.constant(np.asarray(at, INT64))], axis=0, keep=False)
    part = m.add("Slice", [shape, m.ints([at]), m.ints([at + 1 if at != -1 else 2 ** 63 - 1]), m.ints([0])], keep=False)
    return squeeze_node(m, part, [0]) if m.chance(70) else m.add("Reshape", [part, m.ints([])], keep=False)


def squeeze_node(m, x, axes):
    if m.opset >= 13:
        return m.add("Squeeze", [x, m.ints(axes)], exact=True, keep=False)
    return m.add("Squeeze", [x], exact=True, axes=axes, keep=False)


def computed_extent(m, x):
    """An extent after some arithmetic, and a list of it."""
    extent = extent_of(m, x)
    for _ in range(m.random.randint(0, 2)):
        kind = m.pick(("Add", "Sub", "Mul", "Div", "cast", "float"))
        if kind == "cast":
            extent = m.add("Cast", [m.add("Cast", [extent], to=onnx.TensorProto.INT32, keep=False)],
                           to=onnx.TensorProto.INT64, keep=False)
        elif kind == "float":
            number = m.add("Cast", [extent], exact=True, to=onnx.TensorProto.FLOAT, keep=False)
            number = m.add("Mul", [number, scalar_of(m, m.pick((2, 0.5, 1)))], exact=True, keep=False)
            extent = m.add("Cast", [m.add("Floor", [number], exact=True, keep=False)], to=onnx.TensorProto.INT64, keep=False)
        else:
            extent = m.add(kind, [extent, m.constant(np.asarray(m.pick((1, 1, 2)), INT64))], keep=False)
    return extent


def computed_shape(m):
    x = m.any(least=1)
    kind = m.pick(("reshape", "expand", "slice", "filled", "range", "tile", "pad", "resize"))
    if kind == "reshape":
        parts = [unsqueeze_node(m, extent_of(m, x), [0], keep=False) if m.chance(60) else m.ints([extent]) for extent in x.shape]
        at = m.random.randrange(len(parts))
        parts[at] = m.ints([-1])
        m.add("Reshape", [x, m.add("Concat", parts, axis=0, keep=False)], exact=True)
    elif kind == "expand":
        shape = m.add("Shape", [x], keep=False)
        other = m.value(lambda value: value.dtype == x.dtype and may_broadcast(value, x))
        m.add("Expand", [other, shape], exact=True)
    elif kind == "slice":
        axis = m.random.randrange(x.rank)
        end = unsqueeze_node(m, computed_extent(m, x), [0], keep=False)
        begin = m.ints([m.random.randint(0, 2)]) if m.chance(60) else unsqueeze_node(m, computed_extent(m, x), [0], keep=False)
        m.add("Slice", [x, begin, end, m.ints([axis])], exact=True)
    elif kind == "filled":
        parts = [unsqueeze_node(m, computed_extent(m, x), [0], keep=False) for _ in range(m.random.randint(1, 3))]
        m.add("ConstantOfShape", [m.add("Concat", parts, axis=0, keep=False)],
              value=onnx.numpy_helper.from_array(np.asarray([m.pick((0, 1))], m.pick((FLOAT, INT64)))))
    elif kind == "range":
        m.add("Range", [m.constant(np.asarray(0, INT64)), computed_extent(m, x), m.constant(np.asarray(1, INT64))])
    elif kind == "tile":
        repeats = [unsqueeze_node(m, computed_extent(m, x), [0], keep=False) if m.chance(40) else m.ints([1]) for _ in x.shape]
        m.add("Tile", [x, m.add("Concat", repeats, axis=0, keep=False)], exact=True)
    elif kind == "pad":
        if x.dtype != FLOAT:
            raise Unfit
        parts = [unsqueeze_node(m, computed_extent(m, x), [0], keep=False) if m.chance(30) else m.ints([0])
                 for _ in range(2 * x.rank)]
        m.add("Pad", [x, m.add("Concat", parts, axis=0, keep=False)], exact=True)
    else:
        x = m.floats(rank=4)
        sizes = m.add("Concat", [m.ints(x.shape[:2]), *(unsqueeze_node(m, computed_extent(m, x), [0], keep=False)
                                                         for _ in range(2))], axis=0, keep=False)
        empty = m.constant(np.zeros((0,), FLOAT))
        m.add("Resize", [x, empty, empty if m.opset < 13 else None, sizes], mode="nearest",
              coordinate_transformation_mode="asymmetric", nearest_mode="floor")


def torch_expand(m):
    """Expand with -1 for extents that stay, as PyTorch writes it."""
    x = m.value(lambda value: 0 < value.rank < 5 and value.array.size < 300)
    target = [-1 if extent != 1 or m.chance(40) else m.extent() for extent in x.shape]
    shape = m.ints(target)
    ones = m.add("ConstantOfShape", [m.ints([len(target)])],
                 value=onnx.numpy_helper.from_array(np.asarray([1], INT64)), keep=False)
    stays = m.add("Equal", [shape, m.add("Mul", [ones, m.constant(np.asarray(-1, INT64))], keep=False)], keep=False)
    m.add("Expand", [x, m.add("Where", [stays, ones, shape], keep=False)], exact=True)


def scaled_layers(m):
    """A layer, what a scale may pass, a scale, and perhaps another layer."""
    x = m.value(lambda value: value.dtype == FLOAT and value.rank == 4 and value.array.size and value.shape[2] > 1)
    channels, filters = x.shape[1], m.random.randint(1, 4)
    y = m.add("Conv", [x, weight(m, (filters, channels, 1, 1))] + ([weight(m, (filters,))] if m.chance(60) else []), exact=True)
    for _ in range(m.random.randint(0, 2)):
        kind = m.pick(("Relu", "LeakyRelu", "MaxPool", "AveragePool", "Pad", "Add", "Neg", "Concat", "Reshape", "Transpose"))
        if kind in ("MaxPool", "AveragePool"):
            y = m.add(kind, [y], exact=kind == "MaxPool", kernel_shape=[2, 2], pads=[1, 1, 1, 1])
        elif kind == "Pad":
            y = m.add("Pad", [y, m.ints([0, 0, 1, 0, 0, 0, 0, 1])], exact=True)
        elif kind == "Add":
            y = m.add("Add", [y, m.add("Conv", [x, weight(m, (filters, channels, 1, 1))], exact=True) if m.chance(50) and
                              y.shape == (x.shape[0], filters, *x.shape[2:]) else weight(m, (filters, 1, 1))], exact=True)
        elif kind == "Concat":
            y = m.add("Concat", [y, y], exact=True, axis=1)
        elif kind == "Reshape":
            y = m.add("Reshape", [y, m.ints([y.shape[0], y.shape[1], -1, 1])], exact=True)
        elif kind == "Transpose":
            y = m.add("Transpose", [y], exact=True, perm=[0, 1, 3, 2])
        else:
            y = m.add(kind, [y], exact=True)
    after_layer(m, y)
    z = m.values[-1]
    if m.chance(50) and z.rank == 4 and z.array.size:
        y = m.add("Conv", [z, weight(m, (m.random.randint(1, 3), z.shape[1], 1, 1))], exact=True)
        after_layer(m, y)


def transposed_chain(m):
    """Elementwise operators between a transpose and its opposite."""
    x = m.value(lambda value: value.dtype == FLOAT and 1 < value.rank < 5)
    order = list(range(x.rank))
    m.random.shuffle(order)
    y = m.add("Transpose", [x], exact=True, perm=order)
    for _ in range(m.random.randint(1, 3)):
        kind = m.pick(("Relu", "Neg", "Tanh", "Add", "Mul", "Concat", "Reduce", "Softmax", "Split", "Pad", "Slice", "Other"))
        if kind in ("Add", "Mul"):
            y = m.add(kind, m.random.sample([y, m.constant(m.numbers_of(m.broadcast_shape(y.shape), FLOAT))], 2), exact=True)
        elif kind == "Concat":
            y = m.add("Concat", [y, y], exact=True, axis=m.axis(y.rank))
        elif kind == "Other":
            y = m.add("Add", [y, m.add("Transpose", [x], exact=True, perm=order)], exact=True)
        elif kind == "Reduce":
            axes = {"axes": [m.axis(y.rank)]} if m.opset < 18 else {}
            y = m.add("ReduceMax", [y] + ([m.ints([m.axis(y.rank)])] if m.opset >= 18 else []), exact=True, keepdims=1, **axes)
        elif kind == "Softmax":
            y = m.add("Softmax", [y], axis=m.axis(y.rank))
        elif kind == "Split":
            axis = m.axis(y.rank)
            sizes = [1, y.shape[axis] - 1]
            split_by = {"split": sizes} if m.opset < 13 else {}
            y = m.add("Split", [y] + ([m.ints(sizes)] if m.opset >= 13 else []), exact=True, outputs=2, axis=axis, **split_by)
        elif kind == "Pad":
            y = m.add("Pad", [y, m.ints([m.pick((0, 1)) for _ in range(2 * y.rank)])], exact=True)
        elif kind == "Slice":
            y = m.add("Slice", [y, m.ints([1]), m.ints([2 ** 31]), m.ints([m.axis(y.rank)])], exact=True)
        else:
            y = m.add(kind, [y], exact=kind != "Tanh")
    m.add("Transpose", [y], exact=True, perm=[order.index(i) for i in range(x.rank)])


def attention(m):
    """Heads of attention, with what exporters put between."""
    heads, size, length, batch = m.pick((1, 2)), m.pick((2, 4)), m.pick((3, 4)), m.pick((1, 2))
    width = heads * size
    x = m.add("Reshape", [m.value(lambda value: value.dtype == FLOAT and value.array.size == batch * length * width),
                          m.ints([batch, length, width])], exact=True) if m.chance(30) else \
        m.constant(m.numbers_of((batch, length, width), FLOAT))
    parts = []
    for name in ("q", "k", "v"):
        y = m.add("MatMul", [x, weight(m, (width, width))], exact=True, keep=False)
        if m.chance(60):
            y = m.add("Add", m.random.sample([y, weight(m, (width,))], 2), exact=True, keep=False)
        y = m.add("Reshape", [y, m.ints([m.pick((batch, 0)), m.pick((length, -1)), heads, size])], exact=True, keep=False)
        parts.append(m.add("Transpose", [y], exact=True, perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3], keep=False))
    scores = m.add("MatMul", parts[:2], exact=True, keep=False)
    scores = m.add(m.pick(("Div", "Mul")), [scores, scalar_of(m, size ** 0.5)], keep=False)
    if m.chance(50):
        mask = m.constant(np.where(np.tri(length, dtype=bool), 0, -1e4).astype(FLOAT))
        scores = m.add("Add", [scores, mask], keep=False)
    y = m.add("MatMul", [m.add("Softmax", [scores], axis=-1, keep=False), parts[2]], keep=False)
    y = m.add("Reshape", [m.add("Transpose", [y], perm=[0, 2, 1, 3], keep=False), m.ints([batch, length, width])])
    if m.chance(50):
        m.add("Add", [m.add("MatMul", [y, weight(m, (width, width))]), x])


def quantized_layer(m):
    """Quantized operands of a layer of floats, as quantizers write it."""
    x = m.value(lambda value: value.exact and value.dtype == FLOAT and value.rank in (2, 4) and value.array.size)

    def through(value, kind):
        scale, zero = m.constant(np.asarray(m.pick((0.25, 0.125)), FLOAT)), m.constant(np.asarray(0 if kind == INT8 else 9, kind))
        y = m.add("QuantizeLinear", [value, scale, zero], exact=True, keep=False)
        return m.add("DequantizeLinear", [y, scale, zero], exact=True, keep=False)
    y = through(x, m.pick((INT8, UINT8)))
    if x.rank == 4:
        y = m.add("Conv", [y, through(weight(m, (2, x.shape[1], 1, 1)), INT8)] + ([weight(m, (2,))] if m.chance(50) else []),
                  exact=True)
    else:
        y = m.add("MatMul", [y, through(weight(m, (x.shape[1], 3)), INT8)], exact=True)
    if m.chance(50):
        y = m.add("Relu", [y], exact=True)
    if np.abs(y.array).max(initial=0) < 15:
        through(y, m.pick((INT8, UINT8)))
        m.add("Identity", [m.values[-1]], exact=True)


def recurrent(m):
    x = m.value(lambda value: value.dtype == FLOAT and value.rank == 3 and value.array.size)
    name, gates = m.pick((("LSTM", 4), ("GRU", 3), ("RNN", 1)))
    size = m.pick((1, 2, 3))
    direction = m.pick(("forward", "reverse", "bidirectional"))
    count = 2 if direction == "bidirectional" else 1
    operands = [x, weight(m, (count, gates * size, x.shape[2])), weight(m, (count, gates * size, size))]
    if m.chance(60):
        operands.append(weight(m, (count, 2 * gates * size)))
    extra = {"linear_before_reset": m.pick((0, 1))} if name == "GRU" else {}
    m.add(name, operands, outputs=m.pick((1, 2)), hidden_size=size, direction=direction, **extra)


def same_type(m):
    """Arithmetic of other floats."""
    x = m.value(lambda value: value.dtype in (FLOAT, DOUBLE) and value.exact)
    to = m.pick((DOUBLE, HALF))
    y = m.add("Cast", [x], exact=True, to=helper.np_dtype_to_tensor_dtype(to))
    for _ in range(m.random.randint(1, 3)):
        name = m.pick(("Add", "Mul", "Sub", "Relu", "Neg", "Abs"))
        y = m.add(name, [y] if name in ("Relu", "Neg", "Abs") else [y, m.operand_for(y)], exact=True)
    m.add("Cast", [y], exact=True, to=onnx.TensorProto.FLOAT)


OPERATORS = (unary, newer_unary, exact_unary, exact_unary, step, spelled_activation, binary, binary, binary, variadic, logic,
             compare, where, clip, prelu, cast, integers, reshape, computed_reshape, flatten, transpose, unsqueeze, squeeze,
             expand, tile, concat, concat, split, slice_part, slice_part, gather, gather_elements, scatter, pad, depth_space,
             shape_of, filled, arange, triangle, cumulative, one_hot, reduce, reduce, arg, top, nonzero, convolution,
             convolution, transposed_convolution, batch_norm, padded_convolution, pool, global_pool, product, product, gemm,
             softmax, layer_norm, other_norm, resize, einsum, quantized, quantized_product, condition, loop, copy_of,
             there_and_back, computed_shape, computed_shape, computed_shape, computed_shape, torch_expand, scaled_layers,
             scaled_layers, scaled_layers, transposed_chain, transposed_chain, attention, quantized_layer, recurrent, same_type)
