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
