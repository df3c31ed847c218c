"""Algebraic data types: definitions, patterns, matching."""

from __future__ import annotations

from .._ffi import Object, register_object
from ..ir.type import Type
from ..ir.type import sequence
from .expr import Call, ExprWithOp, RelayExpr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..ir.type import GlobalTypeVar, TypeVar
    from .expr import Var


@register_object("relay.Pattern")
class Pattern(Object):
    """The base of patterns."""

    __slots__ = ()


@register_object("relay.PatternWildcard")
class PatternWildcard(Pattern):
    """Matches anything."""

    __slots__ = ()

    def __init__(self) -> None:
        self._init()


@register_object("relay.PatternVar")
class PatternVar(Pattern):
    """Matches anything and binds it."""

    __slots__ = ()
    var: Var

    def __init__(self, var: Var) -> None:
        self._init(var)


@register_object("relay.PatternConstructor")
class PatternConstructor(Pattern):
    """Matches a constructor whose fields match."""

    __slots__ = ()
    constructor: Constructor
    patterns: Sequence[Pattern]

    def __init__(self, constructor: Constructor, patterns: Sequence[Pattern] | None = None) -> None:
        self._init(constructor, sequence(patterns))


@register_object("relay.PatternTuple")
class PatternTuple(Pattern):
    """Matches a tuple whose fields match."""

    __slots__ = ()
    patterns: Sequence[Pattern]

    def __init__(self, patterns: Sequence[Pattern] | None = None) -> None:
        self._init(sequence(patterns))


@register_object("relay.Constructor")
class Constructor(RelayExpr):
    """A constructor of an algebraic data type; a call of it makes a value.

    >>> shape = relay.GlobalTypeVar("Shape")
    >>> square = relay.Constructor("Square", [relay.scalar_type("float32")], shape)
    >>> print(square(relay.const(2.0)))
    Square(2f)
    """

    __slots__ = ()
    name_hint: str
    inputs: Sequence[Type]
    belong_to: GlobalTypeVar
    tag: int

    def __init__(self, name_hint: str, inputs: Sequence[Type], belong_to: GlobalTypeVar) -> None:
        self._init(name_hint, sequence(inputs), belong_to, -1)

    def __call__(self, *args: Any) -> Call:
        return Call(self, list(args))


@register_object("relay.TypeData")
class TypeData(Type):
    """The definition of an algebraic data type.

    >>> shape, side = relay.GlobalTypeVar("Shape"), relay.scalar_type("float32")
    >>> square = relay.Constructor("Square", [side], shape)
    >>> box = relay.Constructor("Box", [side, side], shape)
    >>> mod = relayopt.IRModule()
    >>> mod[shape] = relay.TypeData(shape, [], [square, box])
    >>> print(mod)
    type Shape {
      Square(float32),
      Box(float32, float32),
    }
    """

    __slots__ = ()
    header: GlobalTypeVar
    type_vars: Sequence[TypeVar]
    constructors: Sequence[Constructor]

    def __init__(self, header: GlobalTypeVar, type_vars: Sequence[TypeVar], constructors: Sequence[Constructor]) -> None:
        self._init(header, sequence(type_vars), sequence(constructors))
        for index, ctor in enumerate(self.constructors):
            ctor._set("tag", _tag(header.name_hint, index))


def _tag(name: str, index: int) -> int:
    """As TVM: a checksum of the type's name in the top byte tells types apart."""
    crc = 0
    for byte in name.encode():
        crc ^= byte
        for _ in range(8):
            crc = ((crc << 1) ^ 0x107) if crc & 0x80 else crc << 1
    tag = ((crc & 0xFF) << 24) | index
    return tag - (1 << 32) if tag >= 1 << 31 else tag


@register_object("relay.Clause")
class Clause(Object):
    """A pattern and what is computed when it matches."""

    __slots__ = ()
    lhs: Pattern
    rhs: RelayExpr

    def __init__(self, lhs: Pattern, rhs: RelayExpr) -> None:
        self._init(lhs, rhs)


@register_object("relay.Match")
class Match(ExprWithOp):
    """The first clause whose pattern matches the data.

    >>> shape, side = relay.GlobalTypeVar("Shape"), relay.scalar_type("float32")
    >>> square = relay.Constructor("Square", [side], shape)
    >>> mod = relayopt.IRModule()
    >>> mod[shape] = relay.TypeData(shape, [], [square])
    >>> s = relay.var("s")
    >>> clause = relay.Clause(relay.PatternConstructor(square, [relay.PatternVar(s)]), s * s)
    >>> mod["main"] = relay.Function([], relay.Match(square(relay.const(3.0)), [clause]))
    >>> relay.create_executor("debug", mod).evaluate()()
    <tvm.nd.NDArray shape=(), cpu(0)>
    array(9., dtype=float32)
    """

    __slots__ = ()
    data: RelayExpr
    clauses: Sequence[Clause]
    complete: bool

    def __init__(self, data: RelayExpr, clauses: Sequence[Clause], complete: bool = True) -> None:
        self._init(data, sequence(clauses), complete)
