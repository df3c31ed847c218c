"""Text of expressions and modules."""

from __future__ import annotations

from .. import _core
from .._ffi import provide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
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
    text, free = _raw(expr, 1 if show_meta_data else (2 if header else 0))
    version, rest = text.split("\n", 1)
    meta = ""
    cut = rest.find("\n#[metadata]")
    if cut >= 0:
        rest, meta = rest[:cut], rest[cut:]
    rest = rest.rstrip("\n")
    if isinstance(expr, Function) and not free:
        rest = rest[rest.index("def @" + _NAME) :]
        body = "fn " + rest[rest.index("def @" + _NAME) + len("def @" + _NAME) :].lstrip()
    else:
        body = _body_lines(rest, free, isinstance(expr, Function))
    result = body + meta
    return f"{version}\n{result}" if header else result


def _body_lines(text: str, free: Sequence[RelayExpr], is_function: bool) -> str:
    import re

    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("def @" + _NAME))
    head = lines[start]
    params = head[head.index("(") + 1 :]
    declarations = _split_params(params[: _closing(params)])
    body = [line[2:] if line.startswith("  ") else line for line in lines[start + 1 : -1]]
    out, pending = [], dict(declarations)
    for line in body:
        for name in list(pending):
            if re.search(re.escape(name) + r"(?!\w|\.[A-Za-z_])", line):
                out.append(f"free_var {name}{pending.pop(name)};")
        out.append(line)
    return "\n".join([f"free_var {name}{annotation};" for name, annotation in pending.items()] + out)


def _closing(text: str) -> int:
    depth = 1
    for i, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return len(text)


def split_list(text: str) -> list[str]:
    """The elements of a list as text: what stands between commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    if text[start:].strip():
        parts.append(text[start:].strip())
    return parts


def _split_params(text: str) -> list[tuple[str, str]]:
    import re

    result = []
    for part in split_list(text):
        part = re.sub(r"\s*/\*.*?\*/", "", part)
        name, _, annotation = part.partition(":")
        result.append((name.strip(), ": " + annotation.strip() if annotation else ""))
    return result


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
