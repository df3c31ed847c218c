"""Operators: one function for each, in TVM's namespaces."""

import builtins as _builtins
import sys as _sys
import types as _types

from ...ir.op import Op, register_op_attr, register_intrin_lowering
from ..expr import Constant as _Constant
from . import by_hand as _by_hand
from .builder_table import BY_HAND as _BY_HAND, ROWS as _ROWS
from .builders import builder as _builder, make
from ...ir.op import op_table as _op_table

_package = __name__


class _Namespace(_types.ModuleType):
    """Builders that are made when somebody asks for one: making all takes longer than most programs run."""

    def __init__(self, name, recipes):
        super().__init__(name, f"Operators of relay.{name.removeprefix(_package + '.')}.")
        self._recipes = recipes
        _sys.modules[name] = self

    def __getattr__(self, name):
        recipe = self._recipes.get(name)
        if recipe is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        made = recipe()
        setattr(self, name, made)
        return made

    def __dir__(self):
        return _builtins.sorted({*super().__dir__(), *self._recipes})

    @property
    def __all__(self):
        return [name for name in _builtins.dir(self) if not name.startswith("_")]


# Namespace -> name -> what makes the builder.
_recipes = {name: {} for name in ("", "nn", "image", "vision", "annotation", "random", "qnn.op")}
nn, image, vision, annotation, random = (
    _Namespace(f"{_package}.{name}", _recipes[name]) for name in ("nn", "image", "vision", "annotation", "random")
)
memory, vm, dyn = (_Namespace(f"{_package}.{name}", {}) for name in ("memory", "vm", "dyn"))
tensor, transform, reduce, algorithm = (
    _Namespace(f"{_package}.{name}", _recipes[""]) for name in ("tensor", "transform", "reduce", "algorithm")
)
_Namespace(f"{_package}.nn.nn", _recipes["nn"])
_made = {}


def _put(space, name, make_builder):
    key = (space, name)

    def once():
        # One function whichever way it is reached.
        if key not in _made:
            _made[key] = make_builder()
        return _made[key]

    _recipes[space][name] = once


def _put_row(head, op, signature=None, result=None):
    space, _, name = head.rpartition(".")
    _put(space, name, lambda: _builder(op, head, signature, result))


def _fill():
    done = set()
    for line in _ROWS.strip().split("\n"):
        head, _, signature = line.partition(":")
        head, _, op = (part.strip() for part in head.partition("="))
        signature, _, result = signature.partition("->")
        _put_row(head, op or head, signature.strip(), int(result) if result else None)
        done.add(op or head)
    skipped = tuple(p for p in _BY_HAND if p.endswith("."))
    for op in _op_table():
        if op in done or op in _BY_HAND or op.startswith(skipped):
            continue
        head = "qnn.op." + op[4:] if op.startswith("qnn.") else op
        if head.rpartition(".")[0] in _recipes:
            _put_row(head, op)
    for name, value in vars(_by_hand).items():
        if name in ("nn", "image", "vision", "annotation", "random", "qnn"):
            for member, function in vars(value).items():
                if not member.startswith("_"):
                    _put("qnn.op" if name == "qnn" else name, member, lambda f=function.__func__: f)
        elif callable(value) and getattr(value, "__module__", "") == _by_hand.__name__ and not name.startswith("_"):
            _put("", name, lambda f=value: f)


_fill()


def __getattr__(name):
    recipe = _recipes[""].get(name)
    if recipe is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = globals()[name] = recipe()
    return made


def __dir__():
    return _builtins.sorted({*globals(), *_recipes[""]})


class _Make(_types.ModuleType):
    """TVM's packed functions of a namespace: inputs and attributes by position."""

    def __init__(self, space):
        super().__init__(f"{space.__name__}._make")
        self._space = space

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._space, name)


def _add_make(space):
    space._make = _sys.modules[f"{space.__name__}._make"] = _Make(space)


for _space in (_sys.modules[__name__], nn, image, vision, annotation, random):
    _add_make(_space)
nn.Constant = _Constant

from . import contrib, op, strategy
from .op import OpPattern, get, register, register_stateful, debug
from .op import (
    register_alter_op_layout, register_compute, register_convert_op_layout, register_infer_correct_layout,
    register_legalize, register_optional_fake_quantization_to_integer, register_fake_quantization_to_integer,
    register_pattern, register_injective_schedule, register_broadcast_schedule, register_reduce_schedule,
    register_schedule, register_strategy, register_shape_func, register_gradient,
)
from .contrib import register as _register

__all__ = [*_recipes[""]] + [
    "Op", "OpPattern", "nn", "image", "vision", "annotation", "random", "register_alter_op_layout",
    "register_legalize", "register_pattern", "debug",
]
