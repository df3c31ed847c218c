"""Natural numbers."""

from __future__ import annotations

from ..backend.interpreter import ConstructorValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..prelude import Prelude


def get_type(prelude: Any, name: Any) -> Any:
    return prelude.mod.get_type(name)


def add_nat_definitions(prelude: Any) -> None:
    """Gives a prelude natural numbers."""
    prelude.mod.import_from_std("nat.rly")


def count(prelude: Any, n: Any) -> Any:
    """The number that a value of nat stands for."""
    _, z, s = prelude.mod.get_type("nat")
    assert isinstance(n, ConstructorValue)
    result = 0
    while n.tag != z.tag:
        assert n.tag == s.tag
        n = n.fields[0]
        result += 1
    return result


def make_nat_value(prelude: Any, n: Any) -> Any:
    """The value of nat for a number."""
    _, z, s = prelude.mod.get_type("nat")
    value = ConstructorValue(z.tag, [], z)
    for _ in range(n):
        value = ConstructorValue(s.tag, [value], s)
    return value


def make_nat_expr(prelude: Prelude, n: int) -> Any:
    """The expression of nat for a number."""
    assert n >= 0
    _, z, s = prelude.mod.get_type("nat")
    expr = z()
    for _ in range(n):
        expr = s(expr)
    return expr
