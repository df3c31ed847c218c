"""Instruments: those of TVM, and further ones."""

from __future__ import annotations

import os
import sys

from . import _core
from .ir.instrument import (
    OpenRuns,
    PassInstrument as PassInstrument,
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


def _text(mod: Any, show_meta_data: Any) -> Any:
    return mod.astext(True) if show_meta_data else str(mod)


class _Printing(PassInstrument):
    def __init__(self, names: Any = None, file: Any = None, show_meta_data: bool = False) -> None:
        super().__init__()
        self._names = None if names is None else set([names] if isinstance(names, str) else names)
        self._file, self._show_meta_data = file, show_meta_data

    def _print(self, when: Any, mod: Any, info: Any) -> None:
        if self._names is None or info.name in self._names:
            print(f"*** IR Dump {when} {info.name} ***\n{_text(mod, self._show_meta_data)}", file=self._file or sys.stderr)


class PrintIRBefore(_Printing):
    """Writes the module before passes, or before those of these names; to the standard error stream without a file."""

    def run_before_pass(self, mod: Any, info: Any) -> None:
        self._print("Before", mod, info)


class PrintIRAfter(_Printing):
    """The same after passes; with `only_changed` only after those that changed something."""

    def __init__(self, names: Any = None, file: Any = None, show_meta_data: bool = False,
                 only_changed: bool = False) -> None:
        super().__init__(names, file, show_meta_data)
        self._only_changed = only_changed

    def run_after_pass(self, mod: Any, info: Any) -> None:
        if info.changed or not self._only_changed:
            self._print("After", mod, info)


PrintBefore, PrintAfter = PrintIRBefore, PrintIRAfter


class PrintChanged(PassInstrument):
    """Writes the difference that each pass makes."""

    def __init__(self, file: Any = None) -> None:
        super().__init__()
        self._file = file
        self._before = OpenRuns()

    def run_before_pass(self, mod: Any, info: Any) -> None:
        self._before.stack.append((info.name, str(mod)))

    def run_after_pass(self, mod: Any, info: Any) -> None:
        stack, after = self._before.stack, str(mod)
        # A pass that failed has left its text.
        while stack and stack[-1][0] != info.name:
            stack.pop()
        before = stack.pop()[1] if stack else after
        if before != after:
            import difflib

            lines = difflib.unified_diff(before.split("\n"), after.split("\n"), "before", "after", lineterm="")
            print(f"*** IR Difference of {info.name} ***", *lines, sep="\n", file=self._file or sys.stderr)


class DumpIR(PassInstrument):
    """Writes the module into a folder after every pass that changed it: 001-FoldConstant.relay, ..."""

    def __init__(self, folder: Any) -> None:
        super().__init__()
        self._folder, self._count = folder, 0
        os.makedirs(folder, exist_ok=True)

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


class Bisect(PassInstrument):
    """Lets only the first `limit` runs of passes happen; type inference and sequences always run.

    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    >>> bisect = relayopt.instrument.Bisect(limit=0)
    >>> with transform.PassContext(instruments=[bisect]):
    ...     relay.transform.FoldConstant()(mod)["main"].body
    <Call add(constant, constant) int32>
    >>> bisect.count
    1
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit, self.count = limit, 0

    def should_run(self, mod: IRModule, info: PassInfo) -> bool:
        if info.is_sequence or info.name == "InferType":
            return True
        self.count += 1
        return self.count <= self.limit


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
