"""Visitors over types."""

from __future__ import annotations

from ..ir.tensor_type import TensorType
from ..ir.type import FuncType, GlobalTypeVar, IncompleteType, RelayRefType, TupleType, TypeVar
from ..ir.type_relation import TypeCall, TypeRelation
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


class TypeVisitor(TypeFunctor):
    """Visits every type below one."""

    def visit_type_var(self, tv: TypeVar) -> None:
        pass

    visit_incomplete_type: _Visit = visit_type_var
    visit_tensor_type: _Visit = visit_type_var
    visit_global_type_var: _Visit = visit_type_var

    def _visit_parts(self, *parts: Any) -> None:
        for part in parts:
            self.visit(part)

    def visit_func_type(self, ft: FuncType) -> None:
        self._visit_parts(*ft.arg_types, ft.ret_type, *ft.type_params, *ft.type_constraints)

    def visit_tuple_type(self, tt: TupleType) -> None:
        self._visit_parts(*tt.fields)

    def visit_type_relation(self, tr: TypeRelation) -> None:
        self._visit_parts(*tr.args)

    def visit_ref_type(self, rt: RelayRefType) -> None:
        self.visit(rt.value)

    def visit_type_call(self, tc: TypeCall) -> None:
        self._visit_parts(tc.func, *tc.args)

    def visit_type_data(self, td: TypeData) -> None:
        self._visit_parts(td.header, *td.type_vars)


class TypeMutator(TypeFunctor):
    """Rebuilds a type.

    >>> class Half(relay.TypeMutator):
    ...     def visit_tensor_type(self, typ):
    ...         return relay.TensorType(typ.shape, "float16")
    >>> Half().visit(relay.TupleType([relay.TensorType((2, 3)), relay.TensorType((4,))]))
    (Tensor[(2, 3), float16], Tensor[(4), float16])
    """

    def visit_type_var(self, tv: TypeVar) -> Type:
        return TypeVar(tv.name_hint, tv.kind)

    def visit_incomplete_type(self, it: IncompleteType) -> Type:
        return IncompleteType(it.kind)

    def visit_tensor_type(self, tt: TensorType) -> Type:
        return TensorType(tt.shape, tt.dtype)

    def visit_func_type(self, ft: FuncType) -> Type:
        return FuncType(
            [self.visit(arg) for arg in ft.arg_types],
            self.visit(ft.ret_type),
            [self.visit(p) for p in ft.type_params],
            [self.visit(c) for c in ft.type_constraints],
        )

    def visit_tuple_type(self, tt: TupleType) -> Type:
        return TupleType([self.visit(field) for field in tt.fields])

    def visit_type_relation(self, tr: TypeRelation) -> Type:
        return TypeRelation(tr.func, [self.visit(arg) for arg in tr.args], tr.num_inputs, tr.attrs)

    def visit_ref_type(self, rt: RelayRefType) -> Type:
        return RelayRefType(self.visit(rt.value))

    def visit_global_type_var(self, gtv: GlobalTypeVar) -> Type:
        return GlobalTypeVar(gtv.name_hint, gtv.kind)

    def visit_type_call(self, tc: TypeCall) -> Type:
        return TypeCall(self.visit(tc.func), [self.visit(arg) for arg in tc.args])

    def visit_type_data(self, td: TypeData) -> Type:
        return TypeData(self.visit(td.header), [self.visit(v) for v in td.type_vars], td.constructors)
