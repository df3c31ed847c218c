"""Computing parts of a network in another type."""

from __future__ import annotations

from ...ir.transform import make_pass
from ... import _core
from ..expr import Call, Tuple
from ..expr_functor import ExprMutator
from ...ir.op import Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def recast(expr: Any, dtype: Any, out_dtype: Any, ops: Any = None, skip_layers: Any = None) -> Any:
    """Computes calls of `ops` (by default convolutions, dense layers) in `dtype` with results in `out_dtype`; calls whose
    number is in `skip_layers` stay."""
    from .. import op as _op
    from ...ir.module import IRModule
    from ..analysis import count_layers

    names = set(ops or ["nn.conv2d"])
    if skip_layers is None:
        skip_layers = []
    depth = count_layers(expr, list(names))
    skip = [layer if layer >= 0 else layer + depth for layer in skip_layers]

    class Recast(ExprMutator):
        def __init__(self) -> None:
            super().__init__()
            self.layer = depth
            self.wanted = ""
            self.numbers: dict[Any, Any] = {}

        def visit_call(self, call: Any) -> Any:
            if not (isinstance(call.op, Op) and call.op.name in names):
                return super().visit_call(call)
            self.layer -= 1
            if self.layer in skip:
                return super().visit_call(call)
            args = [self.cast(self.visit(arg), dtype) for arg in call.args]
            fields = dict(_core.fields(call.attrs)) if call.attrs is not None else {}
            if "out_dtype" in fields:
                fields["out_dtype"] = out_dtype
            attrs = None if call.attrs is None else _core.new_node(call.attrs.type_key, fields)
            return self.cast(Call(call.op, args, attrs), self.wanted)

        def cast(self, value: Any, to: Any) -> Any:
            if isinstance(value, Tuple):
                return Tuple([_op.cast(field, to) for field in value.fields])
            return _op.cast(value, to)

    walker = Recast()
    function = make_pass("InferType")(IRModule.from_expr(expr))["main"]
    result_type = function.body.checked_type
    walker.wanted = getattr(result_type, "dtype", "float32")
    return walker.visit(expr)
