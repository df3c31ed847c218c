"""Instruments: those of the reference, and further ones."""

import difflib
import os
import sys

from .ir.instrument import (
    PassInstrument,
    PassTimingInstrument,
    PrintAfterAll,
    PrintBeforeAll,
    TimePassesInstrument,
    pass_instrument,
)


def _text(mod, show_meta_data):
    return mod.astext(True) if show_meta_data else str(mod)


class _Printing(PassInstrument):
    def __init__(self, names=None, file=None, show_meta_data=False):
        super().__init__()
        self._names = None if names is None else set([names] if isinstance(names, str) else names)
        self._file, self._show_meta_data = file, show_meta_data

    def _print(self, when, mod, info):
        if self._names is None or info.name in self._names:
            print(f"*** IR Dump {when} {info.name} ***\n{_text(mod, self._show_meta_data)}", file=self._file or sys.stderr)


class PrintIRBefore(_Printing):
    """Writes the module before passes, or before those of these names; to the standard error stream without a file."""

    def run_before_pass(self, mod, info):
        self._print("Before", mod, info)


class PrintIRAfter(_Printing):
    """The same after passes; with `only_changed` only after those that changed something."""

    def __init__(self, names=None, file=None, show_meta_data=False, only_changed=False):
        super().__init__(names, file, show_meta_data)
        self._only_changed = only_changed

    def run_after_pass(self, mod, info):
        if info.changed or not self._only_changed:
            self._print("After", mod, info)


PrintBefore, PrintAfter = PrintIRBefore, PrintIRAfter


class PrintChanged(PassInstrument):
    """Writes the difference that each pass makes."""

    def __init__(self, file=None):
        super().__init__()
        self._file, self._before = file, []

    def run_before_pass(self, mod, info):
        self._before.append(str(mod))

    def run_after_pass(self, mod, info):
        before, after = self._before.pop(), str(mod)
        if before != after:
            lines = difflib.unified_diff(before.split("\n"), after.split("\n"), "before", "after", lineterm="")
            print(f"*** IR Difference of {info.name} ***", *lines, sep="\n", file=self._file or sys.stderr)


class DumpIR(PassInstrument):
    """Writes the module into a folder after every pass that changed it: 001-FoldConstant.relay, ..."""

    def __init__(self, folder):
        super().__init__()
        self._folder, self._count = folder, 0
        os.makedirs(folder, exist_ok=True)

    def run_after_pass(self, mod, info):
        self._count += 1
        if info.changed:
            with open(os.path.join(self._folder, f"{self._count:03}-{info.name.strip()}.relay"), "w", encoding="utf-8") as file:
                file.write(mod.astext())


class Bisect(PassInstrument):
    """Lets only the first `limit` runs of passes happen; type inference and sequences always run."""

    def __init__(self, limit):
        super().__init__()
        self.limit, self.count = limit, 0

    def should_run(self, mod, info):
        if info.is_sequence or info.name == "InferType":
            return True
        self.count += 1
        return self.count <= self.limit


class Trace(PassInstrument):
    """Keeps for each run of a pass its nesting, time and whether it changed something, with the modules around it."""

    def __init__(self):
        super().__init__()
        self.runs, self._open = [], []

    def run_before_pass(self, mod, info):
        import time

        run = {"name": info.name, "depth": len(self._open), "before": mod, "after": None, "changed": None,
               "start": time.perf_counter(), "seconds": None}
        self.runs.append(run)
        self._open.append(run)

    def run_after_pass(self, mod, info):
        import time

        while self._open:
            run = self._open.pop()
            if run["name"] == info.name:
                run.update(after=mod, changed=info.changed, seconds=time.perf_counter() - run["start"])
                return

    def diff(self, number):
        """What a run changed, as a unified difference of texts."""
        run = self.runs[number]
        return "\n".join(difflib.unified_diff(str(run["before"]).split("\n"), str(run["after"] or "").split("\n"),
                                              "before", "after", lineterm=""))

    def __str__(self):
        return "\n".join(
            f"{'  ' * run['depth']}{run['name']}: "
            + ("failed" if run["seconds"] is None else f"{run['seconds'] * 1e3:.3f} ms")
            + (" (changed)" if run["changed"] else "")
            for run in self.runs)

    def _repr_html_(self):
        import html

        rows = []
        for number, run in enumerate(self.runs):
            name = "&nbsp;" * 4 * run["depth"] + html.escape(run["name"])
            time_ = "failed" if run["seconds"] is None else f"{run['seconds'] * 1e3:.3f} ms"
            if run["changed"]:
                name = f"<details><summary>{name}</summary><pre>{html.escape(self.diff(number))}</pre></details>"
            rows.append(f"<tr><td>{name}</td><td>{time_}</td></tr>")
        return "<table><tr><th>pass</th><th>time</th></tr>" + "".join(rows) + "</table>"
