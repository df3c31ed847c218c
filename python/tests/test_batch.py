"""One pipeline over many modules."""

import pytest

import relayopt
from relayopt import relay

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
