"""The dataflow pattern language: patterns, matching, and rewriting what matches.

Patterns have identity: a pattern that occurs twice stands for the same expression both times.
"""

from __future__ import annotations

from .. import _core
from .._ffi import provide, provided
from ..error import TVMError
from ..ir.base import structural_equal
from ..ir.expr import RelayExpr
from ..ir.module import IRModule
from ..ir.op import Op
from ..ir.transform import make_pass
from .expr import Call, Constant, If, Let, Tuple, TupleGetItem, TupleWrapper, Var
from .function import Function
from .operands import children_of, rebuild
from .pattern_matcher import Matcher, fixed_operator, match
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


def _pattern_children(pattern: DFPattern) -> list[DFPattern]:
    def some(*parts: Any) -> list[Any]:
        return [part for part in parts if part is not None]

    if isinstance(pattern, CallPattern):
        return [pattern.op] + list(pattern.args or [])
    if isinstance(pattern, (AltPattern,)):
        return [pattern.left, pattern.right]
    if isinstance(pattern, (AttrPattern, TypePattern, ShapePattern, DataTypePattern)):
        return [pattern.pattern]
    if isinstance(pattern, DominatorPattern):
        return [pattern.parent, pattern.path, pattern.child]
    if isinstance(pattern, FunctionPattern):
        return list(pattern.params or []) + [pattern.body]
    if isinstance(pattern, TuplePattern):
        return list(pattern.fields or [])
    if isinstance(pattern, TupleGetItemPattern):
        return [pattern.tuple]
    if isinstance(pattern, IfPattern):
        return [pattern.cond, pattern.true_branch, pattern.false_branch]
    if isinstance(pattern, LetPattern):
        return [pattern.var, pattern.value, pattern.body]
    if isinstance(pattern, WildcardPattern):
        return some(pattern.pattern)
    return []


def _pattern_order(pattern: DFPattern) -> list[DFPattern]:
    """Patterns below one, each once, parts before wholes."""
    order, seen, work = [], set(), [(pattern, False)]
    while work:
        at, opened = work.pop()
        if opened:
            order.append(at)
            continue
        if at in seen:
            continue
        seen.add(at)
        work.append((at, True))
        work.extend((child, False) for child in reversed(_pattern_children(at)))
    return order


class _Group:
    """A place: its root, what each pattern matched there and, unless only these matter, the function that it makes."""

    __slots__ = ("root", "matched", "name", "args", "function")

    def __init__(self, root: RelayExpr, matched: Mapping[DFPattern, list[RelayExpr]], args: list[RelayExpr] | None = None,
                 function: Any = None, name: str = "") -> None:
        self.root, self.matched, self.args, self.function, self.name = root, matched, args, function, name


class _Grouper:
    """The places that look like a pattern and do not overlap, from results to operands."""

    def __init__(self, pattern: DFPattern, root: RelayExpr, with_functions: bool = True) -> None:
        self.pattern, self.root, self._with_functions = pattern, root, with_functions
        patterns = _pattern_order(pattern)
        # Whose matches are inside of a group, whatever lies there; and what gives a group its inputs: the operands of what
        # is matched, or that itself.
        self._fuzzy = [each for each in patterns if isinstance(each, (DominatorPattern, FunctionPattern))]
        self._inputs = [(each, operands) for each in patterns if (operands := self._operands(each)) is not None]
        self.matcher = Matcher(root)
        self.of: dict[Any, Any] = {}
        self.number = 0
        partitioned: set[RelayExpr] = set()
        # Where only calls of one operator can match, nothing else is tried.
        name = fixed_operator(pattern)
        only = None if name in (None, "divide", "multiply") else pattern.op.expr
        for node in reversed(self.matcher.graph.order):
            if node in self.of or only is not None and (
                    node.op is not only if type(node) is Call else type(node) is not Function):
                continue
            if isinstance(node, Function) and node.attrs is not None and "PartitionedFromPattern" in node.attrs:
                partitioned.add(node)
                partitioned.update(_core.post_order(node.body))
            if node not in partitioned and self.matcher.match(pattern, node):
                self._group(node, self.matcher.memo)

    @staticmethod
    def _operands(pattern: DFPattern) -> Callable[..., Any] | None:
        """What of an expression that the pattern matches comes into a group, as a function of it; None where nothing does."""
        if isinstance(pattern, TuplePattern) and pattern.fields is None:
            return lambda found: found.fields
        if isinstance(pattern, CallPattern) and pattern.args is None:
            return lambda found: found.args
        return None if _pattern_children(pattern) else lambda found: (found,)

    def _embeds(self, expr: RelayExpr, pattern: DFPattern) -> bool:
        if not isinstance(expr, Constant):
            return False
        if isinstance(pattern, ConstantPattern):
            return True
        if isinstance(pattern, ExprPattern):
            return isinstance(pattern.expr, Constant)
        if isinstance(pattern, AltPattern):
            if match(pattern.left, expr):
                return self._embeds(expr, pattern.left)
            return self._embeds(expr, pattern.right)
        return False

    def _group(self, root: RelayExpr, matched: Mapping[DFPattern, list[RelayExpr]]) -> None:
        fuzzy = self._inside(matched) if self._fuzzy else ()
        inputs: dict[RelayExpr, RelayExpr] = {}
        for pattern, operands in self._inputs:
            for found in matched.get(pattern, ()):
                for each in operands(found):
                    if each in inputs or type(each) is Op or each in fuzzy or isinstance(each, Function) or (
                            self._embeds(each, pattern)):
                        continue
                    inputs[each] = Var(f"FunctionVar_{self.number}_{len(inputs)}") if self._with_functions else each
        self.number += 1
        memo, name = _extract(root, inputs) if self._with_functions else (_between(root, inputs), "")
        for node in memo:
            if node in inputs or isinstance(node, (Op, Function, Constant)):
                continue
            if node in self.of:
                return
            if node is not root:
                for user in self.matcher.graph.users.get(node, ()):
                    if user not in memo:
                        return
        if self._with_functions:
            params: Any = list(inputs.values())
            group = _Group(root, matched, list(inputs), Function(params, memo[root]), name)
        else:
            group = _Group(root, matched)
        for node in memo:
            # What comes in may be the result of another group.
            if node not in inputs:
                self.of[node] = group

    def _inside(self, matched: Mapping[DFPattern, list[RelayExpr]]) -> set[RelayExpr]:
        """What lies inside of a group, whatever it is."""
        found: set[RelayExpr] = set()
        for pattern in self._fuzzy:
            if isinstance(pattern, DominatorPattern):
                for part in (pattern.parent, pattern.path):
                    found.update(matched.get(part, ()))
            if isinstance(pattern, FunctionPattern):
                for function in matched.get(pattern, ()):
                    found.update(_core.post_order(function.body))
        return found


def _between(root: RelayExpr, inputs: Mapping[RelayExpr, RelayExpr]) -> dict[RelayExpr, RelayExpr]:
    """What lies between a root and inputs, with these, each as itself."""
    found, work = {root: root}, [root]
    while work:
        node = work.pop()
        if node not in inputs:
            for child in children_of(node):
                if child not in found:
                    found[child] = child
                    work.append(child)
    return found


def _extract(root: RelayExpr, inputs: Mapping[RelayExpr, RelayExpr]) -> tuple[dict[RelayExpr, RelayExpr], str]:
    """What lies between a root and inputs, over variables: {old: new}, and its name."""
    memo, name = {}, []
    work = [(root, False)]
    while work:
        node, opened = work.pop()
        if node in memo:
            continue
        if node in inputs:
            memo[node] = inputs[node]
            continue
        if not opened:
            work.append((node, True))
            work.extend((child, False) for child in reversed(children_of(node)))
            continue
        memo[node] = rebuild(node, memo)
        if isinstance(node, Call):
            name.append(node.op.name + "_" if isinstance(node.op, Op) else "Call_")
        elif isinstance(node, Tuple):
            name.append("Tuple_")
        elif isinstance(node, TupleGetItem):
            name.append(f"TupleGetItem{node.index}_")
        elif isinstance(node, Function):
            name.append("Function")
        elif isinstance(node, Let):
            name.append("Let_")
        elif isinstance(node, If):
            name.append("If_")
    return memo, "".join(name)


def partition(pattern: DFPattern, expr: RelayExpr, attrs: Any = None,
              check: Callable[..., Any] = lambda x: True) -> RelayExpr:
    """The expression with what looks like the pattern as calls of functions, which have the attributes
    `PartitionedFromPattern` and `attrs`.

    >>> from relayopt.relay.dataflow_pattern import is_op, partition, wildcard
    >>> x = relay.var("x", shape=(2,))
    >>> print(partition(is_op("nn.relu")(wildcard()), relay.tanh(relay.nn.relu(x)), {"Composite": "my.relu"}))
    %0 = fn (%FunctionVar_0_0, PartitionedFromPattern="nn.relu_", Composite="my.relu") {
      nn.relu(%FunctionVar_0_0)
    };
    free_var %x: Tensor[(2), float32];
    %1 = %0(%x);
    tanh(%1)
    """
    grouper = _Grouper(pattern, expr)
    memo: dict[RelayExpr, RelayExpr] = {}
    for node in grouper.matcher.graph.order:
        new = rebuild(node, memo)
        group = grouper.of.get(node)
        if group is not None and group.root is node and bool(check(node)):
            function = group.function.with_attr("PartitionedFromPattern", group.name)
            if attrs:
                function = function.with_attr(dict(attrs.items()))
            new = Call(function, [memo[arg] for arg in group.args])
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
    grouper = _Grouper(callback.pattern, expr, with_functions=False)
    memo: dict[RelayExpr, RelayExpr] = {}
    for node in grouper.matcher.graph.order:
        new = rebuild(node, memo)
        group = grouper.of.get(node)
        if group is not None and group.root is node:
            memo[node] = new
            new = callback.callback(node, new, _core.node_map(group.matched, memo))
            if not isinstance(new, RelayExpr):
                if isinstance(new, TupleWrapper):
                    new = new.astuple()
                else:
                    raise TypeError(f"callback must return an expression, not {type(new).__name__}")
        memo[node] = new
    return memo[expr]


provide("match_pattern", match)
provide("partition_pattern", partition)
