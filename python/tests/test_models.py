"""Reading, running and writing modules of every format."""

import gzip
import os

import pytest

import relayopt
from relayopt import relay

TEXT = '''#[version = "0.0.5"]
def @main(%x: Tensor[(2, 3), float32]) {
  %0 = nn.relu(%x);
  %1 = nn.relu(%x);
  add(%0, %1)
}
'''
PROGRAM = '''@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    for i in range(8):
        A[i] = i // 8
'''


@pytest.mark.parametrize("ending", [".relay", ".json", ".onnx", ".rlyb"])
def test_module_comes_back_from_every_format_that_can_be_read(tmp_path, ending):
    module = relayopt.loads(TEXT)
    path = tmp_path / ("model" + ending)
    relayopt.save(module, path)
    assert not relayopt.diff(module, relayopt.load(path))


def test_modules_that_were_read_apart_are_compared_by_what_they_are():
    # The tables of types and constants of the two differ.
    one = relayopt.loads('#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) { add(%x, 1f) }')
    two = relayopt.loads('#[version = "0.0.5"]\ndef @f(%y: Tensor[(7), int8]) { %y }\ndef @main(%x: Tensor[(2), float32]) { add(%x, 2f) }')
    del two["f"]
    assert "2f" in str(relayopt.diff(one, two))
    assert not relayopt.diff(one, relayopt.loads(str(one), format="text") if str(one).startswith("#[") else relayopt.loads('#[version = "0.0.5"]\n' + str(one)))


def test_compressed_file_is_read(tmp_path):
    path = tmp_path / "model.relay.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert not relayopt.diff(relayopt.loads(TEXT), relayopt.load(path))


def test_format_overrides_the_ending(tmp_path):
    path = tmp_path / "model.txt"
    relayopt.save(relayopt.loads(TEXT), path, format="onnx")
    assert relayopt.load(path, format="onnx")["main"].body.op.name == "add"


def test_ending_that_cannot_be_written_is_an_error_and_leaves_no_file(tmp_path):
    path = tmp_path / "model.tflite"
    with pytest.raises(ValueError, match="not that of a format|cannot be written|that can be written"):
        relayopt.save(relayopt.loads(TEXT), path)
    assert not os.listdir(tmp_path)


def test_module_that_a_format_cannot_hold_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"old")
    with pytest.raises(relayopt.DiagnosticError):
        relayopt.save(relayopt.loads(PROGRAM, name="program.py"), path)
    assert path.read_bytes() == b"old"


def test_error_has_the_place():
    with pytest.raises(relayopt.DiagnosticError, match=r"model\.relay:2:24: error: unknown operator 'rlu'"):
        relayopt.loads('#[version = "0.0.5"]\ndef @main(%x: int32) { rlu(%x) }', name="model.relay")


def test_pipeline_leaves_its_argument_alone():
    module = relayopt.loads(TEXT)
    before = relayopt.dumps(module)
    after = relayopt.run(module, "EliminateCommonSubexpr")
    assert relayopt.dumps(module) == before
    assert relayopt.diff(module, after)


def test_run_takes_passes_and_lists():
    module = relayopt.loads(TEXT)
    one = relayopt.run(module, relay.transform.EliminateCommonSubexpr())
    two = relayopt.run(module, [relay.transform.EliminateCommonSubexpr()])
    assert not relayopt.diff(one, two)


def test_unknown_pass_is_an_error():
    with pytest.raises(relayopt.DiagnosticError, match="unknown pass 'EliminateCommon'"):
        relayopt.run(relayopt.loads(TEXT), "EliminateCommon")


def test_tensor_program_goes_through_passes():
    module = relayopt.loads(PROGRAM, name="program.py")
    simple = relayopt.run(module, "tir.Simplify")
    assert "A[i] = 0" in simple["main"].script()
    assert "A[i] = i // 8" in module["main"].script()


def test_tensor_program_that_no_pass_changes_is_the_same_object():
    module = relayopt.loads(PROGRAM, name="program.py")
    assert relayopt.run(module, "tir.LoopPartition")["main"] is module["main"]


def test_module_holds_functions_of_both_kinds(tmp_path):
    path = tmp_path / "both.relay"
    path.write_text(TEXT + "\n#[tir]\n" + PROGRAM.replace("def main", "def kernel"))
    module = relayopt.load(path)
    assert sorted(var.name_hint for var in module.get_global_vars()) == ["kernel", "main"]
    after = relayopt.run(module, "EliminateCommonSubexpr,tir.Simplify")
    assert "A[i] = 0" in after["kernel"].script()
    assert after["main"].body.args[0].same_as(after["main"].body.args[1])


def test_tensor_program_of_another_module_is_taken_over():
    one, two = (relayopt.loads(PROGRAM, name="program.py") for _ in range(2))
    two["other"] = one["main"]
    assert relayopt.run(two, "tir.Simplify")["other"].script().count("A[i] = 0") == 1


def test_removed_tensor_program_is_gone():
    module = relayopt.loads(PROGRAM, name="program.py")
    del module["main"]
    assert module.get("main") is None
    assert "prim_func" not in str(module)


def test_summary_has_numbers_and_a_table():
    costs = relayopt.summary(relayopt.loads(TEXT))
    assert costs["total"]["operators"] == 3
    assert "kernels to launch" in str(costs)


def test_options_of_onnx_models():
    data = relayopt.dumps(relayopt.loads(TEXT), "onnx")
    module = relayopt.loads(data, name="model.onnx", shapes={"x": (4, 3)})
    assert [int(extent) for extent in module["main"].params[0].checked_type.shape] == [4, 3]
    with pytest.raises(relayopt.DiagnosticError, match="float24"):
        relayopt.loads(data, name="model.onnx", dtypes={"x": "float24"})
