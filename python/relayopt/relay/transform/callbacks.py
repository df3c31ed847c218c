"""Passes that ask functions registered in Python. What nobody registered anything about is left to the core."""

from __future__ import annotations

from ... import _core
from ...ir.op import Op, run_time_attributes
from ...ir.transform import function_pass, make_pass as _make, PassContext
from ..dataflow_pattern import infer_type_in, partition
from ..operands import rebuild
from ..expr import Call, RelayExpr, TupleWrapper
from ..function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ...ir.module import IRModule
    from ...ir.transform import Pass


def _expr(value: RelayExpr) -> RelayExpr:
    return value.astuple() if isinstance(value, TupleWrapper) else value


def forward_rewrite(root: RelayExpr, visit: Callable[..., Any]) -> Function:
    """Rebuilds an expression, operands first; `visit(old, new)` gives what becomes of each node."""
    memo: dict[Any, Any] = {}
    for node in _core.post_order(root):
        memo[node] = visit(node, rebuild(node, memo))
    made: Function = memo[root]
    return made


def _with_types(made: Pass) -> Pass:
    """The same pass, which gets types when it is called by itself, as passes of the core that need them do."""
    inner = made._run

    def run(mod: IRModule, context: PassContext) -> Any:
        silent = PassContext(context._opt_level)
        return inner(_core.run_pass(_core.make_pass("InferType", {}), mod, silent._for_core()), context)

    setattr(made, "_run", run)
    return made


def legalize(attr_name: str) -> Pass:
    """Replaces calls as the functions registered under a name say: `f(attrs, inputs, types)`."""

    @function_pass(opt_level=1, name="Legalize", required=["InferType"])
    def run(func: Function, mod: IRModule, ctx: PassContext) -> Any:
        from ...runtime.convert import convert

        rules = run_time_attributes(attr_name)

        def visit(old: RelayExpr, new: RelayExpr) -> Any:
            if not (isinstance(old, Call) and isinstance(old.op, Op) and old.op.name in rules):
                return new
            types = [arg.checked_type for arg in old.args] + [old.checked_type]
            made = rules[old.op.name](old.attrs, convert(list(new.args)), convert(types))
            return new if made is None else _expr(made)

        return forward_rewrite(func, visit)

    return _with_types(run)


def merge_composite(table: Sequence[tuple[Any, ...]]) -> Pass:
    """Makes composite functions of what looks like the patterns of a table."""

    @function_pass(opt_level=0, name="MergeComposite", required=["InferType"])
    def run(func: Function, mod: IRModule, ctx: PassContext) -> Any:
        result: RelayExpr = func
        typed = True
        for entry in table:
            name, pattern = str(entry[0]), entry[1]
            check = entry[2] if len(entry) > 2 else (lambda extract: True)
            if not typed:
                # Checks, and patterns that say something of types, ask for those of what earlier patterns have rebuilt.
                result = infer_type_in(mod, result)
            made = partition(pattern, result, {"Composite": name}, check)
            typed, result = made is result, made
        return result

    return _with_types(run)


def annotate_target(targets: Sequence[str], include_non_call_ops: bool) -> Any:
    """Marks what external compilers support."""
    rules = {target: run_time_attributes("target." + target) for target in targets}
    if not any(rules.values()):
        return _make("AnnotateTarget", targets=targets, include_non_call_ops=include_non_call_ops)
    made = _make("AnnotateTarget", targets=targets, include_non_call_ops=include_non_call_ops)

    def supports(target: Any, call: Call) -> bool | None:
        found = rules.get(target, {})
        return found[call.op.name](call) if call.op.name in found else None

    return with_callbacks(made, {"supports": supports})


def with_callbacks(core_pass: Pass, callbacks: Mapping[str, Callable[..., Any]]) -> Pass:
    """A pass of the core that asks Python."""
    run_core = core_pass._run_core

    def run(mod: IRModule, context: PassContext) -> Any:
        return run_core(mod, context, dict(callbacks))

    setattr(core_pass, "_run_core", run)
    return core_pass
