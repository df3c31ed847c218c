"""Text of expressions and modules."""

from __future__ import annotations

from .. import _core
from .._ffi import provide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..ir.expr import RelayExpr
    from ..ir.module import IRModule

_NAME = "__relayopt_text__"


def _raw(expr: RelayExpr, metadata: int) -> Any:
    from ..ir.module import IRModule

    mod = IRModule()
    _core.declare_constructors(mod, expr)
    return _core.expr_text(mod, expr, _NAME, metadata)


def expr_text(expr: Any, show_meta_data: bool = False, header: bool = False) -> str:
    """The text of an expression: free variables are declared before the first line that mentions them."""
    from ..ir.expr import GlobalVar
    from ..ir.op import Op
    from .adt import Constructor
    from .function import Function

    if isinstance(expr, GlobalVar):
        return "@" + expr.name_hint
    if isinstance(expr, Op):
        return expr.name
    if isinstance(expr, Constructor):
        return expr.name_hint
    text, has_free = _raw(expr, 1 if show_meta_data else (2 if header else 0))
    version, rest = text.split("\n", 1)
    rest, cut, meta = rest.partition("\n#[metadata]")
    rest = rest.rstrip("\n").partition("def @" + _NAME)[2]
    if isinstance(expr, Function) and not has_free:
        body = "fn " + rest.lstrip()
    else:
        # What stands in the braces.
        body = "\n".join(line.removeprefix("  ") for line in rest.split("\n")[1:-1])
    result = body + cut + meta
    return f"{version}\n{result}" if header else result


def expr_astext(expr: Any, show_meta_data: bool = True, annotate: Any = None) -> str:
    """As expr_text, with the version of the format."""
    from ..ir.expr import GlobalVar
    from ..ir.op import Op

    if isinstance(expr, (GlobalVar, Op)):
        return str(expr)
    text = expr_text(expr, show_meta_data, header=True)
    if annotate is not None:
        return _annotated(expr, text, annotate)
    return text


def module_text(mod: IRModule, show_meta_data: bool = True, annotate: Callable[..., Any] | None = None) -> str:
    """The text of a module."""
    import re

    text: str = _core.module_text(mod, 1 if show_meta_data else 2)
    if annotate is None:
        return text
    # Functions stand one after the other, each from its `def` to the brace in the first column.
    out: list[str] = []
    name, start = "", 0
    for line in text.split("\n"):
        found = re.match(r"def @([\w.]+)", line)
        if found:
            name, start = found.group(1), len(out)
        out.append(line)
        if line == "}" and name:
            out[start:] = _annotated(mod[name], "\n".join(out[start:]), annotate).split("\n")
            name = ""
    return "\n".join(out)


def _annotated(expr: Any, text: Any, annotate: Any) -> str:
    """The text with what `annotate` says of each expression that has a line of its own."""
    import re

    from .analysis import post_order_visit
    from .expr import Call

    calls = []
    post_order_visit(expr, lambda e: calls.append(e) if isinstance(e, Call) else None)
    notes = iter(calls)
    out = []
    for line in text.split("\n"):
        if re.search(r"^\s*(let %[\w.]+[^=]* = |%\d+ = )?@?[A-Za-z_][\w.]*\(", line):
            call = next(notes, None)
            if call is not None:
                line = re.sub(r"(;?)$", lambda m: m.group(1) + annotate(call), line)
        out.append(line)
    return "\n".join(out)


def short(expr: Any) -> str:
    """One line of at most 200 characters."""
    from ..ir.expr import GlobalVar
    from ..ir.op import Op
    from .expr import Call, Constant, If, Let, Tuple, TupleGetItem, Var
    from .function import Function

    def name(e: RelayExpr) -> str:
        if isinstance(e, Var):
            return "%" + e.name_hint
        if isinstance(e, (Op, GlobalVar)):
            return str(e)
        return type(e).__name__.lower()

    kind = type(expr).__name__
    if isinstance(expr, Call):
        body = f"{name(expr.op)}({', '.join(name(a) for a in expr.args)})"
    elif isinstance(expr, Var):
        body = name(expr)
    elif isinstance(expr, Tuple):
        body = f"({', '.join(name(f) for f in expr.fields)})"
    elif isinstance(expr, TupleGetItem):
        body = f"{name(expr.tuple_value)}.{expr.index}"
    elif isinstance(expr, Constant):
        body = f"{expr.data.dtype}{list(expr.data.shape)}"
    elif isinstance(expr, Let):
        body = f"{name(expr.var)} = {name(expr.value)}"
    elif isinstance(expr, If):
        body = f"{name(expr.cond)} ? {name(expr.true_branch)} : {name(expr.false_branch)}"
    elif isinstance(expr, Function):
        body = f"({', '.join(name(p) for p in expr.params)})"
    else:
        body = ""
    shown = expr._checked_type_
    text = f"<{kind}" + (f" {body}" if body else "") + (f" {shown}" if shown is not None else "")
    return (text if len(text) < 199 else text[:196] + "...") + ">"


provide("expr_text", expr_text)
provide("expr_astext", expr_astext)
provide("module_text", module_text)
provide("short", short)
