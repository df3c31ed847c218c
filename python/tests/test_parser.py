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
