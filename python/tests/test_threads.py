"""Rules of Python belong to the pass that asks them: in every thread, and whatever they raise or return."""

import importlib.util
import subprocess
import sys
import threading

import pytest
import relayopt
from relayopt import relay, transform
from relayopt.ir.op import register
from relayopt.relay.testing.temp_op_attr import TempOpAttr

TEXT = '#[version = "0.0.5"]\n' + "".join(
    f"def @f{i}(%x: Tensor[(1, 8, 16, 16), float32], %w: Tensor[(8, 8, 3, 3), float32]) "
    "{ nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=8, kernel_size=[3, 3]) }\n"
    for i in range(8)
)


def alter(attrs, inputs, tinfos, out_type):
    data, weight = inputs
    kept = {key: attrs[key] for key in ("padding", "channels", "kernel_size")}
    return relay.nn.conv2d(data, weight, data_layout="NCHW8c", **kept)


def altered(threads):
    with transform.PassContext(opt_level=3, threads=threads):
        out = relay.transform.AlterOpLayout()(relay.transform.InferType()(relay.parse(TEXT)))
    return out.astext()


def test_layout_rules_hold_with_any_number_of_threads():
    with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", alter):
        one = altered(1)
        assert one.count('data_layout="NCHW8c"') == 8
        for threads in (2, 4, 8):
            assert altered(threads) == one


def test_layout_rules_hold_in_threads_of_python():
    with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", alter):
        one = altered(1)
        results = []
        threads = [threading.Thread(target=lambda: results.append(altered(2))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [one] * 4


@pytest.mark.parametrize("threads", (1, 4))
def test_what_a_layout_rule_raises_is_raised(threads):
    class Own(Exception):
        pass

    def fails(attrs, inputs, tinfos, out_type):
        raise Own("no")

    with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", fails), pytest.raises(Own):
        altered(threads)
    with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", alter):
        assert altered(threads).count('data_layout="NCHW8c"') == 8


def infer(expr):
    mod = relayopt.IRModule.from_expr(relay.Function(relay.analysis.free_vars(expr), expr))
    return relay.transform.InferType()(mod)


@pytest.mark.parametrize("threads", (1, 4))
@pytest.mark.parametrize("value", (1, "x", [1], 1.5, object()), ids=("int", "str", "list", "float", "object"))
def test_a_type_rule_that_gives_no_type_is_an_error_and_leaves_no_trace(value, threads):
    name = f"custom.gives_{type(value).__name__}_{threads}"
    register(name, "gives what is no type")
    op = relay.op.get(name)
    op.set_num_inputs(1)
    op.add_argument("data", "Tensor", "x")
    op.add_type_rel("Gives" + name, lambda types, attrs: value)
    call = relay.Call(op, [relay.var("x", shape=(2, 3))])
    for _ in range(2):
        with transform.PassContext(threads=threads), pytest.raises(Exception):
            infer(call)
        assert infer(relay.nn.relu(relay.var("y", shape=(4,))))["main"].ret_type.shape[0] == 4


def test_a_type_rule_that_raises_is_that_error_in_every_number_of_threads():
    register("custom.raises_key_error", "raises")
    op = relay.op.get("custom.raises_key_error")
    op.set_num_inputs(1)
    op.add_argument("data", "Tensor", "x")

    def raises(types, attrs):
        raise KeyError("mine")

    op.add_type_rel("RaisesKeyError", raises)
    call = relay.Call(op, [relay.var("x", shape=(2, 3))])
    for threads in (1, 4):
        with transform.PassContext(threads=threads), pytest.raises(KeyError):
            infer(call)


def test_subinterpreters_are_refused():
    interpreters = next((name for name in ("_interpreters", "_xxsubinterpreters") if importlib.util.find_spec(name)), None)
    if interpreters is None:
        pytest.skip("this Python has no module for subinterpreters")
    # The main interpreter imports it after all, and the other one is still there when the program ends.
    script = f"""
import {interpreters} as interpreters
inner = interpreters.create()
caught = "try:\\n  import relayopt\\nexcept ImportError as error:\\n  print(error, flush=True)"
interpreters.run_string(inner, caught)
import relayopt
print(relayopt.__name__)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["relayopt works in the main interpreter, not in a subinterpreter", "relayopt"]
