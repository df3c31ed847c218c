"""Instruments: those of TVM, and further ones."""

from __future__ import annotations

import os

from . import _core
from ._arguments import as_path
from .ir.instrument import (
    PassInstrument as PassInstrument,
    PassPrintingInstrument as PassPrintingInstrument,
    PassTimingInstrument as PassTimingInstrument,
    PrintAfterAll as PrintAfterAll,
    PrintBeforeAll as PrintBeforeAll,
    TimePassesInstrument as TimePassesInstrument,
    pass_instrument as pass_instrument,
)
from .progress import progress_bar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .ir.module import IRModule
    from .ir.transform import PassInfo


def __getattr__(name: str) -> Callable[..., Any]:
    # What few programs need.
    if name == "Trace":
        from .trace import Trace

        return Trace
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class DumpIR(PassInstrument):
    """Writes the module into a folder after every pass that changed it: 001-FoldConstant.relay, ..."""

    def __init__(self, folder: Any) -> None:
        super().__init__()
        self._folder, self._count = as_path("folder", folder), 0
        os.makedirs(self._folder, exist_ok=True)

    def run_after_pass(self, mod: Any, info: Any) -> None:
        self._count += 1
        if info.changed:
            with open(os.path.join(self._folder, f"{self._count:03}-{info.name.strip()}.relay"), "w", encoding="utf-8") as file:
                file.write(mod.astext())


class Verify(PassInstrument):
    """Checks what passes of the core make, and stops at the first that breaks a rule of the IR."""

    def __init__(self) -> None:
        super().__init__()
        self._observer = _core.Verifier()


class Statistics(PassInstrument):
    """Counts what passes of the core do.

    >>> mod = relay.parse('#[version = "0.0.5"] def @main(%x: int32) { (-%x) * (-%x) }')
    >>> statistics = relayopt.instrument.Statistics()
    >>> with transform.PassContext(instruments=[statistics]):
    ...     mod = relay.transform.EliminateCommonSubexpr()(mod)
    >>> statistics.counts
    {'EliminateCommonSubexpr.merged': 1}
    """

    def __init__(self) -> None:
        super().__init__()
        self._observer = _core.Statistics()

    def _rows(self) -> list[dict[str, Any]]:
        import json

        rows: list[dict[str, Any]] = json.loads(self._observer.json())["statistics"]
        return rows

    @property
    def counts(self) -> dict[str, int]:
        """What was counted so far, by `PASS.NAME`."""
        return {f"{row['pass']}.{row['name']}": row["count"] for row in self._rows()}

    def __str__(self) -> str:
        return "\n".join(f"{row['count']:6} {row['pass']}.{row['name']} - {row['doc']}" for row in self._rows())


class Remark:
    """What a pass did (`kind` "passed"), could not do ("missed") or found out ("analysis"), and in which function."""

    __slots__ = ("kind", "pass_name", "name", "function", "message")

    def __init__(self, kind: str, pass_name: str, name: str, function: str, message: str) -> None:
        self.kind, self.pass_name, self.name, self.function, self.message = kind, pass_name, name, function, message

    def __repr__(self) -> str:
        return f"{self.kind}: {self.pass_name}: @{self.function}: {self.message}"


class Remarks(PassInstrument):
    """Notes down what passes of the core say about their work.

    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    >>> remarks = relayopt.instrument.Remarks()
    >>> with transform.PassContext(remarks=remarks):
    ...     mod = relay.transform.FoldConstant()(mod)
    >>> remarks.take()[0].kind
    'passed'
    """

    def __init__(self) -> None:
        super().__init__()
        self._observer = _core.RemarkLog()

    def take(self) -> list[Remark]:
        """The remarks so far, which are forgotten."""
        return [Remark(*each) for each in self._observer.take()]


class Progress(PassInstrument):
    """Shows which pass runs: with rich in a terminal, with tqdm in a notebook, and nowhere else nothing.

    Needs `pip install 'relayopt[rich]'`, or tqdm in notebooks; without them it shows nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self._count = 0
        self._bar: Any = None

    def enter_pass_ctx(self) -> None:
        self._bar, self._count = progress_bar(), 0

    def exit_pass_ctx(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        self._count += 1
        if self._bar is not None:
            self._bar.show(self._count, info.name)
