"""Relay: expressions, types, operators, passes."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import base, expr, ty, function, adt, op, transform, analysis
from .adt import Clause, Constructor, Match, PatternConstructor, PatternTuple, PatternVar, PatternWildcard, TypeData, Pattern
from .analysis import post_order_visit
from .base import Id, RelayNode, SourceName, Span, SequentialSpan, astext, pretty_print
from .build_module import (
    bind_params_by_name,
    build,
    build_config,
    create_executor,
    optimize,
)
from .expr import (
    Call,
    CallWithFields,
    Constant,
    ConstantWithFields,
    Expr,
    ExprWithOp,
    FunctionWithFields,
    GlobalVar,
    If,
    IfWithFields,
    Let,
    LetWithFields,
    RefCreate,
    RefCreateWithFields,
    RefRead,
    RefReadWithFields,
    RefWrite,
    RefWriteWithFields,
    RelayExpr,
    TempExpr,
    Tuple,
    TupleGetItem,
    TupleGetItemWithFields,
    TupleWithFields,
    TupleWrapper,
    Var,
    VarWithFields,
    bind,
    const,
    var,
)
from .expr_functor import ExprFunctor, ExprMutator, ExprVisitor
from .function import Function
from .op import Op, annotation, contrib, dyn, image, memory, nn, random, reduce, strategy, tensor, transform as _op_transform, vision, vm as _op_vm
from .op import (
    register_alter_op_layout,
    register_legalize,
    register_pattern,
)
from .op.op import OpPattern, register_op_attr
from .parser import SpanCheck, fromtext, parse, parse_expr
from .param_dict import load_param_dict, load_param_dict_from_file, save_param_dict, save_param_dict_to_file
from .prelude import Prelude
from .scope_builder import ScopeBuilder
from .ty import (
    Any,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RefType,
    ShapeVar,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeConstraint,
    TypeKind,
    TypeRelation,
    TypeVar,
    scalar_type,
)
from .type_functor import TypeFunctor, TypeMutator, TypeVisitor
from . import backend, build_module, collage, dataflow_pattern, expr_functor, prelude, qnn, quantize, scope_builder
from . import type_functor, vm, parser, loops, feature, debug
from .feature import Feature
from .transform import build_config as _build_config

from . import transform  # The operators' module of this name does not hide it.

if _TYPE_CHECKING:
    from .op import *


def __getattr__(name):
    # Helpers for tests need numpy, which costs more than all the rest.
    if name == "testing":
        import importlib

        return importlib.import_module(".testing", __name__)
    if name == "__all__":
        return __dir__()
    # Operators are made when they are asked for.
    if name in op._recipes[""]:
        made = globals()[name] = getattr(op, name)
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({name for name in (*globals(), *op._recipes[""]) if not name.startswith("_")})
