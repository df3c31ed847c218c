"""Visitors over types."""

from ..ir.tensor_type import TensorType
from ..ir.type import FuncType, GlobalTypeVar, IncompleteType, RelayRefType, TupleType, TypeVar
from ..ir.type_relation import TypeCall, TypeRelation
from .adt import TypeData

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

    def visit(self, typ):
        name = _METHODS.get(type(typ))
        if name is None:
            raise Exception(f"unhandled case: {type(typ)}")
        return getattr(self, name)(typ)

    def _missing(self, *_):
        raise NotImplementedError()

    visit_type_var = visit_incomplete_type = visit_tensor_type = visit_func_type = visit_tuple_type = _missing
    visit_type_relation = visit_ref_type = visit_global_type_var = visit_type_call = visit_type_data = _missing


class TypeVisitor(TypeFunctor):
    """Visits every type below one."""

    def visit_type_var(self, tv):
        pass

    def visit_incomplete_type(self, it):
        pass

    def visit_tensor_type(self, tt):
        pass

    def visit_func_type(self, ft):
        for each in list(ft.arg_types) + [ft.ret_type] + list(ft.type_params) + list(ft.type_constraints):
            self.visit(each)

    def visit_tuple_type(self, tt):
        for field in tt.fields:
            self.visit(field)

    def visit_type_relation(self, tr):
        for arg in tr.args:
            self.visit(arg)

    def visit_ref_type(self, rt):
        self.visit(rt.value)

    def visit_global_type_var(self, gtv):
        pass

    def visit_type_call(self, tc):
        self.visit(tc.func)
        for arg in tc.args:
            self.visit(arg)

    def visit_type_data(self, td):
        self.visit(td.header)
        for var in td.type_vars:
            self.visit(var)


class TypeMutator(TypeFunctor):
    """Rebuilds a type.

    >>> class Half(relay.TypeMutator):
    ...     def visit_tensor_type(self, typ):
    ...         return relay.TensorType(typ.shape, "float16")
    >>> Half().visit(relay.TupleType([relay.TensorType((2, 3)), relay.TensorType((4,))]))
    (Tensor[(2, 3), float16], Tensor[(4), float16])
    """

    def visit_type_var(self, tv):
        return TypeVar(tv.name_hint, tv.kind)

    def visit_incomplete_type(self, it):
        return IncompleteType(it.kind)

    def visit_tensor_type(self, tt):
        return TensorType(tt.shape, tt.dtype)

    def visit_func_type(self, ft):
        return FuncType(
            [self.visit(arg) for arg in ft.arg_types],
            self.visit(ft.ret_type),
            [self.visit(p) for p in ft.type_params],
            [self.visit(c) for c in ft.type_constraints],
        )

    def visit_tuple_type(self, tt):
        return TupleType([self.visit(field) for field in tt.fields])

    def visit_type_relation(self, tr):
        return TypeRelation(tr.func, [self.visit(arg) for arg in tr.args], tr.num_inputs, tr.attrs)

    def visit_ref_type(self, rt):
        return RelayRefType(self.visit(rt.value))

    def visit_global_type_var(self, gtv):
        return GlobalTypeVar(gtv.name_hint, gtv.kind)

    def visit_type_call(self, tc):
        return TypeCall(self.visit(tc.func), [self.visit(arg) for arg in tc.args])

    def visit_type_data(self, td):
        return TypeData(self.visit(td.header), [self.visit(v) for v in td.type_vars], td.constructors)
