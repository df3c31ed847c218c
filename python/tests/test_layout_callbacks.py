"""Layout rules registered in Python, and what layout passes do with annotations of quantization."""

import pytest

import relayopt
from relayopt import relay
from relayopt.relay import transform
from relayopt.relay.op import op as reg
from relayopt.relay.quantize._annotate import QAnnotateKind, attach_simulated_quantize
from relayopt.relay.testing.temp_op_attr import TempOpAttr
from relayopt.relay.transform.infer_layout_utils import InferCorrectLayoutOutput


def convolution(layout="NCHW"):
    x = relay.var("x", shape=(1, 16, 8, 8) if layout == "NCHW" else (1, 8, 8, 16))
    w = relay.var("w", shape=(16, 16, 3, 3) if layout == "NCHW" else (3, 3, 16, 16))
    return relay.nn.conv2d(x, w, channels=16, kernel_size=(3, 3), padding=(1, 1), data_layout=layout,
                           kernel_layout="OIHW" if layout == "NCHW" else "HWIO")


def converted(expr, layouts=("NHWC", "default")):
    mod = relayopt.IRModule.from_expr(relay.Function(relay.analysis.free_vars(expr), expr))
    return transform.ConvertLayout({"nn.conv2d": list(layouts)})(mod)


def operators(mod):
    return [call.op.name for call in relay.analysis.walk(mod["main"].body) if isinstance(call, relay.Call)]


def test_a_layout_rule_in_python_is_asked_before_and_after():
    asked = []

    def rule(attrs, new_in_layouts, old_in_layouts, old_in_types):
        asked.append(([str(layout) for layout in new_in_layouts], [str(layout) for layout in old_in_layouts],
                      [typ.concrete_shape for typ in old_in_types]))
        layout = new_in_layouts[0] if new_in_layouts else old_in_layouts[0]
        return InferCorrectLayoutOutput([layout], [layout], attrs)

    with TempOpAttr("nn.softmax", "FInferCorrectLayout", rule):
        # The operator's own rule would move its operand back.
        assert operators(converted(relay.nn.softmax(convolution(), axis=0)))[-2:] == ["nn.softmax", "layout_transform"]
    assert asked == [([], ["NCHW"], [(1, 16, 8, 8)]), (["NHWC"], ["NCHW"], [(1, 16, 8, 8)])]
    assert operators(converted(relay.nn.softmax(convolution(), axis=0)))[-2:] == ["layout_transform", "nn.softmax"]


def test_a_layout_rule_changes_attributes():
    def rule(attrs, new_in_layouts, old_in_layouts, old_in_types):
        layout = str((new_in_layouts or old_in_layouts)[0])
        return InferCorrectLayoutOutput([layout], [layout], relayopt.ir.make_node(attrs.type_key, axis=layout.index("C")))

    with TempOpAttr("nn.softmax", "FInferCorrectLayout", rule):
        mod = converted(relay.nn.softmax(convolution(), axis=1))
    softmax, = [call for call in relay.analysis.walk(mod["main"].body) if isinstance(call, relay.Call) and call.op.name == "nn.softmax"]
    assert softmax.attrs.axis == 3


@pytest.mark.parametrize("answer, error, text", [
    (lambda *_: None, TypeError, "FInferCorrectLayout of nn.relu must return an InferCorrectLayoutOutput, not NoneType"),
    (lambda *_: 1 / 0, ZeroDivisionError, "division by zero"),
])
def test_a_layout_rule_that_fails_is_heard_of(answer, error, text):
    with TempOpAttr("nn.relu", "FInferCorrectLayout", answer):
        with pytest.raises(error, match=text):
            converted(relay.nn.relu(convolution()))


def test_a_rule_that_knows_no_layout_keeps_the_call():
    def rule(attrs, new_in_layouts, old_in_layouts, old_in_types):
        return InferCorrectLayoutOutput([""], [""], attrs)

    with TempOpAttr("nn.relu", "FInferCorrectLayout", rule):
        assert operators(converted(relay.nn.relu(convolution())))[-2:] == ["layout_transform", "nn.relu"]


def test_the_registration_of_layout_rules():
    reg.register_infer_correct_layout("nn.relu", lambda attrs, *_: 1 / 0, level=15)
    try:
        with pytest.raises(ZeroDivisionError):
            converted(relay.nn.relu(convolution("NHWC")), ["NCHW", "default"])
    finally:
        relay.op.get("nn.relu").reset_attr("FInferCorrectLayout")
    converted(relay.nn.relu(convolution("NHWC")), ["NCHW", "default"])


def test_simulated_quantization_takes_any_layout():
    y = attach_simulated_quantize(convolution(), QAnnotateKind.INPUT)
    assert attach_simulated_quantize(y, QAnnotateKind.INPUT) is y
    assert (y.attrs.kind, y.attrs.sign, y.attrs.rounding) == (1, True, "round")
    assert [arg.name_hint for arg in y.args[1:]] == ["dom_scale", "clip_min", "clip_max"]
    twice = attach_simulated_quantize(y, QAnnotateKind.ACTIVATION)
    assert twice.args[0] is y and twice.attrs.kind == 3
    assert operators(converted(relay.nn.relu(y)))[-4:] == [
        "nn.conv2d", "relay.op.annotation.simulated_quantize", "nn.relu", "layout_transform"]


def test_two_classes_of_attributes_may_have_the_same_key():
    x = relay.var("x", shape=(2,))
    of_qnn = relay.qnn.op.simulated_quantize(x, relay.const(1.0), relay.const(0), axis=0)
    of_quantization = attach_simulated_quantize(x, QAnnotateKind.WEIGHT, sign=False)
    for call, fields in ((of_qnn, {"axis": 0}), (of_quantization, {"kind": 2, "sign": False, "rounding": "round"})):
        again = relayopt.ir.load_json(relayopt.ir.save_json(call))
        parsed = relay.parse(relayopt.IRModule.from_expr(call).astext())["main"].body
        for each in (call, again, parsed):
            assert {name: getattr(each.attrs, name) for name in each.attrs.keys()} == fields
        assert '"relay.attrs.SimulatedQuantizeAttrs"' in relayopt.ir.save_json(call)
