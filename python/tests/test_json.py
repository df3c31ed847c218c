"""Graph JSON and parameter files: the reference's bytes."""

import struct

import numpy as np
import pytest

import relayopt
from relayopt import relay
from relayopt.ir import load_json, save_json
from relayopt.runtime import params

ARRAY = """{
  "root": 1, 
  "nodes": [
    {
      "type_key": ""
    }, 
    {
      "type_key": "Array", 
      "data": [2, 3, 0]
    }, 
    {
      "type_key": "runtime.String", 
      "repr_str": "a\\"b"
    }, 
    {
      "type_key": "IntImm", 
      "attrs": {
        "dtype": "int32", 
        "span": "0", 
        "value": "-7"
      }
    }
  ], 
  "b64ndarrays": [], 
  "attrs": {"tvm_version": "0.15.0"}
}"""


def network():
    x = relay.var("x", shape=(1, 3, 8, 8))
    w = relay.const(np.ones((4, 3, 3, 3), "float32"))
    y = relay.nn.max_pool2d(relay.nn.conv2d(x, w, padding=(1, 1)), pool_size=(2, 2))
    v = relay.var("v")
    body = relay.Let(v, y, relay.If(relay.const(True), relay.Tuple([v, y]), relay.Tuple([y, v])))
    return relayopt.IRModule.from_expr(relay.Function([x], body).with_attr("global_symbol", "main"))


def test_containers_have_the_reference_layout():
    value = load_json(ARRAY)
    assert [str(value[0]), int(value[1]), value[2]] == ['a"b', -7, None]
    assert save_json(value) == ARRAY


def test_text_that_does_not_print_is_counted_bytes():
    text = save_json(relayopt.runtime.convert(["a\nb"]))
    assert '"repr_b64": "AwAAAAAAAABhCmI="' in text
    assert str(load_json(text)[0]) == "a\nb"


@pytest.mark.parametrize("typed", [False, True])
def test_a_module_comes_back_and_is_written_the_same(typed):
    mod = network()
    if typed:
        mod = relay.transform.InferType()(mod)
    text = save_json(mod)
    back = load_json(text)
    assert relayopt.ir.structural_equal(mod, back)
    assert save_json(back) == text


def test_sharing_is_kept():
    x = relay.var("x", shape=(2,))
    y = relay.exp(x)
    back = load_json(save_json(relay.Tuple([y, y])))
    assert back.fields[0] is back.fields[1]


def test_a_constant_names_its_tensor():
    text = save_json(relay.const(np.arange(3, dtype="int32")))
    assert '"data": "0"' in text and "runtime.NDArray" not in text
    assert load_json(text).data.numpy().tolist() == [0, 1, 2]



def test_a_long_chain_is_written_and_read():
    x = y = relay.var("x", shape=(2,))
    for _ in range(5000):
        y = relay.exp(y)
    function = relay.Function([x], y)
    assert relayopt.ir.structural_equal(load_json(save_json(function)), function)


def test_what_is_no_graph_is_an_error():
    with pytest.raises(ValueError):
        load_json("{")
    with pytest.raises(ValueError, match="unknown type key"):
        load_json('{"root": 1, "nodes": [{"type_key": ""}, {"type_key": "no.Such"}]}')


def test_parameters_are_written_as_the_reference_lays_them_out():
    data = params.save_param_dict({"w": relayopt.nd.array(np.array([1.5], "float32"))})
    expected = struct.pack("<QQ", 0xF7E58D4F05049CB7, 0) + struct.pack("<QQ", 1, 1) + b"w" + struct.pack("<Q", 1)
    expected += struct.pack("<QQii", 0xDD5E40F096B4A13F, 0, 1, 0) + struct.pack("<iBBH", 1, 2, 32, 1)
    expected += struct.pack("<qqf", 1, 4, 1.5)
    assert bytes(data) == expected
    assert params.load_param_dict(data)["w"].numpy().tolist() == [1.5]


def test_records_that_python_declares_come_back_as_they_were():
    record = relayopt.ir.make_node("attrs.TestAttrs", name="ours", padding=(3, 4))
    text = save_json(record)
    assert '"axis": "10"' in text
    again = load_json(text)
    assert again.axis == 10 and type(again.axis) is int
    relayopt.ir.assert_structural_equal(again, record)


def test_records_that_are_read_from_text_have_what_the_text_leaves_out():
    mod = relay.parse("""#[version = "0.0.5"]
    def @main(%x: int32) { %0 = fn (%y: int32) { %y }; %0(%x, name="ours", attrs_type_key="attrs.TestAttrs") }""")
    wanted = relayopt.ir.make_node("attrs.TestAttrs", name="ours")
    relayopt.ir.assert_structural_equal(mod["main"].body.attrs, wanted)
