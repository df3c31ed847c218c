"""What modules, types, expressions and passes of every kind have in common."""

from . import base
from .base import (
    EnvFunc,
    Node,
    SequentialSpan,
    SourceName,
    Span,
    assert_structural_equal,
    get_first_structural_mismatch,
    load_json,
    save_json,
    structural_equal,
    structural_hash,
)
from .attrs import Attrs, DictAttrs, make_node
from .container import Array, Map
from .expr import BaseExpr, GlobalVar, PrimExpr, Range, RelayExpr
from .function import BaseFunc, CallingConv
from .op import Op, register_intrin_lowering, register_op_attr
from .type import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    PointerType,
    PrimType,
    RelayRefType,
    TupleType,
    Type,
    TypeConstraint,
    TypeKind,
    TypeVar,
)
from .type_relation import TypeCall, TypeRelation
from .module import IRModule
from .tensor_type import TensorType
from . import diagnostics, instrument, transform
from .supply import GlobalVarSupply, NameSupply
