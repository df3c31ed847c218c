"""Reading text with what is known before."""

import numpy as np
import pytest

import relayopt
from relayopt import relay

VERSION = '#[version = "0.0.5"]\n'
BEFORE = VERSION + """
type Pair { Both(Tensor[(2), float32], Tensor[(2), float32]) }
def @f(%y: Tensor[(2), float32]) -> Tensor[(2), float32] { negative(%y) }
"""


def test_a_text_may_use_what_a_module_defines():
    before = relay.parse(BEFORE)
    mod = relay.parse(VERSION + "def @main(%x: Tensor[(2), float32]) -> Pair { Both(@f(%x), %x) }", "s", before)
    assert [var.name_hint for var in mod.get_global_vars()] == ["f", "main"]
    assert mod["main"].checked_type.ret_type == mod.get_global_type_var("Pair")()
    assert [var.name_hint for var in before.get_global_vars()] == ["f"]


def test_it_may_not_define_it_again():
    for text in ("def @f() { 1 }", "type Pair { Other }", "type Two { Both }"):
        with pytest.raises(relayopt.DiagnosticError, match="defined|duplicate"):
            relay.parse(VERSION + text, "s", relay.parse(BEFORE))


def test_a_table_of_objects_beside_a_module():
    table = {"relay.Constant": [relay.const(np.array([1, 2], "float32"))]}
    text = VERSION + "def @main(%x: Tensor[(2), float32]) { add(@f(%x), meta[relay.Constant][0]) }"
    mod = relay.parse(text, "s", relay.parse(BEFORE), table)
    run = relay.create_executor("debug", mod).evaluate()
    np.testing.assert_array_equal(run(np.array([5, 5], "float32")).numpy(), [-4, -3])


def test_one_bit_is_a_truth_value():
    assert relay.TensorType((), "uint1") == relay.TensorType((), "bool")


def test_names_of_free_variables_may_hold_slashes():
    expr = relay.var("base/x") + relay.var("base/y")
    assert relay.parse_expr(expr.astext()).args[1].name_hint == "base/y"


def test_free_variables_may_stand_on_the_line_of_their_use():
    expr = relay.parse_expr('#[version = "0.0.5"]\nfree_var %x: (int32, float32); %x.1')
    assert isinstance(expr, relay.TupleGetItem) and expr.index == 1
    again = relay.parse_expr(expr.astext())
    relayopt.ir.assert_structural_equal(expr, again, map_free_vars=True)


def test_an_expression_may_name_functions_that_do_not_exist():
    assert relay.parse_expr("@somewhere").name_hint == "somewhere"
    assert relay.parse_expr('fn (%x, note="@no name") { @f(%x) }').body.op.name_hint == "f"


def test_expressions_know_where_they_were_read():
    mod = relay.parse('#[version = "0.0.5"]\ndef @main(%x: int32) {\n  %x + 1\n}', "a file")
    span = mod["main"].body.span
    assert (span.source_name.name, span.line, span.column) == ("a file", 3, 3)


def test_operands_types_are_the_type_arguments_of_operators():
    x, y = relay.var("x", shape=(3, 1)), relay.var("y", shape=(2,), dtype="float32")
    call = relay.testing.run_infer_type(x + y)
    assert [[int(e) for e in t.shape] for t in call.type_args] == [[3, 1], [2]]


def test_a_minus_negates_expressions():
    body = relay.parse_expr("let %x = 1f; -%x").body
    assert body.op.name == "negative" and body.args[0].name_hint == "x"
