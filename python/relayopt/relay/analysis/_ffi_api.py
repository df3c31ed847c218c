"""Names that tests of TVM reach for."""

from __future__ import annotations

from ... import _core
from ...ir.op import operator_of_relation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.type import Type


class _Solver:
    """Gives the functions of a solver by their names. Its callers keep them as attributes of it."""

    def __init__(self) -> None:
        solver = _core.TypeSolver()

        def add(relation: Type) -> None:
            name = relation.func.name.removeprefix("tvm.relay.type_relation.")
            solver.AddConstraint(operator_of_relation(name), list(relation.args), relation.attrs)

        self._functions = {"Solve": solver.Solve, "Unify": solver.Unify, "Resolve": solver.Resolve, "AddConstraint": add}

    def __call__(self, name: str) -> Any:
        return self._functions[name]


def _test_type_solver() -> _Solver:
    """A solver of constraints between types: called with "Solve", "Unify", "Resolve" or "AddConstraint", it gives a function."""
    return _Solver()
