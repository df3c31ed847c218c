"""Regions between annotations."""

from __future__ import annotations

from ..operands import parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class AnnotatedRegion:
    """The expressions between begin and end annotations."""

    def __init__(self, number: Any, target: Any) -> None:
        self.id, self.target = number, target
        self.nodes: list[Any] = []
        self.ins: list[Any] = []
        self.outs: list[Any] = []

    @property
    def args(self) -> list[Any]:
        """The begin annotations."""
        return self.ins

    @property
    def rets(self) -> list[Any]:
        """The end annotations."""
        return self.outs


class AnnotatedRegionSet:
    """The regions of an expression that begin and end annotations mark."""

    def __init__(self, expr: Any, region_begin_op: Any, region_end_op: Any) -> None:
        from ... import _core
        from ..expr import Call
        self._regions: list[Any] = []
        self._of: dict[Any, Any] = {}
        for node in _core.post_order(expr):
            if isinstance(node, Call) and node.op == region_begin_op:
                continue
            if isinstance(node, Call) and node.op == region_end_op:
                region = self._of.get(node.args[0])
                if region is None:
                    region = self._new(node.attrs.compiler)
                    region.nodes.append(node.args[0])
                    self._of[node.args[0]] = region
                region.nodes.append(node)
                region.outs.append(node)
                self._of[node] = region
                continue
            for child in parts_of(node):
                if isinstance(child, Call) and child.op == region_begin_op:
                    region = self._of.get(child) or self._of.get(node) or self._new(child.attrs.compiler)
                    region.ins.append(child)
                    region.nodes.append(child)
                    self._of[child] = region
                    if node not in self._of:
                        self._of[node] = region
                        region.nodes.append(node)
                elif child in self._of and not (isinstance(child, Call) and child.op == region_end_op):
                    if node not in self._of:
                        self._of[node] = self._of[child]
                        self._of[child].nodes.append(node)

    def _new(self, target: Any) -> Any:
        self._regions.append(AnnotatedRegion(len(self._regions), target))
        return self._regions[-1]

    def __len__(self) -> int:
        return len(self._regions)

    def get_region(self, expr: Any) -> Any:
        """The region of an expression, or None."""
        return self._of.get(expr)
