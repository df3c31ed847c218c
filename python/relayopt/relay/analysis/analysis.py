"""Analyses of expressions and modules."""

from __future__ import annotations

from ... import _core
from ..._ffi import provide
from ...ir.module import IRModule
from ...ir.op import Op
from ...ir.type import FuncType, TupleType, Type, TypeKind, TypeVar, GlobalTypeVar, IncompleteType, RelayRefType
from ...ir.type_relation import TypeCall, TypeRelation
from ...ir.tensor_type import TensorType
from ...error import TVMError
from ...runtime.container import Array, array_of
from ...runtime.convert import convert
from ..adt import Clause, Constructor, Match, PatternConstructor, PatternTuple, PatternVar, PatternWildcard, TypeData
from ..expr import Call, Constant, GlobalVar, If, Let, RefCreate, RefRead, RefWrite, Tuple, TupleGetItem, Var
from .feature import Feature
from ..function import Function
from ..operands import parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


    from ...ir.expr import RelayExpr
    from ...runtime.container import Map
    from ..adt import Pattern

__all__ = [
    "free_vars", "bound_vars", "all_vars", "free_type_vars", "bound_type_vars", "all_type_vars", "post_order_visit",
    "well_formed", "check_kind", "check_constant", "check_basic_block_normal_form", "all_dtypes",
    "get_total_mac_number", "unmatched_cases", "detect_feature", "extract_fused_functions", "list_op_freqs",
    "list_fake_quantized_op_freqs", "search_fc_transpose", "get_calibration_data", "extract_intermdeiate_expr",
    "extract_intermediate_expr", "walk", "Feature", "context_analysis",
]


def walk(expr: Any) -> list[RelayExpr]:
    """The expressions below one as a list, operands before users, each once.

    >>> x = relay.var("x", shape=(2,))
    >>> relay.analysis.walk(relay.tanh(x))
    [Op(tanh), <Var %x>, <Call tanh(%x)>]
    """
    return _core.post_order(expr)


def post_order_visit(expr: RelayExpr, fvisit: Callable[[RelayExpr], Any]) -> None:
    """Calls a function once for each expression, operands before users.

    >>> names = []
    >>> def note(node):
    ...     if isinstance(node, relay.Call):
    ...         names.append(node.op.name)
    >>> relay.analysis.post_order_visit(relay.tanh(relay.nn.relu(relay.var("x"))), note)
    >>> names
    ['nn.relu', 'tanh']
    """
    for node in _core.post_order(expr):
        fvisit(node)


def pattern_vars(pattern: Pattern) -> list[Var]:
    """The variables of a pattern, from left to right."""
    found: list[Var] = []
    work = [pattern]
    while work:
        at = work.pop()
        if isinstance(at, PatternVar):
            found.append(at.var)
        elif isinstance(at, (PatternConstructor, PatternTuple)):
            work.extend(reversed(list(at.patterns)))
    return found


def _preorder(expr: Any) -> list[Any]:
    """The expressions below one, users before operands, each once; clauses stand before their variables."""
    seen, work, order = set(), [expr], []
    while work:
        node = work.pop()
        if node in seen:
            continue
        seen.add(node)
        order.append(node)
        parts = [*pattern_vars(node.lhs), node.rhs] if isinstance(node, Clause) else parts_of(node)
        work.extend(reversed(parts))
    return order


def _var_sets(expr: Any) -> tuple[list[RelayExpr], dict[RelayExpr, None]]:
    """(all, bound) in the order in which a walk from left to right meets them."""
    found: dict[Any, Any] = {}
    bound: dict[Any, Any] = {}
    for node in _preorder(expr):
        if isinstance(node, Var):
            found.setdefault(node)
        elif isinstance(node, Clause):
            bound.update(dict.fromkeys(pattern_vars(node.lhs)))
        elif isinstance(node, Function):
            bound.update(dict.fromkeys(node.params))
        elif isinstance(node, Let):
            bound.setdefault(node.var)
    return list(found), bound


def free_vars(expr: RelayExpr | Pattern) -> Array:
    """The variables that nothing below the expression binds, in the order in which they are met.

    >>> x, y = relay.var("x"), relay.var("y")
    >>> [var.name_hint for var in relay.analysis.free_vars(relay.Function([x], x + y))]
    ['y']
    """
    if isinstance(expr, PatternLike):
        return array_of([])
    found, bound = _var_sets(expr)
    return array_of([var for var in found if var not in bound])


PatternLike = (PatternConstructor, PatternTuple, PatternVar, PatternWildcard)


def bound_vars(expr: RelayExpr | Pattern) -> Array:
    """The variables that something below the expression binds.

    >>> x, y = relay.var("x"), relay.var("y")
    >>> [var.name_hint for var in relay.analysis.bound_vars(relay.Function([x], x + y))]
    ['x']
    """
    if isinstance(expr, PatternLike):
        return array_of(pattern_vars(expr))
    return array_of(list(_var_sets(expr)[1]))


def all_vars(expr: RelayExpr | Pattern) -> Array:
    """All variables below the expression.

    >>> x, y = relay.var("x"), relay.var("y")
    >>> [var.name_hint for var in relay.analysis.all_vars(relay.Function([x], x + y))]
    ['x', 'y']
    """
    if isinstance(expr, PatternLike):
        return array_of(pattern_vars(expr))
    return array_of(_var_sets(expr)[0])


def _type_vars(expr: RelayExpr | Type, mod: IRModule | None = None) -> tuple[list[Type], dict[Any, Any]]:
    """(all, bound) type variables in the order in which they are met."""
    found: dict[Any, Any] = {}
    bound: dict[Any, Any] = {}

    def types(root: Type) -> None:
        work = [root]
        while work:
            typ = work.pop()
            if isinstance(typ, TypeVar):
                found.setdefault(typ)
            elif isinstance(typ, FuncType):
                for var in typ.type_params:
                    found.setdefault(var)
                    bound.setdefault(var)
                work.extend(reversed(list(typ.arg_types) + [typ.ret_type]))
            elif isinstance(typ, TupleType):
                work.extend(reversed(list(typ.fields)))
            elif isinstance(typ, TypeCall):
                work.extend(reversed([typ.func] + list(typ.args)))
            elif isinstance(typ, RelayRefType):
                work.append(typ.value)
            elif isinstance(typ, TypeRelation):
                work.extend(reversed(list(typ.args)))

    if isinstance(expr, Type):
        types(expr)
        return list(found), bound
    for node in _preorder(expr):
        if isinstance(node, Function):
            for var in node.type_params:
                found.setdefault(var)
                bound.setdefault(var)
            if node.ret_type is not None:
                types(node.ret_type)
        elif isinstance(node, Var) and node.type_annotation is not None:
            types(node.type_annotation)
        elif isinstance(node, Call):
            for typ in node.type_args:
                types(typ)
        elif isinstance(node, Constructor):
            for typ in node.inputs:
                types(typ)
    return list(found), bound


def free_type_vars(expr: RelayExpr | Type, mod: IRModule | None = None) -> Array:
    """The type variables that nothing binds."""
    found, bound = _type_vars(expr, mod)
    return array_of([var for var in found if not any(var is b for b in bound)])


provide("free_vars", free_vars)
provide("free_type_vars", free_type_vars)


def bound_type_vars(expr: RelayExpr | Type, mod: Any = None) -> Array:
    """The type variables that something binds."""
    return array_of(list(_type_vars(expr, mod)[1]))


def all_type_vars(expr: RelayExpr | Type, mod: Any = None) -> Array:
    """All type variables."""
    return array_of(_type_vars(expr, mod)[0])


def well_formed(expr_or_mod: RelayExpr | IRModule, *_: Any) -> bool:
    """Whether every variable is bound once and used only where it is bound, and attributes are where they belong.

    >>> x, y = relay.var("x"), relay.var("y")
    >>> relay.analysis.well_formed(relay.Let(y, x, y))
    True
    >>> relay.analysis.well_formed(relay.Let(y, x, relay.Let(y, x, y)))
    False
    """
    functions = list(expr_or_mod.functions.values()) if isinstance(expr_or_mod, IRModule) else [expr_or_mod]
    return all(_core.well_formed(function) for function in functions)


# The kind of types of a class, and that of what its fields hold.
_KINDS: dict[type, tuple[TypeKind, dict[str, TypeKind]]] = {
    TensorType: (TypeKind.Type, {}),
    TupleType: (TypeKind.Type, {"fields": TypeKind.Type}),
    FuncType: (TypeKind.Type, {"arg_types": TypeKind.Type, "ret_type": TypeKind.Type, "type_constraints": TypeKind.Constraint}),
    RelayRefType: (TypeKind.Type, {"value": TypeKind.Type}),
    TypeRelation: (TypeKind.Constraint, {"args": TypeKind.Type}),
    TypeCall: (TypeKind.Type, {"func": TypeKind.AdtHandle, "args": TypeKind.Type}),
    TypeData: (TypeKind.TypeData, {"type_vars": TypeKind.Type, "constructors": TypeKind.Type}),
    Constructor: (TypeKind.Type, {"inputs": TypeKind.Type}),
}


def check_kind(t: Type, mod: IRModule | None = None) -> int:
    """The kind of a type; an error when it has no meaning.

    >>> relay.analysis.check_kind(relay.TupleType([relay.TensorType((2, 3))]))
    <TypeKind.Type: 0>
    >>> relay.analysis.check_kind(relay.TupleType([relay.GlobalTypeVar("G")]))
    Traceback (most recent call last):
        ...
    relayopt.error.TVMError: fields of a TupleType must be of kind Type, not AdtHandle
    """
    def kind_of(typ: Any) -> TypeKind:
        own = getattr(typ, "kind", None)
        if own is None and type(typ) not in _KINDS:
            raise TVMError(f"unknown type {typ}")
        return _KINDS[type(typ)][0] if own is None else TypeKind(own)

    declared = {} if mod is None else {var.name_hint: data for var, data in _core.module_type_defs(mod).items()}
    work: list[Any] = [t]
    while work:
        typ = work.pop()
        for name, wanted in _KINDS[type(typ)][1].items() if type(typ) in _KINDS else ():
            value = getattr(typ, name)
            for part in value if isinstance(value, Array) else [value]:
                if kind_of(part) != wanted:
                    raise TVMError(f"{name} of a {type(typ).__name__} must be of kind {wanted.name}, not {kind_of(part).name}")
                work.append(part)
        if isinstance(typ, TypeCall):
            data = declared.get(typ.func.name_hint)
            if data is None:
                raise TVMError(f"unknown type {typ.func.name_hint}")
            if len(data.type_vars) != len(typ.args):
                raise TVMError(f"{typ.func.name_hint} takes {len(data.type_vars)} arguments, not {len(typ.args)}")
    return kind_of(t)


def check_constant(expr: RelayExpr) -> bool:
    """Whether an expression is a constant or a tuple of constants.

    >>> relay.analysis.check_constant(relay.Tuple([relay.const(1), relay.const(2)]))
    True
    """
    work = [expr]
    while work:
        node = work.pop()
        if isinstance(node, Tuple):
            work.extend(node.fields)
        elif not isinstance(node, Constant):
            return False
    return True


def check_basic_block_normal_form(expr: RelayExpr) -> bool:
    """Whether no value is computed in one scope only to be used in several others."""
    kept: bool = _core.is_basic_block_normal_form(expr)
    return kept


def all_dtypes(expr: RelayExpr) -> set[str]:
    """The names of the data types of all values; needs types.

    >>> mod = relay.parse('#[version = "0.0.5"] def @main(%x: Tensor[(2), int8]) { cast(%x, dtype="int32") }')
    >>> sorted(relay.analysis.all_dtypes(mod["main"]))
    ['int32', 'int8']
    """
    found = set()
    for node in _core.post_order(expr):
        work = [node._checked_type_]
        while work:
            typ = work.pop()
            if isinstance(typ, TensorType):
                found.add(typ.dtype)
            elif isinstance(typ, TupleType):
                work.extend(typ.fields)
    return found


def get_total_mac_number(expr: RelayExpr) -> int:
    """Multiplications with accumulation in convolutions and matrix products; needs types.

    >>> x, w = relay.var("x", shape=(8, 16)), relay.var("w", shape=(32, 16))
    >>> mod = relay.transform.InferType()(relayopt.IRModule.from_expr(relay.nn.dense(x, w)))
    >>> relay.analysis.get_total_mac_number(mod["main"])
    4096
    """
    return _core.count_macs(expr)


def unmatched_cases(match: Match, mod: IRModule | None = None) -> list[Pattern]:
    """Patterns that no clause of a match covers.

    >>> prelude = relay.Prelude()
    >>> _, cons, nil = prelude.mod.get_type("List")
    >>> nothing = relay.Clause(relay.PatternConstructor(nil, []), relay.const(0))
    >>> missing = relay.analysis.unmatched_cases(relay.Match(relay.var("l"), [nothing]), prelude.mod)
    >>> [pattern.constructor.name_hint for pattern in missing]
    ['Cons']
    """
    cases: list[Pattern] = _core.unmatched_cases(match, mod if mod is not None else IRModule())
    return cases


def detect_feature(a: RelayExpr, b: Any = None) -> Any:
    """The features that an expression or module uses.

    >>> x = relay.var("x")
    >>> [feature.name for feature in sorted(relay.analysis.detect_feature(relay.Function([x], x)))]
    ['fVar', 'fFunction']
    """
    if isinstance(a, IRModule):
        a, b = b, a
    roots = [a] if a is not None else list(b.functions.values())
    found = set()
    kinds = {
        Var: Feature.fVar, GlobalVar: Feature.fGlobalVar, Constant: Feature.fConstant, Tuple: Feature.fTuple,
        TupleGetItem: Feature.fTupleGetItem, Function: Feature.fFunction, Op: Feature.fOp, Call: Feature.fCall,
        Let: Feature.fLet, If: Feature.fIf, RefCreate: Feature.fRefCreate, RefRead: Feature.fRefRead,
        RefWrite: Feature.fRefWrite, Constructor: Feature.fConstructor, Match: Feature.fMatch,
    }
    atomic = (Op, GlobalVar, Var, Constructor)
    for root in roots:
        visited = set()
        work = [root]
        while work:
            node = work.pop()
            if type(node).__name__ == "Clause":
                work.append(node.rhs)
                continue
            if node in visited:
                if not isinstance(node, atomic):
                    found.add(Feature.fGraph)
                continue
            visited.add(node)
            for cls, feature in kinds.items():
                if isinstance(node, cls):
                    found.add(feature)
            if isinstance(node, Let) and any(v is node.var for v in free_vars(node.value)):
                found.add(Feature.fLetRec)
            work.extend(parts_of(node))
    return found


def extract_fused_functions(mod: IRModule) -> Any:
    """The kernels that fusion makes, by a hash of their structure."""
    from ...ir.base import structural_hash
    from ...ir.transform import make_pass

    found = {}
    for function in make_pass("FuseOps")(mod).functions.values():
        for node in _core.post_order(function):
            if isinstance(node, Function) and node.attrs is not None and "Primitive" in node.attrs:
                found[f"{structural_hash(node) & 0xFFFFFFFFFFFFFFFF}"] = node
    return found


def list_op_freqs(mod: IRModule | RelayExpr) -> Map:
    """How often each operator is called in a module or expression.

    >>> x = relay.var("x", shape=(2,))
    >>> relay.analysis.list_op_freqs(relay.tanh(relay.tanh(x)) + x)
    {"tanh": 2, "add": 1}
    """
    counts: dict[Any, Any] = {}
    functions = list(mod.functions.values()) if isinstance(mod, IRModule) else [mod]
    for function in functions:
        for node in _core.post_order(function):
            if isinstance(node, Call) and isinstance(node.op, Op):
                counts[node.op.name] = counts.get(node.op.name, 0) + 1
    result: Map = convert(counts)
    return result


def list_fake_quantized_op_freqs(mod: IRModule) -> Map:
    """How often each operator lies between dequantize and quantize in main."""
    from .fake_quantized import list_freqs

    result: Map = convert(list_freqs(mod))
    return result


def search_fc_transpose(expr: Any) -> Any:
    """Names of weights that are transposed before a dense layer."""
    names = []
    for node in _core.post_order(expr):
        if isinstance(node, Call) and isinstance(node.op, Op) and node.op.name == "nn.dense":
            weight = node.args[1]
            if isinstance(weight, Call) and isinstance(weight.op, Op) and weight.op.name == "transpose":
                if isinstance(weight.args[0], Var):
                    names.append(weight.args[0].name_hint)
    return convert(names)


def get_calibration_data(mod: IRModule, data: Mapping[str, Any]) -> dict[RelayExpr, dict[str, Any]]:
    """Inputs and outputs of the functions that main calls: {GlobalVar: {"inputs": [...], "outputs": [...]}}."""
    from .calibration import collect

    return collect(mod, data)


def extract_intermdeiate_expr(mod: IRModule, expr_id: int) -> IRModule:
    """The module whose result is the expression with the number `expr_id`: calls, tuples and their fields in post-order.

    >>> x = relay.var("x", shape=(2,))
    >>> mod = relayopt.IRModule.from_expr(relay.tanh(relay.nn.relu(x)))
    >>> relay.analysis.extract_intermdeiate_expr(mod, 0)["main"].body
    <Call nn.relu(%x)>
    """
    function = mod["main"]
    calls = [node for node in _core.post_order(function) if isinstance(node, (Call, Tuple, TupleGetItem))]
    if not 0 <= expr_id < len(calls):
        raise TVMError(f"expr_id {expr_id} is out of range: there are {len(calls)} expressions")
    target = calls[expr_id]
    return IRModule.from_expr(Function(free_vars(target), target))


extract_intermediate_expr = extract_intermdeiate_expr


def context_analysis(mod: Any, default_device: Any) -> Any:
    raise NotImplementedError("the devices of expressions are found by PlanDevices")


def __getattr__(name: str) -> Any:
    raise AttributeError(name)
