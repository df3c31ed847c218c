"""Layout passes that ask functions registered in Python."""

from __future__ import annotations

from ..binding import bind
from ...ir.transform import function_pass, make_pass, PassContext
from ...ir.op import Op, run_time_attributes
from ..expr import Call, Var
from .infer_layout_utils import InferCorrectLayoutOutput
from .layout_config import LayoutConfig
from .callbacks import _expr, with_callbacks, forward_rewrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ...ir.expr import RelayExpr
    from ...ir.module import IRModule
    from ...ir.transform import Pass
    from ...ir.type import Type
    from ..function import Function


class Placeholder:
    """What an operator's input is to an alter function: its shape and data type."""

    def __init__(self, typ: Type, name: str = "placeholder") -> None:
        self.shape, self.dtype, self.name = typ.shape, typ.dtype, name

    def __len__(self) -> int:
        return len(self.shape)


def _placeholder(typ: Type) -> Any:
    fields = getattr(typ, "fields", None)
    return [Placeholder(field) for field in fields] if fields is not None else Placeholder(typ)


def _tinfos(call: Call) -> list[Placeholder]:
    infos = []
    for arg in call.args:
        found = _placeholder(arg.checked_type)
        infos.extend(found if isinstance(found, list) else [found])
    return infos


def _choose(rule: Callable[..., Any], call: Call) -> Any:
    """(operator, attributes, arguments) that a rule makes of a call over fresh variables; None to keep it."""
    inputs = []
    for i, arg in enumerate(call.args):
        inputs.append(_VarLike(arg, i))
    from ...runtime.convert import convert

    made = rule(call, convert(inputs))
    if made is None:
        return None
    made = _expr(made)
    return made, inputs


def _VarLike(arg: RelayExpr, i: int) -> Var:
    variable = Var(f"input{i}", arg.checked_type)
    variable._set("_checked_type_", arg.checked_type)
    return variable


def _is_plain(made: RelayExpr, inputs: Sequence[RelayExpr]) -> bool:
    return isinstance(made, Call) and isinstance(made.op, Op) and len(made.args) == len(inputs) and all(
        a is b for a, b in zip(made.args, inputs))


def _replace_first(rules: Mapping[str, Callable[..., Any]]) -> Any:
    """A pass that replaces calls whose rules do more than choose an operator and attributes."""
    @function_pass(opt_level=3, name="AlterOpLayoutRewrite", required=["InferType"])
    def run(func: Function, mod: IRModule, ctx: PassContext) -> Any:
        def visit(old: RelayExpr, new: RelayExpr) -> Any:
            if not (isinstance(old, Call) and isinstance(old.op, Op) and old.op.name in rules):
                return new
            found = _choose(rules[old.op.name], old)
            if found is None or _is_plain(*found):
                return new
            made, inputs = found
            return bind(made, dict(zip(inputs, new.args)))

        return forward_rewrite(func, visit)

    return run


def alter_op_layout() -> Pass:
    """AlterOpLayout with `FTVMAlterOpLayout` registered in Python: `f(attrs, inputs, tinfos, out_type)`."""
    registered = run_time_attributes("FTVMAlterOpLayout")
    rules = {name: (lambda call, inputs, f=f: f(call.attrs, inputs, _tinfos(call), call.checked_type))
             for name, f in registered.items()}
    return _layout_pass("AlterOpLayout", rules, {})


def asks_when_altering() -> bool:
    """Whether functions that AlterOpLayout asks are registered."""
    return bool(run_time_attributes("FTVMAlterOpLayout") or run_time_attributes("FInferCorrectLayout"))


def asks_when_converting() -> bool:
    """Whether functions that ConvertLayout asks are registered, or layers are to be skipped."""
    return bool(run_time_attributes("FTVMConvertOpLayout") or run_time_attributes("FInferCorrectLayout")
                or LayoutConfig.current is not None)


def _infer_layout() -> Callable[..., Any]:
    """What the core asks for layouts: `FInferCorrectLayout` registered in Python,
    `f(attrs, new_in_layouts, old_in_layouts, old_in_types)` with an InferCorrectLayoutOutput. An input whose layout is not
    known has an empty one, and the first time no new ones are at hand."""
    from ...runtime.convert import convert
    from ...tir import layout

    registered = run_time_attributes("FInferCorrectLayout")

    def infer(op: str, attrs: Any, new: list[str] | None, old: list[str], types: Any) -> Any:
        rule = registered.get(op)
        if rule is None:
            return None
        made = rule(attrs, [layout(name) for name in new or []], [layout(name) for name in old], convert(types))
        if not isinstance(made, InferCorrectLayoutOutput):
            raise TypeError(f"FInferCorrectLayout of {op} must return an InferCorrectLayoutOutput, not {type(made).__name__}")
        return [str(name) for name in made.input_layouts], [str(name) for name in made.output_layouts], made.new_attrs

    return infer


def convert_layout(layouts: Any) -> Pass:
    """ConvertLayout with `FTVMConvertOpLayout` registered in Python: `f(attrs, inputs, tinfos, desired_layouts)`."""
    registered = run_time_attributes("FTVMConvertOpLayout")
    rules = {name: (lambda call, inputs, f=f, w=layouts[name]: f(call.attrs, inputs, _tinfos(call), w))
             for name, f in registered.items() if name in layouts}
    return _layout_pass("ConvertLayout", rules, {"desired_layouts": layouts})


def _layout_pass(name: str, rules: Mapping[str, Callable[..., Any]], options: Mapping[str, dict[str, Any]]) -> Pass:
    core = make_pass(name, **options)

    def choose(call: Call) -> Call | None:
        if name == "ConvertLayout" and LayoutConfig.current is not None and "conv" in call.op.name:
            if LayoutConfig.current.check_skip():
                return call
        rule = rules.get(call.op.name)
        if rule is None:
            return None
        found = _choose(rule, call)
        if found is None:
            return call
        made, inputs = found
        return made if _is_plain(made, inputs) else call

    callbacks: dict[str, Callable[..., Any]] = {"choose_layout": choose}
    if run_time_attributes("FInferCorrectLayout"):
        callbacks["infer_layout"] = _infer_layout()
    core = with_callbacks(core, callbacks)
    run_core = core._run_core
    first = _replace_first(rules)

    def run(mod: IRModule, context: PassContext) -> Any:
        if rules:
            mod = _quietly(first, mod, context)
        return run_core(mod, context)

    setattr(core, "_run_core", run)
    return core


def _quietly(first: Pass, mod: IRModule, context: PassContext) -> IRModule:
    """Runs a part of a pass without telling instruments."""
    from ...ir.transform import PassContext
    silent = PassContext(context.opt_level, config=context.config)
    return first(make_pass("InferType")(mod, silent), silent)
