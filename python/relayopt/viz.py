"""What notebooks show of modules: highlighted text, differences side by side, graphs."""

from __future__ import annotations

import difflib
import html
import re

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .ir.expr import RelayExpr
    from .ir.module import IRModule

_STYLE = """<style>
.relayopt-module pre { text-align: left; margin: 0; }
.relayopt-module .op { color: #1d5fa8; } .relayopt-module .name { color: #8a4b08; }
.relayopt-module .word { color: #a0258f; } .relayopt-module .note { color: #7a7a7a; }
@media (prefers-color-scheme: dark) {
.relayopt-module .op { color: #7db8f0; } .relayopt-module .name { color: #e5b567; }
.relayopt-module .word { color: #e08cd4; } .relayopt-module .note { color: #9a9a9a; }
}
</style>"""

_TOKENS = re.compile(
    r"(?P<note>/\*.*?\*/)|(?P<word>\b(?:def|let|fn|if|else|match|type|Tensor|meta)\b)|(?P<name>[%@][A-Za-z0-9_.]+)"
    r"|(?P<op>\b[a-z][A-Za-z0-9_.]*(?=\())")


def highlight(text: str) -> str:
    """Relay text as HTML."""
    parts, at = [], 0
    for match in _TOKENS.finditer(text):
        parts.append(html.escape(text[at:match.start()]))
        parts.append(f"<span class='{match.lastgroup}'>{html.escape(match.group())}</span>")
        at = match.end()
    return "".join(parts) + html.escape(text[at:])


def _summary(mod: IRModule) -> str:
    """Calls of operators in a module, the most frequent first."""
    from .trace import operator_counts

    try:
        counts = sorted(operator_counts(mod).items(), key=lambda each: (-each[1], each[0]))
    except Exception:  # A module that is not well-formed can be looked at, too.
        return ""
    return ", ".join(f"{html.escape(name)} × {count}" for name, count in counts[:8]) + (", …" if len(counts) > 8 else "")


def module_html(mod: IRModule, limit: int = 200, most: int = 5000) -> str:
    """The text of a module, each function for itself: `limit` lines, then the rest of it to be opened. Browsers do not take
    pages of any length, so that of all functions together at most `most` lines are there to be opened."""
    sections = re.split(r"\n(?=def @|type )", str(mod))
    shown = []
    for section in sections:
        lines = section.rstrip("\n").split("\n")
        opened = lines[limit:limit + most]
        most -= len(opened)
        first, rest = highlight("\n".join(lines[:limit])), highlight("\n".join(opened))
        left_out = len(lines) - limit - len(opened)
        title = f"all {len(lines)} lines" if left_out <= 0 else f"{len(opened)} more of {len(lines)} lines; print(mod) shows all"
        more = f"<details><summary>{title}</summary><pre>{rest}</pre></details>" if len(lines) > limit else ""
        title = html.escape(lines[0][:80])
        shown.append(f"<details open><summary><code>{title}</code></summary><pre>{first}</pre>{more}</details>")
    return f"{_STYLE}<div class='relayopt-module'><p>{_summary(mod)}</p>{''.join(shown)}</div>"


_MOST_LINES_SIDE_BY_SIDE = 1000
_MOST_LINES = 5000


class ModuleDiff:
    """How two modules differ: `str()` is a unified difference, notebooks show them side by side."""

    def __init__(self, before: IRModule, after: IRModule) -> None:
        self.before, self.after = str(before).split("\n"), str(after).split("\n")

    def __str__(self) -> str:
        return "\n".join(difflib.unified_diff(self.before, self.after, "before", "after", lineterm=""))

    def __bool__(self) -> bool:
        return self.before != self.after

    def _repr_html_(self) -> str:
        if max(len(self.before), len(self.after)) <= _MOST_LINES_SIDE_BY_SIDE:
            return difflib.HtmlDiff(wrapcolumn=80).make_table(self.before, self.after, "before", "after", context=True)
        # Pairing lines for two columns takes time that grows with the square of what differs.
        lines = str(self).split("\n")
        left_out = f"<p>{len(lines) - _MOST_LINES} more lines; print(diff) shows all</p>" if len(lines) > _MOST_LINES else ""
        shown = "\n".join(lines[:_MOST_LINES])
        return f"<pre>{html.escape(shown)}</pre>{left_out}"


_COLORS = ["#cfe2ff", "#d1e7dd", "#fff3cd", "#f8d7da", "#e2d9f3", "#cff4fc", "#ffe5d0", "#e9ecef"]


class ModuleGraph:
    """A function as a graph: `source` is the text for Graphviz; notebooks show a picture where `dot` is installed."""

    def __init__(self, mod: IRModule, function: str = "main", color_by: str = "op", limit: int = 400) -> None:
        if color_by not in ("op", "dtype"):
            raise ValueError(f"graphs are coloured by op or dtype, not by {color_by}")
        self.source = _dot(mod[function], color_by, limit)

    def __str__(self) -> str:
        return self.source

    def svg(self) -> Any:
        """The picture, by Graphviz's `dot`; None where it is not installed."""
        import shutil
        import subprocess

        dot = shutil.which("dot")
        if dot is None:
            return None
        return subprocess.run([dot, "-Tsvg"], input=self.source, capture_output=True, text=True, check=True).stdout

    def _repr_html_(self) -> Any:
        picture = self.svg()
        if picture is not None:
            return picture
        return f"<p>Graphviz's dot draws this: it is not installed.</p><pre>{html.escape(self.source)}</pre>"


def _label(node: RelayExpr) -> str:
    from .ir.op import Op
    from .relay.expr import Call, Constant, TupleGetItem, Var

    if isinstance(node, Call):
        return node.op.name if isinstance(node.op, Op) else "call"
    if isinstance(node, Var):
        return "%" + node.name_hint
    if isinstance(node, Constant):
        return f"constant {list(node.data.shape)}"
    return f".{node.index}" if isinstance(node, TupleGetItem) else type(node).__name__.lower()


def _dot(function: Any, color_by: str, limit: int) -> str:
    from .ir.op import Op
    from .relay.transform.plan_devices import _children

    nodes = [n for n in _core.post_order(function.body) if not isinstance(n, Op)]
    hidden = max(0, len(nodes) - limit)
    nodes = nodes[hidden:]
    number = {node: i for i, node in enumerate(nodes)}
    lines = ["digraph {", '  node [shape=box, style="rounded,filled", fontname=monospace];']
    colors: dict[Any, Any] = {}
    if hidden:
        lines.append(f'  hidden [label="{hidden} expressions before", style=dashed];')
    for node, i in number.items():
        type_ = node._checked_type_
        key = _label(node) if color_by == "op" else str(getattr(type_, "dtype", ""))
        color = colors.setdefault(key, _COLORS[len(colors) % len(_COLORS)])
        text = _label(node) + ("" if type_ is None else f"\\n{type_}")
        quoted = text.replace('"', "'")
        lines.append(f'  n{i} [label="{quoted}", fillcolor="{color}"];')
        children = [c for c in _children(node) if not isinstance(c, Op)]
        lines += [f"  {f'n{number[c]}' if c in number else 'hidden'} -> n{i};" for c in children]
    return "\n".join(dict.fromkeys(lines + ["}"]))
