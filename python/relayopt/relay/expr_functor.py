"""Visitors over expressions, each with a memo by identity. They recurse: deep chains need a higher recursion limit."""

from ..ir.op import Op
from .adt import Clause, Constructor, Match
from .expr import (
    Call,
    Constant,
    FunctionWithFields,
    GlobalVar,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    TempExpr,
    Tuple,
    TupleGetItem,
    Var,
)
from .function import Function

_METHODS = {
    Function: "visit_function",
    Call: "visit_call",
    Let: "visit_let",
    Var: "visit_var",
    GlobalVar: "visit_global_var",
    If: "visit_if",
    Tuple: "visit_tuple",
    TupleGetItem: "visit_tuple_getitem",
    Constant: "visit_constant",
    Op: "visit_op",
    RefCreate: "visit_ref_create",
    RefRead: "visit_ref_read",
    RefWrite: "visit_ref_write",
    Constructor: "visit_constructor",
    Match: "visit_match",
}


class ExprFunctor:
    """Calls one method for each kind of expression, once for each node.

    >>> class Depth(relay.ExprFunctor):
    ...     def visit_var(self, var):
    ...         return 0
    ...     def visit_call(self, call):
    ...         return 1 + max(self.visit(arg) for arg in call.args)
    >>> Depth().visit(relay.tanh(relay.nn.relu(relay.var("x"))))
    2
    """

    def __init__(self):
        self.memo_map = {}

    def visit(self, expr):
        """What the method for the expression gives, the first time; later what it gave."""
        memo = self.memo_map
        known = memo.get(expr, memo)
        if known is not memo:
            return known
        name = _METHODS.get(type(expr))
        if name is None:
            for cls, method in _METHODS.items():
                if isinstance(expr, cls):
                    name = method
                    break
            else:
                raise Exception(f"warning unhandled case: {type(expr)}")
        result = getattr(self, name)(expr)
        memo[expr] = result
        return result

    def _missing(self, *_):
        raise NotImplementedError()

    visit_function = visit_let = visit_call = visit_var = visit_type = visit_if = visit_tuple = _missing
    visit_tuple_getitem = visit_global_var = visit_op = visit_constant = visit_ref_create = _missing
    visit_ref_write = visit_ref_read = visit_constructor = visit_match = _missing


class ExprVisitor(ExprFunctor):
    """Visits every expression below one.

    >>> class Calls(relay.ExprVisitor):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.names = []
    ...     def visit_call(self, call):
    ...         super().visit_call(call)
    ...         self.names.append(call.op.name)
    >>> calls = Calls()
    >>> x = relay.var("x", shape=(2,))
    >>> calls.visit(relay.tanh(relay.nn.relu(x)))
    >>> calls.names
    ['nn.relu', 'tanh']
    """

    def visit_tuple(self, tup):
        for field in tup.fields:
            self.visit(field)

    def visit_call(self, call):
        self.visit(call.op)
        for arg in call.args:
            self.visit(arg)

    def visit_var(self, var):
        pass

    def visit_let(self, let):
        self.visit(let.var)
        self.visit(let.value)
        self.visit(let.body)

    def visit_function(self, func):
        for param in func.params:
            self.visit(param)
        self.visit(func.body)

    def visit_if(self, if_expr):
        self.visit(if_expr.cond)
        self.visit(if_expr.true_branch)
        self.visit(if_expr.false_branch)

    def visit_global_var(self, gvar):
        pass

    def visit_constructor(self, ctor):
        pass

    def visit_op(self, op):
        pass

    def visit_constant(self, const):
        pass

    def visit_ref_create(self, ref):
        self.visit(ref.value)

    def visit_ref_read(self, ref):
        self.visit(ref.ref)

    def visit_ref_write(self, ref):
        self.visit(ref.ref)
        self.visit(ref.value)

    def visit_tuple_getitem(self, item):
        self.visit(item.tuple_value)

    def visit_match(self, match):
        self.visit(match.data)
        for clause in match.clauses:
            self.visit(clause.rhs)


class ExprMutator(ExprFunctor):
    """Rebuilds an expression; what has not changed stays the same object.

    >>> class NoRelu(relay.ExprMutator):
    ...     def visit_call(self, call):
    ...         new = super().visit_call(call)
    ...         return new.args[0] if new.op.name == "nn.relu" else new
    >>> x = relay.var("x", shape=(2,))
    >>> NoRelu().visit(relay.tanh(relay.nn.relu(x)))
    <Call tanh(%x)>
    """

    def visit_function(self, func):
        return FunctionWithFields(func, [self.visit(p) for p in func.params], self.visit(func.body))

    def visit_let(self, let):
        var, value, body = self.visit(let.var), self.visit(let.value), self.visit(let.body)
        if var is let.var and value is let.value and body is let.body:
            return let
        return Let(var, value, body)

    def visit_call(self, call):
        visit, old_op, old_args = self.visit, call.op, list(call.args)
        op = visit(old_op)
        args = [visit(arg) for arg in old_args]
        # Expressions are equal when they are the same.
        if op is old_op and args == old_args:
            return call
        return Call(op, args, call.attrs, list(call.type_args), call.span)

    def visit_var(self, var):
        return var

    def visit_global_id(self, global_var):
        return global_var

    def visit_if(self, if_expr):
        cond = self.visit(if_expr.cond)
        true_branch, false_branch = self.visit(if_expr.true_branch), self.visit(if_expr.false_branch)
        if cond is if_expr.cond and true_branch is if_expr.true_branch and false_branch is if_expr.false_branch:
            return if_expr
        return If(cond, true_branch, false_branch)

    def visit_tuple(self, tup):
        old = list(tup.fields)
        fields = [self.visit(field) for field in old]
        return tup if fields == old else Tuple(fields, tup.span)

    def visit_tuple_getitem(self, item):
        value = self.visit(item.tuple_value)
        return item if value is item.tuple_value else TupleGetItem(value, item.index)

    def visit_global_var(self, gvar):
        return gvar

    def visit_op(self, op):
        return op

    def visit_constant(self, const):
        return const

    def visit_constructor(self, con):
        return con

    def visit_match(self, match):
        data = self.visit(match.data)
        clauses = [Clause(clause.lhs, self.visit(clause.rhs)) for clause in match.clauses]
        if data is match.data and all(a.rhs is b.rhs for a, b in zip(clauses, match.clauses)):
            return match
        return Match(data, clauses, complete=match.complete)

    def visit_ref_create(self, ref):
        value = self.visit(ref.value)
        return ref if value is ref.value else RefCreate(value)

    def visit_ref_write(self, ref):
        target, value = self.visit(ref.ref), self.visit(ref.value)
        return ref if target is ref.ref and value is ref.value else RefWrite(target, value)

    def visit_ref_read(self, ref):
        target = self.visit(ref.ref)
        return ref if target is ref.ref else RefRead(target)
