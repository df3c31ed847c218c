"""Arrays of tensors of the standard library."""

import numpy as np
import pytest

import relayopt
from relayopt import relay
from relayopt.relay.prelude import Prelude, StaticTensorArrayOps

ROWS = np.arange(6, dtype="float32").reshape(2, 3)


@pytest.fixture
def prelude():
    return Prelude(relayopt.IRModule())


def function(prelude, name):
    return prelude.get_global_var(name, "float32")


def tensor(prelude, value):
    return prelude.get_tensor_ctor(f"tensor{value.ndim}", "float32")(relay.const(value))


def array(prelude, values):
    made = function(prelude, "tensor_array")(relay.const(len(values)))
    for i, value in enumerate(values):
        made = function(prelude, "tensor_array_write")(made, relay.const(i), tensor(prelude, value))
    return made


def evaluated(prelude, expr):
    return relay.create_executor("debug", mod=prelude.mod).evaluate(expr).fields[0].numpy()


def test_elements_are_read_where_they_were_written(prelude):
    read = function(prelude, "tensor_array_read")(array(prelude, ROWS), relay.const(1))
    assert (evaluated(prelude, read) == ROWS[1]).all()


@pytest.mark.parametrize("name, wanted", [("stack", ROWS), ("concat", ROWS.reshape(-1))])
def test_elements_become_one_tensor(prelude, name, wanted):
    assert (evaluated(prelude, function(prelude, f"tensor_array_{name}")(array(prelude, ROWS))) == wanted).all()


def test_gathering_takes_elements_in_any_order(prelude):
    made = function(prelude, "tensor_array_gather")(array(prelude, ROWS), relay.const([1, 0, 1]))
    assert (evaluated(prelude, made) == ROWS[[1, 0, 1]]).all()


def test_scattering_writes_what_unstacking_gives(prelude):
    rows = function(prelude, "tensor_array_unstack_tensor2")(relay.const(ROWS))
    made = function(prelude, "tensor_array_scatter")(array(prelude, ROWS), relay.const([1, 0]), rows)
    assert (evaluated(prelude, function(prelude, "tensor_array_stack")(made)) == ROWS[::-1]).all()


def test_splitting_writes_pieces_of_given_lengths(prelude):
    empty = function(prelude, "tensor_array")(relay.const(2))
    made = function(prelude, "tensor_array_split")(empty, tensor(prelude, np.arange(5, dtype="float32")), relay.const([2, 3]))
    second = function(prelude, "tensor_array_read")(made, relay.const(1))
    assert (evaluated(prelude, second) == [2, 3, 4]).all()


def test_functions_are_there_when_the_module_is_asked_for_them(prelude):
    before = len(prelude.mod.get_global_vars())
    name = "tensor_int64_t"
    assert str(prelude.mod["tensor_concatenate_int64"].checked_type) == f"fn ({name}, {name}) -> {name}"
    assert len(prelude.mod.get_global_vars()) > before


def test_definitions_come_back_from_text(prelude):
    function(prelude, "tensor_array")
    relayopt.ir.assert_structural_equal(relay.parse(prelude.mod.astext()), relay.transform.InferType()(prelude.mod))


def test_other_element_types_have_none(prelude):
    with pytest.raises(ValueError, match="tensor_array_int4"):
        prelude.mod["tensor_array_int4"]


def of_one_shape(prelude, values):
    """The functions on elements of the values' shape, and an array of the values."""
    ops = StaticTensorArrayOps(prelude, "float32", values.shape[1:])
    ops.register()
    made = ops.get_global_var("tensor_array")(relay.const(len(values)))
    for i, value in enumerate(values):
        element = ops.get_ctor("tensor_constructor")(relay.const(value))
        made = ops.get_global_var("tensor_array_write")(made, relay.const(i), element)
    return ops, made


@pytest.mark.parametrize("shape", [(2,), (2, 3), (2, 3, 4)])
def test_elements_of_one_shape_are_stacked_and_gathered(prelude, shape):
    values = np.random.rand(*shape).astype("float32")
    ops, made = of_one_shape(prelude, values)
    assert (evaluated(prelude, ops.get_global_var("tensor_array_stack")(made)) == values).all()
    gathered = ops.get_global_var("tensor_array_gather")(made, relay.const([1, 0]))
    assert (evaluated(prelude, gathered) == values[::-1]).all()


def test_tensors_of_one_shape_are_joined_cut_and_taken_apart(prelude):
    ops, made = of_one_shape(prelude, ROWS)
    read = ops.get_global_var("tensor_array_read")
    both = ops.get_global_var("tensor_concatenate")(read(made, relay.const(0)), read(made, relay.const(1)))
    assert (evaluated(prelude, both) == ROWS.reshape(-1)).all()
    part = ops.get_global_var("tensor_take")(read(made, relay.const(1)), relay.const(1), relay.const(3))
    assert (evaluated(prelude, part) == ROWS[1, 1:3]).all()
    scalars = ops.get_global_var("tensor_array_unstack")(relay.const(ROWS[1]))
    assert evaluated(prelude, prelude.hd(scalars)) == ROWS[1, 0]


def test_arrays_of_one_shape_are_registered_once(prelude):
    of_one_shape(prelude, ROWS)
    count = len(prelude.mod.get_global_vars())
    of_one_shape(prelude, ROWS)
    assert len(prelude.mod.get_global_vars()) == count


def test_a_tensor_of_one_shape_is_split_and_joined_again(prelude):
    value = np.arange(10, dtype="float32").reshape(5, 2)
    parts = StaticTensorArrayOps(prelude, "float32", value.shape)
    parts.register()
    open_rows = StaticTensorArrayOps(prelude, "float32", [relay.Any(), 2])
    open_rows.register()
    empty = open_rows.get_global_var("tensor_array")(relay.const(2))
    split = parts.get_global_var("tensor_array_split")(empty, parts.get_ctor("tensor_constructor")(relay.const(value)),
                                                       relay.const([2, 3]))
    second = open_rows.get_global_var("tensor_array_read")(split, relay.const(1))
    assert (evaluated(prelude, second) == value[2:]).all()
    assert (evaluated(prelude, open_rows.get_global_var("tensor_array_concat")(split)) == value).all()
    assert (evaluated(prelude, parts.get_global_var("tensor_array_concat")(split)) == value).all()


def test_with_a_batch_of_one_stacking_gives_an_axis_of_one(prelude):
    ops = StaticTensorArrayOps(prelude, "float32", [3], batch_dim=1)
    ops.register()
    assert ops.get_name("tensor_array_stack") == "tensor_array_stack_float32_batch1_3"
    assert ops.get_name("tensor_constructor") == "tensor_constructor_float32_3"
    stack = ops.get_global_var("tensor_array_stack")
    assert str(prelude.mod[stack].ret_type) == "static_tensor_float32_1_3_t"
    made = ops.get_global_var("tensor_array_write")(
        ops.get_global_var("tensor_array")(relay.const(1)), relay.const(0), ops.get_ctor("tensor_constructor")(relay.const(ROWS[0, :3])))
    assert (evaluated(prelude, stack(made)) == ROWS[:1, :3]).all()


def test_another_batch_is_as_none(prelude):
    ops = StaticTensorArrayOps(prelude, "float32", [3], batch_dim=2)
    assert ops.get_name("tensor_array_stack") == "tensor_array_stack_float32_3"


def test_constructors_are_found_by_the_name_of_their_type(prelude):
    constructor = prelude.get_ctor(prelude.get_name("tensor_t", "int32"), "tensor1", "int32")
    assert constructor.name_hint == "tensor1_int32" and constructor.belong_to.name_hint == "tensor_int32_t"
