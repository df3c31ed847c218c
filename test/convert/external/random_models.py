"""Random ONNX models: graphs of random nodes, attributes, constants and shapes, as exporters and people write them.

What the nodes are, drawn_operators.py and rare_operators.py say. Each node is run alone in ONNX Runtime when it is drawn, so there are no rules of shapes here: what it refuses is drawn
again, and the arrays that it gives are the operands of later nodes. Floats are multiples of 1/4, and whether a value is
exact is known: only of exact values are floors, comparisons and indices taken, where another rounding is another result.
"""

import contextlib
import random

import numpy as np
import onnx
from onnx import helper

from onnx_runtime import session
from programs import small_numbers

FLOAT, DOUBLE, HALF = np.dtype("float32"), np.dtype("float64"), np.dtype("float16")
INT64, INT32, INT8, UINT8, BOOL = (np.dtype(name) for name in ("int64", "int32", "int8", "uint8", "bool"))
# Larger or more values are not computed on.
MOST_ELEMENTS = 4000
LARGEST = 1e4
IR_VERSIONS = {7: 3, 8: 3, 9: 4, 10: 5, 11: 6, 12: 7, 13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}


class Unfit(Exception):
    """Nothing fits what was drawn."""


class Value:
    """A value of the graph: its name, its array in one run, and whether other roundings cannot change it."""

    def __init__(self, name, array, exact):
        self.name, self.array, self.exact = name, array, exact

    @property
    def dtype(self):
        return self.array.dtype

    @property
    def shape(self):
        return self.array.shape

    @property
    def rank(self):
        return self.array.ndim


def run_alone(nodes, feeds, opset):
    """Returns what the last of some nodes computes, in ONNX Runtime without optimizations."""
    inputs = [info(name, array) for name, array in feeds.items()]
    outputs = [onnx.ValueInfoProto(name=name) for name in nodes[-1].output if name]
    graph = helper.make_graph(nodes, "one", inputs, outputs)
    return session(model_of(graph, opset).SerializeToString()).run(None, feeds)


def model_of(graph, opset):
    domains = sorted({node.domain for node in graph.node if node.domain})
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 3 if domain == "ai.onnx.ml" else 1)
                                                  for domain in domains]
    return helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSIONS[opset])


def info(name, array, shape=None):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype),
                                         array.shape if shape is None else shape)


class ModelMaker:
    """Draws a model: `make` returns it with the arrays of its inputs, and the names of the extents that are symbols.

    `operators` are lists of functions that draw nodes, each with its share in percent.
    """

    def __init__(self, seed, operators):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.operators = operators
        self.opset = self.random.choice([opset for opset in IR_VERSIONS if opset >= 11 or self.chance(30)])
        self.nodes, self.initializers, self.values, self.inputs = [], [], [], []
        self.used = set()
        self.count = 0

    # -- choices --

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def pick(self, items):
        items = list(items)
        if not items:
            raise Unfit
        return self.random.choice(items)

    def extent(self):
        return self.pick((1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 8))

    def shape(self, rank):
        return tuple(self.extent() for _ in range(rank))

    def axis(self, rank):
        return self.random.randrange(-rank, rank) if rank else self.pick(())

    def axes(self, rank):
        axes = self.random.sample(range(rank), self.random.randint(1, rank)) if rank else []
        return [axis - rank if self.chance(30) else axis for axis in axes]

    def broadcast_shape(self, shape):
        """A shape that goes with another one: often of one element, of a channel, or of the same."""
        kind = self.random.randrange(6)
        if kind == 0 or not shape:
            return self.pick(((), (1,)))
        if kind == 1:
            return tuple(shape)
        if kind == 2:
            return tuple(1 if self.chance(50) else extent for extent in shape)
        if kind == 3:
            return tuple(shape[self.random.randrange(len(shape)):])
        if kind == 4:
            return (shape[1],) + (1,) * (len(shape) - 2) if len(shape) > 1 else (1,)
        return self.shape(self.random.randint(0, 2)) + tuple(shape)[-1:]

    def numbers_of(self, shape, dtype, low=-8, high=8):
        return small_numbers(self.numbers, shape, dtype, low, high)

    # -- values --

    def name(self, stem):
        self.count += 1
        return f"{stem}_{self.count}"

    def add_input(self, dtype=None, rank=None):
        dtype = dtype or self.pick((FLOAT,) * 6 + (INT64, INT32, BOOL, DOUBLE, UINT8))
        rank = self.pick((0, 1, 2, 3, 3, 4, 4, 4, 5)) if rank is None else rank
        value = Value(self.name("input"), self.numbers_of(self.shape(rank), dtype), True)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def constant(self, array, exact=True):
        """An initializer or a Constant."""
        array = np.ascontiguousarray(array) if np.ndim(array) else np.asarray(array)
        value = Value(self.name("const"), array, exact)
        tensor = onnx.numpy_helper.from_array(array, value.name)
        if self.chance(60):
            self.initializers.append(tensor)
            return value
        attributes = {"value": tensor}
        if self.opset >= 12 and array.dtype == INT64 and array.ndim <= 1 and self.chance(50):
            attributes = {"value_ints" if array.ndim else "value_int": array.tolist()}
        if self.opset >= 12 and array.dtype == FLOAT and array.ndim <= 1 and self.chance(50):
            attributes = {"value_floats" if array.ndim else "value_float": array.tolist()}
        if attributes.get("value_ints") == [] or attributes.get("value_floats") == []:
            attributes = {"value": tensor}
        self.nodes.append(helper.make_node("Constant", [], [value.name], self.name("Constant"), **attributes))
        return value

    def ints(self, numbers):
        return self.constant(np.asarray(numbers, INT64))

    def value(self, fits=lambda value: True):
        """A value that fits, often one of the last."""
        fitting = [value for value in self.values if fits(value)]
        if fitting and self.chance(60):
            return fitting[-1]
        return self.pick(fitting[-6:] if self.chance(60) else fitting)

    def floats(self, rank=None, least=0):
        ranks = (rank,) if rank is not None else range(least, 7)
        return self.value(lambda value: value.dtype == FLOAT and value.rank in ranks)

    def exact(self, kinds="fiu", least=0):
        return self.value(lambda value: value.exact and value.dtype.kind in kinds and value.rank >= least)

    def any(self, least=0):
        return self.value(lambda value: value.rank >= least)

    def operand_for(self, value):
        """Another operand of an operator that broadcasts: a constant, often a neutral one, or a value."""
        if self.chance(40):
            fitting = [other for other in self.values if other.dtype == value.dtype and may_broadcast(other, value)]
            if fitting:
                return self.pick(fitting)
        shape = self.broadcast_shape(value.shape)
        if self.chance(40):
            return self.constant(np.full(shape, self.pick((0, 1, 1, 2) if value.dtype.kind in "ub" else (0, 1, 1, -1, 2)),
                                         value.dtype))
        return self.constant(self.numbers_of(shape, value.dtype))

    def add(self, op_type, inputs, exact=False, outputs=1, keep=True, **attributes):
        """Adds a node, if it can be run. `exact`: whether its results are, of exact operands."""
        attributes = {name: value for name, value in attributes.items() if value is not None}
        names = [self.name(op_type.lower()) for _ in range(outputs)]
        node = helper.make_node(op_type, [value.name if value else "" for value in inputs], names,
                                self.name(op_type), **attributes)
        feeds = {value.name: value.array for value in inputs if value}
        # What is the mean or the greatest of nothing?
        if op_type.startswith("Reduce") and not inputs[0].array.size:
            raise Unfit
        return self.add_nodes([node], feeds, exact and all(value.exact for value in inputs if value), keep)

    def add_nodes(self, nodes, feeds, exact, keep=True):
        """Adds nodes that are run together; the results of the last are values of the model."""
        try:
            arrays = run_alone(nodes, feeds, self.opset)
        except Exception as error:  # pylint: disable=broad-except
            raise Unfit from error
        for array in arrays:
            if not isinstance(array, np.ndarray) or array.size > MOST_ELEMENTS:
                raise Unfit
            if array.dtype.kind == "f" and array.size and not np.all(np.abs(array) < LARGEST):
                raise Unfit
        self.nodes.extend(nodes)
        self.used.update(feeds)
        made = [Value(name, array, exact or array.dtype.kind not in "f")
                for name, array in zip((name for name in nodes[-1].output if name), arrays)]
        if keep:
            self.values.extend(made)
        return made[0]

    # -- models --

    def make(self):
        for _ in range(self.random.randint(1, 3)):
            self.add_input()
        if not any(value.dtype == FLOAT for value in self.values):
            self.add_input(FLOAT)
        wanted = len(self.nodes) + self.random.randint(2, 16)
        for _ in range(60):
            if len(self.nodes) >= wanted:
                break
            before = len(self.nodes), len(self.initializers)
            # Where an extent is 0, there is nothing to choose from.
            with contextlib.suppress(Unfit, ValueError, IndexError, ZeroDivisionError):
                self.pick(self.random.choices(*zip(*self.operators))[0])(self)
                continue
            # What was added for a node that does not fit.
            del self.nodes[before[0]:], self.initializers[before[1]:]
        return self.finish()

    def finish(self):
        made = [value for value in self.values if value not in self.inputs]
        outputs = [value for value in made if value.name not in self.used]
        outputs += [value for value in made if value.name in self.used and self.chance(10)]
        if not outputs:
            raise Unfit
        symbols = {}
        if self.chance(40):
            symbols = {extent: f"n{extent}" for value in self.inputs for extent in value.shape if self.chance(40)}
        inputs = [info(value.name, value.array, [symbols.get(extent, extent) for extent in value.shape])
                  for value in self.inputs]
        if IR_VERSIONS[self.opset] < (8 if self.chance(8) else 4):
            inputs += [info(tensor.name, onnx.numpy_helper.to_array(tensor)) for tensor in self.initializers]
        infos = [helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(value.dtype),
                                               None if symbols else value.shape) for value in outputs]
        graph = helper.make_graph(self.nodes, "random", inputs, infos, self.initializers)
        model = model_of(graph, self.opset)
        if self.chance(30):
            with contextlib.suppress(Exception):
                model = onnx.shape_inference.infer_shapes(model)
        return model, {value.name: value.array for value in self.inputs}, symbols


def may_broadcast(a, b):
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return False
    return True
