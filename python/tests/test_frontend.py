"""Importing ONNX models."""

import numpy as np
import pytest

import relayopt
from relayopt import relay


def _field(number, payload):
    """A field of a message of protocol buffers: bytes or an integer."""
    if isinstance(payload, int):
        return _varint(number << 3) + _varint(payload)
    return _varint(number << 3 | 2) + _varint(len(payload)) + payload


def _varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


FLOAT = 1


def _value(name, shape):
    dims = b"".join(_field(1, _field(1, n) if isinstance(n, int) else _field(2, n.encode())) for n in shape)
    return _field(1, name.encode()) + _field(2, _field(1, _field(1, FLOAT) + _field(2, dims)))


def _model(op="MatMul", domain=""):
    """y = op(x, w), where w is a weight."""
    weight = np.arange(6, dtype="float32").reshape(3, 2)
    node = _field(1, b"x") + _field(1, b"w") + _field(2, b"y") + _field(4, op.encode()) + _field(7, domain.encode())
    tensor = _field(1, 3) + _field(1, 2) + _field(2, FLOAT) + _field(8, b"w") + _field(9, weight.tobytes())
    graph = _field(1, node) + _field(2, b"g") + _field(5, tensor) + _field(11, _value("x", ("n", 3))) + _field(12, _value("y", ("n", 2)))
    return _field(1, 8) + _field(8, _field(2, 17)) + _field(7, graph), weight


def test_weights_are_constants_when_they_are_frozen():
    model, weight = _model()
    mod, params = relay.frontend.from_onnx(model, shape={"x": (4, 3)})
    assert params == {}
    assert [str(param.checked_type) for param in mod["main"].params] == ["Tensor[(4, 3), float32]"]
    data = np.ones((4, 3), "float32")
    run = relay.create_executor("debug", mod).evaluate()
    np.testing.assert_allclose(run(data).numpy(), data @ weight)


def test_weights_are_parameters_otherwise():
    model, weight = _model()
    mod, params = relay.frontend.from_onnx(model, shape={"x": (4, 3)}, freeze_params=False)
    assert [param.name_hint for param in mod["main"].params] == ["x", "w"]
    np.testing.assert_array_equal(params["w"].numpy(), weight)


def test_unknown_extents_stay_unknown():
    model, _ = _model()
    mod, _ = relay.frontend.from_onnx(model, shape={"x": (relay.Any(), 3)})
    assert str(mod["main"].params[0].checked_type) == "Tensor[(?, 3), float32]"


def test_objects_that_can_be_serialized_are_models():
    class Model:
        def SerializeToString(self):
            return _model()[0]

    assert "nn.dense" in str(relay.frontend.from_onnx(Model(), shape={"x": (4, 3)})[0])
    with pytest.raises(TypeError, match="must be an onnx.ModelProto or its bytes, not str"):
        relay.frontend.from_onnx("model.onnx")


def test_operators_that_relay_lacks_are_named():
    model, _ = _model("NoSuchOperator")
    with pytest.raises(relayopt.DiagnosticError, match="NoSuchOperator"):
        relay.frontend.from_onnx(model)


def test_options_that_nothing_heeds_are_errors():
    model, _ = _model()
    with pytest.raises(ValueError, match="convert_config has no key 'use_nt'"):
        relay.frontend.from_onnx(model, convert_config={"use_nt": True})
    with pytest.raises(NotImplementedError, match="from_pytorch: relayopt reads"):
        relay.frontend.from_pytorch(None)


def test_nodes_that_are_kept_become_onnx_again():
    node = _field(1, b"x") + _field(2, b"y") + _field(4, b"Mish")
    graph = _field(1, node) + _field(2, b"g") + _field(11, _value("x", (2, 3))) + _field(12, _value("y", (2, 3)))
    model = _field(1, 8) + _field(8, _field(2, 18)) + _field(7, graph)
    kept, expanded = relayopt.loads(model, keep=True), relayopt.loads(model)
    assert kept["main"].body.op.name == "onnx.Mish" and "onnx." not in str(expanded)
    assert relayopt.equiv(kept, expanded)
    assert relayopt.summary(kept)["total"] and kept.graph().text("json") and "onnx.Mish" in kept._repr_html_()
    optimized = relayopt.run(kept, "default<onnx>")
    assert b"Mish" in relayopt.dumps(optimized, "onnx")
    assert relayopt.ir.structural_equal(relayopt.loads(relayopt.dumps(optimized)), optimized)
