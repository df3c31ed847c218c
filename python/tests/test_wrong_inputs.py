"""What functions of the package say to arguments that they cannot use: an exception with the name of the thing, and never a fault
of the border to the core.
"""

import numpy as np
import pytest

import relayopt
from relayopt import relay
from relayopt.contrib.graph_executor import GraphModule
from relayopt.runtime.vm import VirtualMachine

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3), float32], %w: Tensor[(2, 3), float32]) {
  %0 = nn.dense(%x, %w, units=2);
  add(nn.relu(%0), nn.relu(%0))
}
"""
MOD = relayopt.loads(TEXT)
ONNX = relayopt.dumps(MOD, "onnx")


@pytest.mark.parametrize("read, error, words", [
    (lambda: relayopt.loads(None), TypeError, "from str or bytes, not from NoneType"),
    (lambda: relayopt.loads(4), TypeError, "from str or bytes, not from int"),
    (lambda: relayopt.loads(TEXT, 5), TypeError, "name is a str or an os.PathLike, not 5"),
    (lambda: relayopt.loads("model.onnx"), ValueError, "'model.onnx' is the name of a file, which relayopt.load reads"),
    (lambda: relayopt.loads(TEXT, shapes={"x": (1, 3)}), ValueError, "shapes: for ONNX models only"),
    (lambda: relayopt.loads(TEXT, dims={"n": 1}, opset=13), ValueError, "dims, opset: for ONNX models only"),
    (lambda: relayopt.loads(TEXT, format=3), TypeError, "format is the name of a format, not 3"),
    (lambda: relayopt.loads(ONNX, shapes="x"), TypeError, "shapes is a dict by name, not 'x'"),
    (lambda: relayopt.loads(ONNX, shapes={"x": 5}), TypeError, "the shape of x is a list of extents, not 5"),
    (lambda: relayopt.loads(ONNX, shapes={"x": (1, "a")}), TypeError, "an extent of x is a number, not 'a'"),
    (lambda: relayopt.loads(ONNX, shapes={"x": (1.5, 3)}), TypeError, "an extent of x is a number, not 1.5"),
    (lambda: relayopt.loads(ONNX, shapes={"x": (-1, 3)}), ValueError, "an extent of x is a number from 0 on, not -1"),
    (lambda: relayopt.loads(ONNX, shapes={"y": (1, 3)}), relayopt.DiagnosticError, "the model has no input 'y'"),
    (lambda: relayopt.loads(ONNX, dims={"n": "a"}), TypeError, "the extent n is a number, not 'a'"),
    (lambda: relayopt.loads(ONNX, dims={"n": 3}), relayopt.DiagnosticError, "no symbolic extent 'n'"),
    (lambda: relayopt.loads(ONNX, dtypes={"x": 3}), TypeError, "the data type of x is a name, not 3"),
    (lambda: relayopt.loads(ONNX, dtypes={"x": "bad"}), ValueError, "'bad' is not a data type"),
    (lambda: relayopt.loads(ONNX, opset="a"), TypeError, "opset is a number, not 'a'"),
    (lambda: relayopt.loads(ONNX, opset=-1), ValueError, "opset is a number from 1 on, not -1"),
    (lambda: relayopt.dumps(MOD, "onnx", opset="a"), TypeError, "opset is a number, not 'a'"),
    (lambda: relayopt.dumps(MOD, "onnx", opset=99), relayopt.DiagnosticError, "versions 7 to 21, not 99"),
])
def test_reading(read, error, words):
    with pytest.raises(error, match=words):
        read()


@pytest.mark.parametrize("function", [
    relayopt.summary, relayopt.print, relayopt.dumps, lambda mod: relayopt.diff(MOD, mod), lambda mod: relayopt.diff(mod, MOD),
    lambda mod: relayopt.equiv(mod, MOD), lambda mod: relayopt.equiv(MOD, mod), lambda mod: relayopt.report(mod, "FuseOps"),
    lambda mod: relayopt.report(mod, []), lambda mod: relayopt.overview(mod, "FuseOps"),
    lambda mod: relayopt.validate(mod, "FuseOps"), lambda mod: relayopt.bisect(mod, "FuseOps"),
    lambda mod: relayopt.reduce(mod, "FuseOps"), lambda mod: relayopt.save(mod, "/tmp/never.relay"),
])
@pytest.mark.parametrize("value", [None, TEXT, 3, MOD["main"]])
def test_what_is_not_a_module(function, value):
    with pytest.raises(TypeError, match=f"an IRModule is (expected|saved), not a {type(value).__name__}"):
        function(value)


@pytest.mark.parametrize("passes", [None, 3, [None], [3]])
@pytest.mark.parametrize("function", [relayopt.run, relayopt.report, relayopt.remarks, relayopt.statistics, relayopt.overview])
def test_what_is_not_a_pass(function, passes):
    with pytest.raises(TypeError, match="list of Pass objects"):
        function(MOD, passes)


def test_passes_in_a_list_may_be_names():
    listed = relayopt.run(MOD, ["EliminateCommonSubexpr", relayopt.relay.transform.FuseOps()])
    assert str(listed) == str(relayopt.run(MOD, "EliminateCommonSubexpr,FuseOps"))
    assert relayopt.report(MOD, ["EliminateCommonSubexpr"]).module["main"].body.args[0].op.name == "nn.relu"
    with pytest.raises(relayopt.DiagnosticError, match="did you mean 'FuseOps'"):
        relayopt.run(MOD, ["FuseOp"])


@pytest.mark.parametrize("context, error, words", [
    ({"threads": -1}, ValueError, "threads is a number from 0 to 1024, not -1"),
    ({"threads": 10**9}, ValueError, "threads is a number from 0 to 1024"),
    ({"threads": "2"}, TypeError, "threads is a number, not '2'"),
    ({"opt_level": "3"}, TypeError, "opt_level is a number, not '3'"),
    ({"config": "x"}, TypeError, "config is a dict, not a str"),
    ({"target": "nonsense"}, ValueError, "nonsense"),
])
def test_contexts(context, error, words):
    with pytest.raises(error, match=words):
        relayopt.run(MOD, "FuseOps", **context)


@pytest.mark.parametrize("use", [
    lambda passes: relayopt.run(MOD, passes, functions=["man"]),
    lambda passes: relayopt.report(MOD, passes, functions=["man"]),
    lambda passes: relayopt.transform.Sequential([relayopt.pipeline(passes)])(MOD, relayopt.transform.PassContext(functions=["man"])),
    *(lambda passes, tool=tool: in_context(tool, passes, functions=["man"])
      for tool in (relayopt.validate, relayopt.bisect, relayopt.reduce)),
])
def test_a_context_names_functions_that_there_are(use):
    with pytest.raises(relayopt.ArgumentError, match=r"functions: there is no function 'man' \(did you mean 'main'\?\)"):
        use("FuseOps")


def in_context(tool, passes, **context):
    with relayopt.transform.PassContext(**context):
        return tool(MOD, passes)


def test_a_context_may_name_a_function_that_a_pass_makes_or_removes():
    mod = relayopt.loads(TEXT + "def @main_1() { 1 + 2 }")
    two = ["RemoveUnusedFunctions", relay.transform.FoldConstant()]
    assert len(relayopt.run(mod, two, functions=["main_1"])) == 1
    again = relayopt.transform.module_pass(lambda mod, ctx: relayopt.IRModule({**mod.functions, "new": mod["main"]}), 0, "New")
    assert len(relayopt.run(MOD, [again, "FoldConstant"], functions=["new"])) == 2


def test_a_pass_that_runs_others_in_a_context_of_their_own_has_its_names_checked():
    outer = relayopt.transform.module_pass(lambda mod, ctx: relayopt.run(mod, "FuseOps", functions=["man"]), 0, "Outer")
    with pytest.raises(relayopt.ArgumentError, match="functions: there is no function 'man'"):
        relayopt.run(MOD, [outer], functions=["main"])


@pytest.mark.parametrize("inputs, error, words", [
    ({"x": np.zeros((5, 5), "float32")}, relayopt.error.ArgumentError, "parameter %x.*shape"),
    ({"x": np.zeros((1, 3))}, relayopt.error.ArgumentError, "parameter %x.*float64"),
    ({"nope": np.zeros(1)}, relayopt.error.ArgumentError, "%nope"),
    ({"x": "abc"}, TypeError, "parameter %x: "),
    ([np.zeros((1, 3), "float32")] * 3, ValueError, "3 inputs are given, and @main has 2 parameters"),
    ("x", TypeError, "not a str"),
    (3, TypeError, "not a int"),
])
@pytest.mark.parametrize("function", [
    lambda inputs: relayopt.equiv(MOD, MOD, inputs), lambda inputs: relayopt.validate(MOD, "FuseOps", inputs),
    lambda inputs: relayopt.bisect(MOD, "FuseOps", inputs=inputs), lambda inputs: relayopt.reduce(MOD, "FuseOps", inputs=inputs),
])
def test_inputs(function, inputs, error, words):
    with pytest.raises(error, match=words):
        function(inputs)


def test_inputs_may_come_in_order():
    assert relayopt.equiv(MOD, MOD, [np.ones((1, 3), "float32")]).outputs[0]["max_absolute"] == 0


def test_files(tmp_path):
    with pytest.raises(OSError, match="No such file or directory: '.*/none/x.relay'"):
        relayopt.save(MOD, tmp_path / "none" / "x.relay")
    with pytest.raises(TypeError, match="a format is the name of one, not a NoneType"):
        relayopt.dumps(MOD, None)
    with pytest.raises(TypeError, match="a pipeline is text, not a NoneType"):
        relayopt.pipeline(None)
    assert list(tmp_path.iterdir()) == []


def test_names_of_functions():
    mod = relayopt.loads(TEXT)
    for wrong in (3, None):
        with pytest.raises(TypeError, match="the name of a GlobalVar or a str, not of"):
            mod[wrong]
    with pytest.raises(ValueError, match='Cannot find global var "none"'):
        del mod["none"]
    del mod["main"]
    assert len(mod) == 0


def test_a_batch_goes_on_after_what_is_not_a_model(tmp_path):
    relayopt.save(MOD, tmp_path / "m.relay")
    result = relayopt.batch([MOD, tmp_path / "m.relay", 3, "no such model"], "FuseOps", processes=0)
    assert [item.ok for item in result.values()] == [True, True, False, False]
    assert "an IRModule is expected, not a int" in result["2"].error
    assert "No such file or directory: 'none.onnx'" in relayopt.batch(["none.onnx"], "FuseOps", processes=0)["none.onnx"].error
    assert list(relayopt.batch(str(tmp_path / "m.relay"), "FuseOps", processes=0).values())[0].ok
    with pytest.raises(TypeError, match="a pipeline as text, not a list"):
        relayopt.batch([MOD], ["FuseOps"])


def test_extents_may_be_numbers_of_numpy():
    mod = relayopt.loads(ONNX, shapes={"x": np.array([5, 3])}, opset=np.int64(18))
    assert str(mod["main"].params[0].checked_type) == "Tensor[(5, 3), float32]"


@pytest.mark.parametrize("index", [-1, 2**32, 2**40])
def test_fields_that_no_tuple_has(index):
    relay = relayopt.relay
    mod = relayopt.IRModule.from_expr(relay.TupleGetItem(relay.Tuple([relay.const(1)]), index))
    with pytest.raises(relayopt.DiagnosticError, match=f"no tuple has a field {index}"):
        relay.transform.InferType()(mod)


def test_inputs_of_a_graph_that_it_does_not_have():
    from relayopt.contrib.graph_executor import GraphModule

    module = GraphModule(relayopt.relay.build(MOD, target="llvm")["default"](relayopt.cpu()))
    for wrong in ("nope", 2, -1):
        with pytest.raises(RuntimeError, match=f"Could not find '{wrong}' in model's inputs"):
            module.get_input(wrong)
        with pytest.raises(RuntimeError, match=f"Could not find '{wrong}' in model's inputs"):
            module.set_input(wrong, np.zeros((1, 3), "float32"))
    assert module.get_input("x").shape == (1, 3)


@pytest.mark.parametrize("value", [2**70, [2**70], np.array([None])])
def test_numbers_that_no_tensor_holds(value):
    with pytest.raises(ValueError, match="an array of numbers is expected"):
        relayopt.nd.array(value)
    with pytest.raises((ValueError, OverflowError)):
        relayopt.relay.const(value)


@pytest.mark.parametrize("name, argument, words", [
    ("ChangeBatch", 3, "ChangeBatch: data must be a dict, not 3"),
    ("ConvertLayout", ["NHWC"], "ConvertLayout: desired_layouts must be a dict"),
    ("MergeComposite", {"a": 1}, "MergeComposite: a table of patterns is a list of"),
    ("MergeComposite", [1], "MergeComposite: a table of patterns is a list of"),
    ("PlanDevices", None, "PlanDevices: config must be what relayopt.target.make_compilation_config gives, not None"),
    ("CollagePartition", "x", "CollagePartition: config must be what relayopt.target.make_compilation_config gives, not 'x'"),
    ("InlineCompilerFunctionsBoundTo", [1], "global_vars must be a list of GlobalVar"),
    ("FlexibleShapeDispatch", ["a"], "invalid literal"),
])
def test_arguments_of_passes(name, argument, words):
    with pytest.raises((TypeError, ValueError), match=words):
        getattr(relayopt.relay.transform, name)(argument)


PATHS = [None, 3, True, 1.5, [], {}, object(), MOD]


@pytest.mark.parametrize("function", [
    relayopt.load, relayopt.load_params, relayopt.relay.load_param_dict_from_file, lambda path: relayopt.save(MOD, path),
    relayopt.report(MOD, "").save, relayopt.instrument.Trace().to_chrome,
    lambda path: relayopt.relay.save_param_dict_to_file({}, path),
])
def test_paths(function):
    # `open` takes numbers for open files, and closes them.
    for wrong in PATHS:
        with pytest.raises(TypeError, match="path is a str or an os.PathLike, not "):
            function(wrong)
    for wrong in ("x\0y", "\ud800"):
        with pytest.raises(ValueError, match="path (has a null character|is not Unicode text)"):
            function(wrong)


def test_paths_may_be_bytes(tmp_path):
    relayopt.save(MOD, str(tmp_path / "m.relay").encode())
    assert relayopt.equiv(relayopt.load(str(tmp_path / "m.relay").encode()), MOD)


@pytest.mark.parametrize("given, error, words", [
    ({"seed": "a"}, TypeError, "seed is a number, not 'a'"),
    ({"seed": -1}, ValueError, "seed is a number from 0 on, not -1"),
    ({"seed": 2**70}, ValueError, "seed is a number from 0 to"),
    ({"seed": 1.5}, TypeError, "seed is a number, not 1.5"),
    ({"sets": 0}, ValueError, "sets is a number from 1 to 1000000, not 0"),
    ({"sets": None}, TypeError, "sets is a number, not None"),
])
@pytest.mark.parametrize("function", [
    lambda **given: relayopt.equiv(MOD, MOD, **given), lambda **given: relayopt.validate(MOD, "FuseOps", **given),
    lambda **given: relayopt.bisect(MOD, "FuseOps", **given), lambda **given: relayopt.reduce(MOD, "FuseOps", **given),
])
def test_numbers(function, given, error, words):
    with pytest.raises(error, match=words):
        function(**given)


@pytest.mark.parametrize("call, error, words", [
    (lambda: relayopt.equiv(MOD, MOD, rtol="a"), TypeError, "rtol is a number, not 'a'"),
    (lambda: relayopt.equiv(MOD, MOD, atol=-1), ValueError, "atol is a number from 0 on, not -1"),
    (lambda: relayopt.equiv(MOD, MOD, atol=float("nan")), ValueError, "atol is a number from 0 on, not nan"),
    (lambda: relayopt.reduce(MOD, lambda mod: True, timeout=None), TypeError, "timeout is a number, not None"),
    (lambda: relayopt.report(MOD, "FuseOps", name=3), TypeError, "name is a str, not 3"),
    (lambda: relayopt.report(MOD, {}), TypeError, "list of Pass objects"),
    (lambda: relayopt.batch(3, "FuseOps"), TypeError, "models is a dict or a list of modules, texts and files, not 3"),
    (lambda: relayopt.batch([MOD], "FuseOps", processes="a"), TypeError, "processes is a number, not 'a'"),
    (lambda: relayopt.batch([MOD], "FuseOps", opt_level=None), TypeError, "opt_level is a number, not None"),
    (lambda: relayopt.batch([MOD], "FuseOps", target="nonsense"), ValueError, "nonsense"),
    (lambda: relayopt.print(MOD, file="x"), TypeError, "file is an open file, not 'x': relayopt.save writes to a path"),
    (lambda: relayopt.dumps(MOD, format=[]), TypeError, "a format is the name of one, not a list"),
    (lambda: relayopt.save(MOD, "/tmp/never.onnx", []), TypeError, r"format is the name of a format, not \[\]"),
    (lambda: relayopt.run(MOD, "\ud800"), ValueError, "a pipeline is not Unicode text"),
    (lambda: relayopt.run(MOD, "FuseOps", disabled_pass=3), TypeError, "disabled_pass is a list of names, not 3"),
    (lambda: relayopt.run(MOD, "FuseOps", instruments=3), TypeError, "instruments is a list of PassInstrument, not 3"),
    (lambda: relayopt.remarks(MOD, "FuseOps", instruments=3), TypeError, "instruments is a list of PassInstrument, not 3"),
    (lambda: MOD.graph().text(3), TypeError, "format is a str, not 3"),
    (lambda: MOD.graph().text("gif"), ValueError, "graphs are svg, dot, mermaid or json"),
    (lambda: 3 in MOD, TypeError, "the name of a GlobalVar or a str, not of int"),
    (lambda: MOD.get(None), TypeError, "the name of a GlobalVar or a str, not of NoneType"),
    (lambda: MOD.update(3), TypeError, "an IRModule is expected, not a int"),
    (lambda: MOD.with_attr(3, 4), TypeError, "attr_key is a str, not 3"),
    (lambda: relayopt.IRModule(None, 3), TypeError, "type_definitions is a dict by name, not 3"),
    (lambda: relayopt.IRModule(None, None, 3), TypeError, "attrs is a dict by name, not 3"),
    (lambda: relayopt.IRModule.from_expr([]), TypeError, r"expr is an expression or a function, not \[\]"),
    (lambda: relayopt.transform.Sequential([], name=[]), TypeError, r"name is the name of a pass, not \[\]"),
    (lambda: relayopt.relay.parse(3), TypeError, "source is a str, not 3"),
    (lambda: relayopt.relay.var("x", shape="ab"), TypeError, "the shape of a tensor is a sequence of extents, not 'ab'"),
    (lambda: relayopt.relay.var("x", shape=[None]), TypeError, "an extent is a number or an expression, not None"),
    (lambda: relayopt.relay.Function([None], relayopt.relay.const(1)), TypeError, "a list of variables"),
    (lambda: relayopt.relay.reshape(MOD["main"].body, "ab"), TypeError, "a number or a list of numbers is expected, not 'ab'"),
    (lambda: relayopt.relay.nn.max_pool2d(MOD["main"].body, strides=1.5), TypeError,
     "nn.max_pool2d: strides: a number or a list of numbers is expected, not 1.5"),
    (lambda: relayopt.relay.create_executor("debug", MOD, params=3), TypeError, "params is a dict of arrays by name, not 3"),
    (lambda: relayopt.relay.build(MOD, "llvm", params=[1]), TypeError, "params is a dict of arrays by name, not"),
    (lambda: relayopt.relay.frontend.from_onnx(ONNX, shape=3), TypeError, "shape is a dict by name, not 3"),
    (lambda: relayopt.relay.frontend.from_onnx(ONNX, shape={"x": 3}), TypeError, "shape of an input is a list of extents, not 3"),
    (lambda: relayopt.relay.frontend.from_onnx(ONNX, dtype=3), TypeError, "dtype is a data type, or a dict of them by name"),
    (lambda: relayopt.relay.build_module.bind_params_by_name(MOD, {}), TypeError, "func is a Function, not "),
    (lambda: relayopt.relay.dataflow_pattern.is_op([]), TypeError, "op_name is the name of an operator"),
    (lambda: relayopt.device(""), ValueError, "Unknown device type"),
])
def test_other_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("run", [
    lambda value: relay.create_executor("debug", MOD).evaluate()(value, np.zeros((1, 3), "float32")),
    lambda value: relay.create_executor("graph", MOD).evaluate()(value, np.zeros((1, 3), "float32")),
    lambda value: VirtualMachine(relay.vm.compile(MOD, "llvm"), relayopt.cpu()).invoke("main", value, np.zeros((1, 3), "float32")),
    lambda value: GraphModule(relay.build(MOD, "llvm")["default"](relayopt.cpu())).set_input("x", value),
])
@pytest.mark.parametrize("value", [None, "abc", object(), {"a": 1}, np.zeros((1, 3), "complex64"), np.array([1, 2], dtype=object)])
def test_values_that_are_no_tensors_are_errors_that_name_the_parameter(run, value):
    with pytest.raises((TypeError, ValueError), match="parameter %x: "):
        run(value)


@pytest.mark.parametrize("call, error, words", [
    (lambda x: relay.create_executor("debug", "mod"), TypeError, "an IRModule is expected, not a str"),
    (lambda x: VirtualMachine(relay.vm.compile(MOD, "llvm"), relayopt.cpu()).invoke(None), TypeError, "func_name is the name of a function"),
    (lambda x: relayopt.run(MOD, "FuseOps", functions="main"), TypeError, "functions is expected to be a list"),
    (lambda x: relayopt.run(MOD, "FuseOps", functions=3), TypeError, "functions is a list of names"),
    (lambda x: relayopt.run(MOD, "FuseOps", trace=3), TypeError, "trace is a function"),
    (lambda x: relay.Function(x, x), TypeError, "a list of variables"),
    (lambda x: relay.Tuple(3), relayopt.TVMError, "fields must be a sequence of RelayExpr, not int"),
    (lambda x: relay.TupleType(3), relayopt.TVMError, "fields must be a sequence of Type, not int"),
    (lambda x: relay.FuncType(3, None), relayopt.TVMError, "arg_types must be a sequence of Type, not int"),
    (lambda x: relay.TensorType((1.5,)), relayopt.TVMError, "shape must be a list of integers, but one is FloatImm"),
    (lambda x: relay.TensorType((2,), "floot"), relayopt.TVMError, "dtype must be a data type, not 'floot'"),
    (lambda x: relay.concatenate(3, 0), TypeError, "concatenate: data must be a Relay expression or a list of them, not 3"),
    (lambda x: relay.concatenate([x, 3], 0), TypeError, "concatenate: data must be"),
    (lambda x: relay.meshgrid(3), TypeError, "meshgrid: data must be"),
    (lambda x: relay.split(x, "a"), TypeError, "split: indices_or_sections: "),
    (lambda x: relay.split(x, [1.5]), TypeError, "split: indices_or_sections must be an integer, not 1.5"),
    (lambda x: relay.split(x, 0), ValueError, "split: indices_or_sections must be at least 1, not 0"),
    (lambda x: relay.zeros("a", "int8"), TypeError, "zeros: shape: "),
    (lambda x: relay.tile(x, "ab"), TypeError, "tile: reps: "),
    (lambda x: relay.strided_slice(x, "a", [1]), TypeError, "strided_slice: begin: "),
    (lambda x: relay.nn.pad(x, 3), TypeError, "nn.pad: pad_width must be a list of pairs, not 3"),
    (lambda x: relay.clip(x, None, 3), relayopt.TVMError, "a_min must be a float, not NoneType"),
])
def test_arguments_of_expressions_are_named(call, error, words):
    with pytest.raises(error, match=words):
        call(relay.var("x", shape=(1, 3)))


class Cluster:
    pass


X = relay.var("x", shape=(2, 3))
DENSE = relay.op.get("nn.dense")
ANY = relay.dataflow_pattern.wildcard()


@pytest.mark.parametrize("use, words", [
    # Neither true nor false.
    (lambda: relayopt.load("m.onnx", keep="no"), "keep is True or False, not 'no'"),
    (lambda: relayopt.loads(ONNX, freeze_params=None), "freeze_params is True or False, not None"),
    (lambda: relayopt.dumps(MOD, types=[]), r"types is True or False, not \[\]"),
    (lambda: relayopt.run(MOD, "FuseOps", strict_fp="no"), "strict_fp is True or False, not 'no'"),
    (lambda: relayopt.validate(MOD, "FuseOps", edges=2), "edges is True or False, not 2"),
    (lambda: MOD.graph("main"), "whole is True or False, not 'main'"),
    (lambda: relay.frontend.from_onnx(ONNX, freeze_params="a"), "freeze_params is True or False"),
    # Names that are none.
    (lambda: relayopt.run(MOD, "FuseOps", functions=[3]), "functions is a list of names, not 3"),
    (lambda: relayopt.equiv(MOD, MOD, {1: X}), "the name of an input is a str, not 1"),
    (lambda: MOD.get_attr(None), "attr_key is a str, not None"),
    (lambda: relayopt.ir.register_op_attr(None, "a", 1), "op_name is the name of an operator, not None"),
    (lambda: relay.frontend.from_onnx(ONNX, dtype={"x": 3}), "the data type of x is a str, not 3"),
    # Dicts that are none, or of something else.
    (lambda: MOD.with_attrs(3), "attr_map is a dict by name, not 3"),
    (lambda: relay.Function([X], X, attrs=3), "attrs is a dict by name, not 3"),
    (lambda: relay.bind(relay.Function([X], X), {"x": X}), "a key of binds is a variable, not 'x'"),
    (lambda: relay.bind(MOD, {}), "expr is an expression or a function"),
    (lambda: relay.build(MOD, "llvm", params=[]), r"params is a dict of arrays by name, not \[\]"),
    (lambda: relay.quantize.quantize(MOD, dataset="ab"), "dataset is a list of dicts of arrays by name, not 'ab'"),
    # Objects of another class.
    (lambda: relayopt.batch([MOD], "FuseOps", cluster=Cluster()), "cluster is a distributed.Client, not <"),
    (lambda: relayopt.pipeline("FuseOps")(MOD, 3), "ctx is a PassContext, not 3"),
    (lambda: relay.create_executor("vm", MOD, device="gpu"), "device is a Device, not 'gpu'"),
    (lambda: relayopt.runtime.load_param_dict(10**12), "param_bytes is bytes, not 1000000000000"),
    (lambda: relay.analysis.walk(None), "an object is expected, not None"),
    (lambda: ANY.match(None), "an object is expected, not None"),
    # Fields of nodes: passes and the printer trust them.
    (lambda: relay.Call(DENSE, [X, X], attrs=3), "relay.Call: attrs must be Attrs, not int"),
    (lambda: relay.Function([X], X, ret_type=3), "relay.Function: ret_type must be Type, not int"),
    (lambda: relay.Function([X], X, type_params=["a"]), "relay.Function: type_params must be a sequence of TypeVar"),
    (lambda: relay.FuncType([], relay.TupleType([]), type_constraints=[X]), "must be a sequence of TypeConstraint, but one is relay.Var"),
    # Patterns.
    (lambda: relay.dataflow_pattern.is_expr(None), "ExprPattern: expr is an expression, not None"),
    (lambda: relay.dataflow_pattern.is_var(3), "VarPattern: name is the name of a variable, not 3"),
    (lambda: relay.dataflow_pattern.has_type(None), "TypePattern: type is a type, not None"),
    (lambda: relay.dataflow_pattern.is_tuple_get_item(ANY, "a"), "TupleGetItemPattern: index is a number, not 'a'"),
    (lambda: ANY.has_shape(3), "shape is a list of extents, not 3"),
    (lambda: ANY.has_attr(3), "attrs is a dict by name, not 3"),
])
def test_arguments_of_another_type(use, words):
    with pytest.raises(TypeError, match=words):
        use()


@pytest.mark.parametrize("use, words", [
    (lambda: relayopt.loads(TEXT, format=""), "format is the name of a format, not ''"),
    (lambda: relayopt.run(MOD, "FuseOps", opt_level=2**40), "opt_level is a number from -2147483648 to 2147483647"),
    (lambda: relay.create_executor("vm", MOD, target="lvm"), "did you mean 'llvm'"),
    (lambda: relayopt.target.Target("\udc80"), "target is not Unicode text"),
])
def test_values_that_no_parameter_has(use, words):
    with pytest.raises(ValueError, match=words):
        use()


def test_an_attribute_that_no_program_has_is_an_error_and_not_a_crash():
    with pytest.raises(relayopt.DiagnosticError, match="an object of type IRModule cannot be an attribute"):
        str(MOD.with_attr("a", MOD))


def endless(kind):
    value = []
    value.append(kind(value) if kind is tuple else value)
    return value


def deep(depth=100_000):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("make", [lambda: endless(list), lambda: endless(tuple), lambda: {"a": endless(list)}, deep])
@pytest.mark.parametrize("use", [
    lambda value: relay.Call(relay.op.get("add"), [value]), lambda value: relay.Tuple([value]),
    lambda value: relay.TypeData(relay.GlobalTypeVar("L"), [value], []),
    lambda value: relayopt.equiv(MOD, MOD, {"x": value}),
])
def test_containers_that_hold_themselves_or_nest_without_end(use, make):
    with pytest.raises((RecursionError, ValueError, TypeError)):
        use(make())


@pytest.mark.parametrize("key", ["IRModule", "Map", "runtime.String", "runtime.NDArray", "tir.PrimFunc"])
def test_objects_that_are_not_made_of_fields(key):
    with pytest.raises(TypeError, match=f"an object of type {key} is not made from its fields"):
        relayopt.ir.make_node(key)


def test_a_function_has_parameters_and_a_body():
    with pytest.raises(ValueError, match="relay.Function: params is missing"):
        relayopt.ir.make_node("relay.Function")


def test_cases_of_what_is_not_a_match():
    with pytest.raises(TypeError, match="a Match is expected"):
        relay.analysis.unmatched_cases(MOD["main"])


def test_a_module_is_made_in_a_module():
    with pytest.raises(TypeError, match="an object of relayopt is expected"):
        relayopt.IRModule.__init__(object())


@pytest.mark.parametrize("key, words", [("tir.PrimFunc", "unknown type key tir.PrimFunc"), ("relay.Function", "params")])
def test_json_of_objects_that_are_not_their_fields(key, words):
    import json

    nodes = json.loads(relayopt.ir.save_json(relay.TensorType((1, 2))))
    place = next(i for i, node in enumerate(nodes["nodes"]) if node["type_key"] == "relay.TensorType")
    nodes["nodes"][place] = {"type_key": key, "attrs": {}}
    with pytest.raises(relayopt.DiagnosticError, match=words):
        relayopt.ir.load_json(json.dumps(nodes))
