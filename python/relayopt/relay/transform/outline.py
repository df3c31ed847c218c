"""External compilers that optimize their functions."""

from __future__ import annotations

from ... import _core
from ...ir.transform import make_pass, module_pass, Sequential
from ..function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...ir.module import IRModule
    from ...ir.transform import Pass, PassContext


def optimized_by_compilers(partition: Pass) -> Pass:
    """PartitionGraph, followed by the functions `relay.ext.COMPILER.optimize` that are registered; itself without any."""
    from ...runtime.packed_func import get_global_func, list_global_func_names

    def is_one(name: str) -> bool:
        return name.startswith("relay.ext.") and name.endswith(".optimize")

    if not any(is_one(name) for name in list_global_func_names()):
        return partition

    def run(mod: IRModule, ctx: PassContext) -> IRModule:
        from ...ir.module import IRModule
        result = mod._copy()
        for var, function in _core.module_functions(mod).items():
            if function.attrs is None or "Compiler" not in function.attrs:
                continue
            optimize = get_global_func(f"relay.ext.{function.attrs['Compiler']}.optimize", allow_missing=True)
            if optimize is not None:
                # Without attributes: passes leave functions of external compilers alone.
                plain = Function(list(function.params), function.body, function.ret_type, list(function.type_params))
                made = optimize(make_pass("InferType")(IRModule.from_expr(plain)))["main"]
                result._add(var, made.with_attr(dict(function.attrs.items())))
        return make_pass("InferType")(result)

    return Sequential([partition, module_pass(run, opt_level=0, name="OptimizeByCompilers")], name="PartitionGraph")
