"""Names that tests of the reference reach for."""

from ... import _core
from ...error import DiagnosticError
from ...ir.op import operator_of_relation


class _Solver:
    """Gives the functions of a solver by their names. Its callers keep them as attributes of it."""

    def __init__(self):
        solver = _core.TypeSolver()

        def add(relation):
            name = relation.func.name.removeprefix("tvm.relay.type_relation.")
            solver.AddConstraint(operator_of_relation(name), list(relation.args), relation.attrs)

        self._functions = {"Solve": solver.Solve, "Unify": solver.Unify, "Resolve": solver.Resolve, "AddConstraint": add}

    def __call__(self, name):
        return self._functions[name]


def _test_type_solver():
    """A solver of constraints between types: called with "Solve", "Unify", "Resolve" or "AddConstraint", it gives a function."""
    return _Solver()
