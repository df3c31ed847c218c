"""Operators: one function for each, in the reference's namespaces."""

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


def _namespace(name):
    module = _types.ModuleType(f"{_package}.{name}")
    module.__doc__ = f"Operators of relay.{name}."
    _sys.modules[module.__name__] = module
    return module


nn, image, vision, annotation, random, memory, vm, dyn = map(
    _namespace, ("nn", "image", "vision", "annotation", "random", "memory", "vm", "dyn")
)
tensor, transform, reduce, algorithm, nn_nn = map(_namespace, ("tensor", "transform", "reduce", "algorithm", "nn.nn"))
_spaces = {"nn": nn, "image": image, "vision": vision, "annotation": annotation, "random": random}
_qnn = {}
_plain_names = []


def _put(space, name, function):
    if space == "":
        globals()[name] = function
        _plain_names.append(name)
        for module in (tensor, transform, reduce, algorithm):
            setattr(module, name, function)
    elif space == "qnn.op":
        _qnn[name] = function
    else:
        setattr(_spaces[space], name, function)


def _fill():
    done = set()
    for line in _ROWS.strip().split("\n"):
        head, _, signature = line.partition(":")
        head, _, op = (part.strip() for part in head.partition("="))
        op = op or head
        signature, _, result = signature.partition("->")
        space, _, name = head.rpartition(".")
        _put(space, name, _builder(op, name, signature.strip(), int(result) if result else None))
        done.add(op)
    for op in _op_table():
        if op in done or op in _BY_HAND or _builtins.any(op.startswith(p) for p in _BY_HAND if p.endswith(".")):
            continue
        space, _, name = op.rpartition(".")
        if space == "qnn":
            space = "qnn.op"
        if space == "" or space in _spaces or space == "qnn.op":
            _put(space, name, _builder(op, name))


_fill()

for _name, _value in vars(_by_hand).items():
    if _name in ("nn", "image", "vision", "annotation", "random", "qnn"):
        for _member, _function in vars(_value).items():
            if not _member.startswith("_"):
                _put("qnn.op" if _name == "qnn" else _name, _member, _function.__func__)
    elif callable(_value) and getattr(_value, "__module__", "") == _by_hand.__name__ and not _name.startswith("_"):
        _put("", _name, _value)



class _Make(_types.ModuleType):
    """The reference's packed functions of a namespace: inputs and attributes by position."""

    def __init__(self, space):
        super().__init__(f"{space.__name__}._make")
        self._space = space

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._space, name)


def _add_make(space):
    space._make = _sys.modules[f"{space.__name__}._make"] = _Make(space)


for _space in (_sys.modules[__name__], *_spaces.values()):
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

__all__ = _plain_names + [
    "Op", "OpPattern", "nn", "image", "vision", "annotation", "random", "register_alter_op_layout",
    "register_legalize", "register_pattern", "debug",
]
