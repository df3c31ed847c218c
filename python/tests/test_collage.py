"""CollagePartition: which target computes what."""

import pytest

import relayopt
from relayopt import relay
from relayopt.relay.collage import CustomCostEstimator, MockCostEstimator
from relayopt.relay.dataflow_pattern import is_op, wildcard
from relayopt.relay.op.contrib.register import register_pattern_table
from relayopt.target import Target, make_compilation_config
from relayopt.transform import PassContext

COMPILER = "example_target_hook"
T = "Tensor[(4, 4), float32]"
UNARY = [(name.split(".")[-1], is_op(name)(wildcard())) for name in ("nn.relu", "abs", "exp")]


def partition(body, cost, table=UNARY, depth=4, params=f"%x: {T}", style=None):
    """The module of a function with this body, after the pass with LLVM and an external compiler."""
    register_pattern_table(COMPILER, list(table))
    config = {"relay.collage.tvm_max_depth": depth, "relay.collage.byoc_max_depth": depth}
    if style is not None:
        config["relay.collage.byoc_fusion_style"] = [f"{COMPILER}.{style}"]
    with PassContext(config=config) as context:
        targets = make_compilation_config(context, [Target("llvm"), Target(COMPILER)])
        mod = relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ {body} }}')
        return relay.transform.CollagePartition(targets, cost)(mod)


def external(mod):
    """Name -> operators, for the functions of the external compiler."""
    made = {}
    for var, function in mod.functions.items():
        if function.attrs is not None and "Compiler" in function.attrs:
            assert function.attrs["global_symbol"] == var.name_hint
            calls = []
            relay.analysis.post_order_visit(
                function, lambda e: calls.append(e.op.name) if isinstance(e, relay.Call) and hasattr(e.op, "name") else None)
            made[var.name_hint] = calls
    return made


def test_the_cheaper_target_computes():
    assert external(partition("nn.relu(%x)", {"llvm": 1.0, COMPILER: 2.0})) == {}
    assert external(partition("nn.relu(%x)", {"llvm": 2.0, COMPILER: 1.0})) == {"collage_example_target_hook_nn_relu": ["nn.relu"]}


def test_neighbours_are_one_function():
    made = external(partition("exp(abs(nn.relu(%x)))", {"llvm": 2.0, COMPILER: 1.0}))
    assert [sorted(calls) for calls in made.values()] == [["abs", "exp", "nn.relu"]]


def test_a_check_may_refuse_a_match():
    table = [("relu", is_op("nn.relu")(wildcard()), lambda call: False)]
    assert external(partition("nn.relu(%x)", {"llvm": 2.0, COMPILER: 1.0}, table)) == {}


def test_a_value_with_two_users_on_the_compiler_is_computed_once():
    body = "%0 = nn.relu(%x); %1 = abs(%0); %2 = exp(%0); add(%1, %2)"
    made = external(partition(body, {"llvm": 2.0, COMPILER: 1.0}))
    assert sorted(sum(made.values(), [])) == ["abs", "exp", "nn.relu"]


def test_results_stay_the_same():
    import numpy as np

    body = "%0 = nn.relu(%x); %1 = abs(%0); %2 = (%1, exp(%0)); concatenate(%2, axis=0)"
    mod = partition(body, {"llvm": 2.0, COMPILER: 1.0})
    x = np.linspace(-1, 1, 16, dtype="float32").reshape(4, 4)
    out = relay.create_executor("debug", mod=mod).evaluate()(x).numpy()
    np.testing.assert_allclose(out, np.concatenate([np.maximum(x, 0), np.exp(np.maximum(x, 0))]), rtol=1e-5)


def test_an_unknown_style_is_an_error():
    with pytest.raises(relayopt.TVMError, match="names no style"):
        partition("abs(%x)", {"llvm": 2.0, COMPILER: 1.0}, style="Nonsense")


def test_costs_come_from_functions_and_registered_functions():
    assert external(partition("abs(%x)", lambda mod, target: 1.0 if target.kind.name == COMPILER else 2.0))
    relayopt.register_func("test.collage.cost", lambda mod, target: 1.0 if target.kind.name == "llvm" else 2.0, override=True)
    assert not external(partition("abs(%x)", CustomCostEstimator("test.collage.cost")))


def test_the_table_limits_how_many_candidates_are_asked_about():
    with pytest.raises(ValueError, match="at most 1 candidates"):
        partition("exp(abs(%x))", MockCostEstimator({"llvm": 1.0, COMPILER: 2.0}, max_estimates=1))


def test_errors_of_cost_functions_and_checks_are_raised():
    def fail(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        partition("nn.relu(%x)", fail)
    with pytest.raises(KeyError, match="mine"):
        partition("nn.relu(%x)", {"llvm": 2.0, COMPILER: 1.0}, [("relu", is_op("nn.relu")(wildcard()), fail)])
    with pytest.raises(ValueError, match="cheap"):
        partition("nn.relu(%x)", lambda mod, target: "cheap")


def test_nothing_to_measure_is_an_error():
    with pytest.raises(NotImplementedError, match="cost"):
        partition("abs(%x)", None)


def test_depths_must_be_given():
    register_pattern_table(COMPILER, list(UNARY))
    targets = make_compilation_config(PassContext(), [Target("llvm")])
    with pytest.raises(relayopt.TVMError, match="tvm_max_depth"):
        relay.transform.CollagePartition(targets, {"llvm": 1.0})(relayopt.IRModule.from_expr(relay.abs(relay.var("x", shape=(2,)))))


def test_patterns_are_asked_for_by_their_name_in_the_package(monkeypatch):
    register_pattern_table(COMPILER, [])
    monkeypatch.setattr(relay.op.contrib, "get_pattern_table", lambda compiler: UNARY if compiler == COMPILER else None)
    assert len(external(partition("nn.relu(%x)", {"llvm": 2.0, COMPILER: 1.0}, table=[]))) == 1
