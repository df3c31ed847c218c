"""Operators between dequantize and quantize."""

from __future__ import annotations

from ..operands import parts_of
from ... import _core
from ...ir.op import Op
from ..expr import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.module import IRModule


def list_freqs(mod: IRModule) -> dict[str, int]:
    """How often each operator of main lies between dequantize and quantize."""
    seen_all = set()
    counts: dict[Any, Any] = {}
    for node in _core.post_order(mod["main"]):
        if not (isinstance(node, Call) and isinstance(node.op, Op) and node.op.name == "qnn.quantize"):
            continue
        region, work, found = [], [node.args[0]], False
        seen = set()
        while work:
            at = work.pop()
            if at in seen:
                continue
            seen.add(at)
            if isinstance(at, Call) and isinstance(at.op, Op):
                if at.op.name == "qnn.dequantize":
                    found = True
                    continue
                if at.op.name == "qnn.quantize":
                    continue
                region.append(at)
                work.extend(at.args)
            else:
                work.extend(parts_of(at))
        if found:
            for call in region:
                if call not in seen_all:
                    seen_all.add(call)
                    counts[call.op.name] = counts.get(call.op.name, 0) + 1
    return counts
