"""What computing a part of a program costs, as CollagePartition asks it.

An estimator has `estimate(mod, target)`, which gives the seconds that `@main` of the module takes; infinity where the target
cannot compute it. CollagePartition also takes a function of these arguments, and a table {kind of target: cost of an operator}.
"""

from __future__ import annotations

from ... import _core
from ...runtime.packed_func import get_global_func

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ...ir.module import IRModule


class CostEstimator:
    """Measures. There is nothing to measure here: give CollagePartition a function or a table in its place."""

    def estimate(self, mod: IRModule, target: Any) -> Any:
        raise NotImplementedError("costs are measured by running generated code, which relayopt has none of: pass "
                                  "CollagePartition a function cost(mod, target) or a table {kind of target: cost}")


class CustomCostEstimator(CostEstimator):
    """Asks the global function of a name: `f(mod, target)` gives seconds."""

    def __init__(self, py_fn_estimator: str = "tvm.relay.collage.estimate_seconds_custom") -> None:
        self.py_fn_estimator = py_fn_estimator

    def estimate(self, mod: IRModule, target: Any) -> float:
        result: float = get_global_func(self.py_fn_estimator)(mod, target)
        return result


class MockCostEstimator(CostEstimator):
    """Costs from a table: each operator costs what the table has for the kind of the target, every further one of a function
    nine tenths of the one before. No more than `max_estimates` candidates may be asked for (0: any number)."""

    def __init__(self, target_costs: Mapping[str, float], max_estimates: int = 0) -> None:
        self.target_costs = {str(kind): float(cost) for kind, cost in dict(target_costs.items()).items()}
        self.max_estimates, self._estimates = int(max_estimates), 0

    def estimate(self, mod: IRModule, target: Any) -> float:
        if self.max_estimates and self._estimates >= self.max_estimates:
            raise ValueError(f"at most {self.max_estimates} candidates were to be estimated")
        self._estimates += 1
        if target.kind.name not in self.target_costs:
            raise ValueError(f"the table of costs has no target '{target.kind.name}'; it has {', '.join(self.target_costs)}")
        return _core.cost_by_counting(mod, self.target_costs[target.kind.name])


class _Function(CostEstimator):
    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def estimate(self, mod: IRModule, target: Any) -> Any:
        return self._function(mod, target)


def estimator_of(cost: Any) -> CostEstimator:
    """The estimator that an argument of CollagePartition means."""
    if cost is None:
        return CostEstimator()
    if hasattr(cost, "estimate"):
        result: CostEstimator = cost
        return result
    if callable(cost):
        return _Function(cost)
    if hasattr(cost, "items"):
        return MockCostEstimator(cost)
    raise TypeError(f"CollagePartition: cost_estimator must be an estimator, a function or a table, not {cost!r}")
