"""One module for several extents."""

import numpy as np
import pytest

import relayopt
from relayopt import relay
from relayopt.relay.transform import FlexibleShapeDispatch


def run(mod, *arrays):
    return relay.create_executor("vm", mod).evaluate()(*arrays).numpy()


def dense():
    x, w = relay.var("x", shape=(2, 10)), relay.var("w", shape=(12, 10))
    return relayopt.IRModule.from_expr(relay.Function([x, w], relay.nn.dense(x, w)))


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_batches_are_padded_up_to_a_bucket(rows):
    mod = FlexibleShapeDispatch(buckets=[4, 1], auto_pad=True)(dense())
    x, w = np.random.rand(rows, 10).astype("float32"), np.random.rand(12, 10).astype("float32")
    np.testing.assert_allclose(run(mod, x, w), x @ w.T, rtol=1e-5)
    assert {"main", "main_1", "main_4"} == {var.name_hint for var in mod.get_global_vars()}


def test_several_inputs_have_the_extent_and_the_result_has_not():
    mod = FlexibleShapeDispatch([5, 7], axis=1, auto_pad=True, input_indices=[0, 1], affects_output=False)(dense())
    for width in (3, 5, 6, 7):
        x, w = np.random.rand(2, width).astype("float32"), np.random.rand(12, width).astype("float32")
        np.testing.assert_allclose(run(mod, x, w), x @ w.T, rtol=1e-5)


def test_padding_with_another_value():
    x = relay.var("x", shape=(4,))
    mod = relayopt.IRModule.from_expr(relay.Function([x], relay.max(x)))
    mod = FlexibleShapeDispatch([4], auto_pad=True, pad_value=9, affects_output=False)(mod)
    assert run(mod, np.zeros(3, "float32")) == 9


@pytest.mark.parametrize("rows", [1, 4])
def test_without_padding_the_extent_is_a_bucket(rows):
    mod = FlexibleShapeDispatch([1, 4])(dense())
    x, w = np.random.rand(rows, 10).astype("float32"), np.random.rand(12, 10).astype("float32")
    np.testing.assert_allclose(run(mod, x, w), x @ w.T, rtol=1e-5)


@pytest.mark.parametrize("rows, auto_pad", [(5, True), (2, False)])
def test_what_fits_no_bucket_is_an_error(rows, auto_pad):
    mod = FlexibleShapeDispatch([1, 4], auto_pad=auto_pad)(dense())
    with pytest.raises(relayopt.TVMError):
        run(mod, np.zeros((rows, 10), "float32"), np.zeros((12, 10), "float32"))


def test_the_module_that_is_given_stays():
    mod = dense()
    FlexibleShapeDispatch([1])(mod)
    assert len(mod.get_global_vars()) == 1


def test_every_tensor_of_the_result_has_the_extent():
    x = relay.var("x", shape=(4, 6))
    mod = relayopt.IRModule.from_expr(relay.Function([x], relay.split(x, 2, axis=1).astuple()))
    mod = FlexibleShapeDispatch([2, 4], auto_pad=True)(mod)
    result = relay.create_executor("vm", mod=mod).evaluate()(np.ones((3, 6), "float32"))
    assert [part.numpy().shape for part in result] == [(3, 3), (3, 3)]
