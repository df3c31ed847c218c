"""Where the time of a run went. Imported when something is profiled: dataclasses import much."""

from __future__ import annotations

import dataclasses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@dataclasses.dataclass(frozen=True)
class OperatorTime:
    """How often an operator was evaluated, and how many seconds that took altogether."""

    name: str
    calls: int
    seconds: float


@dataclasses.dataclass(frozen=True, repr=False)
class Profile:
    """Where the time of a run went: `seconds` of the whole, and its operators, what took longest first."""

    seconds: float
    operators: tuple[OperatorTime, ...]

    def _part(self, seconds: float) -> float:
        return 100 * seconds / self.seconds if self.seconds else 0.0

    def __repr__(self) -> str:
        width = max([len(op.name) for op in self.operators] + [len("operator")])
        rows = [f"{'operator':{width}}  {'calls':>7}  {'ms':>10}  {'%':>5}"]
        rows += [f"{op.name:{width}}  {op.calls:7}  {op.seconds * 1e3:10.3f}  {self._part(op.seconds):5.1f}"
                 for op in self.operators]
        return "\n".join([*rows, f"{'the whole':{width}}  {'':7}  {self.seconds * 1e3:10.3f}  100.0"])

    def _repr_html_(self) -> str:
        import html

        rows = "".join(
            f"<tr><td style='text-align:left'>{html.escape(op.name)}</td><td>{op.calls}</td><td>{op.seconds * 1e3:.3f} ms</td>"
            f"<td style='text-align:left'><span style='background:#4a90d9;height:8px;display:inline-block;"
            f"width:{self._part(op.seconds):.0f}px'></span></td></tr>" for op in self.operators)
        return (f"<table><tr><th>operator</th><th>calls</th><th>time</th><th></th></tr>{rows}"
                f"<tr><td style='text-align:left'>the whole</td><td></td><td>{self.seconds * 1e3:.3f} ms</td><td></td></tr></table>")

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each operator. Needs pandas."""
        import pandas

        return pandas.DataFrame([dataclasses.asdict(op) for op in self.operators])
