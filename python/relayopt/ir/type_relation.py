"""Applied types and relations between types."""

from __future__ import annotations

from .._ffi import register_object
from .type import sequence, Type, TypeConstraint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .base import EnvFunc


@register_object("TypeCall")
class TypeCall(Type):
    """An algebraic data type with its arguments."""

    __slots__ = ()
    func: Type
    args: Sequence[Type]

    def __init__(self, func: Any, args: Sequence[Type]) -> None:
        self._init(func, sequence(args))


@register_object("TypeRelation")
class TypeRelation(TypeConstraint):
    """A relation that types of an operator must have."""

    __slots__ = ()
    func: EnvFunc
    args: Sequence[Type]
    num_inputs: int
    attrs: Any

    def __init__(self, func: EnvFunc | None, args: Any, num_inputs: int, attrs: Any) -> None:
        self._init(func, sequence(args), num_inputs, attrs)
