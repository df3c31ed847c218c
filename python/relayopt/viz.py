"""What notebooks show of modules: highlighted text, differences, graphs."""

from __future__ import annotations

import html
import re

from . import _core
from ._arguments import as_bool, as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ir.module import IRModule

_STYLE = """<style>
.relayopt-module pre { text-align: left; margin: 0; }
.relayopt-module .op { color: #1d5fa8; } .relayopt-module .name { color: #8a4b08; }
.relayopt-module .word { color: #a0258f; } .relayopt-module .note { color: #7a7a7a; }
.relayopt-module .out { color: #b3261e; } .relayopt-module .in { color: #1b6e2e; }
@media (prefers-color-scheme: dark) {
.relayopt-module .op { color: #7db8f0; } .relayopt-module .name { color: #e5b567; }
.relayopt-module .word { color: #e08cd4; } .relayopt-module .note { color: #9a9a9a; }
.relayopt-module .out { color: #f2938c; } .relayopt-module .in { color: #8fd19e; }
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


_MOST_LINES = 5000
_CHANGED = re.compile(r"^(\+.*)$|^(-.*)$", re.MULTILINE)


def difference_html(text: str) -> str:
    """A difference as HTML: what goes is red, what comes is green; at most `_MOST_LINES` lines."""
    lines = text.rstrip("\n").split("\n")
    left_out = f"<p>{len(lines) - _MOST_LINES} more lines; print(diff) shows all</p>" if len(lines) > _MOST_LINES else ""
    shown = _CHANGED.sub(lambda match: f"<span class='{'in' if match[1] else 'out'}'>{match[0]}</span>",
                         html.escape("\n".join(lines[:_MOST_LINES])))
    return f"{_STYLE}<div class='relayopt-module'><pre>{shown}</pre>{left_out}</div>"


class ModuleGraph:
    """The graph of a module as `relayopt --report` draws it: constants and weights are left out, and kernels are one node
    each, unless it is of the `whole` module. Notebooks show the picture; `str()` is its SVG."""

    def __init__(self, mod: IRModule, whole: bool = False) -> None:
        self._module, self._whole = mod, as_bool("whole", whole)

    def text(self, format: str) -> str:
        """The graph as "svg", "dot" (for Graphviz), "mermaid" or "json"."""
        made: str = _core.graph_text(self._module, as_text("format", format), self._whole)
        return made

    def __str__(self) -> str:
        return self.text("svg")

    def _repr_svg_(self) -> str:
        return self.text("svg")
