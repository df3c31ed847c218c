"""What pickles keep: processes and caches give back what they were given."""

import copy
import pickle

import pytest

import relayopt
from relayopt import relay

RELAY = """#[version = "0.0.5"]
type Box { Two(Tensor[(2), float32], Tensor[(2), float32]) }
def @f(%a: Tensor[(2), float32]) { exp(%a) }
def @main(%x: Tensor[(2), float32]) { let %y = @f(%x); add(%y, multiply(%y, 2f)) }"""
TENSOR = """@T.prim_func
def half(A: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = i // 2
"""


def again(value):
    return pickle.loads(pickle.dumps(value))


def tensor_and_relay():
    mod = relayopt.loads(TENSOR, "half.py")
    mod["main"] = relay.Function([x := relay.var("x", shape=(2,))], relay.nn.relu(x))
    return relay.transform.InferType()(mod.with_attr("runtime", "c"))


def test_modules_keep_types_spans_and_type_definitions():
    mod = relayopt.loads(RELAY, "box.relay")
    made = again(mod)
    assert relayopt.ir.structural_equal(made, mod)
    assert made["main"].body.value.checked_type == relay.TensorType((2,))
    assert (made["main"].body.span.line, made["main"].body.span.source_name.name) == (4, "box.relay")
    assert [str(each) for each in made.get_type("Box")] == [str(each) for each in mod.get_type("Box")]
    parsed = relay.parse(RELAY)
    assert again(parsed).source_map.source_map.keys() == parsed.source_map.source_map.keys()


def test_modules_without_types_stay_without():
    mod = relayopt.IRModule.from_expr(relay.nn.relu(relay.var("x", shape=(2,))))
    with pytest.raises(ValueError, match="checked_type"):
        again(mod)["main"].body.checked_type
    assert str(again(mod)) == str(mod)


def test_modules_keep_virtual_devices():
    device = relayopt.target.VirtualDevice(relayopt.cpu(1))
    x = relay.VarWithFields(relay.var("x", shape=(2,)), virtual_device=device)
    assert again(relayopt.IRModule.from_expr(relay.Function([x], x)))["main"].params[0].virtual_device_ == device


def test_modules_keep_tensor_programs_beside_relay():
    mod = tensor_and_relay()
    made = again(mod)
    assert str(made) == str(mod)
    assert made["half"].script() == mod["half"].script()
    assert made["main"].body.checked_type == relay.TensorType((2,))
    assert made.attrs["runtime"] == "c"
    # It is a module as any other.
    assert "A[i] = i // 2" in relayopt.run(made, "tir.Simplify")["half"].script()


def test_tensor_programs_go_into_other_modules():
    mod, other = relayopt.loads(RELAY), relayopt.loads(TENSOR, "half.py")
    mod["third"] = other["half"]
    mod.update(other)
    assert mod["third"].script() == other["half"].script()
    assert str(again(mod)).count("A[i] = i // 2") == 2


def test_preludes_are_not_imported_twice():
    mod = relayopt.IRModule()
    mod.import_from_std("core.rly")
    made = again(mod)
    names = [gv.name_hint for gv in made.get_global_vars()]
    made.import_from_std("core.rly")
    assert [gv.name_hint for gv in made.get_global_vars()] == names


def test_functions_of_a_module():
    mod = tensor_and_relay()
    assert again(mod["half"]).script() == mod["half"].script()
    assert again(mod["main"]).body.checked_type == relay.TensorType((2,))


def test_copies_have_types():
    mod = relayopt.loads(RELAY)
    for made in (copy.copy(mod), copy.deepcopy(mod)):
        assert made["main"].body.value.checked_type == relay.TensorType((2,))


def _diagnostic_error():
    with pytest.raises(relayopt.DiagnosticError) as raised:
        relayopt.loads(RELAY.replace("@f(%x)", "@g(%x)"), "box.relay")
    return raised.value


def test_errors_keep_their_diagnostics():
    error = _diagnostic_error()
    made = again(error)
    assert type(made) is type(error) and str(made) == str(error) and made.kind == error.kind
    assert [repr(each) for each in made.diagnostics] == [repr(each) for each in error.diagnostics]


def test_answers():
    mod = relayopt.loads(RELAY)
    answers = [relayopt.summary(mod), relayopt.diff(mod, mod), relayopt.equiv(mod, mod), relayopt.overview(mod, "FuseOps"),
               relayopt.report(mod, "FuseOps"), relayopt.validate(mod, "FuseOps"), *relayopt.remarks(mod, "FuseOps"),
               relayopt.statistics(mod, "FuseOps"), relayopt.batch([mod], "FuseOps", processes=0)]
    for answer in answers:
        assert repr(again(answer)) == repr(answer)


@pytest.mark.parametrize("made", [
    lambda: relay.transform.FuseOps(fuse_opt_level=2), lambda: relayopt.pipeline("FoldConstant,FuseOps"),
    lambda: relayopt.transform.Sequential([relay.transform.FuseOps(), relay.transform.FoldConstant()]),
], ids=["pass", "pipeline", "sequential"])
def test_passes(made):
    mod = relayopt.loads(RELAY)
    assert str(again(made())(mod)) == str(made()(mod))


def exp_to_tanh(mod, ctx):
    return relay.parse(mod.astext().replace("exp", "tanh"))


def test_passes_of_python_with_functions_that_can_be_pickled():
    made = again(relayopt.transform.module_pass(exp_to_tanh, opt_level=1))
    assert (made.info.name, made.info.opt_level) == ("exp_to_tanh", 1)
    assert "tanh" in str(relayopt.transform.Sequential([made])(relayopt.loads(RELAY)))
