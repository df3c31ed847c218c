#!/usr/bin/env python3
"""Writes the type stubs of what is made at run time: the core, the builders of operators and the factories of passes.

make_stubs.py [--check]: with --check, exit status 1 where a stub is not what it would write. A test does this.
"""

import inspect
import pathlib
import re
import sys

PACKAGE = pathlib.Path(__file__).resolve().parent / "relayopt"
HEAD = '"""Written by python/make_stubs.py."""\n\n'
IMPORTS = """from typing import Any as _Any

from {dots}expr import Call as _Call, Expr as _Expr, TupleWrapper as _TupleWrapper

"""


def _default(value):
    """The text of a default that a stub may hold."""
    plain = (bool, int, float, str, type(None))
    if isinstance(value, plain) or isinstance(value, tuple) and all(isinstance(item, plain) for item in value):
        return repr(value)
    return "..."


# Annotations of builders written by hand that the stub takes over; of arguments whose numbers may be expressions it does not.
_OF_RESULTS = {"Call": "_Call", "TupleWrapper": "_TupleWrapper", "TupleGetItem": "_Expr"}
_OF_ARGUMENTS = {"RelayExpr": "_Expr | _TupleWrapper", "bool": "bool", "str": "str"}


def _line(name, function):
    """The definition of a builder. Its inputs are expressions."""
    written = getattr(function, "__annotations__", {})
    inputs, result = getattr(function, "_stub", ((), _OF_RESULTS.get(written.get("return"), "_Any")))
    parts, named_only = [], False
    for param in inspect.signature(function).parameters.values():
        annotation = _OF_ARGUMENTS.get(written.get(param.name), "_Any")
        if param.name in inputs:
            annotation = _OF_ARGUMENTS["RelayExpr"]
        stars = {param.VAR_POSITIONAL: "*", param.VAR_KEYWORD: "**"}.get(param.kind, "")
        if param.kind == param.KEYWORD_ONLY and not named_only:
            parts.append("*")
        named_only = named_only or param.kind in (param.KEYWORD_ONLY, param.VAR_POSITIONAL)
        default = "" if param.default is param.empty else f" = {_default(param.default)}"
        parts.append(f"{stars}{param.name}: {annotation}{default}")
    return f"def {name}({', '.join(parts)}) -> {result}: ...\n"


def operators():
    """{path: text} of the namespaces of operators."""
    from relayopt.relay import op

    made = {}
    for space, recipes in op._recipes.items():
        lines = "".join(_line(name, recipes[name]()) for name in sorted(recipes))
        if space == "qnn.op":
            own = "".join(f"def {name}(op_name: str, legal_op: _Any = None, level: int = 10) -> _Any: ...\n"
                          for name in ("register_qnn_legalize", "register_qnn_canonicalize"))
            settings = ("from . import canonicalizations as canonicalizations\n"
                        "from .requantize_config import RequantizeConfig as RequantizeConfig, "
                        "current_requantize_config as current_requantize_config, "
                        "requantize_config as requantize_config\n")
            made["relay/qnn/op/__init__.pyi"] = HEAD + IMPORTS.format(dots="...") + lines + own + settings
        elif space:
            made[f"relay/op/{space}.pyi"] = HEAD + IMPORTS.format(dots="..") + lines
        else:
            spaces = ", ".join(f"{name} as {name}" for name in ("annotation", "contrib", "image", "nn", "random", "vision"))
            own = f"from . import {spaces}\n"
            own += "from .op import OpPattern as OpPattern, debug as debug, get as get, register as register\n"
            own += "from ...ir.op import Op as Op, register_op_attr as register_op_attr\n"
            own += "".join(f"from .op import {name} as {name}\n" for name in sorted(dir(op))
                           if name.startswith("register_") and name not in ("register_op_attr", "register_intrin_lowering"))
            own += "\nalgorithm: _Any\ndyn: _Any\nmemory: _Any\nreduce: _Any\ntensor: _Any\ntransform: _Any\nvm: _Any\n"
            own += "def make(name: str, *args: _Expr, **attrs: _Any) -> _Call: ...\n"
            own += "_recipes: dict[str, dict[str, _Any]]\n"
            # What `relayopt.relay` has of this: `debug` is a module there.
            names = "".join(f'    "{name}",\n' for name in sorted(recipes) if name != "debug")
            made["relay/op/__init__.pyi"] = HEAD + IMPORTS.format(dots="..") + own + lines + f"\n__all__ = [\n{names}]\n"
    return made


# Words of nanobind's signatures that stubs know; anything else is Any.
_KNOWN = re.compile(r"^(int|float|str|bool|object|None|bytes|list|dict|tuple|list\[[a-z]+\]|(int|float|str|bool|object) \| None)$")


def _core_line(name, function):
    line = _signature(name, function)
    return re.sub(r"-> .*: \.\.\.", f"-> {_CORE_RESULTS[name]}: ...", line) if name in _CORE_RESULTS else line


def _signature(name, function):
    shapes = getattr(function, "__nb_signature__", None)
    if not shapes:
        return f"def {name}(*args: _Any) -> _Any: ...\n"
    text = shapes[0][0]
    head, _, result = text.partition(" -> ")
    inner = head[head.index("(") + 1 : head.rindex(")")]
    parts = []
    for part in filter(None, inner.split(", ")):
        if part in ("/", "*") or "[" in part or "]" in part:
            return f"def {name}(*args: _Any, **kwargs: _Any) -> {_known(result)}: ...\n"
        param, _, annotation = part.partition(": ")
        annotation, _, default = annotation.partition(" = ")
        parts.append(f"{param}: {_known(annotation)}" + (" = ..." if default else ""))
    return f"def {name}({', '.join(parts)}) -> {_known(result)}: ...\n"


# Containers of whatever there is.
_PLAIN = {"list": "list[_Any]", "dict": "dict[_Any, _Any]", "tuple": "tuple[_Any, ...]"}
# What functions give whose results are objects.
_CORE_RESULTS = {
    "size": "int", "items": "list[_Any]", "get_op": "_Op", "make_array": "_Array", "make_map": "_Map", "make_tensor": "_NDArray",
    "make_packed_func": "_PackedFunc", "module_global_var": "_GlobalVar", "module_get": "_Function | None",
    "module_function_names": "list[str]", "module_functions": "dict[_GlobalVar, _Function]", "post_order": "list[_RelayExpr]",
    "module_type_defs": "dict[_GlobalTypeVar, _TypeData]", "parse": "_IRModule", "run_pass": "_IRModule", "tensor_bytes": "bytes",
    "tensor_shape": "tuple[int, ...]", "ctor_tags": "list[int]", "operands": "list[_RelayExpr]", "rebuild_call": "_RelayExpr",
}
_CORE_IMPORTS = """from .ir.expr import GlobalVar as _GlobalVar, RelayExpr as _RelayExpr
from .ir.module import IRModule as _IRModule
from .ir.op import Op as _Op
from .ir.type import GlobalTypeVar as _GlobalTypeVar
from .relay.adt import TypeData as _TypeData
from .relay.function import Function as _Function
from .runtime.container import Array as _Array, Map as _Map
from .runtime.ndarray import NDArray as _NDArray
from .runtime.packed_func import PackedFunc as _PackedFunc
"""


def _known(annotation):
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    return annotation if annotation != "object" and _KNOWN.match(annotation) else "_Any"


def core():
    """{path: text} of the extension module."""
    from relayopt import _core

    text = HEAD + "from typing import Any as _Any\n\n" + _CORE_IMPORTS + "\n"
    for name, value in sorted(vars(_core).items()):
        if name.startswith("__"):
            continue
        if isinstance(value, type):
            members = "".join(f"    def {member}(self, *args: _Any) -> _Any: ...\n" for member in sorted(vars(value))
                              if (not member.startswith("__") or member in ("__enter__", "__exit__"))
                              and callable(vars(value)[member]))
            # Fields are those of the type of the object, which the core knows when it runs.
            text += f"class {name}:\n    def __init__(self, *args: _Any, **kwargs: _Any) -> None: ...\n"
            text += "    def __getattr__(self, name: str) -> _Any: ...\n" + members
        elif callable(value):
            text += _core_line(name, value)
        else:
            text += f"{name}: _Any\n"
    return {"_core.pyi": text}


# What arguments of passes are whose default does not say it, by name; and what is no factory gives.
_ARGUMENTS = {
    "targets": "str | list[str]", "desired_layouts": "dict[str, list[str]]", "pattern_table": "list[tuple[_Any, ...]]",
    "fskip": "_Callable[[_Expr], bool] | None", "entry_functions": "list[str] | None", "optional_qnn_ops": "list[str] | None",
    "data": "dict[_Var, int]", "max_function_args": "int", "weight_name": "list[str]", "weight_shape": "list[list[int]]",
    "layout": "str", "kernel_size": "int | list[int]", "blocksize": "list[int]", "sparsity_threshold": "float",
    "target_weight_name": "list[str]", "global_vars": "list[_Any]", "expr": "_Expr", "e": "_Expr", "func": "_Function",
    "mod": "_IRModule | None", "opt_pass": "_Pass", "transform": "_Pass", "func_name_regex": "str",
    "required_pass": "list[str] | None", "cost_estimator": "_Any", "config": "_Any", "skip_layers": "list[int] | None",
}
_RESULTS = {
    "gradient": "_Expr", "to_cps": "_Function", "un_cps": "_Function", "ToCPS": "_Function", "Defunctionalization": "_Function",
    "ToANormalFormExpr": "_Expr", "FoldConstantExpr": "_Expr", "InferTypeLocal": "_Type", "run_on_expr": "_Expr",
    "build_config": "_PassContext", "FoldScaleAxis": "_Sequential", "BatchingOps": "_Sequential",
}


def _argument_type(name, default):
    for kind in (bool, int, float, str):
        if isinstance(default, kind):
            return kind.__name__
    return _ARGUMENTS.get(name, "_Any")


def _pass_line(name, function):
    """The definition of a factory. One of the core's table takes the options of its row."""
    parts = []
    options = getattr(function, "_options", None)
    for option, _, required, default in options or ():
        kind = "list[str]" if isinstance(default, (list, tuple)) else _argument_type(option, default)
        parts.append(f"{option}: {kind}" if required else f"{option}: {kind} | None = None")
    for param in inspect.signature(function).parameters.values() if options is None else ():
        if param.kind == param.VAR_KEYWORD:
            parts.append(f"**{param.name}: _Any")
            continue
        default = "" if param.default is param.empty else f" = {_default(param.default)}"
        parts.append(f"{param.name}: {_argument_type(param.name, param.default)}{default}")
    return f"def {name}({', '.join(parts)}) -> {_RESULTS.get(name, '_Pass')}: ...\n"


def passes():
    """{path: text} of the factories of passes."""
    from relayopt.relay.transform import transform

    text = HEAD + """from typing import Any as _Any, Callable as _Callable

from ...ir.module import IRModule as _IRModule
from ...ir.transform import Pass as _Pass, PassContext as _PassContext, Sequential as _Sequential
from ...ir.transform import FunctionPass as FunctionPass, function_pass as function_pass
from ...ir.type import Type as _Type
from ..expr import Expr as _Expr, Var as _Var
from ..function import Function as _Function
from .layout_config import LayoutConfig as LayoutConfig

"""
    text += "def _make(name: str, **options: _Any) -> _Pass: ...\n"
    text += "def _run_on_expr(name: str, expr: _Expr, mod: _IRModule | None = None, **options: _Any) -> _Expr: ...\n"
    for name in sorted(set(transform.__all__)):
        function = getattr(transform, name)
        if name.isidentifier() and inspect.isfunction(function) and name != "function_pass":
            text += _pass_line(name, function)
    return {"relay/transform/transform.pyi": text}


def main():
    sys.path.insert(0, str(PACKAGE.parent))
    different = []
    for name, text in {**operators(), **passes(), **core()}.items():
        path = PACKAGE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            different.append(path)
            if "--check" not in sys.argv[1:]:
                path.write_text(text, encoding="utf-8")
    for path in different:
        print(path.relative_to(PACKAGE.parent))
    return 1 if different and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
