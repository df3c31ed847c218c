"""Types of Relay."""

from ..ir.tensor_type import TensorType
from ..ir.type import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RelayRefType,
    TupleType,
    Type,
    TypeConstraint,
    TypeKind,
    TypeVar,
)
from ..ir.type_relation import TypeCall, TypeRelation
from ..tir.expr import Any

RefType = RelayRefType


def ShapeVar(name):
    """A type variable for a shape."""
    return TypeVar(name, kind=TypeKind.ShapeVar)


def scalar_type(dtype, _=None):
    """The type of a scalar."""
    return TensorType([], dtype)


def type_has_any(tensor_type):
    """Whether an extent of a type is unknown."""
    return any(isinstance(extent, Any) for extent in tensor_type.shape)
