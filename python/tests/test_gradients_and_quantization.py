"""Gradients that need functions of their own, and quantization with its conversions apart."""

import numpy as np
import pytest

import relayopt
from relayopt import relay
from relayopt.relay import quantize
from relayopt.relay.testing import make_nat_expr, rand

TYPE = relay.TensorType((3, 4))


def gradient_of(mod, function):
    mod["main"] = relay.transform.gradient(function, mod)
    value = rand("float32", 3, 4)
    return relay.create_executor(mod=relay.transform.InferType()(mod)).evaluate()(value)[1][0].numpy()


def test_functions_that_a_gradient_calls_are_added():
    mod, x, y = relayopt.IRModule(), relay.Var("x", TYPE), relay.Var("y", TYPE)
    double, quadruple = relay.GlobalVar("double"), relay.GlobalVar("quadruple")
    mod[double] = relay.Function([x], x + x)
    mod[quadruple] = relay.Function([y], double(double(y)))
    mod = relay.transform.InferType()(mod)
    np.testing.assert_array_equal(gradient_of(mod, quadruple), np.full((3, 4), 4))
    assert "quadruple_grad" in [var.name_hint for var in mod.get_global_vars()]


def test_the_gradient_of_main_takes_its_place():
    prelude = relay.prelude.Prelude(relayopt.IRModule())
    mod = prelude.mod
    mod.import_from_std("nat.rly")
    x, i = relay.var("x", TYPE), relay.var("i", TYPE)
    iterate = mod.get_global_var("nat_iterate")
    mod["main"] = relay.Function([i], relay.Call(iterate(relay.Function([x], x + x), make_nat_expr(prelude, 3)), [i]))
    mod = relay.transform.InferType()(mod)
    np.testing.assert_array_equal(gradient_of(mod, mod["main"]), np.full((3, 4), 8))


def small_network():
    x = relay.var("x", shape=(1, 4, 8, 8))
    weight = relay.const(np.random.default_rng(0).uniform(-1, 1, (4, 4, 3, 3)).astype("float32"))
    return relayopt.IRModule.from_expr(relay.Function([x], relay.nn.relu(relay.nn.conv2d(x, weight, padding=(1, 1)))))


@pytest.mark.parametrize("skipped", [[], None])
def test_no_layer_is_skipped(skipped):
    with quantize.qconfig(skip_conv_layers=skipped):
        assert 'out_dtype="int32"' in str(quantize.quantize(small_network()))


def test_the_first_layer_is_skipped():
    with quantize.qconfig(skip_conv_layers=[0]):
        assert "int8" not in str(quantize.quantize(small_network()))


def test_conversions_in_functions_of_their_own():
    with quantize.qconfig(skip_conv_layers=[], partition_conversions="fully_integral"):
        mod = quantize.quantize(small_network())
    names = {var.name_hint for var in mod.get_global_vars()}
    assert names == {"main", "quantize_inputs", "quantized_main", "dequantize_outputs"}


def test_what_stays_in_floats_is_not_fully_integral():
    x = relay.var("x", shape=(1, 4))
    mod = relayopt.IRModule.from_expr(relay.Function([x], relay.tanh(x)))
    with quantize.qconfig(partition_conversions="fully_integral"), pytest.raises(AssertionError):
        quantize.quantize(mod)


def test_unknown_settings_are_a_warning():
    with pytest.warns(UserWarning, match="skip_dense_layers"):
        quantize.qconfig(skip_dense_layers=False)


def test_data_for_calibration_get_the_types_of_parameters():
    x = relay.var("x", shape=(1, 4, 8, 8))
    weight = relay.const(np.ones((4, 4, 3, 3)), "float32")
    mod = relayopt.IRModule.from_expr(relay.nn.conv2d(x, weight, kernel_size=(3, 3), channels=4))
    with relay.quantize.qconfig(calibrate_mode="kl_divergence", skip_conv_layers=None):
        made = relay.quantize.quantize(mod, dataset=[{"x": np.random.random((1, 4, 8, 8))}])
    assert "int8" in made.astext(show_meta_data=False)


def test_data_for_calibration_may_be_for_other_models_too():
    x = relay.var("x", shape=(1, 4, 8, 8))
    mod = relayopt.IRModule.from_expr(relay.nn.conv2d(x, relay.const(np.ones((4, 4, 3, 3)), "float32"), kernel_size=(3, 3)))
    with relay.quantize.qconfig(calibrate_mode="kl_divergence", skip_conv_layers=None):
        made = relay.quantize.quantize(mod, dataset=[{"x": np.ones((1, 4, 8, 8)), "of_another": np.ones(3)}])
    assert "int8" in made.astext(show_meta_data=False)


def test_natural_numbers_need_no_names_of_users():
    prelude = relay.prelude.Prelude(relayopt.IRModule())
    mod = prelude.mod
    mod.import_from_std("nat.rly")
    nat, _, _ = mod.get_type("nat")
    x, i = relay.Var("x", nat()), relay.var("i", TYPE)
    mod["nat_id"] = relay.Function([x], x)
    y = relay.var("y", TYPE)
    mod["main"] = relay.Function([i], relay.Call(
        mod.get_global_var("nat_iterate")(relay.Function([y], y + y), mod.get_global_var("nat_id")(make_nat_expr(prelude, 2))), [i]))
    run = relay.create_executor("debug", mod=relay.transform.InferType()(mod), target="llvm").evaluate()
    np.testing.assert_array_equal(run(np.ones((3, 4), "float32")).numpy(), np.full((3, 4), 4))
