"""Quantized operators as users of TVM call them."""

import numpy as np
import pytest

import relayopt
from relayopt import relay
from relayopt.contrib import graph_executor

_QUARTER, _HALF, _ZERO = relay.const(0.25), relay.const(0.5), relay.const(0)


def _lowered(expr):
    mod = relayopt.IRModule.from_expr(relay.Function(relay.analysis.free_vars(expr), expr))
    for each in (relay.transform.InferType(), relay.qnn.transform.Legalize(), relay.qnn.transform.CanonicalizeOps()):
        mod = each(mod)
    return mod["main"]


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("name, function", [
    ("sqrt", np.sqrt), ("exp", np.exp), ("tanh", np.tanh), ("sigmoid", lambda x: 1 / (1 + np.exp(-x))), ("abs", np.abs),
])
def test_functions_of_one_operand_name_it_x(name, function, dtype):
    numbers = np.arange(1, 120, dtype=dtype)
    x = relay.var("x", shape=numbers.shape, dtype=dtype)
    expr = getattr(relay.qnn.op, name)(x=x, scale=_QUARTER, zero_point=_ZERO, output_scale=_HALF,
                                       output_zero_point=_ZERO)
    result = relay.create_executor("graph").evaluate(_lowered(expr))(numbers).numpy()
    expected = np.floor(function(0.25 * numbers.astype("float64")) / 0.5 + 0.5)
    np.testing.assert_equal(result, np.clip(expected, *(getattr(np.iinfo(dtype), end) for end in ("min", "max"))))


def test_the_slope_of_leaky_relu_is_its_second_argument():
    x = relay.var("x", shape=(4,), dtype="int8")
    expr = relay.qnn.op.leaky_relu(x, 0.5, _HALF, _ZERO, _HALF, _ZERO)
    assert expr.attrs.alpha == 0.5 and expr.args[1].same_as(_HALF)
    result = relay.create_executor("graph").evaluate(_lowered(expr))(np.array([-8, -4, 0, 6], "int8"))
    np.testing.assert_equal(result.numpy(), [-4, -2, 0, 6])


def _requantized(**settings):
    x = relay.var("x", shape=(4,), dtype="int32")
    expr = relay.qnn.op.requantize(x, relay.const(1.0), _ZERO, relay.const(16.0), _ZERO, **settings)
    return relayopt.IRModule.from_expr(relay.Function([x], expr))


def _halves(mod):
    built = relay.build(mod, target="llvm")
    module = graph_executor.create(built.graph_json, built.lib, relayopt.cpu())
    module.run(x=np.array([-24, -8, 8, 24], "int32"))
    return list(module.get_output(0).numpy())


def test_requantizations_round_as_the_settings_say_unless_they_say_it_themselves():
    up, nearest = [-1, 0, 1, 2], [-2, -1, 1, 2]
    assert _halves(_requantized()) == up
    with relay.qnn.op.requantize_config(rounding="TONEAREST") as config:
        assert relay.qnn.op.current_requantize_config() is config and config.compute_dtype == "int64"
        assert _halves(_requantized()) == nearest
        assert _halves(_requantized(rounding="UPWARD")) == up
        lowered = relay.qnn.transform.CanonicalizeOps()(relay.transform.InferType()(_requantized()))
        with relay.qnn.op.requantize_config(compute_dtype="float32"):
            assert _halves(_requantized()) == up
    assert _halves(lowered) == nearest
    assert relay.qnn.op.current_requantize_config().rounding == "UPWARD"
    with pytest.raises(AttributeError):
        config.rounding = "UPWARD"


@pytest.mark.parametrize("given", ["int8", "uint8"])
@pytest.mark.parametrize("wanted", ["int8", "uint8"])
def test_functions_of_floats_become_tables(given, wanted):
    canonicalizations = relay.qnn.op.canonicalizations
    numbers = np.arange(256, dtype="uint8").view(given).reshape(4, 8, 8)
    scale = relay.const(1 / 64)
    expr = canonicalizations.create_integer_lookup_op(relay.const(numbers), np.tanh, scale, _ZERO, scale, _ZERO,
                                                      in_dtype=given, out_dtype=wanted)
    result = canonicalizations.run_const_expr(expr)
    assert result.dtype == wanted and result.shape == numbers.shape
    expected = np.around(np.tanh(numbers / 64.0) * 64)
    np.testing.assert_allclose(result, np.clip(expected, 0, 255) if wanted == "uint8" else expected, atol=1)
    with pytest.raises(ValueError, match="Only integer dtypes"):
        canonicalizations.create_integer_lookup_table(np.tanh, scale, _ZERO, scale, _ZERO, in_dtype="float32")


def test_regions_know_their_annotations_and_free_ones_no_device():
    begin, end = relay.annotation.compiler_begin, relay.annotation.compiler_end
    x = relay.var("x", shape=(2,))
    first = begin(x, "a")
    last = end(relay.nn.relu(first), "a")
    regions = relay.analysis.AnnotatedRegionSet(last, relay.op.get("annotation.compiler_begin"),
                                                relay.op.get("annotation.compiler_end"))
    region = regions.get_region(last)
    assert list(region.args) == [first] and list(region.rets) == [last]
    free = relay.annotation.on_device(x, "cuda", constrain_body=False)
    assert free.attrs.virtual_device.device_type_int == -1
    assert relay.annotation.on_device(x, "cuda").attrs.virtual_device.device_type_int == 2


def test_operators_are_in_reach_from_the_namespace_of_quantization():
    assert relay.qnn.add is relay.qnn.op.add
    with pytest.raises(AttributeError):
        relay.qnn.nothing
