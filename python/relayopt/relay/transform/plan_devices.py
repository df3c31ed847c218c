"""PlanDevices: on which device every value is.

Annotations (`on_device`), copies and a few operators say where some values are. Operands and results of an operator, branches
of a conditional and so on are on one device, so that follows for others; what is still open gets the default device, results
of functions first, then their parameters, then what is bound by let. Then parameters and functions are given their devices,
values that are on another device than what surrounds them an `on_device` with both constraints, and where an annotation
demands a value on another device than it is on, a `device_copy` is put.

    subtract(on_device(add(%a, %b), virtual_device=CPU), add(%c, %d))          where the default is GPU
    subtract(device_copy(on_device(add(%a, %b), CPU, fixed), CPU, GPU), add(%c, %d))   %a, %b: CPU; %c, %d, result: GPU
"""

from __future__ import annotations

from ... import _core
from ...ir.op import Op
from ...ir.transform import function_pass, make_pass, module_pass, Sequential
from ..adt import Clause, Constructor, Match
from ..analysis.analysis import pattern_vars
from ..operands import children_of, rebuild
from ..expr import (Call, FunctionWithFields, GlobalVar, If, IfWithFields, Let, LetWithFields, RefCreate, RefRead,
                    RefWrite, Tuple, TupleGetItem, Var, VarWithFields)
from ..function import Function
from .device_domains import (OPEN, Domain, Domains, body_of_on_device, device_of, find, is_constrained, is_primitive, key_of,
                             result_key, set_default, set_result_then_params, unify)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.expr import RelayExpr
    from ...ir.module import IRModule
    from ...ir.transform import PassContext
    from ...target.virtual_device import CompilationConfig


def _on_device(body: RelayExpr, device: Any, constrain_result: bool, constrain_body: bool) -> Any:
    from ..op import annotation

    return annotation.on_device(body, device, constrain_result, constrain_body)


def _fixed(body: Any, device: Any) -> Any:
    """The body on a device, inside and outside. What is bound somewhere says there where it is."""
    if isinstance(body, (Op, Constructor, Var, GlobalVar, Function)) or key_of(device) == OPEN:
        return body
    inner, attrs = body_of_on_device(body)
    if inner is not None and key_of(attrs.virtual_device) == key_of(device):
        body = inner
    return _on_device(body, device, True, True)


def _is_normal(attrs: Any) -> bool:
    return attrs is not None and bool(attrs.constrain_body) and not attrs.constrain_result


def rewrite_annotations(func: Function) -> Any:
    """Results of functions and values of lets are where their annotations say; a projection is copied, not its tuple."""
    memo: dict[Any, Any] = {}
    for node in _core.post_order(func):
        made = rebuild(node, memo)
        if isinstance(made, TupleGetItem):
            _, attrs = body_of_on_device(made.tuple_value)
            if _is_normal(attrs):
                made = _on_device(made, attrs.virtual_device, False, True)
        elif isinstance(made, Let):
            body, attrs = body_of_on_device(made.value)
            if _is_normal(attrs):
                made = LetWithFields(made, made.var, _fixed(body, attrs.virtual_device), made.body)
        elif isinstance(made, Function):
            body, attrs = body_of_on_device(made.body)
            if _is_normal(attrs):
                made = FunctionWithFields(made, list(made.params), _fixed(body, attrs.virtual_device))
        memo[node] = made
    return memo[func]


def _is_planned(func: Function) -> bool:
    attrs = func.attrs
    return attrs is None or not any(key in attrs for key in ("Compiler", "Extern", "SkipOptimization"))


def _nodes(func: Function) -> list[RelayExpr]:
    """Expressions of a function, operands first; kernels are not looked into."""
    hidden: set[RelayExpr] = set()
    nodes = _core.post_order(func)
    for node in nodes:
        if is_primitive(node):
            hidden.update(_core.post_order(node.body))
            hidden.update(node.params)
    if not hidden:
        return nodes
    seen: set[RelayExpr] = set()
    shown: list[RelayExpr] = []
    stack: list[tuple[RelayExpr, bool]] = [(func, False)]
    while stack:
        node, done = stack.pop()
        if done:
            shown.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(_children(node)))
    return shown


def _children(node: RelayExpr) -> list[RelayExpr]:
    return [] if isinstance(node, Function) and is_primitive(node) else children_of(node)


def analyze(domains: Domains, func: Function) -> None:
    """Notes what the expressions of a function say about each other's devices."""
    for node in _nodes(func):
        if isinstance(node, Call):
            _analyze_call(domains, node)
        elif isinstance(node, Let):
            domains.same(node.var, node.value)
            domains.same(node, node.body)
        elif isinstance(node, Function):
            if not is_primitive(node):
                _analyze_function(domains, node)
        elif isinstance(node, Tuple):
            for field in node.fields:
                domains.collapsed(node, domains.of(field))
        elif isinstance(node, TupleGetItem):
            domains.collapsed(node.tuple_value, domains.of(node))
        elif isinstance(node, If):
            domains.collapsed(node.cond, domains.of(node))
            domains.same(node.true_branch, node)
            domains.same(node.false_branch, node)
        elif isinstance(node, Match):
            domains.collapsed(node.data, domains.of(node))
            for clause in node.clauses:
                for var in pattern_vars(clause.lhs):
                    domains.collapsed(node.data, domains.of(var))
                domains.same(clause.rhs, node)
        elif isinstance(node, RefCreate):
            domains.collapsed(node, domains.of(node.value))
        elif isinstance(node, RefRead):
            domains.collapsed(node.ref, domains.of(node))
        elif isinstance(node, RefWrite):
            domains.collapsed(node.ref, domains.of(node.value))
            domains.collapsed(node, domains.of(node.value))


def _analyze_call(domains: Any, call: Any) -> None:
    parts = find(domains.of_callee(call)).parts
    domains.same(call, parts[-1])
    for part, arg in zip(parts, call.args):
        # An argument that has to be elsewhere, because others need it there, is copied.
        unify(part, domains.of(arg))


def _analyze_function(domains: Any, func: Any) -> None:
    parts = find(domains.of(func)).parts
    domains.same(func.body, parts[-1])
    for param, part in zip(func.params, parts):
        domains.same(param, part)
    if key_of(func.virtual_device_) != OPEN:
        known = [domains.of_type(p.checked_type, key_of(p.virtual_device_)) for p in func.params]
        known.append(domains.of_type(func.body.checked_type, key_of(func.virtual_device_)))
        domains.same(func, Domain(parts=known))


def join_free_annotations(domains: Domains, func: Function) -> None:
    """An on_device without constraints says that a copy may be; where none need be there is none."""
    for node in _nodes(func):
        body, attrs = body_of_on_device(node)
        if body is not None and not attrs.constrain_body and not attrs.constrain_result:
            unify(domains.of(node), domains.of(body))


def fill_in(domains: Domains, func: Any, default: tuple[int, int, str]) -> None:
    """Chooses a device wherever none was found out, from results to operands."""
    seen, stack = set(), [func]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Function):
            if is_primitive(node):
                continue
            if not is_constrained(domains.of(node)):
                set_result_then_params(domains.of(node), default)
            stack.append(node.body)
            continue
        if isinstance(node, Call):
            callee = domains.of_callee(node)
            if not is_constrained(callee):
                set_result_then_params(callee, default)
        elif isinstance(node, Let) and not is_constrained(domains.of(node.var)):
            set_default(domains.of(node.var), result_key(domains.of(node)))
        stack.extend(reversed(_children(node)))
    # Operands that an operator does not share its device with and nobody else has constrained.
    for node in _nodes(func):
        if not isinstance(node, (Op, Constructor)) and not is_primitive(node) and not is_constrained(domains.of(node)):
            set_default(domains.of(node), default)


class _Capture:
    """Writes the devices into a function."""

    def __init__(self, domains: Domains) -> None:
        self.domains = domains
        self.new: dict[Any, Any] = {}

    def run(self, func: Function) -> Any:
        nodes = _nodes(func)
        for node in nodes:
            if isinstance(node, Function) and not is_primitive(node):
                for param in node.params:
                    self.new[param] = VarWithFields(param, virtual_device=device_of(self.key(param)))
        for node in nodes:
            if node not in self.new:
                self.new[node] = self.visit(node)
        return self.new[func]

    def key(self, expr: RelayExpr) -> tuple[int, int, str]:
        body, _ = body_of_on_device(expr)
        return result_key(self.domains.of(expr if body is None else body))

    def child(self, lexical: tuple[int, int, str], expected: tuple[int, int, str], key: tuple[int, int, str], child: RelayExpr) -> Any:
        """A part, on `key`, of what wants it on `expected` and lies where `lexical` goes without saying."""
        made = self.new[child]
        if isinstance(child, (Op, Constructor)):
            return made
        if key != expected:
            from ..op.by_hand import device_copy

            made = device_copy(_fixed(made, device_of(key)), device_of(key), device_of(expected))
        return _fixed(made, device_of(expected)) if expected != lexical else made

    def part(self, parent: RelayExpr, child: RelayExpr) -> Any:
        expected = self.key(parent)
        if isinstance(child, (Op, Constructor)):
            return child
        return self.child(expected, expected, self.key(child), child)

    def visit(self, node: RelayExpr) -> Any:
        if isinstance(node, Call):
            return self.visit_call(node)
        if isinstance(node, Function):
            return node if is_primitive(node) else self.visit_function(node)
        if isinstance(node, Let):
            expected = self.key(node.var)
            value = self.child(OPEN, expected, self.key(node.value), node.value)
            return LetWithFields(node, node.var, value, self.part(node, node.body))
        if isinstance(node, Tuple):
            return Tuple([self.part(node, field) for field in node.fields], node.span)
        if isinstance(node, TupleGetItem):
            return TupleGetItem(self.part(node, node.tuple_value), node.index, node.span)
        if isinstance(node, If):
            parts = [self.part(node, each) for each in (node.cond, node.true_branch, node.false_branch)]
            return IfWithFields(node, *parts)
        if isinstance(node, Match):
            clauses = [Clause(clause.lhs, self.part(node, clause.rhs)) for clause in node.clauses]
            return Match(self.part(node, node.data), clauses, node.complete)
        if isinstance(node, RefCreate):
            return RefCreate(self.part(node, node.value))
        if isinstance(node, RefRead):
            return RefRead(self.part(node, node.ref))
        if isinstance(node, RefWrite):
            return RefWrite(self.part(node, node.ref), self.part(node, node.value))
        return node

    def visit_call(self, call: Call) -> Any:
        body, _ = body_of_on_device(call)
        if body is not None:
            return self.new[body]
        if isinstance(call.op, Op) and call.op.name == "device_copy":
            source, target = key_of(call.attrs.src_virtual_device), key_of(call.attrs.dst_virtual_device)
            return self.new[call.args[0]] if source == target else self.child(target, target, source, call.args[0])
        here, parts = self.key(call), find(self.domains.of_callee(call)).parts
        op = call.op
        if not isinstance(op, (Op, Constructor)) and not is_primitive(op):
            op = self.child(here, here, result_key(parts[-1]), op)
        args = [self.child(here, result_key(part), self.key(arg), arg) for part, arg in zip(parts, call.args)]
        return Call(op, args, call.attrs, list(call.type_args), call.span)

    def visit_function(self, func: Function) -> RelayExpr:
        result = result_key(self.domains.of(func))
        body = self.child(result, result, self.key(func.body), func.body)
        return FunctionWithFields(func, [self.new[param] for param in func.params], body,
                                  virtual_device=device_of(result))


def plan_devices(config: CompilationConfig) -> Sequential:
    """The pass for a compilation: its default device is that of the context's `relay.fallback_device_type`, else of its
    first target."""

    @function_pass(opt_level=0, name="PlanDevicesRewrite")
    def rewrite(func: Function, mod: IRModule, ctx: PassContext) -> Any:
        return rewrite_annotations(func)

    @module_pass(opt_level=0, name="PlanDevicesCore")
    def core(mod: IRModule, ctx: PassContext) -> IRModule:
        host, default = key_of(config.host_virtual_device), key_of(config.default_primitive_virtual_device)
        domains = Domains(host)
        functions = {var: func for var, func in mod.functions.items() if _is_planned(func)}
        for var, func in functions.items():
            domains.same(var, func)
            analyze(domains, func)
        for func in functions.values():
            join_free_annotations(domains, func)
        for func in functions.values():
            fill_in(domains, func, default)
        made = mod._copy()
        for var, func in functions.items():
            made[var] = _Capture(domains).run(func)
        return made

    return Sequential([make_pass("InferType"), rewrite, make_pass("InferType"), core], name="PlanDevices")
