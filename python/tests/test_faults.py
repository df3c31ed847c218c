"""Which pass breaks a module, and how small a module shows it."""

import numpy as np
import pytest

import relayopt
from relayopt import relay, transform


@pytest.fixture
def mod():
    return relay.transform.InferType()(relay.parse('''#[version = "0.0.5"]
def @main(%x: Tensor[(2, 4), float32], %w: Tensor[(4, 4), float32]) {
  let %y = nn.dense(%x, %w, units=4);
  %0 = exp(%y);
  (tanh(%0), nn.relu(%y))
}'''))


@transform.module_pass(opt_level=0, name="Wrong")
def wrong(mod, ctx):
    return relay.parse(mod.astext().replace("nn.relu", "negative"))


@transform.function_pass(opt_level=0, name="Nothing")
def nothing(func, mod, ctx):
    return func


@transform.module_pass(opt_level=0, name="Raises")
def raises(mod, ctx):
    raise KeyError("mine")


def test_validate_finds_the_pass_in_python_that_changes_results(mod):
    found = relayopt.validate(mod, ["FoldConstant", nothing, wrong, relay.transform.FuseOps()], sets=2)
    assert not found and found.first.name == "Wrong" and found.first.number == 3
    assert "expected" in found.message and "-  " in found.first.diff()
    assert "Wrong" in found._repr_html_() and "<details>" in found._repr_html_()


def test_validate_says_when_results_stay(mod):
    found = relayopt.validate(mod, transform.Sequential([relay.transform.FoldConstant(), relay.transform.FuseOps()]))
    assert found and found.first is None and "0 mismatches" in repr(found)


def test_validate_takes_inputs_by_name_and_in_order(mod):
    # Of what is not negative relu is the identity: only the inputs show the fault.
    @transform.module_pass(opt_level=0, name="DropsRelu")
    def drops(mod, ctx):
        return relay.parse(mod.astext().replace("nn.relu", "copy"))

    ones, minus = np.ones((2, 4), "float32"), -np.ones((2, 4), "float32")
    weights = np.ones((4, 4), "float32")
    assert relayopt.validate(mod, drops, inputs={"x": ones, "w": weights})
    assert not relayopt.validate(mod, drops, inputs=[minus, weights])


def test_what_a_pass_raises_is_raised(mod):
    for tool in (relayopt.validate, relayopt.bisect):
        with pytest.raises(KeyError, match="mine"):
            tool(mod, [raises]) if tool is relayopt.validate else tool(mod, [nothing], predicate=lambda _: {}["mine"])


def test_bisect_finds_pass_and_rewrite(mod):
    with transform.PassContext(opt_level=4):
        found = relayopt.bisect(mod, "SimplifyInference,FastMath,FuseOps", lambda mod: "fast_tanh" in mod.astext())
    assert found and found.guilty.name == "FastMath" and found.functions == ("main",)
    assert found.rewrite.counter == "FastMath.replaced" and found.rewrite.number == 2 and found.rewrite.alone
    assert found.rewrite.remarks == ("tanh became fast_tanh",) and found.others_too is False
    assert "FastMath" in found._repr_html_() and "guilty" in repr(found)


def test_a_pass_that_is_called_runs_whatever_its_level_and_one_of_a_pipeline_does_not(mod):
    fast = relay.transform.FastMath()
    assert relayopt.bisect(mod, [fast], lambda mod: "fast_exp" in mod.astext()).guilty.name == "FastMath"
    for passes in ("FastMath", transform.Sequential([fast])):
        assert not relayopt.bisect(mod, passes, lambda mod: "fast_exp" in mod.astext())


def test_bisect_looks_for_other_results_by_itself(mod):
    found = relayopt.bisect(mod, [nothing, wrong])
    assert found.guilty.name == "Wrong" and "expected" in found.what
    assert relayopt.bisect(mod, [nothing]).guilty is None


def test_bisect_says_that_the_input_is_bad(mod):
    found = relayopt.bisect(mod, "FoldConstant", lambda mod: True)
    assert not found and "before any pass runs" in repr(found) and "before any pass" in found._repr_html_()


def test_reduce_leaves_what_a_predicate_asks_for(mod):
    small = relayopt.reduce(mod, lambda mod: "tanh" in mod.astext())
    assert small.calls == 1 and small.passes is None and "Tensor[(1, 1), float32]" in str(small.module)
    assert "tanh" in small._repr_html_() and repr(small).startswith("1 call (in ")


def test_reduce_leaves_the_passes_that_matter(mod):
    with transform.PassContext(opt_level=4):
        small = relayopt.reduce(mod, "SimplifyInference,FastMath,FuseOps", lambda mod: "fast_exp" in mod.astext())
    assert small.passes == "FastMath" and small.calls == 1


def test_reduce_works_for_passes_in_python(mod):
    small = relayopt.reduce(mod, [nothing, wrong])
    assert small.calls == 1 and "nn.relu" in str(small.module)


def test_reduce_needs_a_start(mod):
    with pytest.raises(ValueError, match="nothing to start from"):
        relayopt.reduce(mod, "FoldConstant")
    with pytest.raises(TypeError, match="needs passes or a predicate"):
        relayopt.reduce(mod)
    with pytest.raises(ValueError, match="there is no fault 'speed'"):
        relayopt.reduce(mod, "FoldConstant", fault="speed")


def test_profiles_of_executors(mod):
    x, w = np.ones((2, 4), "float32"), np.ones((4, 4), "float32")
    profile = relay.create_executor("vm", mod).profile(x, w)
    assert {op.name: op.calls for op in profile.operators} == {"nn.dense": 1, "exp": 1, "tanh": 1, "nn.relu": 1}
    assert 0 < sum(op.seconds for op in profile.operators) <= profile.seconds
    assert "nn.dense" in repr(profile) and "<table>" in profile._repr_html_()


def test_profiles_of_graph_executor_and_virtual_machine(mod):
    from relayopt.contrib.graph_executor import GraphModule
    from relayopt.runtime.vm import VirtualMachine

    x, w = np.ones((2, 4), "float32"), np.ones((4, 4), "float32")
    graph = GraphModule(relay.build(mod, "llvm")["default"](relayopt.cpu()))
    assert sum(op.calls for op in graph.profile(x=x, w=w).operators) == 4
    machine = VirtualMachine(relay.vm.compile(mod, "llvm"), relayopt.cpu())
    assert sum(op.calls for op in machine.profile(x, w).operators) == 4
