"""Visitors over types."""

from __future__ import annotations

from .. import _core
from ..ir.tensor_type import TensorType
from ..ir.type import FuncType, GlobalTypeVar, IncompleteType, RelayRefType, TupleType, TypeVar
from ..ir.type_relation import TypeCall, TypeRelation
from ..runtime.container import Array
from .adt import TypeData

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar as _TypeVar

    from ..ir.type import Type

    _Class = _TypeVar("_Class")
    _Visit = Callable[..., Any]

_METHODS = {
    TypeVar: "visit_type_var",
    IncompleteType: "visit_incomplete_type",
    TensorType: "visit_tensor_type",
    FuncType: "visit_func_type",
    TupleType: "visit_tuple_type",
    TypeRelation: "visit_type_relation",
    RelayRefType: "visit_ref_type",
    GlobalTypeVar: "visit_global_type_var",
    TypeCall: "visit_type_call",
    TypeData: "visit_type_data",
}


def visits_all(methods: Mapping[Any, str], default: str) -> Callable[[type[_Class]], type[_Class]]:
    """Makes one method of a class the method for all kinds for which it has none of its own."""

    def fill(cls: type[_Class]) -> type[_Class]:
        for name in methods.values():
            if name not in vars(cls):
                setattr(cls, name, getattr(cls, default))
        return cls

    return fill


class TypeFunctor:
    """Calls one method for each kind of type."""

    def visit(self, typ: Type) -> Any:
        name = _METHODS.get(type(typ))
        if name is None:
            raise Exception(f"unhandled case: {type(typ)}")
        return getattr(self, name)(typ)

    def _missing(self, *_: Any) -> Any:
        raise NotImplementedError()

    _any: _Visit = _missing
    visit_type_var = visit_incomplete_type = visit_tensor_type = visit_func_type = visit_tuple_type = _any
    visit_type_relation = visit_ref_type = visit_global_type_var = visit_type_call = visit_type_data = _any


# The fields that hold what a type is made of; arrays of types in those of several.
_PARTS: dict[Any, tuple[str, ...]] = {
    FuncType: ("arg_types", "ret_type", "type_params", "type_constraints"), TupleType: ("fields",), TypeRelation: ("args",),
    RelayRefType: ("value",), TypeCall: ("func", "args"), TypeData: ("header", "type_vars"),
}


@visits_all(_METHODS, "_visit_parts")
class TypeVisitor(TypeFunctor):
    """Visits every type below one."""

    def _visit_parts(self, typ: Any) -> None:
        for name in _PARTS.get(type(typ), ()):
            value = getattr(typ, name)
            for part in value if isinstance(value, Array) else [value]:
                self.visit(part)


@visits_all(_METHODS, "_rebuilt")
class TypeMutator(TypeFunctor):
    """Rebuilds a type.

    >>> class Half(relay.TypeMutator):
    ...     def visit_tensor_type(self, typ):
    ...         return relay.TensorType(typ.shape, "float16")
    >>> Half().visit(relay.TupleType([relay.TensorType((2, 3)), relay.TensorType((4,))]))
    (Tensor[(2, 3), float16], Tensor[(4), float16])
    """

    def _rebuilt(self, typ: Any) -> Any:
        fields = dict(_core.fields(typ))
        for name in _PARTS.get(type(typ), ()):
            value = fields[name]
            fields[name] = [self.visit(part) for part in value] if isinstance(value, Array) else self.visit(value)
        return _core.new_node(typ.type_key, fields)
