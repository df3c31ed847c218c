import numpy as np
import pytest

import relayopt
from relayopt import relay
from relayopt.contrib import graph_executor


@pytest.mark.parametrize("kind", ["debug", "graph", "vm", "aot"])
def test_every_executor_computes_the_function(kind):
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(3,))
    run = relay.create_executor(kind).evaluate(relay.Function([x, y], x + y))
    a, b = np.ones((2, 3), "float32"), np.arange(3, dtype="float32")
    np.testing.assert_allclose(run(a, b).numpy(), a + b)
    np.testing.assert_allclose(run(a, y=b).numpy(), a + b)
    with pytest.raises(Exception, match="arguments"):
        run(a)


def test_an_expression_has_a_value():
    value = relay.create_executor().evaluate(relay.const(2) + relay.const(3))
    assert value.numpy() == 5


def test_lists_come_back_as_algebraic_data():
    prelude = relay.Prelude()
    _, cons, nil = prelude.mod.get_type("List")
    value = relay.create_executor(mod=prelude.mod).evaluate(prelude.map(
        relay.Function([x := relay.var("x", "int32")], x + relay.const(1)), cons(relay.const(1), nil())))
    assert value.constructor.name_hint == "Cons"
    assert value.fields[0].numpy() == 2


def test_a_built_module_runs_by_names_of_inputs():
    x = relay.var("x", shape=(2, 2))
    w = relay.var("w", shape=(2, 2))
    mod = relayopt.IRModule.from_expr(relay.Function([x, w], relay.nn.dense(x, w)))
    weights = np.eye(2, dtype="float32")
    with relayopt.transform.PassContext(opt_level=3):
        lib = relay.build(mod, target="llvm", params={"w": weights})
    runner = graph_executor.GraphModule(lib["default"](relayopt.cpu()))
    runner.set_input("x", np.full((2, 2), 3, "float32"))
    runner.run()
    np.testing.assert_allclose(runner.get_output(0).numpy(), np.full((2, 2), 3))
    with pytest.raises(NotImplementedError, match="generates no code"):
        lib.export_library("x.so")


def test_a_target_is_needed_to_build():
    x = relay.var("x", shape=(2,))
    with pytest.raises(ValueError, match="Target is not set"):
        relay.build(relayopt.IRModule.from_expr(relay.Function([x], x)))


def test_arrays_cross_by_dlpack():
    array = relayopt.nd.array(np.arange(4, dtype="float32"))
    np.testing.assert_array_equal(np.from_dlpack(array), array.numpy())
    assert relayopt.nd.from_dlpack(np.arange(3)).numpy().tolist() == [0, 1, 2]


def test_lists_of_the_virtual_machine_are_tagged_rows():
    from relayopt.relay.prelude import Prelude

    prelude = Prelude()
    _, cons, nil = prelude.mod.get_type("List")
    prelude.mod["main"] = relay.Function([], cons(relay.const(1.5), nil()))
    row = relay.create_executor("vm", mod=prelude.mod).evaluate()()
    assert row.tag == cons.tag and len(row) == 2 and row[0].numpy() == 1.5 and row[1].tag == nil.tag


def test_a_function_of_continuations_comes_back_without_its_module():
    f = relay.GlobalVar("count")
    n = relay.var("n", "int32")
    mod = relayopt.IRModule()
    mod[f] = relay.Function([n], relay.If(relay.equal(n, relay.const(0)), relay.const(7), f(n - relay.const(1))),
                            relay.scalar_type("int32"))
    mod = relay.transform.InferType()(mod)
    mod["main"] = relay.transform.to_cps(mod[f], mod=mod)
    mod = relay.transform.InferType()(mod)
    mod["main"] = relay.transform.un_cps(mod["main"])
    assert relay.create_executor("debug", mod=mod).evaluate()(3).numpy() == 7


def test_a_function_of_continuations_may_use_constructors_of_its_module():
    mod = relayopt.IRModule()
    prelude = relay.prelude.Prelude(mod)
    _, cons, nil = mod.get_type("List")
    x = relay.var("x", "int32")
    mod["main"] = relay.Function([x], prelude.hd(cons(x, nil())))
    mod = relay.transform.InferType()(mod)
    mod["main"] = relay.transform.to_cps(mod["main"], mod=mod)
    mod = relay.transform.InferType()(mod)
    mod["main"] = relay.transform.un_cps(mod["main"])
    assert relay.create_executor("debug", mod=mod).evaluate()(5).numpy() == 5


class Foreign:
    """A tensor of another library: numpy knows it through DLPack only."""

    def __init__(self, value):
        self.value = value

    def __dlpack__(self, **keywords):
        return self.value.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.value.__dlpack_device__()


def test_tensors_of_other_libraries_are_taken_where_arrays_are():
    value = np.arange(6, dtype="float32").reshape(2, 3)
    foreign = Foreign(value)
    assert (relayopt.nd.array(foreign).numpy() == value).all()
    assert (relay.const(foreign).data.numpy() == value).all()
    x = relay.var("x", shape=(2, 3))
    run = relay.create_executor("debug", relayopt.IRModule.from_expr(relay.nn.relu(x))).evaluate()
    assert (run(foreign).numpy() == value).all()


def test_containers_of_other_libraries_become_arrays_and_maps():
    import collections

    made = relayopt.runtime.convert(collections.UserList([1, 2]))
    assert [int(item) for item in made] == [1, 2] and made.type_key == "Array"
    assert int(relayopt.runtime.convert(collections.UserDict({"a": 3}))["a"]) == 3


def test_values_that_are_no_tensors_are_errors():
    with pytest.raises(ValueError, match="an array of numbers"):
        relayopt.nd.array(object())


def test_functions_that_a_program_computes_can_be_called():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    two = np.full(2, 2, "float32")
    adder = relay.create_executor("debug").evaluate(relay.Function([x], relay.Tuple([relay.Function([y], x + y), x])))(two)
    np.testing.assert_array_equal(adder[0](two).numpy(), two + two)
    with pytest.raises(Exception, match="expected 1 arguments, but 0"):
        adder[0]()
    with pytest.raises(relayopt.DiagnosticError):
        adder[0](np.zeros((3, 3), "float32"))
    other = relay.create_executor("debug", mod=relay.parse(
        '#[version = "0.0.5"] def @main(%f: fn (Tensor[(2), float32]) -> int32) { 1 }')).evaluate()
    with pytest.raises(ValueError, match="runs in the program that computed it"):
        other(adder[0])


def test_threads_may_share_an_executor():
    import threading

    x = relay.var("x", shape=(2,))
    deep = x
    for _ in range(50):
        deep = relay.nn.relu(deep) + relay.const(1.0)
    run = relay.create_executor("vm").evaluate(relay.Function([x], deep))
    results = []
    threads = [threading.Thread(target=lambda: results.extend(run(np.zeros(2, "float32")).numpy()[0] for _ in range(20)))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [50.0] * 80


def test_built_modules_are_saved_loaded_and_timed(tmp_path):
    x = relay.var("x", shape=(2,))
    built = relay.build(relayopt.IRModule.from_expr(relay.nn.relu(x + relay.const([1.0, -5.0]))), "llvm")
    for name in ("model.relay", "model.json"):
        built.save(tmp_path / name)
        loaded = relayopt.runtime.load_module(tmp_path / name)
        np.testing.assert_array_equal(loaded["main"](np.ones(2, "float32")).numpy(), [2, 0])
        np.testing.assert_array_equal(loaded(np.ones(2, "float32")).numpy(), [2, 0])
    assert loaded.time_evaluator("main", number=1, repeat=3)(np.ones(2, "float32")).mean > 0
    with pytest.raises(NotImplementedError, match="no compiled modules"):
        relayopt.runtime.load_module("model.so")


def test_graphs_have_a_node_for_each_kernel_and_debuggers_show_its_result():
    import json

    from relayopt.contrib.debugger import debug_executor

    x = relay.var("x", shape=(2,))
    relu = relay.nn.relu(x + relay.const([1.0, -5.0]))
    parts = relay.split(relay.annotation.stop_fusion(relu), 2)
    built = relay.build(relayopt.IRModule.from_expr(relay.Tuple([parts[1], parts[0]])), "llvm")
    graph = json.loads(built.get_graph_json())
    assert [node["op"] for node in graph["nodes"]][:3] == ["null", "null", "tvm_op"]
    assert graph["arg_nodes"] == [0, 1] and graph["node_row_ptr"][-1] == len(graph["attrs"]["shape"][1])
    assert [head[1] for head in graph["heads"]] == [1, 0] and list(built.get_params()) == ["p0"]
    debugger = debug_executor.create(built.get_graph_json(), built, relayopt.cpu())
    debugger.run(x=np.ones(2, "float32"))
    np.testing.assert_array_equal(debugger.debug_get_output("tvmgen_default_fused_add_nn_relu").numpy(), [2, 0])
    with pytest.raises(ValueError, match="computes no nonsense"):
        debugger.debug_get_output("nonsense")


def test_arrays_are_copied_to_arrays_of_their_kind_only():
    with pytest.raises(ValueError, match="cannot be copied"):
        relayopt.nd.array(np.zeros(2, "float32")).copyto(relayopt.nd.empty((3,)))
    assert relayopt.nd.empty((2,), "int4").numpy().dtype == "int8"


ENDING = """
import threading, time
import relayopt
from relayopt import relay, transform

x = relay.var("x", shape=(2,))
net = x
for _ in range(200):
    net = relay.nn.relu(net)
mod = relayopt.IRModule.from_expr(net)
relayopt.register_func("test.kept", lambda: mod)
run = relay.create_executor("debug").evaluate(relay.Function([], relay.const(1)))
relayopt.register_func("test.run", lambda: run)

def work():
    while True:
        transform.Sequential([relay.transform.FoldConstant(), relay.transform.FuseOps()])(mod)

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
"""


def test_programs_end_while_threads_run_passes_and_registered_functions_hold_programs():
    import subprocess
    import sys

    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", ENDING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


# A daemon is inside of a Python function that the core calls, and wants the GIL back, when the program ends.
LEFT_BEHIND = """
import sys, threading, time
import relayopt
from relayopt import relay

inside = threading.Event()

def stay(*_):
    inside.set()
    while True:
        time.sleep(0.001)

x, w = relay.var("x", shape=(1, 16, 8, 8)), relay.var("w", shape=(16, 16, 3, 3))
value = relay.nn.relu(relay.nn.conv2d(x, w))
mod = relay.transform.InferType()(relayopt.IRModule.from_expr(relay.Function([x, w], value)))

@relayopt.transform.module_pass(opt_level=0)
def waits(mod, ctx):
    stay()

@relayopt.instrument.pass_instrument
class Waits:
    def run_before_pass(self, mod, info):
        stay()

def run(how):
    if how == "pass":
        relayopt.transform.Sequential([relay.transform.InferType(), waits])(mod)
    elif how == "instrument":
        with relayopt.transform.PassContext(instruments=[Waits()]):
            relay.transform.FoldConstant()(mod)
    elif how == "packed function":
        relayopt.runtime.convert(stay)(relayopt.cpu(0), mod)
    elif how == "layout rule":
        relayopt.ir.register_op_attr("nn.relu", "FInferCorrectLayout", stay)
        relay.transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"]})(mod)
    elif how == "type relation":
        relay.op.register("mine", "")
        op = relay.op.get("mine")
        op.set_num_inputs(1)
        op.add_argument("x", "Tensor", "")
        op.add_type_rel("Mine", stay)
        relay.transform.InferType()(relayopt.IRModule.from_expr(relay.Call(op, [x])))
    elif how == "predicate":
        relayopt.reduce(mod, stay)

threading.Thread(target=run, args=(sys.argv[1],), daemon=True).start()
assert inside.wait(30)
time.sleep(0.02)
"""


@pytest.mark.parametrize("how", ["pass", "instrument", "packed function", "layout rule", "type relation", "predicate"])
def test_programs_end_while_a_thread_is_inside_of_a_python_function(how):
    import subprocess
    import sys

    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", LEFT_BEHIND, how], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_ends_of_nested_tuples_are_the_outputs_of_a_graph():
    x = relay.var("x", shape=(2,))
    nested = relay.Tuple([x, relay.Tuple([relay.Tuple([x + x]), relay.Tuple([])]), x + x + x])
    module = graph_executor.GraphModule(relay.build(relayopt.IRModule.from_expr(nested), "llvm")["default"](relayopt.cpu()))
    module.run(x=np.ones(2, "float32"))
    assert module.get_num_outputs() == 3
    assert [int(module.get_output(i).numpy()[0]) for i in range(3)] == [1, 2, 3]
    shapes, dtypes = module.get_input_info()
    assert tuple(shapes["x"]) == (2,) and isinstance(shapes["x"], relayopt.runtime.ShapeTuple) and dtypes["x"] == "float32"


def test_an_executable_that_was_saved_runs_as_before():
    from relayopt.runtime.vm import Executable, VirtualMachine

    x, y = relay.var("x", shape=(3,)), relay.var("y", shape=(3,))
    twice = relay.GlobalVar("twice")
    mod = relayopt.IRModule({twice: relay.Function([x], x * relay.const(2.0))})
    mod["main"] = relay.Function([y], relay.Tuple([twice(y), y]))
    code, lib = relay.vm.compile(mod, target="llvm").save()
    assert isinstance(code, bytearray) and isinstance(lib, relayopt.runtime.Module)
    loaded = Executable.load_exec(code, lib)
    assert sorted(loaded.globals) == ["main", "twice"]
    result = VirtualMachine(loaded, relayopt.cpu()).run(np.ones(3, "float32"))
    np.testing.assert_equal([field.numpy() for field in result], [[2] * 3, [1] * 3])
    for wrong in (("code", lib), (code, None)):
        with pytest.raises(TypeError, match="is expected to be the type of"):
            Executable.load_exec(*wrong)


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float16", "float32", "float64"])
def test_numbers_of_repetitions_may_be_floats(dtype):
    x, reps = relay.var("x", shape=(2, 3)), relay.var("reps", shape=(3,), dtype=dtype)
    tiled = relay.create_executor("vm").evaluate(relay.Function([x, reps], relay.tile(x, reps)))
    data = np.arange(6, dtype="float32").reshape(2, 3)
    np.testing.assert_equal(tiled(data, np.array([3, 2, 1], dtype)).numpy(), np.tile(data, (3, 2, 1)))
    if dtype.startswith("float"):
        with pytest.raises(relayopt.TVMError, match="cannot be repeated"):
            tiled(data, np.array([3, np.nan, 1], dtype))


def test_filled_sparse_rows_have_the_types_of_what_is_given():
    indices, values = relay.var("i", shape=(2, 2), dtype="int32"), relay.var("v", shape=(2,), dtype="int32")
    shape, default = relay.var("s", shape=(2,), dtype="int32"), relay.var("d", shape=(1,), dtype="int32")
    filled = relay.sparse_fill_empty_rows(indices, values, shape, default)
    assert len(filled) == 3
    result = relay.create_executor("vm").evaluate(relay.Function([indices, values, shape, default], filled))(
        *(np.array(each, "int32") for each in ([[0, 1], [2, 0]], [5, 6], [3, 4], [9])))
    np.testing.assert_equal(result[0].numpy(), [[0, 1], [1, 0], [2, 0]])
    np.testing.assert_equal(result[1].numpy(), [5, 9, 6])
    assert result[1].dtype == "int32" and list(result[2].numpy()) == [False, True, False]
