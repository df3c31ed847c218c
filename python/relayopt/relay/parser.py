"""Reading Relay text."""

from __future__ import annotations

from .._arguments import as_text
from ..ir.base import SourceMap
from ..ir.transform import make_pass, module_pass
from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .function import Function
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..ir.expr import RelayExpr
    from ..ir.module import IRModule


def _read(source: str, source_name: str, initial: IRModule | None) -> Any:
    from ..error import DiagnosticError
    from ..ir.diagnostics import report

    try:
        made = _core.parse(source, source_name, initial)
        sources = SourceMap(initial.source_map.source_map if initial is not None and initial.source_map else None)
        sources.add(source_name, source)
        made.__dict__["_source_map"] = sources
        return made
    except DiagnosticError as error:
        report(error)
        raise


def parse(source: str, source_name: str = "from_string", init_module: IRModule | None = None,
          init_meta_table: Mapping[str, Sequence[Any]] | None = None) -> IRModule:
    """The module of a text, with types inferred. Faults of either are a `DiagnosticError`.

    The text may use the definitions of `init_module`, which are in the result as well; `init_meta_table` maps type keys
    to the objects that `meta[key][i]` stands for.

    >>> mod = relay.parse('''
    ... #[version = "0.0.5"]
    ... def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) }
    ... ''')
    >>> mod["main"].checked_type
    fn (Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32]
    >>> relay.parse('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { nn.rel(%x) }')
    Traceback (most recent call last):
        ...
    relayopt.error.DiagnosticError: from_string:1:60: error: unknown operator 'nn.rel' (did you mean 'nn.relu'?) [unknown-operator]
      #[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { nn.rel(%x) }
                                                                 ^~~~~~
    """
    if init_meta_table:
        from .meta import with_table

        source = with_table(source, init_meta_table)
    return make_pass("InferType")(_read(as_text("source", source), as_text("source_name", source_name), init_module))


def fromtext(source: str, source_name: str = "from_string") -> IRModule:
    """The module of a text.

    >>> mod = relay.fromtext('#[version = "0.0.5"] def @main(%x: int32) { %x + 1 }')
    >>> mod["main"].body
    <Call add(%x, constant) int32>
    """
    return parse(source, source_name)


# What is no code, a declaration of a free variable, the name of a global function.
_PARTS = (r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|\bfree_var\s+(%[^\s:;]+)\s*(:[^;]*?)?;[ \t]*\n?|@([A-Za-z_][\w./]*)')


def parse_expr(source: str) -> RelayExpr:
    """The expression of a text; `free_var` lines declare its free variables.

    >>> expr = relay.parse_expr("free_var %x: Tensor[(2), float32]; nn.relu(%x)")
    >>> expr.op, expr.args[0]
    (Op(nn.relu), <Var %x>)
    """
    import re

    version, body = '#[version = "0.0.5"]\n', source.strip()
    if body.startswith("#[version"):
        version, body = body.split("\n", 1)
        version += "\n"
    meta = ""
    cut = body.find("#[metadata]")
    if cut >= 0:
        body, meta = body[:cut], body[cut:]
    free: dict[Any, Any] = {}
    called: dict[Any, Any] = {}

    def part(found: Any) -> Any:
        if found.group(3):
            called[found.group(3)] = None
        elif found.group(1):
            free.setdefault(found.group(1), found.group(2) or "")
            # Lines keep their numbers.
            return "\n" * found.group(0).count("\n")
        return found.group(0)

    # The text stands on the line that it has in the source.
    body = re.sub(_PARTS, part, body, flags=re.S)
    params = ", ".join(name + typ for name, typ in free.items())
    # Functions that an expression mentions need not exist.
    others = "".join(f"def @{name}() {{ () }}\n" for name in called)
    mod = _read(f"{version}def @__expr__({params}) {{{body}\n}}\n{others}{meta}", "from_string", None)
    function: Function = mod["__expr__"]
    return function.body


def SpanCheck() -> Any:
    """A pass that looks whether everything has a span."""
    from .analysis import post_order_visit

    def run(mod: Any, ctx: Any) -> Any:
        for function in mod.functions.values():
            post_order_visit(function, lambda e: None)
        return mod

    return module_pass(run, opt_level=0, name="SpanCheck")
