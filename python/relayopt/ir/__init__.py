"""What modules, types, expressions and passes of every kind have in common."""

from . import base as base
from .base import (
    EnvFunc as EnvFunc,
    Node as Node,
    SequentialSpan as SequentialSpan,
    Source as Source,
    SourceMap as SourceMap,
    SourceName as SourceName,
    Span as Span,
    assert_structural_equal as assert_structural_equal,
    get_first_structural_mismatch as get_first_structural_mismatch,
    load_json as load_json,
    save_json as save_json,
    structural_equal as structural_equal,
    structural_hash as structural_hash,
)
from .attrs import Attrs as Attrs, DictAttrs as DictAttrs, make_node as make_node
from .container import Array as Array, Map as Map
from .expr import (
    BaseExpr as BaseExpr,
    GlobalVar as GlobalVar,
    PrimExpr as PrimExpr,
    Range as Range,
    RelayExpr as RelayExpr,
)
from .function import BaseFunc as BaseFunc, CallingConv as CallingConv
from .op import Op as Op, register_intrin_lowering as register_intrin_lowering, register_op_attr as register_op_attr
from .type import (
    FuncType as FuncType,
    GlobalTypeVar as GlobalTypeVar,
    IncompleteType as IncompleteType,
    PointerType as PointerType,
    PrimType as PrimType,
    RelayRefType as RelayRefType,
    TupleType as TupleType,
    Type as Type,
    TypeConstraint as TypeConstraint,
    TypeKind as TypeKind,
    TypeVar as TypeVar,
)
from .type_relation import TypeCall as TypeCall, TypeRelation as TypeRelation
from .module import IRModule as IRModule
from .tensor_type import TensorType as TensorType
from . import diagnostics as diagnostics, instrument as instrument, transform as transform
from .supply import GlobalVarSupply as GlobalVarSupply, NameSupply as NameSupply
from . import _ffi_api as _ffi_api, json_compact as json_compact
