"""What the helpers of the package do with names, calls and types of whole functions."""

import numpy as np
import pytest

import relayopt
from relayopt import relay
from relayopt.ir.supply import GlobalVarSupply, NameSupply
from relayopt.relay.transform import recast


def _module():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    inner = relay.GlobalVar("inner")
    mod = relayopt.IRModule({inner: relay.Function([x], relay.nn.relu(x))})
    mod["main"] = relay.Function([y], inner(inner(y)))
    return mod


def test_a_call_graph_shows_how_often_functions_are_mentioned():
    graph = relay.analysis.CallGraph(_module())
    assert f"#refs = {graph.ref_count('inner')}" in graph.print_var("inner")
    assert "#refs = 0" in graph.print_var("main") and "inner" in str(graph)


@pytest.mark.parametrize("name", [None, "net"])
def test_names_for_a_module_begin_with_its_name(name):
    mod = _module() if name is None else _module().with_attr("mod_name", name)
    supply = GlobalVarSupply(mod)
    assert supply.unique_global_for("inner", False).same_as(mod.get_global_var("inner"))
    assert supply.unique_global_for("inner").name_hint == f"{name or 'tvmgen_default'}_inner"
    assert supply.fresh_global("inner", False).name_hint == "inner_1"


def test_a_given_supply_of_names_keeps_its_prefix():
    supply = GlobalVarSupply(NameSupply("p"))
    assert supply.fresh_global("f").name_hint == "p_f" and GlobalVarSupply().fresh_global("f").name_hint == "f"


def test_recast_reaches_the_fields_of_tuples_and_calls_without_attributes():
    x, y = relay.var("x", shape=(1, 4)), relay.var("y", shape=(1, 4))
    function = relay.Function([x, y], relay.nn.relu(relay.concatenate(relay.Tuple([x, y]), axis=1)))
    found = recast(function, "float16", "float32", ops=["concatenate", "nn.relu"])
    typed = relay.transform.InferType()(relayopt.IRModule.from_expr(found))
    assert typed["main"].checked_type.ret_type == relay.TensorType((1, 8), "float32")
    relu = found.body.args[0]
    assert relu.op.name == "nn.relu" and relu.args[0].attrs.dtype == "float16"
    run = relay.create_executor("debug").evaluate(found)
    np.testing.assert_array_equal(run(np.ones((1, 4), "float32"), -np.ones((1, 4), "float32")).numpy(), [[1] * 4 + [0] * 4])


def test_layers_of_a_module_are_those_of_main():
    x, w = relay.var("x", shape=(1, 4)), relay.var("w", shape=(4, 4))
    mod = relayopt.IRModule.from_expr(relay.nn.dense(relay.nn.dense(x, w), w))
    assert relay.analysis.count_layers(mod, ["nn.dense"]) == 2


def test_what_is_wrapped_already_may_be_wrapped_again():
    parts = relay.split(relay.var("x", shape=(4,)), 2)
    first, second = relay.TupleWrapper(parts, 2)
    assert first.tuple_value.same_as(parts.astuple()) and second.index == 1
    key = relay.random.threefry_key(1)
    left, right = relay.TupleWrapper(relay.random.threefry_split(key), 2)
    typed = relay.transform.InferType()(relayopt.IRModule.from_expr(relay.Tuple([left, right])))
    assert typed["main"].checked_type.ret_type.fields[0].dtype == "uint64"


def test_executors_and_run_times_have_defaults_and_say_what_is_wrong():
    from relayopt.relay.backend import Executor, Runtime
    from relayopt.relay.backend.utils import mangle_module_name

    assert "link-params" in Executor("graph") and not Executor("graph")["link-params"]
    assert Executor("graph", {"link-params": True})["link-params"] and "interface-api" not in Executor("aot")
    assert Runtime.list_registered_options(Runtime("crt")) == {"system-lib": "IntImm"}
    with pytest.raises(relayopt.TVMError, match='should have type "runtime.String" but instead found "IntImm"'):
        Executor("aot", {"interface-api": 1})
    with pytest.raises(relayopt.TVMError, match='should have type "IntImm" but instead found "runtime.String"'):
        Runtime("crt", {"system-lib": "yes"})
    with pytest.raises(ValueError):
        mangle_module_name("é")


def test_names_for_c_have_its_styles():
    from relayopt.relay.backend import name_transforms as names

    assert names.to_c_function_style(names.prefix_generated_name(["model", "Run"])) == "TVMGenModelRun"
    assert names.to_c_variable_style(names.prefix_name(["Device", "t"])) == "tvm_device_t"
    assert names.sanitise_name("a++b__c ") == "a_b_c_"
    for function in (names.to_c_function_style, names.to_c_variable_style, names.prefix_name, names.sanitise_name):
        with pytest.raises(relayopt.TVMError):
            function("")
    with pytest.raises(relayopt.TVMError):
        names.prefix_generated_name([])
