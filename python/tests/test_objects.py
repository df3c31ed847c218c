import numpy as np
import pytest

import relayopt
from relayopt import relay
from relayopt.ir.transform import PassContext


def test_values_of_python_pass_through_functions_as_they_are():
    same = relayopt.convert(lambda value: value)
    for value in (relayopt.target.Target("llvm"), relayopt.cpu(0), PassContext(), relay.transform.FoldConstant()):
        assert same(value) is value and relayopt.convert([value])[0] is value
    assert same(b"\xff\x00") == bytearray(b"\xff\x00")
    made = relayopt.get_global_func("relay._transform.FoldConstant")()
    assert made.info.name == "FoldConstant"


def test_update_takes_the_names_of_the_module_that_is_updated():
    mine, theirs = relayopt.IRModule(), relay.GlobalVar("f")
    mine["f"] = relay.Function([], relay.const(1))
    mine.update({theirs: relay.Function([], relay.const(2)), relay.GlobalVar("main"): relay.Function([], theirs())})
    assert mine["main"].body.op is mine.get_global_var("f") and mine["f"].body.data.numpy() == 2


def test_texts_of_modules_are_annotated():
    mod = relay.parse('#[version = "0.0.5"] def @main(%x: int32) { %x + 1 }')
    text = mod.astext(annotate=lambda call: f"  /* {call.op.name} here */")
    assert "/* add here */" in text


def test_binding_works_on_deep_chains():
    x = deep = relay.var("x")
    for _ in range(20000):
        deep = relay.negative(deep)
    bound = relay.bind(relay.Function([x], deep), {x: relay.const(1.0)})
    assert not bound.params


def test_mixed_mode_rewrites_deep_chains_and_keeps_what_stays():
    class Reversed(relay.MixedModeMutator):
        def rewrite_tuple(self, pre, post):
            return relay.Tuple(list(post.fields)[::-1])

    x, y = relay.var("x"), relay.var("y")
    deep = relay.TupleGetItem(relay.Tuple([x, y]), 0)
    for _ in range(5000):
        deep = relay.negative(deep)
    made = Reversed().visit(deep)
    assert list(relay.analysis.free_vars(made)) == [y, x]
    assert relay.MixedModeMutator().visit(deep) is deep


@pytest.mark.parametrize("ending, magic", [("gz", b"\x1f\x8b"), ("xz", b"\xfd7zXZ"), ("zst", b"\x28\xb5\x2f\xfd")])
@pytest.mark.parametrize("name", ["m.relay", "m.onnx", "m.json"])
def test_files_may_be_compressed(tmp_path, name, ending, magic):
    x = relay.var("x", shape=(2,))
    mod = relay.transform.InferType()(relayopt.IRModule.from_expr(relay.Function([x], relay.nn.relu(x))))
    relayopt.save(mod, tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"{name}.{ending}").read_bytes().startswith(magic)
    relayopt.ir.assert_structural_equal(relayopt.load(tmp_path / f"{name}.{ending}"), mod)
    assert relayopt.batch([tmp_path / f"{name}.{ending}"], "FuseOps", processes=0).failed == []


def test_files_of_modules_and_parameters(tmp_path):
    mod = relay.transform.InferType()(relayopt.IRModule.from_expr(relay.nn.relu(relay.const([1.0, -1.0]))))
    for name in ("m.relay", "m.json"):
        relayopt.save(mod, tmp_path / name)
        assert relayopt.ir.structural_equal(relayopt.load(tmp_path / name), mod)
    with pytest.raises(TypeError, match="an IRModule is saved, not a Function"):
        relayopt.save(mod["main"], tmp_path / "m.relay")
    np.savez(tmp_path / "p.npz", w=np.ones(3))
    assert relayopt.load_params(tmp_path / "p.npz")["w"].shape == (3,)
    data = relay.save_param_dict({"w": np.ones(3, "int8")})
    (tmp_path / "p.params").write_bytes(data)
    assert relayopt.load_params(tmp_path / "p.params")["w"].dtype == "int8"
    with pytest.raises(ValueError, match="the parameter file is"):
        relay.load_param_dict(data[:30])


def test_functions_are_found_by_the_names_of_the_reference():
    call = relay.nn.relu(relay.var("x"))
    get = relayopt.get_global_func
    assert get("node.StructuralEqual")(call, get("node.LoadJSON")(get("node.SaveJSON")(call)), False, True)
    assert get("node.NodeGetAttr")(call, "op").name == "nn.relu"
    names = get("node.NodeListAttrNames")(call)
    assert [names(i) for i in range(names(-1))][:2] == ["op", "args"] or "op" in [names(i) for i in range(names(-1))]
    assert get("target.TargetCurrent")(True) is None
    assert get("relay.parser.ParseModule")("text", '#[version = "0.0.5"] def @f() { 1 }')["f"].body.data.numpy() == 1


def test_values_of_programs_show_themselves():
    mod = relayopt.IRModule()
    relay.Prelude(mod)
    _, cons, nil = mod.get_type("List")
    one = relay.testing.run_as_python(cons(relay.Tuple([relay.const(1)]), nil()), mod)
    assert repr(one) == "Cons((array(1, dtype=int32)), Nil)"
    with pytest.raises(NotImplementedError, match="run_as_python"):
        relay.testing.to_python(relay.const(1))


def test_common_mistakes_are_told_what_to_do():
    x = relay.var("x", shape=(2,))
    mod = relayopt.IRModule.from_expr(relay.nn.relu(x))
    transform = relay.transform

    def refused(call, words):
        with pytest.raises((TypeError, ValueError, AttributeError), match=words):
            call()

    refused(lambda: relay.nn.relu(np.zeros(2)), "data must be a Relay expression, not ndarray")
    refused(lambda: transform.FoldConstant(mod), r"FoldConstant\(\)\(mod\)")
    refused(lambda: transform.Sequential([transform.FoldConstant]), r"made by FoldConstant\(\)")
    refused(lambda: PassContext(instruments=[relayopt.instrument.Verify]), r"made by Verify\(\)")
    refused(lambda: relay.var("x", shape=3), r"\(3,\)")
    refused(lambda: relayopt.IRModule(x), "IRModule.from_expr")
    refused(lambda: relay.op.get("nn.con2d"), "did you mean 'nn.conv2d'")
    refused(lambda: transform.ConvertLayout({"nn.conv2d": "NHWC"}), "a list of layouts")
    refused(lambda: transform.MergeComposite("dnnl"), r"get_pattern_table\('dnnl'\)")
    refused(lambda: relay.dataflow_pattern.rewrite(lambda *_: x, x), "DFPatternCallback objects, not function")
    refused(lambda: relayopt.ir.load_json("{}"), "the section has no .root.")


def test_graph_modules_say_what_is_missing():
    from relayopt.contrib.graph_executor import GraphModule

    built = relay.build(relayopt.IRModule.from_expr(relay.nn.relu(relay.var("x", shape=(2,)))), "llvm")
    module = GraphModule(built["default"](relayopt.cpu()))
    with pytest.raises(RuntimeError, match="Could not find 'y' in model's inputs"):
        module.set_input("y", np.zeros(2))
    with pytest.raises(RuntimeError, match=r"run\(\) computes them"):
        module.get_output(0)


def test_the_registry_knows_the_functions_of_the_library():
    names = relayopt.runtime.packed_func.list_global_func_names()
    assert len(names) > 600 and names == sorted(names)
    assert {"relay._transform.FoldConstant", "node.SaveJSON", "relay.op.nn._make.conv2d", "ir.save_json"} <= set(names)
    assert all(relayopt.get_global_func(name) is not None for name in names)


def test_functions_of_a_prefix_become_attributes_of_a_module():
    import sys
    import types

    sys.modules["test_api"] = module = types.ModuleType("test_api")
    relayopt.register_func("test_prefix.one", lambda: 1, override=True)
    relayopt.register_func("test_prefix.deeper.two", lambda: 2, override=True)
    relayopt._ffi._init_api("test_prefix", "test_api")
    relayopt._ffi._init_api("tvm.relay._transform", "test_api")
    assert module.one() == 1 and not hasattr(module, "deeper") and str(module.FoldConstant().info.name) == "FoldConstant"
    for name in ("test_prefix.one", "test_prefix.deeper.two"):
        relayopt.runtime.packed_func.remove_global_func(name)
        assert relayopt.get_global_func(name, allow_missing=True) is None


def test_an_object_that_is_moved_has_no_handle():
    array = relayopt.runtime.convert([1, 2])
    assert array.handle != array.handle and array.handle.value == array.handle.value
    same = relayopt.runtime.convert(lambda x: x)(array._move())
    assert len(same) == 2 and array.handle.value is None
    with pytest.raises(TypeError, match="moved already"):
        array._move()


def test_a_class_gives_way_to_its_subclasses_only():
    from relayopt._ffi import Object, class_of, register_object

    first = register_object("test.Replaced")(type("First", (Object,), {}))
    second = register_object("test.Replaced")(type("Second", (first,), {}))
    assert class_of("test.Replaced") is second
    with pytest.raises(ValueError, match="test.Replaced has the class Second already, of which Third is not a subclass"):
        register_object("test.Replaced")(type("Third", (Object,), {}))
    assert class_of("test.Replaced") is second


def cycle_is_collected(tie):
    import gc
    import weakref

    class Holder:
        pass

    holder = Holder()
    seen = weakref.ref(holder)
    tie(holder)
    del holder
    gc.collect()
    return seen() is None


def test_cycles_through_functions_are_collected():
    def as_attribute(holder):
        holder.function = relayopt.convert(lambda: holder)

    def in_a_list(holder):
        holder.functions = [relayopt.convert(lambda: holder)]

    def by_its_own_attribute(holder):
        function = relayopt.convert(lambda: holder)
        function.extra = holder

    for tie in (as_attribute, in_a_list, by_its_own_attribute):
        assert cycle_is_collected(tie)


def test_what_the_registry_holds_is_not_collected():
    def register(holder):
        relayopt.register_func("test.held", lambda: 7 if holder else 0, override=True)

    assert not cycle_is_collected(register)
    assert relayopt.get_global_func("test.held")() == 7
    relayopt.runtime.packed_func.remove_global_func("test.held")


def test_programs_that_keep_an_error_of_a_function_end_without_a_leak():
    import subprocess
    import sys

    program = """
import relayopt
error = KeyError("kept")
def fails():
    raise error
target = relayopt.target.Target("llvm")
try:
    relayopt.convert(lambda: relayopt.convert(fails)())()
except KeyError:
    pass
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
