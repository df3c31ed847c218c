"""Graph JSON and parameter files: TVM's bytes."""

import json
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


def old_graph(root, *nodes, version="0.6.0"):
    return json.dumps({"root": root, "nodes": [{"type_key": ""}, *nodes], "attrs": {"tvm_version": version}, "b64ndarrays": []})


@pytest.mark.parametrize("key, cls", [("relay.TypeVar", relayopt.ir.TypeVar), ("relay.GlobalTypeVar", relayopt.ir.GlobalTypeVar)])
@pytest.mark.parametrize("first", [True, False])
def test_type_variables_of_old_graphs_are_named_by_a_variable(key, cls, first):
    variable = {"type_key": "Variable", "attrs": {"dtype": "int32", "name": "in0"}}
    nodes = [{"type_key": key, "attrs": {"kind": "0", "span": "0", "var": "1" if first else "2"}}, variable]
    made = load_json(old_graph(2 if first else 1, *(reversed(nodes) if first else nodes)))
    assert isinstance(made, cls) and made.name_hint == "in0"


def test_texts_of_old_graphs_are_nodes_now():
    var = load_json(old_graph(
        1, {"type_key": "relay.Var", "attrs": {"checked_type_": "0", "span": "0", "type_annotation": "3", "vid": "2"}},
        {"type_key": "relay.Id", "attrs": {"name_hint": "a3"}},
        {"type_key": "relay.TensorType", "attrs": {"dtype": "float32", "shape": "4", "span": "0"}},
        {"type_key": "Array", "data": [5, 5]}, {"type_key": "IntImm", "attrs": {"dtype": "int32", "value": "16", "span": "0"}}))
    assert var.name_hint == "a3" and str(var.type_annotation) == "Tensor[(16, 16), float32]"
    for key, cls in (("relay.GlobalVar", relayopt.ir.GlobalVar), ("GlobalVar", relayopt.ir.GlobalVar)):
        made = load_json(old_graph(1, {"type_key": key, "attrs": {"checked_type_": "0", "name_hint": "x", "span": "0"}}))
        assert isinstance(made, cls) and made.name_hint == "x"
    for key, cls in (("Variable", relayopt.tir.Var), ("SizeVar", relayopt.tir.SizeVar)):
        made = load_json(old_graph(1, {"type_key": key, "attrs": {"dtype": "int32", "name": "n", "span": "0"}}))
        assert isinstance(made, cls) and made.name == "n"


def test_classes_of_old_graphs_have_new_names():
    assert load_json(old_graph(1, {"type_key": "relay.Op", "global_key": "nn.conv2d"})) == relay.op.get("nn.conv2d")
    assert isinstance(load_json(old_graph(1, {"type_key": "relay.IncompleteType", "attrs": {"kind": "0", "span": "0"}})),
                      relayopt.ir.IncompleteType)
    function = load_json(old_graph(
        1, {"type_key": "relay.FuncType", "attrs": {"arg_types": "2", "ret_type": "3", "span": "0", "type_constraints": "2",
                                                    "type_params": "2"}},
        {"type_key": "Array"}, {"type_key": "relay.TupleType", "attrs": {"fields": "2", "span": "0"}}))
    assert isinstance(function, relayopt.ir.FuncType) and str(function) == "fn () -> ()"
    made = load_json(old_graph(
        1, {"type_key": "StrMap", "keys": ["z", "x"], "data": [2, 3]},
        {"type_key": "IntImm", "attrs": {"dtype": "int32", "value": "2", "span": "0"}},
        {"type_key": "Add", "attrs": {"a": "4", "b": "2", "dtype": "int32", "span": "0"}},
        {"type_key": "tir.Var", "attrs": {"dtype": "int32", "name": "5", "type_annotation": "0", "span": "0"}},
        {"type_key": "runtime.String", "repr_str": "n"}))
    assert len(made) == 2 and made["z"] == 2 and made["x"].a.name == "n"


def test_graphs_of_later_versions_lack_fields():
    upgraded = json.loads(relayopt.ir.json_compact.upgrade_json(old_graph(
        1, {"type_key": "relay.Tuple", "attrs": {"_checked_type_": "0", "fields": "2", "span": "0"}}, {"type_key": "Array"},
        {"type_key": "IRModule", "attrs": {}}, version="0.8.dev1")))
    assert upgraded["nodes"][1]["attrs"]["virtual_device_"] == "0" and upgraded["attrs"]["tvm_version"] == "0.15.0"
    assert "attrs" not in upgraded["nodes"][3]["attrs"]
    newest = save_json(relay.Tuple([]))
    assert json.loads(relayopt.ir.json_compact.upgrade_json(newest)) == json.loads(newest)
    with pytest.raises(ValueError, match="graph JSON of TVM 0.5 cannot be read: 0.6 is the oldest version"):
        load_json(old_graph(1, {"type_key": "relay.Op", "global_key": "add"}, version="0.5"))


def test_a_module_knows_what_it_was_read_from():
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) { nn.relu(%x) }'
    mod = relay.parse(text, "my.relay")
    name, source = next(iter(mod.source_map.source_map.items()))
    assert (name.name, source.source_name, source.source) == ("my.relay", name, text)
    assert mod["main"].body.span.source_name == name
    for same in (relay.transform.FoldConstant()(mod), mod.with_attr("a", 1), load_json(save_json(mod))):
        assert [s.source for s in same.source_map.source_map.values()] == [text]
    more = relay.parse('#[version = "0.0.5"]\ndef @other() { 1 }', "other.relay", mod)
    assert [n.name for n in more.source_map.source_map] == ["my.relay", "other.relay"] and len(mod.source_map.source_map) == 1
    assert relayopt.IRModule().source_map is None
    sources = relayopt.ir.SourceMap()
    assert sources.source_map[sources.add("a", "b")].source == "b"


def test_a_string_that_is_the_whole_document_is_an_object():
    loaded = relayopt.ir.load_json(relayopt.ir.save_json(relayopt.runtime.String("a b")))
    assert isinstance(loaded, relayopt.runtime.String) and loaded == "a b"
