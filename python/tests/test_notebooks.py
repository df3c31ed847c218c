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
    assert "-   %1 = nn.relu(%x)" in merged.diff() and "1 removed" in merged.diff()
    assert trace.runs[0].self_seconds < trace.runs[0].seconds


def test_type_inference_is_recorded_and_not_shown(trace):
    assert "InferType" in [run.name for run in trace.runs]
    assert [run.name for run in trace.shown()] == ["sequential", "EliminateCommonSubexpr", "FoldConstant"]
    assert "InferType" not in str(trace) and "InferType" not in trace._repr_html_()


def test_type_inference_that_fails_is_shown():
    trace = Trace()
    with pytest.raises(relayopt.DiagnosticError), transform.PassContext(instruments=[trace]):
        relay.transform.InferType()(relay.parse("""#[version = "0.0.5"]
        def @main(%x: Tensor[(2), float32], %y: Tensor[(3), float32]) { add(%x, %y) }"""))
    assert "InferType: failed" in str(trace)


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


def test_differences_are_those_of_structure():
    before = module()
    after = relay.transform.EliminateCommonSubexpr()(before)
    difference = before.diff(after)
    assert difference and "-   %1 = nn.relu" in str(difference)
    assert difference.data["items"][0]["changes"][0]["kind"] == "removed"
    assert "<span class='out'>-   %1 = nn.relu" in difference._repr_html_()
    # Neither types that were inferred nor spans are a difference.
    assert not before.diff(relay.transform.InferType()(before))
    assert not before.diff(relay.transform.AnnotateSpans()(before))


def test_the_graph_is_the_picture_of_the_core():
    graph = module().graph()
    assert graph._repr_svg_().startswith("<svg") and ">relu" in str(graph)
    assert graph.text("mermaid").startswith("flowchart") and graph.text("dot").startswith("digraph")
    with pytest.raises(ValueError, match="svg, dot, mermaid or json"):
        graph.text("png")


def test_graphs_leave_constants_out_unless_they_are_whole():
    mod = relayopt.IRModule.from_expr(relay.var("x", shape=(2,)) + relay.const([1.0, 2.0]))
    nodes = [len(json.loads(mod.graph(whole).text("json"))["nodes"]) for whole in (False, True)]
    assert nodes[0] < nodes[1]


@pytest.mark.parametrize("passes", ["EliminateCommonSubexpr,FoldConstant",
                                    [relay.transform.EliminateCommonSubexpr(), relay.transform.FoldConstant()]])
def test_reports_have_every_pass_with_its_module(passes, tmp_path):
    report = module().report(passes)
    assert [run["name"] for run in report.data["passes"] if run["before"] != run["after"]] == ["EliminateCommonSubexpr"]
    assert relay.analysis.list_op_freqs(report.module)["nn.relu"] == 1
    assert report.data["summary"]["before"]["operators"]["nn.relu"] == 2
    report.save(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text()) == report.data
    report.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text().lower().startswith("<!doctype html>")
    assert "<iframe" in report._repr_html_()


def test_reports_take_passes_in_python():
    @relay.transform.function_pass(opt_level=0)
    def double(function, mod, ctx):
        return relay.Function(function.params, function.body + function.body)

    report = module().report([double, relay.transform.FoldConstant()])
    assert report.module["main"].body.op.name == "add" and report.data["summary"]["after"]["operators"]["add"] == 2


def test_a_report_without_passes_shows_the_module():
    report = module().report()
    assert report.data["passes"] == [] and report.data["summary"]["after"]["operators"]["nn.relu"] == 2


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
    assert "more lines; print(diff) shows all" in difference
    assert difference.count("\n") < 6000
