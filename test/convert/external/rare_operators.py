"""Operators that few models use, and forms of old versions, for random ONNX models (random_models.py)."""

import numpy as np
import onnx
from onnx import helper

from random_models import BOOL, DOUBLE, FLOAT, INT8, INT32, INT64, UINT8, Unfit
from drawn_operators import after_layer, scalar_of, weight, windows

MICROSOFT = {"domain": "com.microsoft"}
LEARNING = {"domain": "ai.onnx.ml"}


def needs(m, opset):
    if m.opset < opset:
        raise Unfit


def of_rank(m, *ranks):
    """A value of floats with elements."""
    return m.value(lambda value: value.dtype == FLOAT and value.rank in ranks and value.array.size)


def vector(m, size, low=-8, high=8):
    return m.constant(m.numbers_of((size,), FLOAT, low, high))


# -- elementwise --

def rare_unary(m):
    name = m.pick(("Acos", "Asin", "Atanh", "Acosh", "Asinh", "Cosh", "Sinh", "Tan", "IsNaN", "IsInf", "Hardmax", "Selu",
                   "MeanVarianceNormalization", "LpNormalization", "GlobalLpPool", "Swish"))
    attributes = {}
    x = m.floats()
    if name == "IsInf":
        attributes = {"detect_negative": m.pick((None, 0, 1)), "detect_positive": m.pick((None, 0, 1))}
        x = m.add("Div", [x, m.constant(np.asarray(m.pick((0, 1)), FLOAT))], keep=False) if m.chance(10) else x
    elif name in ("Hardmax", "LpNormalization"):
        x = m.exact("f", least=1)
        attributes = {"axis": m.pick((None, m.axis(x.rank)))}
        if name == "LpNormalization":
            attributes["p"] = m.pick((None, 1, 2))
    m.add(name, [x], **attributes)


def shrink(m):
    m.add("Shrink", [m.exact("f")], exact=True, lambd=m.pick((None, 1.0, 0.25)), bias=m.pick((None, 0.5)))


def cast_like(m):
    needs(m, 15)
    x, like = m.value(lambda value: value.exact), m.any()
    if like.dtype.kind in "iu" and x.array.size and np.abs(x.array).max() > 100 or like.dtype == UINT8 and np.any(x.array < 0):
        raise Unfit
    m.add("CastLike", [x, like], exact=True)


def bits(m):
    x = m.value(lambda value: value.dtype in (INT32, INT64, UINT8))
    name = m.pick(("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift"))
    if name == "BitwiseNot":
        m.add(name, [x])
    elif name == "BitShift":
        x = m.value(lambda value: value.dtype == UINT8)
        m.add(name, [x, m.constant(np.full(m.broadcast_shape(x.shape), m.pick((0, 1, 2)), UINT8))],
              direction=m.pick(("LEFT", "RIGHT")))
    else:
        m.add(name, [x, m.operand_for(x)])


def power(m):
    x = m.exact("fi")
    kind = m.pick((FLOAT, INT32, INT64)) if m.opset >= 12 else x.dtype
    m.add("Pow", [x, m.constant(np.full(m.broadcast_shape(x.shape), m.pick((0, 1, 2, 3)), kind))])


def remainder(m):
    x = m.exact("f")
    m.add("Mod", [x, m.constant(np.full(m.broadcast_shape(x.shape), m.pick((2, 3, -3, 0.75)), x.dtype))], exact=True, fmod=1)


# -- movement --

def gather_nd(m):
    x = m.any(least=1)
    batch = m.random.randint(0, min(2, x.rank - 1)) if m.opset >= 12 else 0
    depth = m.random.randint(1, x.rank - batch)
    rows = tuple(x.shape[:batch]) + m.pick(((), (1,), (3,), (2, 2)))
    parts = [m.numbers.integers(-extent, max(extent, 1), rows) for extent in x.shape[batch:batch + depth]]
    m.add("GatherND", [x, m.constant(np.stack(parts, axis=-1).astype(INT64))], exact=True, batch_dims=batch or None)


def reverse_sequence(m):
    x = m.any(least=2)
    batch = m.pick((0, 1))
    lengths = m.numbers.integers(0 if m.chance(20) else 1, x.shape[1 - batch] + 1, (x.shape[batch],)).astype(INT64)
    m.add("ReverseSequence", [x, m.constant(lengths)], exact=True, batch_axis=batch, time_axis=1 - batch)


def compress(m):
    x = m.any(least=1)
    axis = m.pick((None, m.axis(x.rank)))
    extent = x.array.size if axis is None else x.shape[axis]
    chosen = m.value(lambda value: value.dtype == BOOL and value.rank == 1 and value.array.size <= extent) \
        if m.chance(30) else m.constant(m.numbers_of((m.random.randint(1, min(extent, 9)),), BOOL))
    m.add("Compress", [x, chosen], exact=True, axis=axis)


def unique(m):
    x = m.exact("fi", least=1)
    m.add("Unique", [x], exact=True, outputs=m.pick((1, 1, 4)), axis=m.pick((None, m.axis(x.rank))), sorted=m.pick((None, 0, 1)))


def diagonal(m):
    x = of_rank(m, 2)
    m.add("EyeLike", [x], exact=True, k=m.pick((None, 0, 1, -1)), dtype=m.pick((None, 1, 7)))


def crop_or_pad(m):
    needs(m, 18)
    x = m.floats(least=1)
    axes = m.axes(x.rank)
    m.add("CenterCropPad", [x, m.ints([m.extent() for _ in axes])], exact=True, axes=axes)


def columns_to_image(m):
    needs(m, 18)
    y = m.add("Reshape", [of_rank(m, 2, 3, 4), m.ints([1, 4, -1])], exact=True, keep=False)
    blocks = y.shape[2]
    rows = m.pick([row for row in range(1, blocks + 1) if blocks % row == 0])
    m.add("Col2Im", [y, m.ints([rows + 1, blocks // rows + 1]), m.ints([2, 2])], exact=True)


def scatter_with(m):
    x = of_rank(m, 1, 2, 3)
    reduction = m.pick(("add", "mul") if m.opset < 18 else ("add", "mul", "max", "min"))
    needs(m, 16)
    if m.chance(50):
        axis = m.axis(x.rank)
        indices = m.numbers.integers(-x.shape[axis], x.shape[axis], x.shape).astype(INT64)
        m.add("ScatterElements", [x, m.constant(indices), m.constant(m.numbers_of(x.shape, FLOAT, -2, 2))], axis=axis,
              reduction=reduction)
    else:
        rows = m.numbers.integers(0, x.shape[0], (3, 1)).astype(INT64)
        m.add("ScatterND", [x, m.constant(rows), m.constant(m.numbers_of((3,) + x.shape[1:], FLOAT, -2, 2))], reduction=reduction)


# -- images --

def grid(m):
    needs(m, 16)
    x = of_rank(m, 4)
    places = m.constant(m.numbers.integers(-5, 6, (x.shape[0], m.extent(), m.extent(), 2)).astype(FLOAT) / 4 + FLOAT.type(1 / 32))
    bilinear, bicubic = ("linear", "cubic") if m.opset >= 20 else ("bilinear", "bicubic")
    m.add("GridSample", [x, places], mode=m.pick((None, bilinear, bicubic)),
          padding_mode=m.pick((None, "zeros", "border", "reflection")), align_corners=m.pick((None, 0, 1)))


def affine_grid(m):
    needs(m, 20)
    angles = m.constant(m.numbers_of((m.extent(), 2, 3), FLOAT, -4, 4))
    size = m.extent(), m.extent()
    # The corner of a single row is -1 in ONNX, and 1 in ONNX Runtime.
    m.add("AffineGrid", [angles, m.ints([angles.array.shape[0], 1, *size])], align_corners=m.pick((0, 1)) if min(size) > 1 else 0)


def regions(m):
    x = of_rank(m, 4)
    corners = np.sort(m.numbers.integers(0, 9, (2, 2, 2)) / 2, axis=1).reshape(2, 4).astype(FLOAT)
    batch = m.constant(m.numbers.integers(0, x.shape[0], (2,)).astype(INT64))
    if m.chance(60):
        half = {"coordinate_transformation_mode": m.pick((None, "half_pixel", "output_half_pixel"))} if m.opset >= 16 else {}
        m.add("RoiAlign", [x, m.constant(corners), batch], output_height=2, output_width=m.pick((1, 2)),
              sampling_ratio=m.pick((None, 1, 2)), spatial_scale=m.pick((None, 0.5)), mode=m.pick((None, "avg")), **half)
    else:
        places = np.concatenate([batch.array[:, None].astype(FLOAT), np.round(corners)], axis=1)
        m.add("MaxRoiPool", [x, m.constant(places)], exact=True, pooled_shape=[2, 1])


def suppression(m):
    boxes = np.cumsum(np.abs(m.numbers_of((1, 4, 4), FLOAT)) + FLOAT.type(0.25), axis=-1).astype(FLOAT)
    scores = m.numbers.permutation(8).reshape(1, 2, 4).astype(FLOAT)
    operands = [m.constant(boxes), m.constant(scores), m.constant(np.asarray([m.random.randint(1, 3)], INT64)),
                m.constant(np.asarray([m.pick((0.1, 0.5))], FLOAT)), m.constant(np.asarray([2], FLOAT))]
    m.add("NonMaxSuppression", operands[:m.pick((3, 4, 5))], center_point_box=m.pick((None, 0, 1)))


def unpool(m):
    x = m.value(lambda value: value.exact and value.dtype == FLOAT and value.rank == 4 and min(value.shape[2:]) > 1)
    y = m.add("MaxPool", [x], exact=True, outputs=2, kernel_shape=[2, 2], strides=[2, 2])
    m.add("MaxUnpool", [y, m.values[-1]], exact=True, kernel_shape=[2, 2], strides=[2, 2])


def resize_rarely(m):
    x = of_rank(m, 3, 4)
    scales = [1.0] * (x.rank - 2) + [m.pick((1, 2, 0.5)), m.pick((1, 2))]
    cubic = {"cubic_coeff_a": m.pick((None, -0.5)), "exclude_outside": m.pick((None, 1))} if m.chance(40) and m.opset >= 11 else {}
    if m.opset < 10:
        m.add("Upsample", [x, m.constant(np.asarray([max(1, scale) for scale in scales], FLOAT))] if m.opset == 9 else [x],
              mode=m.pick((None, "nearest", "linear")), scales=None if m.opset == 9 else [max(1, scale) for scale in scales])
    elif m.opset == 10:
        m.add("Resize", [x, m.constant(np.asarray(scales, FLOAT))], mode=m.pick((None, "nearest", "linear")))
    elif m.opset >= 18:
        m.add("Resize", [x, None, m.constant(np.asarray(scales[-2:], FLOAT))], axes=[x.rank - 2, x.rank - 1],
              antialias=m.pick((None, None, 1)), mode="cubic" if cubic else "linear", **cubic)
    else:
        empty = m.constant(np.zeros((0,), FLOAT))
        m.add("Resize", [x, empty, m.constant(np.asarray(scales, FLOAT))], mode="cubic" if cubic else "linear",
              coordinate_transformation_mode=m.pick((None, "pytorch_half_pixel", "asymmetric")), **cubic)


def deformable(m):
    needs(m, 19)
    x = of_rank(m, 4)
    if min(x.shape[2:]) < 2:
        raise Unfit
    size = (x.shape[0], 8, x.shape[2] - 1, x.shape[3] - 1)
    m.add("DeformConv", [x, weight(m, (2, x.shape[1], 2, 2)), m.constant(m.numbers_of(size, FLOAT, -3, 3))], kernel_shape=[2, 2])


# -- layers --

def rare_norm(m):
    kind = m.pick(("group", "rms", "layer", "skip", "simplified"))
    if kind == "group":
        needs(m, 18)
        x = m.value(lambda value: value.dtype == FLOAT and value.rank >= 3 and value.array.size)
        channels = x.shape[1]
        groups = m.pick([group for group in range(1, channels + 1) if channels % group == 0])
        size = channels if m.opset >= 21 else groups
        m.add("GroupNormalization", [x, vector(m, size), vector(m, size)], num_groups=groups)
        return
    x = m.value(lambda value: value.dtype == FLOAT and value.rank >= 2 and value.array.size)
    if kind == "skip":
        x = of_rank(m, 3)
        m.add("SkipLayerNormalization", [x, m.constant(m.numbers_of(x.shape, FLOAT))] + [vector(m, x.shape[-1]) for _ in range(
            m.random.randint(1, 3))], epsilon=1e-3, **MICROSOFT)
        return
    axis = m.axis(x.rank)
    shape = x.shape[axis:]
    if kind == "layer":
        needs(m, 17)
        m.add("LayerNormalization", [x] + [m.constant(m.numbers_of(shape, FLOAT)) for _ in range(m.pick((1, 2)))], axis=axis,
              outputs=m.pick((1, 1, 3)), epsilon=m.pick((None, 1e-3)))
    elif kind == "rms":
        needs(m, 23)
        m.add("RMSNormalization", [x, m.constant(m.numbers_of(shape, FLOAT))], axis=axis)
    else:
        m.add("SimplifiedLayerNormalization", [x, vector(m, x.shape[-1])], axis=-1)


def recurrent_with_states(m):
    """With initial states, peepholes, lengths, clips and other activations."""
    x = of_rank(m, 3)
    length, batch = x.shape[:2]
    name, gates, activations = m.pick((("LSTM", 4, 3), ("GRU", 3, 2), ("RNN", 1, 1)))
    size = m.pick((1, 2, 3))
    direction = m.pick(("forward", "reverse", "bidirectional"))
    count = 2 if direction == "bidirectional" else 1
    operands = [x, weight(m, (count, gates * size, x.shape[2])), weight(m, (count, gates * size, size)),
                weight(m, (count, 2 * gates * size)) if m.chance(50) else None,
                m.constant(m.numbers.integers(1, length + 1, (batch,)).astype(INT32)) if m.chance(30) else None,
                weight(m, (count, batch, size)) if m.chance(60) else None]
    if name == "LSTM":
        operands += [weight(m, (count, batch, size)) if m.chance(60) else None,
                     weight(m, (count, 3 * size)) if m.chance(30) else None]
    while operands[-1] is None:
        operands.pop()
    extra = {"linear_before_reset": m.pick((0, 1))} if name == "GRU" else {}
    if m.chance(30):
        extra["activations"] = [m.pick(("Sigmoid", "Tanh", "Relu", "HardSigmoid", "Softsign"))
                                for _ in range(count * activations)]
    # The states of an LSTM are clipped before their activation in ONNX, not in ONNX Runtime.
    if m.chance(20) and name != "LSTM":
        extra["clip"] = 0.5
    m.add(name, operands, outputs=m.random.randint(1, 3 if name == "LSTM" else 2), hidden_size=size, direction=direction, **extra)


def loss(m):
    needs(m, 12)
    x = m.value(lambda value: value.dtype == FLOAT and value.rank in (2, 3) and value.array.size)
    labels = m.constant(m.numbers.integers(0, x.shape[1], (x.shape[0],) + x.shape[2:]).astype(INT64))
    operands = [x, labels] + ([vector(m, x.shape[1], 1, 4)] if m.chance(40) else [])
    m.add(m.pick(("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")), operands,
          reduction=m.pick((None, "none", "sum", "mean")), ignore_index=m.pick((None, None, 0)))


def rotary(m):
    needs(m, 23)
    batch, heads, length, size = m.pick((1, 2)), m.pick((1, 2)), 3, 4
    x = m.constant(m.numbers_of((batch, heads, length, size), FLOAT))
    caches = [m.constant(m.numbers_of((5, size // 2), FLOAT)) for _ in range(2)]
    places = m.constant(m.numbers.integers(0, 5, (batch, length)).astype(INT64))
    y = m.add("RotaryEmbedding", [x, *caches, places], exact=True, interleaved=m.pick((None, 0, 1)))
    m.add("Relu", [y], exact=True)


def attention_node(m):
    needs(m, 23)
    batch, heads, size = m.pick((1, 2)), m.pick((1, 2)), 4
    shared = m.pick((1, heads))
    q = m.constant(m.numbers_of((batch, heads, 3, size), FLOAT))
    k, v = (m.constant(m.numbers_of((batch, shared, 3, size), FLOAT)) for _ in range(2))
    mask = [m.constant(m.numbers_of((3, 3), m.pick((FLOAT, BOOL))))] if m.chance(40) else []
    m.add("Attention", [q, k, v, *mask], is_causal=m.pick((None, 1)) if not mask else None, softcap=m.pick((None, 2.0)),
          scale=m.pick((None, 0.5)))


def microsoft(m):
    """Operators of ONNX Runtime itself."""
    name = m.pick(("FusedMatMul", "FusedGemm", "FusedConv", "BiasGelu", "FastGelu", "Gelu", "QuickGelu", "Inverse"))
    if name == "FusedMatMul":
        x = m.value(lambda value: value.dtype == FLOAT and value.rank >= 2 and value.array.size)
        turned, inner = m.pick((0, 1)), x.shape[-1]
        m.add(name, [x, weight(m, (3, inner) if turned else (inner, 3))], exact=True, transB=turned, alpha=m.pick((None, 0.5)),
              **MICROSOFT)
    elif name == "FusedGemm":
        x = of_rank(m, 2)
        m.add(name, [x, weight(m, (x.shape[1], 3)), weight(m, (3,))], exact=True, activation=m.pick(("Relu", "LeakyRelu")),
              **MICROSOFT)
    elif name == "FusedConv":
        x = of_rank(m, 4)
        y = m.add(name, [x, weight(m, (2, x.shape[1], 1, 1)), weight(m, (2,))], activation=m.pick(("Relu", "Sigmoid", "Tanh")),
                  **MICROSOFT)
        after_layer(m, y)
    elif name == "Inverse":
        m.add(name, [m.constant(np.eye(3, dtype=FLOAT) * 2 + m.numbers_of((3, 3), FLOAT, -1, 1))], **MICROSOFT)
    else:
        x = of_rank(m, 2, 3)
        bias = [vector(m, x.shape[-1])] if name == "BiasGelu" or name == "FastGelu" and m.chance(50) else []
        m.add(name, [x, *bias], **MICROSOFT)


# -- quantized --

def quantized_sum(m):
    """Operators on quantized values, each with its scale and zero point.

    ONNX Runtime adds the zero point of its own operators before it rounds, which shows where it is odd.
    """
    kind = m.pick((INT8, UINT8))
    x = m.value(lambda value: value.dtype == FLOAT and value.exact and value.rank in (2, 3, 4) and value.array.size)

    def numbers():
        return [m.constant(np.asarray(m.pick((0.25, 0.5)), FLOAT)), m.constant(np.asarray(m.pick((0, 0, 4)), kind))]
    mine = numbers()
    y = m.add("QuantizeLinear", [x, *mine], exact=True, keep=False)
    name = m.pick(("QLinearAdd", "QLinearMul", "QLinearLeakyRelu", "QLinearGlobalAveragePool", "QLinearConv", "QLinearMatMul"))
    last = numbers()
    if name in ("QLinearAdd", "QLinearMul"):
        other = m.constant(m.numbers_of(m.broadcast_shape(x.shape), kind, -9, 9))
        z = m.add(name, [y, *mine, other, *numbers(), *last], exact=True, keep=False, **MICROSOFT)
    elif name == "QLinearLeakyRelu":
        z = m.add(name, [y, *mine, *last], exact=True, keep=False, alpha=0.25, **MICROSOFT)
    elif name == "QLinearGlobalAveragePool":
        z = m.add(name, [y, *mine, *last], exact=True, keep=False, channels_last=0, **MICROSOFT)
    elif name == "QLinearConv":
        weights = [m.constant(m.numbers_of((2, x.shape[1], *([1] * (x.rank - 2))), kind)), *numbers()]
        bias = [m.constant(m.numbers_of((2,), INT32))] if m.chance(50) else []
        z = m.add(name, [y, *mine, *weights, *last, *bias], exact=True, keep=False)
    else:
        z = m.add(name, [y, *mine, m.constant(m.numbers_of((x.shape[-1], 3), kind)), *numbers(), *last], exact=True, keep=False)
    m.add("DequantizeLinear", [z, *last], exact=True)


def integer_layer(m):
    x = m.value(lambda value: value.dtype in (UINT8, INT8) and value.rank == 4 and value.array.size)
    zeros = [m.constant(np.asarray(m.pick((0, 3)), x.dtype))] if m.chance(50) else []
    m.add("ConvInteger", [x, m.constant(m.numbers_of((2, x.shape[1], 1, 1), UINT8)), *zeros])


def quantized_dynamically(m):
    x = m.exact("f", least=2)
    y = m.add("DynamicQuantizeLinear", [x], outputs=3, keep=False)
    names = m.nodes[-1].output
    again = helper.make_node("DequantizeLinear", list(names), [m.name("again")], m.name("Again"))
    nodes = [m.nodes.pop(), again]
    assert y.name == names[0]
    m.add_nodes(nodes, {x.name: x.array}, False)


# -- sequences, options, graphs --

def sequence(m):
    """Values that are put into a sequence, and what is taken from it."""
    x = m.any(least=1)
    parts = [m.name("sequence") for _ in range(3)]
    kind = m.pick(("at", "length", "concat", "split", "erase"))
    feeds = {x.name: x.array}
    if kind == "split":
        axis = m.axis(x.rank)
        nodes = [helper.make_node("SplitToSequence", [x.name], [parts[0]], m.name("Split"), axis=axis, keepdims=1),
                 helper.make_node("ConcatFromSequence", [parts[0]], [parts[1]], m.name("Join"), axis=m.axis(x.rank))]
    else:
        place = m.constant(np.asarray(m.pick((0, 1, -1)), INT64))
        feeds[place.name] = place.array
        nodes = [helper.make_node("SequenceConstruct", [x.name, x.name], [parts[0]], m.name("Made")),
                 helper.make_node("SequenceInsert", [parts[0], x.name, place.name], [parts[1]], m.name("Put"))]
        last = {"at": ("SequenceAt", [parts[1], place.name], {}), "length": ("SequenceLength", [parts[1]], {}),
                "concat": ("ConcatFromSequence", [parts[1]], {"axis": m.axis(x.rank), "new_axis": m.pick((0, 1))}),
                "erase": ("SequenceErase", [parts[1], place.name], {})}[kind]
        nodes.append(helper.make_node(last[0], last[1], [parts[2]], m.name("Taken"), **last[2]))
        if kind == "erase":
            nodes.append(helper.make_node("SequenceLength", [parts[2]], [m.name("length")], m.name("Length")))
    m.add_nodes(nodes, feeds, x.exact)


def option(m):
    needs(m, 18)
    x = m.any()
    made = m.name("option")
    taken = m.pick(("OptionalGetElement", "OptionalHasElement"))
    m.add_nodes([helper.make_node("Optional", [x.name], [made], m.name("Optional")),
                 helper.make_node(taken, [made], [m.name("taken")], m.name(taken))], {x.name: x.array}, x.exact)


def scan(m):
    """A running sum, or what each step makes of a part."""
    x = of_rank(m, 2, 3)
    start = m.constant(m.numbers_of(x.shape[1:], FLOAT))
    state, part, kept, made, item = (m.name("scan") for _ in range(5))
    nodes = [helper.make_node(m.pick(("Add", "Max", "Sub")), [state, part], [made], m.name("Inner")),
             helper.make_node(m.pick(("Relu", "Neg", "Identity")), [made], [item], m.name("Inner"))]
    if m.chance(30):
        nodes.append(helper.make_node("Identity", [made], [kept], m.name("Inner")))
        made = kept
    of_type = lambda name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, x.shape[1:])
    body = helper.make_graph(nodes, "body", [of_type(state), of_type(part)], [of_type(made), of_type(item)])
    m.add("Scan", [start, x], outputs=2, body=body, num_scan_inputs=1, scan_input_directions=m.pick((None, [1])),
          scan_output_directions=m.pick((None, [1])))


def while_loop(m):
    """A loop that ends by its condition, over an integer."""
    limit, one = m.constant(np.asarray(m.random.randint(0, 5), INT64)), m.constant(np.asarray(1, INT64))
    count, go, carried, result, on = (m.name("while") for _ in range(5))
    nodes = [helper.make_node("Add", [carried, one.name], [result], m.name("Inner")),
             helper.make_node("Less", [result, limit.name], [on], m.name("Inner"))]
    body = helper.make_graph(nodes, "body", [helper.make_tensor_value_info(count, onnx.TensorProto.INT64, []),
                                             helper.make_tensor_value_info(go, onnx.TensorProto.BOOL, []),
                                             helper.make_tensor_value_info(carried, onnx.TensorProto.INT64, [])],
                             [helper.make_tensor_value_info(on, onnx.TensorProto.BOOL, []),
                              helper.make_tensor_value_info(result, onnx.TensorProto.INT64, [])])
    start, begin = m.constant(np.asarray(0, INT64)), m.constant(np.asarray(m.chance(80)))
    node = helper.make_node("Loop", ["", begin.name, start.name], [m.name("loop")], m.name("Loop"), body=body)
    m.add_nodes([node], {value.name: value.array for value in (limit, one, start, begin)}, True)


# -- signals, learning --

def signal(m):
    needs(m, 17)
    kind = m.pick(("window", "dft", "stft", "mel"))
    if kind == "window":
        m.add(m.pick(("HannWindow", "HammingWindow", "BlackmanWindow")), [m.constant(np.asarray(m.extent(), INT64))],
              periodic=m.pick((None, 0, 1)))
    elif kind == "dft":
        x = of_rank(m, 2, 3)
        y = m.add("Unsqueeze", [x, m.ints([-1])], exact=True, keep=False)
        if m.opset >= 20:
            m.add("DFT", [y, None, m.constant(np.asarray(1, INT64))], onesided=m.pick((None, 1)))
        else:
            m.add("DFT", [y], axis=1, onesided=m.pick((None, 1)))
    elif kind == "stft":
        x = m.constant(m.numbers_of((1, 8, 1), FLOAT))
        m.add("STFT", [x, m.constant(np.asarray(2, INT64)), vector(m, 4)], onesided=m.pick((None, 0, 1)))
    else:
        operands = [m.constant(np.asarray(number, kind)) for number, kind in
                    ((4, INT64), (16, INT64), (8192, INT64), (0, FLOAT), (4096, FLOAT))]
        m.add("MelWeightMatrix", operands)


def learning(m):
    x = of_rank(m, 2)
    name = m.pick(("Scaler", "Normalizer", "Binarizer", "LinearRegressor", "LinearClassifier", "ArrayFeatureExtractor", "Imputer",
                   "TreeEnsembleRegressor", "SVMRegressor", "FeatureVectorizer"))
    width = x.shape[1]
    listed = lambda count: m.numbers_of((count,), FLOAT).tolist()
    attributes = {"Scaler": lambda: {"offset": listed(width), "scale": listed(width)},
                  "Normalizer": lambda: {"norm": m.pick(("MAX", "L1", "L2"))},
                  "Binarizer": lambda: {"threshold": 0.5},
                  "LinearRegressor": lambda: {"coefficients": listed(2 * width), "intercepts": listed(2), "targets": 2},
                  "LinearClassifier": lambda: {"coefficients": listed(3 * width), "intercepts": listed(3),
                                               "classlabels_ints": [0, 1, 2], "post_transform": m.pick(("NONE", "SOFTMAX"))},
                  "Imputer": lambda: {"imputed_value_floats": [1.0], "replaced_value_float": 0.0},
                  "FeatureVectorizer": lambda: {"inputdimensions": [width]},
                  "SVMRegressor": lambda: {"support_vectors": listed(2 * width), "n_supports": 2, "coefficients": listed(2),
                                           "rho": [0.5], "kernel_type": m.pick(("LINEAR", "RBF")),
                                           "kernel_params": [0.25, 0.0, 3.0]},
                  "TreeEnsembleRegressor": lambda: {
                      "nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [width - 1, 0, 0],
                      "nodes_modes": [m.pick(("BRANCH_LEQ", "BRANCH_GT")), "LEAF", "LEAF"], "nodes_values": [0.25, 0.0, 0.0],
                      "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0], "n_targets": 1,
                      "target_treeids": [0, 0], "target_nodeids": [1, 2], "target_ids": [0, 0], "target_weights": [1.5, -2.0]}}
    operands = [x] + ([m.ints([m.random.randrange(width)])] if name == "ArrayFeatureExtractor" else [])
    m.add(name, operands, outputs=2 if name == "LinearClassifier" else 1, **attributes.get(name, dict)(), **LEARNING)


# -- forms of old versions --

def old_form(m):
    """Operators whose operands were attributes."""
    if m.opset > 11:
        raise Unfit
    name = m.pick(("Clip", "Slice", "Pad", "TopK", "Softmax", "Upsample", "Dropout", "Scatter", "BatchNormalization"))
    x = m.floats(least=1)
    if name == "Clip":
        m.add(name, [x], exact=True, min=m.pick((None, -1.0)), max=m.pick((None, 0.5, 1.0)))
    elif name == "Slice":
        axes = [axis % x.rank for axis in m.axes(x.rank)]
        m.add(name, [x], exact=True, axes=m.pick((axes, axes, None)) if len(axes) == x.rank and axes == sorted(axes) else axes,
              starts=[m.random.randint(-x.shape[axis], x.shape[axis]) for axis in axes],
              ends=[m.pick((x.shape[axis], 2 ** 31 - 1, -1)) for axis in axes])
    elif name == "Pad":
        m.add(name, [x], exact=True, pads=[m.pick((0, 0, 1, 2)) for _ in range(2 * x.rank)],
              mode=m.pick((None, "constant", "edge")), value=m.pick((None, 1.0)))
    elif name == "TopK":
        x = m.exact("f", least=1)
        axis = m.axis(x.rank) % x.rank
        m.add(name, [x], exact=True, outputs=2, axis=axis, k=m.random.randint(1, max(1, x.shape[axis])))
    elif name == "Softmax":
        m.add(m.pick(("Softmax", "LogSoftmax", "Hardmax")), [m.exact("f", least=1)], axis=m.pick((None, 0, x.rank - 1)))
    elif name == "Upsample":
        x = of_rank(m, 4)
        m.add(name, [x], scales=[1.0, 1.0, 2.0, m.pick((1.0, 2.0))], mode=m.pick((None, "nearest", "linear")))
    elif name == "Dropout":
        # The mask is true in ONNX, and false in ONNX Runtime.
        m.add(name, [x], exact=True, ratio=m.pick((None, 0.25)))
    elif name == "Scatter":
        axis = m.axis(x.rank) % x.rank
        indices = np.argsort(m.numbers.random(x.shape), axis=axis).astype(INT64)
        m.add(name, [x, m.constant(indices), m.constant(m.numbers_of(x.shape, FLOAT))], exact=True, axis=axis)
    else:
        x = m.floats(least=2)
        m.add(name, [x, *(vector(m, x.shape[1]) for _ in range(3)), vector(m, x.shape[1], 1, 8)], epsilon=m.pick((None, 1e-3)))


def rare_pool(m):
    x = of_rank(m, 3, 4)
    kernel, attributes = windows(m, x.rank - 2)
    if any(reach > extent for reach, extent in zip(kernel, x.shape[2:])):
        raise Unfit
    name = m.pick(("MaxPool", "AveragePool", "LpPool"))
    if name == "MaxPool":
        attributes["storage_order"] = m.pick((None, 1))
        attributes["dilations"] = [m.pick((1, 2)) for _ in kernel] if m.opset >= 10 and "auto_pad" not in attributes else None
    elif name == "AveragePool" and m.opset >= 19:
        attributes["dilations"] = [m.pick((1, 2)) for _ in kernel] if "auto_pad" not in attributes else None
    elif name == "LpPool":
        attributes["p"] = m.pick((1, 2, 3))
    m.add(name, [x], exact=name == "MaxPool", outputs=2 if name == "MaxPool" and m.chance(50) else 1, kernel_shape=kernel,
          **attributes)


def double_layer(m):
    """Layers of doubles."""
    x = m.value(lambda value: value.dtype in (FLOAT, DOUBLE) and value.exact and value.rank >= 2 and value.array.size)
    y = m.add("Cast", [x], exact=True, to=onnx.TensorProto.DOUBLE)
    z = m.add("MatMul", [y, m.constant(m.numbers_of((y.shape[-1], 2), DOUBLE, -2, 2))], exact=True)
    m.add(m.pick(("Add", "Mul", "Max")), [z, m.operand_for(z)], exact=True)


def log_of_sum(m):
    x = m.add("Abs", [m.floats(least=1)], keep=False)
    axes = m.axes(x.rank)
    if m.opset >= 18:
        m.add("ReduceLogSum", [x, m.ints(axes)], keepdims=m.pick((0, 1)))
    else:
        m.add("ReduceLogSum", [x], axes=axes, keepdims=m.pick((0, 1)))


def determinant(m):
    x = m.value(lambda value: value.dtype == FLOAT and value.exact and value.rank >= 2 and value.shape[-1] == value.shape[-2])
    m.add("Det", [x])


def padded_axes(m):
    """Pad with its list of axes, and around in a ring."""
    needs(m, 18)
    x = m.floats(least=1)
    axes = m.axes(x.rank)
    modes = ("constant", "edge", "reflect") + (("wrap",) if m.opset >= 19 else ())
    mode = m.pick(modes)
    fill = scalar_of(m, m.pick((0, 1))) if mode == "constant" else None
    m.add("Pad", [x, m.ints([m.pick((0, 1, 1, -1)) for _ in range(2 * len(axes))]), fill, m.ints(axes)], exact=True, mode=mode)


RARE = (rare_unary, rare_unary, shrink, cast_like, bits, power, remainder, gather_nd, reverse_sequence, compress, unique, diagonal,
        crop_or_pad, columns_to_image, scatter_with, grid, affine_grid, regions, suppression, unpool, resize_rarely, deformable,
        rare_norm, rare_norm, recurrent_with_states, loss, rotary, attention_node, microsoft, microsoft, quantized_sum,
        quantized_sum, integer_layer, quantized_dynamically, sequence, sequence, option, scan, while_loop, signal, learning,
        old_form, old_form, old_form, old_form, rare_pool, rare_pool, double_layer, log_of_sum, determinant, padded_axes)
