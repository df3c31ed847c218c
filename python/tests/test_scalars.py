"""Operators on scalar expressions fold and match types as the core does."""

import pytest

from relayopt import tir


def test_integers_wrap_around_in_their_type():
    assert (tir.const(2**31 - 1, "int32") + 1).value == -(2**31)
    assert (tir.const(1, "uint8") - 2).value == 255
    assert (tir.const(2**40, "int64") * 4).value == 2**42


@pytest.mark.parametrize("a, b", [(-(2**62) - 1, 3), (2**62 + 1, -3), (-7, 2), (7, -2)])
def test_divisions_are_exact(a, b):
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    left, right = tir.const(a, "int64"), tir.const(b, "int64")
    assert tir.truncdiv(left, right).value == quotient
    assert tir.truncmod(left, right).value == a - b * quotient
    assert tir.floordiv(left, right).value == a // b and tir.floormod(left, right).value == a % b


def test_neutral_and_absorbing_operands_disappear():
    x = tir.Var("x", "int32")
    assert (x + 0).same_as(x) and (x * 1).same_as(x) and (0 + x).same_as(x)
    assert (x * 0).value == 0
    assert isinstance(x + 1, tir.Add) and (x + 1).a.same_as(x) and (x + 1).b.value == 1
    assert isinstance(x + x, tir.Add) and isinstance(x - 1, tir.Sub) and isinstance(-x, tir.Mul)


def test_types_are_matched():
    x = tir.Var("x", "int32")
    wide = tir.const(3, "int64") + x
    assert wide.dtype == "int64" and isinstance(wide.b, tir.Cast) and wide.b.value.same_as(x)
    real = tir.const(5, "int32") + tir.const(1.5, "float32")
    assert real.dtype == "float32" and real.value == 6.5
    compared = x < tir.Var("y", "int64")
    assert isinstance(compared, tir.LT) and compared.dtype == "bool" and compared.a.dtype == "int64"


def test_what_cannot_be_folded_is_left():
    assert isinstance(tir.floordiv(tir.const(1, "int32"), tir.const(0, "int32")), tir.FloorDiv)
    assert isinstance(tir.Any() + tir.Any(), tir.Add)
