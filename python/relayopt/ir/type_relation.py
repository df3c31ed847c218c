"""Applied types and relations between types."""

from .._ffi import register_object
from .type import Type, TypeConstraint, _sequence


@register_object("TypeCall")
class TypeCall(Type):
    """An algebraic data type with its arguments."""

    __slots__ = ()

    def __init__(self, func, args):
        self._init(func, _sequence(args))


@register_object("TypeRelation")
class TypeRelation(TypeConstraint):
    """A relation that types of an operator must have."""

    __slots__ = ()

    def __init__(self, func, args, num_inputs, attrs):
        self._init(func, _sequence(args), num_inputs, attrs)
