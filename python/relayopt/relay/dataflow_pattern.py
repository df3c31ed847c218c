"""The dataflow pattern language: patterns, matching, and rewriting what matches.

Patterns have identity: a pattern that occurs twice stands for the same expression both times.
"""

from __future__ import annotations

from .. import _core
from .._arguments import as_dict
from .._ffi import provide, provided
from ..error import TVMError
from ..ir.base import structural_equal
from ..ir.expr import RelayExpr
from ..ir.module import IRModule
from ..ir.transform import make_pass
from .expr import Call, TupleWrapper, Var
from .function import Function
from .operands import rebuild
from .patterns import (
    AltPattern, AttrPattern, CallPattern, ConstantPattern, DataTypePattern, DFPattern, DominatorPattern, ExprPattern,
    FunctionPattern, IfPattern, LetPattern, ShapePattern, TupleGetItemPattern, TuplePattern, TypePattern, VarPattern,
    WildcardPattern, dominates, has_attr, has_dtype, has_shape, has_type, is_constant, is_expr, is_if, is_let, is_op,
    is_tuple, is_tuple_get_item, is_var, wildcard)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = [
    "DFPattern", "AltPattern", "AttrPattern", "CallPattern", "ConstantPattern", "DataTypePattern", "DominatorPattern",
    "ExprPattern", "FunctionPattern", "IfPattern", "LetPattern", "ShapePattern", "TupleGetItemPattern", "TuplePattern",
    "TypePattern", "VarPattern", "WildcardPattern", "DFPatternCallback", "is_var", "is_constant", "is_expr", "is_op",
    "is_tuple", "is_tuple_get_item", "is_if", "is_let", "wildcard", "has_type", "has_dtype", "has_shape", "has_attr",
    "dominates", "match", "rewrite", "partition",
]


def match(pattern: DFPattern, expr: RelayExpr) -> bool:
    """Whether an expression looks like a pattern.

    >>> from relayopt.relay.dataflow_pattern import is_op, match, wildcard
    >>> match(is_op("add")(wildcard(), wildcard()), relay.var("x") + relay.var("y"))
    True
    """
    return _core.match_pattern(pattern, expr)


def partition(pattern: DFPattern, expr: RelayExpr, attrs: Any = None,
              check: Callable[..., Any] = lambda x: True) -> RelayExpr:
    """The expression with what looks like the pattern as calls of functions, which have the attributes
    `PartitionedFromPattern` and `attrs`.

    >>> from relayopt.relay.dataflow_pattern import is_op, partition, wildcard
    >>> x = relay.var("x", shape=(2,))
    >>> print(partition(is_op("nn.relu")(wildcard()), relay.tanh(relay.nn.relu(x)), {"Composite": "my.relu"}))
    free_var %x: Tensor[(2), float32];
    %0 = fn (%FunctionVar_0_0, PartitionedFromPattern="nn.relu_", Composite="my.relu") {
      nn.relu(%FunctionVar_0_0)
    };
    %1 = %0(%x);
    tanh(%1)
    """
    wanted = as_dict("attrs", attrs)
    if isinstance(pattern, FunctionPattern):
        return expr
    groups = {group[0]: group[2:] for group in _core.pattern_groups(pattern, expr)}
    memo: dict[RelayExpr, RelayExpr] = {}
    for node in _core.post_order(expr):
        new = rebuild(node, memo)
        if node in groups and bool(check(node)):
            inputs, inside, name, number = groups[node]
            params = {each: Var(f"FunctionVar_{number}_{i}") for i, each in enumerate(inputs)}
            copies: dict[RelayExpr, RelayExpr] = dict(params)
            for each in inside:
                copies[each] = rebuild(each, copies)
            function = Function(list(params.values()), copies[node]).with_attr("PartitionedFromPattern", name)
            if wanted:
                function = function.with_attr(wanted)
            new = Call(function, [memo[each] for each in inputs])
        memo[node] = new
    return memo[expr]


class DFPatternCallback:
    """A pattern and what becomes of what looks like it: subclasses set `self.pattern` and define
    `callback(self, pre, post, node_map)`.

    >>> from relayopt.relay.dataflow_pattern import DFPatternCallback, is_constant, wildcard
    >>> class Swap(DFPatternCallback):
    ...     def __init__(self):
    ...         super().__init__(rewrite_once=True)
    ...         self.number, self.other = is_constant(), wildcard()
    ...         self.pattern = self.number * self.other
    ...     def callback(self, pre, post, node_map):
    ...         return node_map[self.other][0] * node_map[self.number][0]
    >>> print(Swap().rewrite(relay.const(2.0) * relay.var("x")))
    free_var %x;
    multiply(%x, 2f)
    """

    def __init__(self, require_type: bool = False, rewrite_once: bool = False) -> None:
        self.pattern: Any = None
        self.require_type, self.rewrite_once = require_type, rewrite_once

    def rewrite(self, expr: RelayExpr) -> RelayExpr:
        """The expression rewritten until nothing changes."""
        return rewrite(self, expr)

    def callback(self, pre: RelayExpr, post: RelayExpr, node_map: Any) -> RelayExpr:
        raise NotImplementedError("Must implement callback")


def rewrite(callbacks: Any, expr: RelayExpr, mod: Any = None) -> RelayExpr:
    """Applies callbacks, each to all places at once, until nothing changes.

    >>> from relayopt.relay.dataflow_pattern import DFPatternCallback, is_op, rewrite, wildcard
    >>> class OneRelu(DFPatternCallback):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.x = wildcard()
    ...         self.pattern = is_op("nn.relu")(is_op("nn.relu")(self.x))
    ...     def callback(self, pre, post, node_map):
    ...         return relay.nn.relu(node_map[self.x][0])
    >>> relu, x = relay.nn.relu, relay.var("x", shape=(2,))
    >>> print(rewrite(OneRelu(), relu(relu(relu(x)))))
    free_var %x: Tensor[(2), float32];
    nn.relu(%x)
    """
    if isinstance(callbacks, DFPatternCallback):
        callbacks = [callbacks]
    for callback in callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]:
        if not isinstance(callback, DFPatternCallback):
            raise TypeError(f"rewrite takes DFPatternCallback objects, not {type(callback).__name__}")
    done = [False] * len(callbacks)
    post, count = expr, 0
    # A callback whose result matches again lets the expression grow, twice as large with each round.
    most = 10_000 + 100 * len(_core.post_order(expr))
    while True:
        last = post
        for i, callback in enumerate(callbacks):
            if done[i]:
                continue
            before = post
            if callback.require_type:
                post = infer_type_in(mod, post)
            post = _rewrite_all(callback, post)
            count += 1
            if callback.rewrite_once and not structural_equal(before, post):
                done[i] = True
        if all(done) or structural_equal(last, post, False):
            break
        if count >= 100:
            raise TVMError("Observed 100 rewrite passes, possible conflicting passes?")
        if len(_core.post_order(post)) > most:
            raise TVMError(f"the expression has grown to more than {most} nodes in {count} rewrite passes: do results of a "
                           "callback match its pattern again?")
        if all(callback.rewrite_once for callback in callbacks):
            break
    return post


def infer_type_in(mod: IRModule | None, expr: RelayExpr) -> RelayExpr:
    """The expression with its types; it may use the definitions of the module."""
    if mod is None:
        typed = make_pass("InferType")(IRModule.from_expr(expr))["main"]
    else:
        joined = mod._copy()
        function = expr if isinstance(expr, Function) else Function(provided("free_vars")(expr), expr)
        _core.module_set(joined, _core.module_global_var(joined, "__rewrite__"), function)
        typed = make_pass("InferType")(joined)["__rewrite__"]
    made: RelayExpr = typed if isinstance(expr, Function) else typed.body
    return made


def _rewrite_all(callback: DFPatternCallback, expr: RelayExpr) -> Any:
    groups = {group[0]: group[1] for group in _core.pattern_groups(callback.pattern, expr)}
    memo: dict[RelayExpr, RelayExpr] = {}
    for node in _core.post_order(expr):
        new = rebuild(node, memo)
        matched = groups.get(node)
        if matched is not None:
            memo[node] = new
            new = callback.callback(node, new, _core.node_map(matched, memo))
            if not isinstance(new, RelayExpr):
                if isinstance(new, TupleWrapper):
                    new = new.astuple()
                else:
                    raise TypeError(f"callback must return an expression, not {type(new).__name__}")
        memo[node] = new
    return memo[expr]


provide("match_pattern", match)
provide("partition_pattern", partition)
