"""CollagePartition with the patterns and the costs of Python."""

from __future__ import annotations

from ... import _core
from ...ir.transform import make_pass
from ..op import contrib
from ..patterns import WildcardPattern
from ..transform.callbacks import with_callbacks
from .collage import estimator_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.expr import RelayExpr
    from ...ir.module import IRModule
    from ...ir.transform import Pass
    from ...target.virtual_device import CompilationConfig


def collage_partition(config: CompilationConfig, cost_estimator: Any) -> Pass:
    """The pass for the targets of a configuration."""
    estimator = estimator_of(cost_estimator)
    targets = {str(target): target for target in config.primitive_targets}

    def estimate_cost(mod: IRModule, target: str) -> float:
        return float(estimator.estimate(mod, targets[target]))

    core = make_pass("CollagePartition", targets=list(targets))
    return with_callbacks(core, {"composite_matches": _matches, "estimate_cost": estimate_cost})


def _matches(compiler: str, function: RelayExpr) -> list[tuple[str, list[RelayExpr]]]:
    """[(name of the composite, what it covers)] for the pattern table of a compiler."""
    table = contrib.get_pattern_table(compiler)
    if table is None:
        raise ValueError(f"CollagePartition: no pattern table is registered for the external compiler '{compiler}'")
    found = []
    for name, pattern, *check in table:
        for node, matched in _core.pattern_matches(pattern, function):
            if not check or check[0](node):
                covered = [expr for part, exprs in matched.items() if not isinstance(part, WildcardPattern) for expr in exprs]
                found.append((str(name), covered))
    return found
