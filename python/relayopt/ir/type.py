"""Types. Equality (`==`) is structural."""

from __future__ import annotations

from enum import IntEnum

from .. import _core
from .._ffi import Object, class_of, register_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .type_relation import TypeCall


class TypeKind(IntEnum):
    """What a type variable stands for."""

    Type = 0
    ShapeVar = 1
    BaseType = 2
    Constraint = 4
    AdtHandle = 5
    TypeData = 6


def sequence(items: Any) -> Any:
    """What a field of several objects is given: arrays stay what they are, and the field refuses what has no elements."""
    is_one = isinstance(items, (list, tuple, Object)) or not (hasattr(items, "__iter__") or hasattr(items, "__getitem__"))
    return items if is_one else list(items)


@register_object("Type")
class Type(Object):
    """The base of all types."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Type) and bool(_core.structural_equal(self, other, False, False))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return _core.structural_hash(self, False)

    def same_as(self, other: Any) -> bool:
        return self is other

    def __repr__(self) -> str:
        try:
            return _core.type_text(self)
        except Exception:  # A type that no Relay program has.
            return f"{self.type_key}({', '.join(f'{k}={v}' for k, v in _core.fields(self) if k != 'span')})"

    __str__ = __repr__

    def __call__(self, *args: Any) -> Any:
        call: TypeCall = class_of("TypeCall")(self, args)
        return call


@register_object("TypeVar")
class TypeVar(Type):
    """A type parameter."""

    __slots__ = ()
    name_hint: str
    kind: int

    def __init__(self, name_hint: str, kind: int = TypeKind.Type) -> None:
        self._init(name_hint, int(kind))

    def __call__(self, *args: Any) -> Any:
        call: TypeCall = class_of("TypeCall")(self, args)
        return call


@register_object("GlobalTypeVar")
class GlobalTypeVar(Type):
    """The name of an algebraic data type."""

    __slots__ = ()
    name_hint: str
    kind: int

    def __init__(self, name_hint: str, kind: int = TypeKind.AdtHandle) -> None:
        self._init(name_hint, int(kind))

    def __call__(self, *args: Any) -> TypeCall:
        call: TypeCall = class_of("TypeCall")(self, args)
        return call


@register_object("TupleType")
class TupleType(Type):
    """A tuple of types."""

    __slots__ = ()
    fields: Sequence[Type]

    def __init__(self, fields: Sequence[Type]) -> None:
        self._init(sequence(fields))


@register_object("TypeConstraint")
class TypeConstraint(Type):
    """The base of constraints."""

    __slots__ = ()


@register_object("FuncType")
class FuncType(Type):
    """The type of functions."""

    __slots__ = ()
    arg_types: Sequence[Type]
    ret_type: Type
    type_params: Sequence[TypeVar]
    type_constraints: Sequence[Any]

    def __init__(self, arg_types: Sequence[Type], ret_type: Type | None, type_params: Sequence[TypeVar] | None = None,
                 type_constraints: Any = None) -> None:
        self._init(sequence(arg_types), ret_type, sequence(type_params), sequence(type_constraints))


@register_object("IncompleteType")
class IncompleteType(Type):
    """A type that inference has to find."""

    __slots__ = ()

    def __init__(self, kind: int = TypeKind.Type) -> None:
        self._init(int(kind))


@register_object("relay.RefType")
class RelayRefType(Type):
    """The type of references."""

    __slots__ = ()
    value: Type

    def __init__(self, value: Type) -> None:
        self._init(value)


@register_object("PrimType")
class PrimType(Type):
    """The type of scalars of the low level."""

    __slots__ = ()
    dtype: str

    def __init__(self, dtype: Any) -> None:
        self._init(str(dtype))


@register_object("PointerType")
class PointerType(Type):
    """The type of pointers."""

    __slots__ = ()

    def __init__(self, element_type: Any, storage_scope: str = "") -> None:
        self._init(element_type, storage_scope)
