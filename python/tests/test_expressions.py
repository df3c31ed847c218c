import numpy as np
import pytest

import relayopt
from relayopt import relay


def relu_sum():
    x = relay.var("x", shape=(2, 3))
    y = relay.nn.relu(x)
    return relay.Function([x], y + y)


def test_fields_are_the_objects_that_were_given():
    x = relay.var("x", shape=(2,))
    call = relay.exp(x)
    assert call.args[0] is x
    assert call.args is call.args
    assert call.op is relay.op.get("exp")


def test_fields_cannot_be_changed():
    with pytest.raises(AttributeError):
        relay.exp(relay.var("x", shape=(2,))).args = []


def test_expressions_are_equal_by_identity_only():
    x = relay.var("x", shape=(2,))
    assert relay.exp(x) != relay.exp(x)
    assert {x: 1}[x] == 1


def test_types_are_equal_by_structure():
    assert relay.TensorType((1, 2), "int8") == relay.TensorType((1, 2), "int8")
    assert relay.TensorType((1, 2), "int8") != relay.TensorType((1, 3), "int8")


def test_a_number_is_no_operand():
    x = relay.var("x", shape=(2,))
    with pytest.raises(TypeError, match="convert \"1\" with `const` first"):
        x + 1
    with pytest.raises(TypeError, match="data must be a Relay expression, not int"):
        relay.nn.relu(1)


def test_text_of_a_module_reads_back():
    mod = relayopt.IRModule.from_expr(relu_sum())
    text = mod.astext()
    assert relayopt.ir.structural_equal(relay.parse(text), relay.transform.InferType()(mod))


def test_free_variables_are_declared_in_text():
    x = relay.var("x", shape=(2,))
    assert str(relay.exp(x)).startswith("free_var %x: Tensor[(2), float32];\n")


def test_a_function_with_free_variables_has_no_place_in_a_module():
    x = relay.var("x", shape=(2,))
    with pytest.raises(ValueError, match="%x"):
        relayopt.IRModule({"main": relay.Function([], relay.exp(x))})


def test_a_pass_that_changes_nothing_gives_the_same_module():
    mod = relay.transform.InferType()(relayopt.IRModule.from_expr(relu_sum()))
    assert relay.transform.InferType()(mod) is mod


def test_functions_that_a_pass_leaves_alone_stay_the_same_objects():
    mod = relayopt.IRModule({"main": relu_sum(), "other": relu_sum()})
    mod = relay.transform.InferType()(mod)
    other = mod["other"]
    x = relay.var("x", shape=(2,))
    mod["main"] = relay.Function([x], relay.exp(x))
    assert relay.transform.InferType()(mod)["other"] is other


def test_a_deep_chain_is_built_typed_printed_and_dropped():
    x = relay.var("x", shape=(2,))
    body = x
    for _ in range(100000):
        body = relay.exp(body)
    mod = relay.transform.InferType()(relayopt.IRModule.from_expr(relay.Function([x], body)))
    assert mod["main"].body.checked_type == relay.TensorType((2,))
    assert len(str(mod)) > 100000
    assert relayopt.ir.structural_equal(mod["main"], mod["main"])


def test_a_type_error_shows_the_diagnostic():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(3,))
    with pytest.raises(relayopt.DiagnosticError, match="[Ii]ncompatible|broadcast"):
        relay.transform.InferType()(relayopt.IRModule.from_expr(relay.Function([x, y], x + y)))


def test_constants_keep_their_numbers():
    value = np.arange(6, dtype="float32").reshape(2, 3)
    constant = relay.const(value)
    value[0, 0] = 7
    assert constant.data.numpy()[0, 0] == 0
    assert relay.const(1).data.dtype == "int32"
    assert relay.const(1.5).data.dtype == "float32"


def test_json_round_trip_keeps_sharing():
    mod = relayopt.IRModule.from_expr(relu_sum())
    again = relayopt.ir.load_json(relayopt.ir.save_json(mod["main"]))
    assert relayopt.ir.structural_equal(again, mod["main"])
    assert again.body.args[0] is again.body.args[1]


def test_params_round_trip():
    params = {"w": relayopt.nd.array(np.ones((2, 3), "float32")), "b": relayopt.nd.array(np.zeros(2, "int8"))}
    again = relay.load_param_dict(relay.save_param_dict(params))
    assert list(again) == ["w", "b"]
    np.testing.assert_array_equal(again["w"].numpy(), params["w"].numpy())
    assert again["b"].dtype == "int8"


def test_import_leaves_numpy_alone():
    import subprocess
    import sys

    check = "import sys, relayopt; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
    assert relay.testing.mlp is not None


def test_extents_of_a_constant_of_64_bits_have_64_bits():
    x = relay.var("x", shape=(1, 1))
    made = relay.argmax(relay.broadcast_to(x, relay.const([2, 3], "int64")), axis=[1])
    mod = relay.transform.InferType()(relayopt.IRModule.from_expr(made))
    assert mod["main"].body.checked_type.dtype == "int64"
    made = relay.argmax(relay.broadcast_to(x, relay.const([2, 3], "int32")), axis=[1])
    assert relay.transform.InferType()(relayopt.IRModule.from_expr(made))["main"].body.checked_type.dtype == "int32"


def test_the_fields_of_a_result_are_a_sequence():
    parts = relay.split(relay.var("x", shape=(4, 2)), 2)
    for joined in (relay.concatenate(parts, 0), relay.stack(parts, 0)):
        assert isinstance(joined.args[0], relay.Tuple)
        assert [type(field) for field in joined.args[0].fields] == [relay.TupleGetItem] * 2
    one = relay.const(1.0)
    zero = relay.const(0)
    assert relay.qnn.op.concatenate(parts, [one, one], [zero, zero], one, zero, 0).args[0] is parts.astuple()
    assert relay.concatenate(parts.astuple(), 0).args[0] is parts.astuple()
    for make in (lambda: relay.concatenate([], 0), lambda: relay.stack((), 0), lambda: relay.einsum([], "i->i")):
        with pytest.raises(ValueError, match="requires data to be non-empty"):
            make()


def test_free_variables_are_declared_in_the_scope_that_uses_them():
    x, c = relay.var("x", shape=(2,)), relay.var("c", "bool")
    assert str(relay.Function([c], relay.If(c, relay.exp(x), relay.const(1)))).split("\n")[1:4] == [
        "  if (%c) {", "    free_var %x: Tensor[(2), float32];", "    exp(%x)"]


def test_a_match_on_half_of_a_list_lacks_the_other_half():
    prelude = relay.Prelude()
    _, cons, nil = prelude.mod.get_type("List")
    any_, one = relay.PatternWildcard, relay.const(1)
    short = relay.Clause(relay.PatternConstructor(cons, [any_(), relay.PatternConstructor(nil, [])]), one)
    missing = relay.analysis.unmatched_cases(relay.Match(relay.var("l"), [short]), prelude.mod)
    assert sorted(case.constructor.name_hint for case in missing) == ["Cons", "Nil"]
    pairs = relay.Match(relay.var("p"), [relay.Clause(relay.PatternTuple([any_(), relay.PatternConstructor(nil, [])]), one)])
    (pair,) = relay.analysis.unmatched_cases(pairs, prelude.mod)
    assert isinstance(pair.patterns[0], relay.PatternWildcard) and pair.patterns[1].constructor is cons
    everything = relay.Match(relay.var("l"), [relay.Clause(any_(), one)])
    assert relay.analysis.unmatched_cases(everything, prelude.mod) == []


def test_a_list_of_expressions_is_shown_in_one_line():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    assert repr(relay.Function([x, y], relay.add(x, y)).params) == "[<Var %x>, <Var %y>]"
