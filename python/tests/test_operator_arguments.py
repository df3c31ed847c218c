"""Attributes of operators are checked by the kinds that their rows state."""

import numpy as np
import pytest

import relayopt
from relayopt import relay, tir
from relayopt.ir.op import op_table
from relayopt.relay.op.builders import attrs_rows

# Kind of attribute -> values that it cannot hold, and one that it can.
WRONG = {
    "int": ("x", 1.5, [1], object()), "bool": ("x", 1.5, [True]), "float": ("x", [1.0]), "str": (1.5, 3, ["NCHW"]),
    "dtype": ("floot32", 3, 1.5), "dim": ("x", 1.5, [1], np.float32(2)), "dims": ("ab", 1.5, [1.5], ["x"], {"a": 1}),
    "dim_lists": (1.5, [[1.5]], "ab"),
}
RIGHT = {
    "int": (2, np.int64(2), True, tir.IntImm("int32", 2)), "bool": (True, 1), "float": (1, 0.5, np.float32(2)),
    "str": ("a",), "dtype": ("int8", np.dtype("int8"), ""), "dim": (2, np.int32(2), tir.IntImm("int64", 2), tir.Var("n", "int32"), None),
    "dims": ([1, 2], (1, np.int64(2)), [tir.Any()], [], None), "dim_lists": ([[1, 2], (0, 0)],),
}
ROWS = [(op, row) for op, row in sorted(op_table().items()) if attrs_rows().get(row["attrs"])]


def _call(op, row, field, value):
    return relay.op.make(op, *[relay.var(name) for name in row["inputs"]], **{field: value})


def test_every_attribute_of_every_operator_refuses_values_of_another_kind():
    checked = 0
    for op, row in ROWS:
        for field, kind, _, _ in attrs_rows()[row["attrs"]]:
            for value in WRONG.get(kind, ()):
                with pytest.raises((TypeError, relayopt.TVMError)) as raised:
                    _call(op, row, field, value)
                assert field in str(raised.value) or "type" in str(raised.value), (op, field, value, raised.value)
                checked += 1
    assert checked > 1000


def test_every_attribute_of_every_operator_takes_what_tvm_takes():
    for op, row in ROWS:
        for field, kind, _, _ in attrs_rows()[row["attrs"]]:
            for value in RIGHT.get(kind, ()):
                value = str(value) if kind == "dtype" else value
                assert isinstance(_call(op, row, field, value), relay.Call), (op, field, value)


@pytest.mark.parametrize("build, message", [
    (lambda x: relay.nn.conv2d(x, x, channels=1.5), "channels must be an integer, not 1.5"),
    (lambda x: relay.nn.conv2d(x, x, kernel_size=(3, 1.5)), "kernel_size must be a list of integers"),
    (lambda x: relay.nn.conv2d(x, x, groups="2"), "groups must be an int"),
    (lambda x: relay.nn.conv2d(x, x, data_layout=3), "data_layout must be a str"),
    (lambda x: relay.nn.dense(x, x, units="4"), "units must be an integer, not '4'"),
    (lambda x: relay.cast(x, "floot32"), "dtype must be a data type, not 'floot32'"),
    (lambda x: relay.cast(x, 3), "dtype must be a data type, not '3'"),
    (lambda x: relay.sum(x, axis=1.5), "axis"),
    (lambda x: relay.transpose(x, axes=(0, "b")), "axes must be a list of integers"),
    (lambda x: relay.reshape(x, (2, 1.5)), "newshape must be a list of integers"),
    (lambda x: relay.take(x, x, axis=1.5), "axis must be an integer, not 1.5"),
    (lambda x: relay.gather(x, 0.5, x), "axis must be an integer, not 0.5"),
    (lambda x: relay.nn.softmax(x, axis=0.5), "axis must be an int"),
    (lambda x: relay.nn.leaky_relu(x, alpha="a"), "alpha must be a float"),
    (lambda x: relay.image.resize2d(x, (4.5, 4)), "size must be a list of integers"),
    (lambda x: relay.nn.pad(x, ((0, 1.5), (0, 0))), "pad_width must be a list of lists of integers"),
])
def test_builders_name_the_argument(build, message):
    with pytest.raises((TypeError, relayopt.TVMError), match="(?s)" + message.replace("(", r"\(")):
        build(relay.var("x", shape=(2, 3)))
