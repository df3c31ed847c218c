"""Functions of external compilers inside and outside of others."""

from __future__ import annotations

from ..binding import bind
from ... import _core
from ...ir.expr import GlobalVar
from ...ir.transform import make_pass, module_pass, Sequential
from ..expr import Call
from ..function import Function
from .callbacks import forward_rewrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.module import IRModule
    from ...ir.transform import Pass, PassContext


def _matches(function: Function, compiler_filter: str) -> bool:
    attrs = function.attrs
    if attrs is None or "Compiler" not in attrs:
        return False
    return not compiler_filter or str(attrs["Compiler"]) == compiler_filter


def outline(compiler_filter: Any) -> Any:
    """Makes global functions of literals with `Compiler` and `global_symbol`."""

    def run(mod: Any, ctx: Any) -> Any:
        result = mod._copy()
        for var, function in _core.module_functions(mod).items():
            def visit(old: Any, new: Any) -> Any:
                if isinstance(new, Function) and old is not function and _matches(new, compiler_filter) and (
                    "global_symbol" in new.attrs):
                    name = _core.module_global_var(result, str(new.attrs["global_symbol"]))
                    result._add(name, new)
                    return name
                return new

            result._add(var, forward_rewrite(function, visit))
        return result

    return module_pass(run, opt_level=0, name="OutlineCompilerFunctionsWithExistingGlobalSymbols")


def mark_extern(compiler_filter: Any) -> Any:
    """Gives global functions of external compilers `Extern` in place of their attributes."""

    def run(mod: Any, ctx: Any) -> Any:
        result = mod._copy()
        for var, function in _core.module_functions(mod).items():
            if _matches(function, compiler_filter):
                result._add(var, function._with_attrs(None).with_attr("Extern", 1))
        return result

    return module_pass(run, opt_level=0, name="MarkCompilerFunctionsAsExtern")


def inline_bound(names: Any) -> Any:
    """Inlines global functions of external compilers."""

    def run(mod: Any, ctx: Any) -> Any:
        wanted = {n if isinstance(n, str) else n.name_hint for n in names}
        functions = _core.module_functions(mod)
        result = mod._copy()
        bodies = {}
        for var, function in functions.items():
            if var.name_hint in wanted:
                bodies[var.name_hint] = function.without_attr("Compiler").without_attr("global_symbol")
                del result[var]
        for var, function in functions.items():
            if var.name_hint in wanted:
                continue

            def visit(old: Any, new: Any) -> Any:
                if isinstance(new, Call) and isinstance(new.op, GlobalVar) and new.op.name_hint in bodies:
                    body = bodies[new.op.name_hint]
                    return bind(body.body, dict(zip(body.params, new.args)))
                return new

            result._add(var, forward_rewrite(function, visit))
        return result

    return module_pass(run, opt_level=0, name="InlineCompilerFunctionsBoundTo")


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
            if not _matches(function, ""):
                continue
            optimize = get_global_func(f"relay.ext.{function.attrs['Compiler']}.optimize", allow_missing=True)
            if optimize is not None:
                # Without attributes: passes leave functions of external compilers alone.
                plain = Function(list(function.params), function.body, function.ret_type, list(function.type_params))
                made = optimize(make_pass("InferType")(IRModule.from_expr(plain)))["main"]
                result._add(var, made.with_attr(dict(function.attrs.items())))
        return make_pass("InferType")(result)

    return Sequential([partition, module_pass(run, opt_level=0, name="OptimizeByCompilers")], name="PartitionGraph")
