"""Marking everything for one external compiler."""

from __future__ import annotations

from ..expr import Call
from ..expr_functor import ExprMutator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...ir.expr import RelayExpr


class CcompilerAnnotator(ExprMutator):
    """Puts everything between begin and end of `ccompiler`."""

    def __init__(self) -> None:
        super().__init__()
        self.in_compiler = 0

    def visit_call(self, call: Call) -> RelayExpr:
        from ..op.annotation import compiler_begin, compiler_end

        name = call.op.name
        if name == "annotation.compiler_begin":
            return super().visit_call(call)
        if name == "add":
            if self.in_compiler == 1:
                self.in_compiler = 2
            if self.in_compiler in (0, 2):
                lhs = compiler_begin(super().visit(call.args[0]), "ccompiler")
                rhs = compiler_begin(super().visit(call.args[1]), "ccompiler")
                return compiler_end(_binary(name, lhs, rhs), "ccompiler") if self.in_compiler == 0 else _binary(
                    name, lhs, rhs)
        if name in ("subtract", "multiply") and self.in_compiler == 0:
            pass
        return super().visit_call(call)


def _binary(name: str, lhs: RelayExpr, rhs: RelayExpr) -> RelayExpr:
    from ..op.builders import call

    return call(name, (lhs, rhs))
