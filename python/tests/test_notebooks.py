"""What notebooks show."""

import json

import pytest

import relayopt
from relayopt import relay, transform
from relayopt.instrument import Progress, Trace


def module():
    x = relay.var("x", shape=(2, 3))
    return relayopt.IRModule.from_expr(relay.Function([x], relay.nn.relu(x) + relay.nn.relu(x)))


@pytest.fixture
def trace():
    trace = Trace()
    with transform.PassContext(opt_level=3, instruments=[trace]):
        transform.Sequential([relay.transform.EliminateCommonSubexpr(), relay.transform.FoldConstant()])(module())
    return trace


def test_a_module_is_highlighted_with_its_operators():
    page = relay.transform.InferType()(module())._repr_html_()
    assert "nn.relu × 2" in page and "<span class='op'>nn.relu</span>" in page and "<details open>" in page


def test_text_is_escaped():
    mod = relayopt.IRModule.from_expr(relay.Function([relay.var("x", shape=())], relay.const(1)).with_attr("k", "<b>"))
    assert "<b>" not in mod._repr_html_()


def test_long_functions_are_folded():
    x = relay.var("x", shape=())
    y = x
    for _ in range(300):
        y = relay.negative(y)
    assert "all 302 lines" in relayopt.IRModule.from_expr(relay.Function([x], y))._repr_html_()


def test_the_runs_of_passes(trace):
    names = [run.name for run in trace.runs]
    assert names[0] == "sequential" and "EliminateCommonSubexpr" in names and "FoldConstant" in names
    merged = next(run for run in trace.runs if run.name == "EliminateCommonSubexpr")
    assert merged.changed and merged.depth == 1 and merged.operators() == {"nn.relu": -1}
    assert "-  %1 = nn.relu(%x)" in merged.diff()
    assert trace.runs[0].self_seconds < trace.runs[0].seconds


def test_the_table_of_runs(trace):
    page = trace._repr_html_()
    assert "nn.relu -1" in page and "class='same'" in page and "<details>" in page


def test_a_failed_pass_is_shown():
    trace = Trace()

    @transform.module_pass(opt_level=0)
    def fails(mod, ctx):
        raise KeyError("no")

    with pytest.raises(KeyError), transform.PassContext(instruments=[trace]):
        fails(module())
    assert "fails: failed" in str(trace) and "failed" in trace._repr_html_()


def test_a_file_for_chrome(trace, tmp_path):
    trace.to_chrome(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [event["name"] for event in events][0] == "sequential" and all(event["dur"] >= 0 for event in events)


@pytest.mark.parametrize("kind", ["time", "memory", "ops"])
def test_charts(trace, kind):
    pytest.importorskip("matplotlib")
    assert trace.plot(kind).axes


def test_an_unknown_chart(trace):
    with pytest.raises(ValueError, match="there is no chart"):
        trace.plot("colour")


def test_modules_side_by_side():
    before = module()
    after = relay.transform.EliminateCommonSubexpr()(relay.transform.InferType()(before))
    difference = relay.transform.InferType()(before).diff(after)
    assert difference and "-  %1 = nn.relu" in str(difference) and "<table" in difference._repr_html_()
    assert not before.diff(before)


def test_a_graph():
    graph = relay.transform.InferType()(module()).graph(color_by="dtype")
    assert graph.source.startswith("digraph {") and 'label="add\\nTensor[(2, 3), float32]"' in graph.source
    assert graph._repr_html_()


def test_progress_is_silent_where_nobody_looks(capfd):
    with transform.PassContext(instruments=[Progress()]):
        relay.transform.InferType()(module())
    assert capfd.readouterr() == ("", "")


def chain(length, operator):
    value = relay.nn.relu(relay.var("x", shape=(2,)))
    for _ in range(length):
        value = operator(value)
    return relayopt.IRModule.from_expr(value)


def test_pages_of_huge_modules_and_differences_stay_small():
    before, after = chain(20000, relay.tanh), chain(20000, relay.exp)
    page = before._repr_html_()
    assert len(page) < 1_500_000 and page.count("\n") < 6000
    assert "5000 more of 20003 lines; print(mod) shows all" in page
    difference = before.diff(after)._repr_html_()
    assert difference.startswith("<pre>--- before") and "more lines; print(diff) shows all" in difference
    assert difference.count("\n") < 6000
