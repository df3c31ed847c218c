"""`import tvm`: what the compatibility package has beside relayopt's own modules."""

import os
import pathlib
import subprocess
import sys

import relayopt

# The package that is tested, which may be an installed one.
PACKAGE = pathlib.Path(relayopt.__file__).resolve().parents[1]
COMPAT = pathlib.Path(__file__).resolve().parents[1] / "compat"


def run(program):
    """What a program prints for which `tvm` is the compatibility package."""
    path = os.pathsep.join([str(COMPAT), str(PACKAGE)])
    done = subprocess.run([sys.executable, "-W", "error::DeprecationWarning", "-c", program], env=dict(os.environ, PYTHONPATH=path),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_programs_need_no_pytest():
    assert run("""
import sys
import tvm
print("pytest" in sys.modules, tvm.testing.echo(1), "pytest" in sys.modules)
""") == ["False 1 True"]


def test_modules_are_those_of_relayopt():
    assert run("import tvm, relayopt, tvm.relay.transform as t; print(t is relayopt.relay.transform, tvm.ir is relayopt.ir)") == [
        "True True"]


def test_contexts_of_tuning_records_are_accepted_with_a_warning():
    program = """
import warnings
import tvm
from tvm import autotvm, relay

class Ours(autotvm.FallbackContext):
    def _query_inside(self, target, workload):
        return None

x = relay.var("x", shape=(2,))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with Ours(), autotvm.apply_history_best("records.log"):
        relay.build(tvm.IRModule.from_expr(relay.exp(x)), "llvm")
print([str(w.message) for w in caught][0])
try:
    autotvm.LocalBuilder()
except NotImplementedError as error:
    print(error)
"""
    assert run(program) == ["tvm.autotvm: relayopt generates no code, so what is tuned has no effect",
                            "tvm.autotvm.LocalBuilder: relayopt generates no code, so there is nothing to tune"]


def test_numbers_of_tvmscript():
    program = """
from tvm.script import tir as T
print(repr(T.int64(3)), T.float32(1).dtype, T.int32().dtype)
try:
    @T.prim_func
    def f():
        pass
except NotImplementedError as error:
    print(error)
"""
    assert run(program) == ["T.int64(3) float32 int32",
                            "tvm.script.tir.prim_func: relayopt's Python package reads no TVMScript"]


def test_no_code_generator_has_a_version():
    assert run("import tvm; print(tvm.target.codegen.llvm_version_major(), tvm.target.codegen.llvm_version_major(True))") == [
        "0 None"]


def test_what_is_missing_is_imported_and_raises_when_used():
    run("""
import pytest, tvm
from tvm import auto_scheduler, meta_schedule, micro, rpc
from tvm.contrib import cc, popen_pool
from tvm.relay.op.contrib import arm_compute_lib
from tvm.topi.arm_cpu import conv2d
with pytest.raises(NotImplementedError, match="tvm.contrib.cc.create_shared: relayopt generates no code"):
    cc.create_shared("x.so", [])
assert tvm.testing.requires_quantum_computer()[0].name == "skip"
assert tvm.testing.device_test(tvm.cpu(0), 1, 0) == tvm.cpu(0)
""")
