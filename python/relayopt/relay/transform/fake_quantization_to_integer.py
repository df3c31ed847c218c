"""Rules for computing on integers that are registered in Python."""

from __future__ import annotations

from .callbacks import forward_rewrite
from ...ir.op import Op, run_time_attributes
from ...ir.transform import function_pass, make_pass, module_pass, Sequential
from ..expr import Call, Constant, RelayExpr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ...ir.module import IRModule
    from ...ir.transform import Pass, PassContext
    from ..function import Function


class TensorAffineType:
    """What integers stand for: scale * (q - zero_point)."""

    def __init__(self, scale: RelayExpr, zero_point: RelayExpr, dtype: Any, axis: Any = -1) -> None:
        self.scale, self.zero_point, self.dtype, self.axis = scale, zero_point, dtype, axis


class TupleAffineType:
    """A tuple of such types."""

    def __init__(self, types: Any) -> None:
        self.types = list(types)


class QATAffineType(TensorAffineType):
    """A type that training found."""


def register_fake_quantization_to_integer(op_name: Any, func: Any = None, level: int = 10) -> Any:
    """Registers how an operator is computed on integers: `f(expr, type_map)` gives [expr, type]."""
    from ...ir.op import register_op_attr

    return register_op_attr(op_name, "FTVMFakeQuantizationToInteger", func, level)


def register_optional_fake_quantization_to_integer(op_name: Any, func: Any = None, level: int = 10) -> Any:
    """The same for operators that are computed so only when asked for."""
    from ...ir.op import register_op_attr

    return register_op_attr(op_name, "FTVMOptionalFakeQuantizationToInteger", func, level)


def python_pass(rules: Mapping[str, Callable[..., Any]], hard_fail: bool, failed: set[Any]) -> Pass:
    """Rewrites regions between dequantize and quantize in which only operators with rules of Python stand.

    Where a rule raises, the region stays as it is and the name of the function is noted in `failed`; with `hard_fail` the
    pass fails.
    """

    @function_pass(opt_level=0, name="FakeQuantizationToIntegerRules", required=["InferType"])
    def run(func: Function, mod: IRModule, ctx: PassContext) -> Function:
        from ..qnn import op as qnn

        def integers(expr: RelayExpr, types: dict[RelayExpr, TensorAffineType]) -> Any:
            if isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name == "qnn.dequantize":
                types[expr] = TensorAffineType(expr.args[1], expr.args[2], expr.args[0].checked_type.dtype,
                                               expr.attrs.axis)
                return expr.args[0]
            if isinstance(expr, Constant):
                return expr
            if not (isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name in rules):
                return None
            args = []
            for arg in expr.args:
                made = integers(arg, types)
                if made is None:
                    return None
                args.append(made)
                if arg in types:
                    types[made] = types[arg]
            try:
                made, typ = rules[expr.op.name](Call(expr.op, args, expr.attrs, None, expr.span), types)
            except Exception:
                if hard_fail:
                    raise
                failed.update(var.name_hint for var, each in mod.functions.items() if each is func)
                return None
            types[expr] = typ
            return made

        def visit(old: RelayExpr, new: RelayExpr) -> Any:
            if not (isinstance(old, Call) and isinstance(old.op, Op) and old.op.name == "qnn.quantize"):
                return new
            types: dict[Any, Any] = {}
            inner = old.args[0]
            if isinstance(inner, Call) and isinstance(inner.op, Op) and inner.op.name in rules:
                made = integers(inner, types)
                if made is not None:
                    typ = types[inner]
                    return qnn.requantize(made, typ.scale, typ.zero_point, new.args[1], new.args[2],
                                             out_dtype=old.checked_type.dtype, axis=old.attrs.axis)
            return new

        return forward_rewrite(func, visit)

    return run


def fake_quantization(hard_fail: bool, use_qat: bool, optional_qnn_ops: Sequence[str]) -> Pass:
    """FakeQuantizationToInteger; operators whose rules are registered in Python are computed by these."""
    rules = run_time_attributes("FTVMFakeQuantizationToInteger")
    core = make_pass("FakeQuantizationToInteger", hard_fail=hard_fail, use_qat=use_qat, optional_qnn_ops=optional_qnn_ops)
    if not rules:
        return core
    failed: set[Any] = set()

    # A rule in Python stands in the place of the core's: where it fails, the function is left to neither.
    @module_pass(opt_level=0, name="FakeQuantizationToInteger", required=["InferType"])
    def remaining(mod: IRModule, ctx: PassContext) -> IRModule:
        kept = {var: mod[var] for var in mod.get_global_vars() if var.name_hint in failed}
        made = core(mod, ctx)
        if not kept:
            return made
        made = made._copy()
        for var, function in kept.items():
            made[var] = function
        return made

    return Sequential([python_pass(rules, hard_fail, failed), remaining], name="FakeQuantizationToInteger")
