"""Times of repeated runs."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class BenchmarkResult:
    """Times of repeated runs, in seconds."""

    def __init__(self, results: Any) -> None:
        import statistics

        self.results = tuple(results)
        self.mean = statistics.fmean(self.results)
        self.median = statistics.median(self.results)
        self.min = min(self.results)
        self.max = max(self.results)
        self.std = statistics.pstdev(self.results)

    def __repr__(self) -> str:
        return f"BenchmarkResult(min={self.min}, mean={self.mean}, median={self.median}, max={self.max}, std={self.std})"


def measure(run: Callable[[], Any], repeat: int, number: int) -> BenchmarkResult:
    """Calls a function `repeat` times `number` times."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(number):
            run()
        times.append((time.perf_counter() - start) / number)
    return BenchmarkResult(times)
