"""CollagePartition: each operator goes to the target that computes it, alone or with its neighbours, at the least cost.

Every target says which parts of a function it could compute as one (candidates.py). The search covers the expressions in
post-order: from a set of covered ones it goes to each that a candidate for the first uncovered one leads to, cheapest first.
What ends up on one external compiler and touches is one function; functions of external compilers become global.
"""

from __future__ import annotations

import heapq
import re

from ..binding import bind
from ... import _core
from ...ir.module import IRModule
from ...ir.base import structural_equal, structural_hash
from ...ir.transform import make_pass, module_pass
from ...target.target import Target
from ..operands import children_of, rebuild
from ..expr import Call, Constant, Tuple, TupleGetItem, Var
from ..function import Function
from ..op import contrib
from ..ty import TupleType
from ..transform.callbacks import forward_rewrite
from .candidates import Candidate, Spec, compiler_candidates, host_candidates, pruned, style_of, tvm_candidates
from .collage import checked_cost, estimator_of
from .sub_graph import DataflowGraph, bits, can_inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ...ir.expr import RelayExpr
    from ...ir.transform import Pass, PassContext
    from ...ir.type import Type
    from ...target.virtual_device import CompilationConfig
    from .collage import CostEstimator
    from .sub_graph import SubGraph


def collage_partition(config: CompilationConfig, cost_estimator: Any) -> Pass:
    """The pass."""
    estimator = estimator_of(cost_estimator)

    @module_pass(opt_level=0, name="CollagePartition")
    def run(mod: IRModule, ctx: PassContext) -> IRModule:
        mod = make_pass("InferType")(mod)
        specs = _specs(config)
        names = _Names(estimator)
        result = mod._copy()
        for var, function in _core.module_functions(mod).items():
            attrs = function.attrs
            if attrs is None or not ("Compiler" in attrs or attrs.get("Extern", 0) or attrs.get("SkipOptimization", 0)):
                result._add(var, _partition(function, specs, names, ctx))
        return make_pass("InferType")(names.outlined(result))

    return run


def _specs(config: CompilationConfig) -> list[Spec]:
    """The targets in their order, then the host."""
    made = []
    for target in config.primitive_targets:
        external = target.kind.is_external
        name = target.kind.name if external else "tvm_" + target.kind.name
        made.append(Spec(name, target, target.kind.name if external else None))
    return [*made, Spec("host", config.host_target or Target("llvm"))]


def _depth(ctx: PassContext, key: str) -> int:
    depth = ctx.config.get(key)
    if depth is None or int(depth) <= 0:
        raise ValueError(f"CollagePartition: the pass context must set '{key}' to a positive number")
    return int(depth)


def _candidates(graph: DataflowGraph, spec: Spec, ctx: PassContext) -> list[Candidate]:
    if spec.name == "host":
        return host_candidates(graph, spec)
    if spec.compiler is None:
        return tvm_candidates(graph, spec, _depth(ctx, "relay.collage.tvm_max_depth"))
    table = contrib.get_pattern_table(spec.compiler)
    if table is None:
        raise ValueError(f"CollagePartition: no pattern table is registered for the external compiler '{spec.compiler}'")
    style = style_of(spec.compiler, ctx.config.get("relay.collage.byoc_fusion_style"))
    return compiler_candidates(graph, spec, table, style, _depth(ctx, "relay.collage.byoc_max_depth"))


def _partition(function: Function, specs: Sequence[Spec], names: _Names, ctx: PassContext) -> RelayExpr:
    graph = DataflowGraph(function)
    candidates = pruned(graph, [c for spec in specs for c in _candidates(graph, spec, ctx)])
    for candidate in candidates:
        if candidate.cost is None:
            candidate.cost = names.cost(graph, candidate)
    chosen = _coalesced(graph, [c for c in _cheapest(graph, candidates) if c.spec.compiler is not None])
    groups = [Group.of(graph, attrs, part) for c in chosen for attrs, part in c.sub_graph.nested]
    return rewrite(function, groups)


def _cheapest(graph: DataflowGraph, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that cover everything at the least cost, from the last to the first."""
    at: dict[Any, Any] = {}
    for candidate in candidates:
        at.setdefault(candidate.sub_graph.first, []).append(candidate)
    size = len(graph)
    whole = (1 << size) - 1

    def entry(covered: int, cost: float) -> tuple[float, int, int]:
        return cost, int(format(covered, f"0{size}b")[::-1], 2), covered

    best: dict[int, tuple[float, int, Any]] = {0: (0.0, 0, None)}
    queue = [entry(0, 0.0)]
    done = set()
    while queue:
        cost, _, covered = heapq.heappop(queue)
        if covered in done:
            continue
        done.add(covered)
        if covered == whole:
            chosen = []
            while covered:
                _, covered, candidate = best[covered]
                chosen.append(candidate)
            return chosen
        place = (~covered & (covered + 1)).bit_length() - 1
        for candidate in at.get(place, ()):
            if candidate.sub_graph.inside & covered:
                continue
            following, total = covered | candidate.sub_graph.inside, cost + candidate.cost
            if following not in best or total < best[following][0]:
                best[following] = total, covered, candidate
                heapq.heappush(queue, entry(following, total))
    missing = next(p for p in range(size) if p not in at) if len(at) < size else 0
    raise ValueError(f"CollagePartition: no target computes {graph.nodes[missing]!r}")


def _coalesced(graph: DataflowGraph, chosen: Sequence[Candidate]) -> list[Candidate]:
    """The chosen candidates, those of one target that touch as one."""
    current = list(chosen)
    changed = True
    while changed:
        changed = False
        by_entry: dict[Any, Any] = {}
        for number, candidate in enumerate(current):
            for place in bits(candidate.sub_graph.entry):
                by_entry.setdefault(place, []).append(number)
        removed, added = set(), []
        for number, candidate in enumerate(current):
            if number in removed:
                continue
            below = sorted({n for p in bits(candidate.sub_graph.output) for n in by_entry.get(p, ())})
            for other in below:
                if other != number and other not in removed and candidate.touches(graph, current[other]):
                    added.append(candidate.union(graph, current[other]))
                    removed |= {number, other}
                    changed = True
                    break
        current = [c for n, c in enumerate(current) if n not in removed] + added
    return current


class Group:
    """Expressions that become a function with attributes, and groups inside of it."""

    def __init__(self, inside: set[RelayExpr], order: Sequence[RelayExpr], exits: set[RelayExpr], attrs: Any,
                 nested: Sequence[Group]) -> None:
        self.inside, self.order, self.exits, self.attrs, self.nested = inside, order, exits, attrs, nested

    @staticmethod
    def of(graph: DataflowGraph, attrs: Any, part: SubGraph) -> Group:
        order = [graph.nodes[place] for place in bits(part.inside)]
        exits = {graph.nodes[place] for place in bits(part.exit)}
        return Group(set(order), order, exits, attrs, [Group.of(graph, a, p) for a, p in part.nested])

    def mapped(self, memo: Mapping[RelayExpr, RelayExpr], exits: set[RelayExpr]) -> Group:
        """The group on what its expressions became; `exits` are the results of all around it."""
        inside = {memo[node] for node in self.inside}
        order = [memo[node] for node in self.order]
        return Group(inside, order, {memo[n] for n in self.exits} | (exits & inside), self.attrs,
                     [part.mapped(memo, exits) for part in self.nested])

    def extract(self) -> tuple[Function, list[RelayExpr], dict[RelayExpr, int | None]]:
        """(function, its arguments, {expression: number of the result or None for the only one})."""
        args = []
        params: dict[Any, Any] = {}
        memo: dict[Any, Any] = {}

        def outer(node: RelayExpr) -> Any:
            # As TVM: constants stand in the function that uses them.
            if can_inline(node) or isinstance(node, Constant):
                return node
            if node not in params:
                params[node] = Var(f"FunctionVar_{len(params)}", node.checked_type)
                params[node]._set("_checked_type_", node.checked_type)
                args.append(node)
            return params[node]

        outputs = []
        for node in reversed(self.order):
            if node in self.exits or node not in memo:
                _inner(node, self.inside, outer, memo)
                outputs.append(node)
        outputs.reverse()
        results = [memo[node] for node in outputs]
        body = results[0] if len(results) == 1 else Tuple(results)
        types = [node.checked_type for node in outputs]
        ret_type = types[0] if len(types) == 1 else TupleType(types)
        for old, new in memo.items():
            if new._checked_type_ is None:
                new._set("_checked_type_", old.checked_type)
        body = rewrite(body, [part.mapped(memo, set(results)) for part in self.nested])
        function = Function(list(params.values()), body, ret_type, [])
        if self.attrs:
            function = function.with_attr(self.attrs)
        numbers = {node: None if len(outputs) == 1 else number for number, node in enumerate(outputs)}
        return function, args, numbers


def _inner(root: RelayExpr, inside: set[RelayExpr], outer: Callable[..., Any],
           memo: dict[RelayExpr, RelayExpr]) -> None:
    """Rebuilds an expression inside of a group over what `outer` gives for those outside, which are asked for as they are
    met from left to right."""
    outside = {}
    work = [(root, False)]
    while work:
        node, opened = work.pop()
        if node in memo or node in outside:
            continue
        if node not in inside:
            outside[node] = outer(node)
        elif opened:
            memo[node] = rebuild(node, {c: memo[c] if c in inside else outside[c] for c in children_of(node)})
        else:
            work.append((node, True))
            work.extend((child, False) for child in reversed(children_of(node)))


def rewrite(root: RelayExpr, groups: Sequence[Group]) -> RelayExpr:
    """An expression with calls of functions in the place of groups, which do not overlap."""
    if not groups:
        return root
    of = {node: group for group in groups for node in group.inside}
    made: dict[int, Any] = {}
    memo: dict[RelayExpr, RelayExpr] = {}
    work = [root]
    while work:
        node = work[-1]
        if node in memo:
            work.pop()
            continue
        group = of.get(node)
        if group is not None:
            if id(group) not in made:
                made[id(group)] = [*group.extract(), None]
            extracted = made[id(group)]
            needs = extracted[1]
        else:
            needs = children_of(node)
        open_ones = [need for need in needs if need not in memo]
        if open_ones:
            work.extend(reversed(open_ones))
            continue
        work.pop()
        if group is None:
            memo[node] = rebuild(node, memo)
            continue
        function, args, numbers, call = extracted
        if call is None:
            call = extracted[3] = Call(function, [memo[arg] for arg in args])
        number = numbers[node]
        memo[node] = call if number is None else TupleGetItem(call, number)
    return memo[root]


def _fresh(used: dict[str, int], hints: Sequence[str]) -> str:
    name = "_".join(re.sub(r"[^A-Za-z0-9_]", "_", hint) for hint in ("collage", *hints) if hint)
    if name not in used:
        used[name] = 1
        return name
    used[name] += 1
    return f"{name}_{used[name] - 1}"


class _Names:
    """The functions that were met, each with its name and its cost."""

    def __init__(self, estimator: CostEstimator) -> None:
        self.estimator = estimator
        self._used: dict[Any, Any] = {}
        self._known: dict[Any, Any] = {}

    def _entry(self, label: str, function: Function) -> Any:
        known = self._known.setdefault(structural_hash(function), [])
        for entry in known:
            if structural_equal(entry[0], function):
                return entry
        compiler = "tvm" if function.attrs is None else str(function.attrs.get("Compiler", "tvm"))
        known.append([function, _fresh(self._used, (compiler, label)), None])
        return known[-1]

    def cost(self, graph: DataflowGraph, candidate: Candidate) -> Any:
        """What a candidate costs. Equal functions are asked about once."""
        part = candidate.sub_graph
        whole = Group.of(graph, {}, part)
        function, args, _ = whole.extract()
        primitive = function
        if isinstance(function.body, Call) and isinstance(function.body.op, Function):
            if function.body.op.attrs is not None and "Primitive" in function.body.op.attrs:
                primitive = function.body.op
        entry = self._entry(part.label, primitive)
        if entry[2] is None:
            mod = self.outlined(make_pass("InferType")(IRModule.from_expr(_flat(function))))
            entry[2] = checked_cost(self.estimator.estimate(make_pass("InferType")(mod), candidate.spec.target))
        return entry[2]

    def outlined(self, mod: IRModule) -> IRModule:
        """The module with the functions of external compilers as global ones."""
        result = mod._copy()
        for var, function in _core.module_functions(mod).items():

            def visit(old: RelayExpr, new: RelayExpr, function: Function = function) -> Any:
                if isinstance(old, Function) and old is not function and old.attrs is not None and "Compiler" in old.attrs:
                    name = self._entry("", old)[1]
                    made = _core.module_global_var(result, name)
                    result._add(made, new.with_attr("global_symbol", name))
                    return made
                return new

            result._add(var, forward_rewrite(function, visit))
        return result


def _flat(function: Function) -> Function:
    """The function with a parameter for each field of those that are tuples."""
    params, fields = [], {}
    for param in function.params:
        types = _tensors(param.type_annotation)
        if types is None:
            params.append(param)
            continue
        made = [Var(f"{param.name_hint}_{number}", ty) for number, ty in enumerate(types)]
        params += made
        fields[param] = Tuple(made)
    if not fields:
        return function
    return Function(params, bind(function.body, fields), function.ret_type, list(function.type_params), function.attrs)


def _tensors(ty: Type | None) -> list[Type] | None:
    return list(ty.fields) if isinstance(ty, TupleType) else None
