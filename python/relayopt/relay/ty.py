"""Types of Relay."""

from __future__ import annotations

from ..ir.tensor_type import TensorType as TensorType
from ..ir.type import (
    FuncType as FuncType,
    GlobalTypeVar as GlobalTypeVar,
    IncompleteType as IncompleteType,
    RelayRefType as RelayRefType,
    TupleType as TupleType,
    Type as Type,
    TypeConstraint as TypeConstraint,
    TypeKind as TypeKind,
    TypeVar as TypeVar,
)
from ..ir.type_relation import TypeCall as TypeCall, TypeRelation as TypeRelation
from ..tir.expr import Any as Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any as _Any

RefType = RelayRefType


def ShapeVar(name: _Any) -> _Any:
    """A type variable for a shape."""
    return TypeVar(name, kind=TypeKind.ShapeVar)


def scalar_type(dtype: _Any, _: str | None = None) -> TensorType:
    """The type of a scalar."""
    return TensorType([], dtype)


def type_has_any(tensor_type: _Any) -> bool:
    """Whether an extent of a type is unknown."""
    return any(isinstance(extent, Any) for extent in tensor_type.shape)
