"""Names that tests of the reference reach for."""

from ... import _core
from ...error import DiagnosticError
from ...ir.op import operator_of_relation


def _test_type_solver():
    """A solver of constraints between types: called with "Solve", "Unify", "Resolve" or "AddConstraint", it gives a function."""
    solver = _core.TypeSolver()

    def add(relation):
        name = relation.func.name.removeprefix("tvm.relay.type_relation.")
        solver.AddConstraint(operator_of_relation(name), list(relation.args), relation.attrs)

    functions = {"Solve": solver.Solve, "Unify": solver.Unify, "Resolve": solver.Resolve, "AddConstraint": add}
    return functions.__getitem__
