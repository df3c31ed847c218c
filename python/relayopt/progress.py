"""Bars that show how far long work is, where somebody looks."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Rich:
    def __init__(self, unit: str, total: int | None) -> None:
        from rich.console import Console

        self._unit, self._of = unit, "" if total is None else f" of {total}"
        self._status = Console(stderr=True).status("")
        self._status.start()

    def show(self, count: Any, name: Any) -> None:
        self._status.update(f"{self._unit} {count}{self._of}: {name}")

    def close(self) -> None:
        self._status.stop()


class _Tqdm:
    def __init__(self, unit: str, total: int | None) -> None:
        from tqdm.auto import tqdm

        self._bar = tqdm(unit=" " + unit, total=total)

    def show(self, count: Any, name: Any) -> None:
        self._bar.update(count - self._bar.n)
        self._bar.set_description(name)

    def close(self) -> None:
        self._bar.close()


def progress_bar(unit: str = "pass", total: int | None = None) -> Any:
    """A bar with `show(count, name)` and `close()`; None where there is nobody to look or no library to draw it."""
    in_notebook = "ipykernel" in sys.modules
    if not in_notebook and not sys.stderr.isatty():
        return None
    try:
        return (_Tqdm if in_notebook else _Rich)(unit, total)
    except ImportError:
        return None
