"""What functions get and give when a module runs."""

from __future__ import annotations

from ... import _core
from ..._ffi import provided
from ...ir.expr import GlobalVar
from ..operands import rebuild
from ..expr import Call, Tuple
from ..function import Function
from ...ir.module import IRModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


    from ...ir.expr import RelayExpr


def collect(mod: IRModule, data: Mapping[str, Any]) -> dict[RelayExpr, dict[str, Any]]:
    """{GlobalVar: {"inputs": [...], "outputs": [...]}} of the calls in main."""
    main = mod["main"]
    outputs: list[RelayExpr] = []
    layout: list[Any] = []
    memo: dict[Any, Any] = {}
    inlined = {var.name_hint: f for var, f in _core.module_functions(mod).items() if var.name_hint != "main"}
    for node in _core.post_order(main.body):
        new = rebuild(node, memo)
        if isinstance(node, Call) and isinstance(node.op, GlobalVar):
            function = inlined[node.op.name_hint]
            plain = Function(list(function.params), function.body, function.ret_type, list(function.type_params))
            new = Call(plain, list(new.args))
            layout.append((node.op, len(new.args), new))
            outputs.extend(new.args)
            outputs.append(new)
        memo[node] = new
    collected = Function(list(main.params), Tuple(outputs))
    values = provided("create_executor")("debug", IRModule.from_expr(collected)).evaluate()(
        *[data[p.name_hint] for p in main.params])
    result: dict[RelayExpr, dict[str, Any]] = {}
    at = 0
    values = list(values)
    for var, count, _ in layout:
        ins = values[at : at + count]
        out = values[at + count]
        at += count + 1
        outs = list(out) if type(out).__name__ == "ADT" else [out]
        result[var] = {"inputs": ins, "outputs": outs}
    return result
