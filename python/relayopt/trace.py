"""What passes do: a record of each run with times, memory and what it changed, as text, table, chart or file."""

from __future__ import annotations

import html
import json
import time

from ._arguments import as_path
from ._ffi import provided
from .ir.instrument import OpenRuns, PassInstrument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .ir.module import IRModule
    from .ir.transform import PassInfo

_STYLE = """<style>
.relayopt-trace td { text-align: left; padding: 1px 8px; font-family: monospace; }
.relayopt-trace .bar { background: #4a90d9; height: 8px; display: inline-block; }
.relayopt-trace .same { color: #999; }
.relayopt-trace pre { text-align: left; }
</style>"""


def _peak_memory() -> Any:
    """The most memory that the process has had, in KiB; None where nobody can tell."""
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def operator_counts(mod: IRModule) -> dict[str, int]:
    """{operator: number of calls} of a module."""
    from .relay.analysis import list_op_freqs

    return {str(name): int(count) for name, count in list_op_freqs(mod).items()}


class Run:
    """One run of a pass. Times are seconds, memory is KiB by which the peak of the process rose."""

    def __init__(self, name: str, depth: int, before: IRModule) -> None:
        self.name, self.depth, self.before = name, depth, before
        self.after: Any = None
        self.changed: Any = None
        self.seconds: Any = None
        self.self_seconds: Any = None
        self.memory: Any = None
        self.start, self._memory = time.perf_counter(), _peak_memory()

    def end(self, mod: IRModule, changed: bool, children: float) -> None:
        self.after, self.changed = mod, changed
        self.seconds = time.perf_counter() - self.start
        self.self_seconds = self.seconds - children
        if self._memory is not None:
            self.memory = _peak_memory() - self._memory

    def operators(self) -> dict[str, int]:
        """{operator: by how many calls there are more} where the run changed their number."""
        if self.after is None or not self.changed:
            return {}
        before, after = operator_counts(self.before), operator_counts(self.after)
        names = sorted(before.keys() | after.keys())
        return {n: after.get(n, 0) - before.get(n, 0) for n in names if after.get(n, 0) != before.get(n, 0)}

    def diff(self) -> str:
        """What the run changed in the structure of the module, as `relayopt.diff` says it."""
        return "" if self.after is None else str(provided("diff")(self.before, self.after))

    def __getitem__(self, key: Any) -> Any:
        return getattr(self, key)


class Trace(PassInstrument):
    """Keeps a record of every run of a pass in its contexts: `with PassContext(instruments=[trace])`.

    Modules are values, so that keeping those around each run costs only the functions that changed.

    >>> trace = relayopt.instrument.Trace()
    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    >>> with transform.PassContext(instruments=[trace]):
    ...     mod = relay.transform.FoldConstant()(mod)
    >>> run = trace.runs[0]
    >>> run.name, run.changed, run.operators()
    ('FoldConstant', True, {'add': -1})
    >>> print(trace.diff(0).split("\\n")[3])
    -   add(1 /* ty=int32 */, 2 /* ty=int32 */) /* ty=int32 */
    """

    def __init__(self) -> None:
        super().__init__()
        self.runs: list[Run] = []
        # Each open run with the seconds of the passes inside of it.
        self._open = OpenRuns()

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        run = Run(info.name, len(self._open.stack), mod)
        self.runs.append(run)
        self._open.stack.append([run, 0.0])

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        # A pass that raised stays open: it ends with the one around it.
        stack = self._open.stack
        while stack:
            run, children = stack.pop()
            if run.name != info.name:
                continue
            run.end(mod, info.changed, children)
            if stack:
                stack[-1][1] += run.seconds
            return

    def diff(self, number: int) -> str:
        """What the run of this number changed in the structure of the module."""
        return self.runs[number].diff()

    def shown(self) -> list[Run]:
        """The runs that text, table and charts show: all but type inference, which follows nearly every pass, unless it failed."""
        return [run for run in self.runs if run.name != "InferType" or run.seconds is None]

    def __str__(self) -> str:
        return "\n".join(
            f"{'  ' * run.depth}{run.name}: "
            + ("failed" if run.seconds is None else f"{run.seconds * 1e3:.3f} ms")
            + (" (changed)" if run.changed else "")
            for run in self.shown())

    def _repr_html_(self) -> str:
        longest = max((run.seconds or 0 for run in self.runs), default=0) or 1
        rows = []
        for run in self.shown():
            name = "&nbsp;" * 4 * run.depth + html.escape(run.name)
            if run.changed:
                name = f"<details><summary>{name}</summary><pre>{html.escape(run.diff())}</pre></details>"
            shown = "failed" if run.seconds is None else f"{run.seconds * 1e3:.3f} ms"
            bar = f"<span class='bar' style='width:{100 * (run.seconds or 0) / longest:.0f}px'></span>"
            memory = "" if not run.memory else f"+{run.memory} KiB"
            operators = ", ".join(f"{html.escape(n)} {count:+d}" for n, count in run.operators().items())
            kind = "" if run.changed else " class='same'"
            rows.append(f"<tr{kind}><td>{name}</td><td>{shown}</td><td>{bar}</td><td>{memory}</td><td>{operators}</td></tr>")
        head = "<tr><th>pass</th><th>time</th><th></th><th>memory</th><th>operators</th></tr>"
        return f"{_STYLE}<table class='relayopt-trace'>{head}{''.join(rows)}</table>"

    def to_chrome(self, path: Any) -> None:
        """Writes the runs as a trace for chrome://tracing or Perfetto."""
        first = self.runs[0].start if self.runs else 0
        events = [{"name": run.name, "ph": "X", "pid": 1, "tid": 1, "ts": (run.start - first) * 1e6,
                   "dur": run.seconds * 1e6, "args": {"changed": bool(run.changed)}}
                  for run in self.runs if run.seconds is not None]
        with open(as_path("path", path), "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each run. Needs pandas."""
        import pandas

        fields = ("name", "depth", "changed", "seconds", "self_seconds", "memory")
        return pandas.DataFrame([{field: run[field] for field in fields} for run in self.runs])

    def plot(self, kind: str = "time") -> Any:
        """The figure of a chart: "time" (own time and that of passes inside), "memory" or "ops" (calls after each pass).

        Needs `pip install 'relayopt[viz]'`.
        """
        if kind not in ("time", "memory", "ops"):
            raise ValueError(f"there is no chart '{kind}': time, memory, ops")
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError("charts need matplotlib: pip install 'relayopt[viz]'") from None
        runs = [run for run in self.shown() if run.seconds is not None]
        figure = Figure(figsize=(8, 1 + 0.25 * len(runs)), layout="constrained")
        axes = figure.subplots()
        names = [f"{i}: {'  ' * run.depth}{run.name}" for i, run in enumerate(runs)]
        if kind == "time":
            own = [run.self_seconds * 1e3 for run in runs]
            axes.barh(names, own, label="itself")
            axes.barh(names, [run.seconds * 1e3 - o for run, o in zip(runs, own)], left=own, label="passes inside")
            axes.set_xlabel("ms")
            axes.legend()
        elif kind == "memory":
            axes.barh(names, [run.memory or 0 for run in runs])
            axes.set_xlabel("KiB")
        else:
            counts = [operator_counts(run.after) for run in runs]
            operators = sorted({name for each in counts for name in each})
            axes.stackplot(range(len(runs)), [[each.get(name, 0) for each in counts] for name in operators], labels=operators)
            axes.set_xticks(range(len(runs)), names, rotation=90)
            axes.set_ylabel("calls")
            axes.legend(fontsize="x-small")
        if kind != "ops":
            axes.invert_yaxis()
        return figure
