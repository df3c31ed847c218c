"""One pipeline over many modules."""

import os
import subprocess
import sys

import pytest

import relayopt
from relayopt import relay
from relayopt.batching import in_processes

PACKAGE = os.path.dirname(os.path.dirname(relayopt.__file__))

FINE = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) { add(nn.relu(%x), nn.relu(%x)) }
"""
BROKEN = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32], %y: Tensor[(3), float32]) { add(%x, %y) }
"""


@pytest.mark.parametrize("processes", [0, 2])
def test_results_come_in_the_order_of_the_models_and_failures_stay_alone(processes):
    x = relay.var("x", shape=(3,))
    models = {"fine": FINE, "broken": BROKEN, "built": relayopt.IRModule.from_expr(relay.Function([x], relay.exp(x)))}
    result = relayopt.batch(models, "EliminateCommonSubexpr", processes=processes)
    assert list(result) == ["fine", "broken", "built"]
    assert [item.ok for item in result.values()] == [True, False, True]
    assert result["fine"].text.count("nn.relu") == 1
    assert "exp(%x)" in str(result["built"].module)
    assert "add" in result["broken"].error and result["broken"].module is None
    assert str(result).endswith("2 of 3 done") and "broken" in result._repr_html_()


def test_a_failure_has_a_reproducer_with_its_pipeline():
    broken = relayopt.batch([BROKEN], "FoldConstant", processes=0)["0"]
    assert broken.reproducer.startswith("// relayopt-reproducer v1\n// passes: FoldConstant\n// args: --opt-level=3\n")
    assert broken.reproducer.endswith(BROKEN)


def test_files_are_models(tmp_path):
    path = tmp_path / "net.relay"
    path.write_text(FINE)
    result = relayopt.batch([path], "default<O3>")
    assert result[str(path)].ok


def test_a_dask_cluster_does_the_work():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            result = relayopt.batch({"a": FINE, "b": BROKEN}, "EliminateCommonSubexpr", cluster=client)
    assert [item.ok for item in result.values()] == [True, False]


def test_an_unknown_pass_is_every_models_error():
    result = relayopt.batch([FINE], "NoSuchPass", processes=0)
    assert "NoSuchPass" in result["0"].error


def test_results_are_a_table():
    pandas = pytest.importorskip("pandas")
    table = relayopt.batch({"a": FINE, "b": BROKEN}, "EliminateCommonSubexpr", processes=0).to_pandas()
    assert isinstance(table, pandas.DataFrame) and list(table["name"]) == ["a", "b"] and list(table["ok"]) == [True, False]
    assert table["error"][0] is None and "DiagnosticError" in table["error"][1]


def test_files_of_every_format_are_models(tmp_path):
    mod = relayopt.loads(FINE)
    for ending in ("onnx", "json", "rlyb", "relay"):
        relayopt.save(mod, tmp_path / f"m.{ending}")
    result = relayopt.batch(sorted(tmp_path.iterdir()), "EliminateCommonSubexpr", processes=0)
    assert len(result) == 4 and not result.failed
    assert all(item.text.count("nn.relu") == 1 for item in result.values())
    broken = relayopt.batch([tmp_path / "m.onnx"], "NoSuchPass", processes=0)
    assert "def @main" in next(iter(broken.values())).reproducer


@pytest.mark.parametrize("processes", [0, 2])
def test_progress_is_shown_where_somebody_looks(monkeypatch, processes):
    from relayopt import batching

    shown = []

    class Bar:
        def show(self, count, name):
            shown.append((count, name))

        def close(self):
            shown.append("closed")

    monkeypatch.setattr(batching, "progress_bar", lambda unit, total: shown.append((unit, total)) or Bar())
    relayopt.batch({"a": FINE, "b": BROKEN, "c": FINE}, "FoldConstant", processes=processes)
    assert shown[0] == ("module", 3) and shown[-1] == "closed"
    assert [count for count, _ in shown[1:-1]] == [1, 2, 3] and {name for _, name in shown[1:-1]} == {"a", "b", "c"}


def test_programs_need_no_guard_against_being_run_again(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import relayopt\nmod = relayopt.loads('#[version = \"0.0.5\"] def @main() { 1 + 2 }')\n"
                    "print(relayopt.batch([mod] * 3, 'FoldConstant', processes=2))\n")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": PACKAGE})
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().split("\n")[-1] == "3 of 3 done" and done.stdout.count("ok") == 3


def test_a_job_that_ends_its_process_is_one_result():
    jobs = [("__import__('os')._exit(3)",), *((f"{i} + 1",) for i in range(6))]
    found = {job[0]: result for job, result in in_processes(eval, jobs, 2)}
    assert found.pop(jobs[0][0]) is None
    assert found == {f"{i} + 1": i + 1 for i in range(6)}
