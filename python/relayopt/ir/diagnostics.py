"""Diagnostics: reports about programs."""

from __future__ import annotations

from enum import IntEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..error import DiagnosticError


class DiagnosticLevel(IntEnum):
    """How bad it is."""

    BUG = 10
    ERROR = 20
    WARNING = 30
    NOTE = 40
    HELP = 50


class Diagnostic:
    """One report."""

    def __init__(self, level: Any, span: Any, message: Any) -> None:
        self.level, self.span, self.message = level, span, message


class DiagnosticRenderer:
    """Shows a context's reports by a function of its own."""

    def __init__(self, render_func: Any) -> None:
        self.render_func = render_func

    def render(self, ctx: Any) -> Any:
        return self.render_func(ctx)


class DiagnosticContext:
    """Collects reports about a module."""

    def __init__(self, module: Any, renderer: Any = None) -> None:
        self.module, self.renderer = module, renderer
        self.diagnostics: list[Any] = []

    def emit(self, diagnostic: Any) -> None:
        self.diagnostics.append(diagnostic)

    def render(self) -> None:
        if self.renderer is not None:
            self.renderer.render(self)
        if any(d.level <= DiagnosticLevel.ERROR for d in self.diagnostics):
            from ..error import DiagnosticError

            raise DiagnosticError("\n".join(d.message for d in self.diagnostics))


_override = None


def override_renderer(render_func: Any) -> None:
    """Shows reports by this function from now on; None goes back."""
    global _override
    _override = None if render_func is None else DiagnosticRenderer(render_func)


def report(error: DiagnosticError) -> None:
    """Shows an error of the core by the renderer that was set, if one was."""
    if _override is None:
        return
    context = DiagnosticContext(None, _override)
    context.emit(Diagnostic(DiagnosticLevel.ERROR, None, str(error)))
    _override.render(context)


def get_renderer() -> Any:
    """The renderer that is used."""
    return _override or DiagnosticRenderer(lambda ctx: None)
