"""Relay: expressions, types, operators, passes."""

from __future__ import annotations

from . import (
    base as base,
    expr as expr,
    ty as ty,
    function as function,
    adt as adt,
    op as op,
    transform as transform,
    analysis as analysis,
    frontend as frontend,
)
from .adt import (
    Clause as Clause,
    Constructor as Constructor,
    Match as Match,
    PatternConstructor as PatternConstructor,
    PatternTuple as PatternTuple,
    PatternVar as PatternVar,
    PatternWildcard as PatternWildcard,
    TypeData as TypeData,
    Pattern as Pattern,
)
from .analysis import post_order_visit as post_order_visit
from .base import (
    Id as Id,
    RelayNode as RelayNode,
    SourceName as SourceName,
    Span as Span,
    SequentialSpan as SequentialSpan,
    astext as astext,
    pretty_print as pretty_print,
)
from .build_module import (
    bind_params_by_name as bind_params_by_name,
    build as build,
    build_config as build_config,
    create_executor as create_executor,
    optimize as optimize,
)
from .expr import (
    Call as Call,
    CallWithFields as CallWithFields,
    Constant as Constant,
    ConstantWithFields as ConstantWithFields,
    Expr as Expr,
    ExprWithOp as ExprWithOp,
    FunctionWithFields as FunctionWithFields,
    GlobalVar as GlobalVar,
    If as If,
    IfWithFields as IfWithFields,
    Let as Let,
    LetWithFields as LetWithFields,
    RefCreate as RefCreate,
    RefCreateWithFields as RefCreateWithFields,
    RefRead as RefRead,
    RefReadWithFields as RefReadWithFields,
    RefWrite as RefWrite,
    RefWriteWithFields as RefWriteWithFields,
    RelayExpr as RelayExpr,
    TempExpr as TempExpr,
    Tuple as Tuple,
    TupleGetItem as TupleGetItem,
    TupleGetItemWithFields as TupleGetItemWithFields,
    TupleWithFields as TupleWithFields,
    TupleWrapper as TupleWrapper,
    Var as Var,
    VarWithFields as VarWithFields,
    bind as bind,
    const as const,
    var as var,
)
from .analysis import walk as walk
from .expr_functor import (
    ExprFunctor as ExprFunctor,
    ExprMutator as ExprMutator,
    ExprVisitor as ExprVisitor,
    MixedModeMutator as MixedModeMutator,
    MixedModeVisitor as MixedModeVisitor,
)
from .function import Function as Function
from .op import (
    Op as Op,
    annotation as annotation,
    contrib as contrib,
    dyn as dyn,
    image as image,
    memory as memory,
    nn as nn,
    random as random,
    reduce as reduce,
    strategy as strategy,
    tensor as tensor,
    transform as _op_transform,
    vision as vision,
    vm as _op_vm,
)
from .op import (
    register_alter_op_layout as register_alter_op_layout,
    register_legalize as register_legalize,
    register_pattern as register_pattern,
)
from .op.op import OpPattern as OpPattern, register_op_attr as register_op_attr
from .parser import SpanCheck as SpanCheck, fromtext as fromtext, parse as parse, parse_expr as parse_expr
from .param_dict import (
    load_param_dict as load_param_dict,
    load_param_dict_from_file as load_param_dict_from_file,
    save_param_dict as save_param_dict,
    save_param_dict_to_file as save_param_dict_to_file,
)
from .prelude import Prelude as Prelude
from .scope_builder import ScopeBuilder as ScopeBuilder
from .ty import (
    Any as Any,
    FuncType as FuncType,
    GlobalTypeVar as GlobalTypeVar,
    IncompleteType as IncompleteType,
    RefType as RefType,
    ShapeVar as ShapeVar,
    TensorType as TensorType,
    TupleType as TupleType,
    Type as Type,
    TypeCall as TypeCall,
    TypeConstraint as TypeConstraint,
    TypeKind as TypeKind,
    TypeRelation as TypeRelation,
    TypeVar as TypeVar,
    scalar_type as scalar_type,
)
from . import text as _text  # It registers itself.
from .type_functor import TypeFunctor as TypeFunctor, TypeMutator as TypeMutator, TypeVisitor as TypeVisitor
from . import (
    backend as backend,
    build_module as build_module,
    collage as collage,
    dataflow_pattern as dataflow_pattern,
    expr_functor as expr_functor,
    prelude as prelude,
    qnn as qnn,
    quantize as quantize,
    scope_builder as scope_builder,
)
from . import (
    type_functor as type_functor,
    vm as vm,
    parser as parser,
    loops as loops,
    feature as feature,
    debug as debug,
)
from .feature import Feature as Feature
from .transform import build_config as _build_config

from . import transform as transform  # The operators' module of this name does not hide it.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any as _Any

    from .op import *


def __getattr__(name: str) -> _Any:
    if name == "testing":
        # The package `tvm` brings it along; it needs numpy, which costs more than all the rest.
        import importlib

        try:
            return importlib.import_module(".testing", __name__)
        except ModuleNotFoundError:
            raise AttributeError("relay.testing is a part of the package tvm (python/compat)") from None
    if name == "__all__":
        return __dir__()
    # Operators are made when they are asked for.
    if name in op._recipes[""]:
        made = globals()[name] = getattr(op, name)
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> _Any:
    return sorted({name for name in (*globals(), *op._recipes[""]) if not name.startswith("_") and name != "TYPE_CHECKING"})
