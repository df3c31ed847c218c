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
    from collections.abc import Callable
    from typing import Any

    from ..ir.type import Type

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


class TypeFunctor:
    """Calls one method for each kind of type."""

    def visit(self, typ: Type) -> Any:
        name = _METHODS.get(type(typ))
        if name is None:
            raise Exception(f"unhandled case: {type(typ)}")
        return getattr(self, name)(typ)

    def _missing(self, *_: Any) -> Any:
        raise NotImplementedError()

    visit_type_var: _Visit = _missing
    visit_incomplete_type: _Visit = _missing
    visit_tensor_type: _Visit = _missing
    visit_func_type: _Visit = _missing
    visit_tuple_type: _Visit = _missing
    visit_type_relation: _Visit = _missing
    visit_ref_type: _Visit = _missing
    visit_global_type_var: _Visit = _missing
    visit_type_call: _Visit = _missing
    visit_type_data: _Visit = _missing


# The fields that hold what a type is made of; arrays of types in those of several.
_PARTS: dict[Any, tuple[str, ...]] = {
    FuncType: ("arg_types", "ret_type", "type_params", "type_constraints"), TupleType: ("fields",), TypeRelation: ("args",),
    RelayRefType: ("value",), TypeCall: ("func", "args"), TypeData: ("header", "type_vars"),
}


class TypeVisitor(TypeFunctor):
    """Visits every type below one."""

    def _visit_parts(self, typ: Any) -> None:
        for name in _PARTS.get(type(typ), ()):
            value = getattr(typ, name)
            for part in value if isinstance(value, Array) else [value]:
                self.visit(part)

    visit_type_var: _Visit = _visit_parts
    visit_incomplete_type: _Visit = _visit_parts
    visit_tensor_type: _Visit = _visit_parts
    visit_func_type: _Visit = _visit_parts
    visit_tuple_type: _Visit = _visit_parts
    visit_type_relation: _Visit = _visit_parts
    visit_ref_type: _Visit = _visit_parts
    visit_global_type_var: _Visit = _visit_parts
    visit_type_call: _Visit = _visit_parts
    visit_type_data: _Visit = _visit_parts


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

    visit_type_var: _Visit = _rebuilt
    visit_incomplete_type: _Visit = _rebuilt
    visit_tensor_type: _Visit = _rebuilt
    visit_func_type: _Visit = _rebuilt
    visit_tuple_type: _Visit = _rebuilt
    visit_type_relation: _Visit = _rebuilt
    visit_ref_type: _Visit = _rebuilt
    visit_global_type_var: _Visit = _rebuilt
    visit_type_call: _Visit = _rebuilt
    visit_type_data: _Visit = _rebuilt
