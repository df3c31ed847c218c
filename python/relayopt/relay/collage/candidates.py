"""What each target could compute as one: the candidates that the search chooses from."""

from __future__ import annotations

from ... import _core
from ..patterns import WildcardPattern
from ..expr import Call, Tuple, TupleGetItem
from .sub_graph import (BROADCAST, FUSIBLE, INJECTIVE, REDUCTION, SubGraph, bits, can_inline, join, kind_and_label,
                        must_be_lowered, of_places)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .sub_graph import DataflowGraph

# (the one before, the one after): kinds up to these are fused, as FuseOps does.
_TVM_RULES = ((FUSIBLE, BROADCAST), (BROADCAST, REDUCTION), (INJECTIVE, INJECTIVE))
_STYLES = {"NoFusion": (), "TVMFusion": _TVM_RULES, "MaxDepthFusion": ((FUSIBLE, FUSIBLE),)}
_STYLE_OF = {"cutlass": "NoFusion", "cublas": "NoFusion", "cudnn": "NoFusion", "tensorrt": "TVMFusion"}


class Spec:
    """A target and how it is named."""

    def __init__(self, name: str, target: Any, compiler: str | None = None) -> None:
        self.name, self.target, self.compiler = name, target, compiler


class Candidate:
    """A part of the function on a target. `cost` is None until somebody asks."""

    def __init__(self, rule: str, sub_graph: SubGraph, spec: Spec, cost: Any = None) -> None:
        self.rule, self.sub_graph, self.spec, self.cost = rule, sub_graph, spec, cost

    def touches(self, graph: DataflowGraph, other: Any) -> bool:
        return self.spec is other.spec and self.sub_graph.touches(graph, other.sub_graph)

    def union(self, graph: DataflowGraph, other: Any) -> Candidate:
        label = join(self.sub_graph.label, other.sub_graph.label)
        return Candidate(join(self.rule, other.rule), self.sub_graph.union(graph, other.sub_graph, label), self.spec)


def _nest(left: str, right: str) -> str:
    if len(right) > len(left) and right.startswith(left):
        return right
    return join(left, right, ".")


def host_candidates(graph: DataflowGraph, spec: Spec) -> list[Candidate]:
    """What may be left to the host, each expression alone and for nothing."""
    made = []
    for place, node in enumerate(graph.nodes):
        if not must_be_lowered(node):
            part = of_places(graph, 1 << place)
            made.append(Candidate(part.label, part, spec, 0.0))
    return made


def tvm_candidates(graph: DataflowGraph, spec: Spec, max_depth: int) -> list[Candidate]:
    """What FuseOps could make one kernel."""
    single = []
    for place, node in enumerate(graph.nodes):
        if isinstance(node, Call):
            kind, label = kind_and_label(node)
            if kind <= FUSIBLE:
                single.append(Candidate(label, SubGraph(graph, 1 << place, kind, label), spec))
    found = _combined(graph, single, _TVM_RULES, max_depth, with_tuples=True)
    return [c for c in found if c.sub_graph.is_valid(graph, 1, max_depth)]


def compiler_candidates(graph: DataflowGraph, spec: Spec, table: Sequence[tuple[Any, ...]], style: str,
                        max_depth: int) -> list[Candidate]:
    """What the patterns of an external compiler match, and several of those as one function."""
    single = []
    for entry in table:
        name, pattern = str(entry[0]), entry[1]
        check = entry[2] if len(entry) > 2 else (lambda expr: True)
        found = _core.pattern_matches(pattern, graph.root)
        for node, matched in sorted(found, key=lambda match: graph.index[match[0]]):
            if not check(node):
                continue
            part = of_places(graph, _matched(graph, matched))
            rule = _nest(name, part.label)
            single.append(Candidate(rule, part.with_attrs(graph, {"Composite": name}), spec))
    made = []
    for candidate in _combined(graph, single, _STYLES[style], max_depth):
        if candidate.sub_graph.is_valid(graph, 1, max_depth):
            attrs = {"Primitive": 1, "Compiler": spec.compiler}
            made.append(Candidate(candidate.rule, candidate.sub_graph.with_attrs(graph, attrs), spec))
    return made


def style_of(compiler: str, config: Sequence[str] | None) -> str:
    """How the functions of a compiler are fused: by the entries `COMPILER.STYLE` of the context, else by what is known."""
    if config is None:
        return _STYLE_OF.get(compiler, "MaxDepthFusion")
    for entry in config:
        name, _, style = str(entry).partition(".")
        if name == compiler:
            if style not in _STYLES:
                raise ValueError(f"relay.collage.byoc_fusion_style: '{entry}' names no style; there are {', '.join(_STYLES)}")
            return style
    return "NoFusion"


def _matched(graph: DataflowGraph, matched: Mapping[Any, list[Any]]) -> int:
    """The places that a match covers: not what wildcards stand for, nor what is inlined anyway."""
    inside = 0
    for pattern, found in matched.items():
        if not isinstance(pattern, WildcardPattern):
            for node in found:
                if not can_inline(node):
                    inside |= 1 << graph.index[node]
    return inside


class _Rounds:
    """Candidates that grow by rounds, each once."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.new, self.first_new = list(candidates), 0
        self.all: list[Any] = []
        self.seen = {c.sub_graph.key for c in candidates}

    def add(self, candidate: Candidate) -> None:
        if candidate.sub_graph.key not in self.seen:
            self.seen.add(candidate.sub_graph.key)
            self.new.append(candidate)

    def next(self) -> bool:
        self.first_new = len(self.all)
        self.all += self.new
        grown, self.new = bool(self.new), []
        return grown


def _combined(graph: DataflowGraph, candidates: Sequence[Candidate], rules: Sequence[tuple[int, int]], max_depth: int,
              with_tuples: bool = False) -> list[Candidate]:
    """The candidates and all that rules make of neighbours, again and again."""
    rounds = _Rounds(candidates)
    while rounds.next():
        if rules:
            _combine_neighbours(graph, rounds, rules, max_depth)
        if with_tuples:
            _combine_tuples(graph, rounds)
            _combine_fields(graph, rounds)
    return rounds.all


def _by_entry(candidates: Sequence[Candidate]) -> dict[int, list[int]]:
    at: dict[Any, Any] = {}
    for number, candidate in enumerate(candidates):
        for place in bits(candidate.sub_graph.entry):
            at.setdefault(place, []).append(number)
    return at


def _below(graph: DataflowGraph, candidate: Candidate, by_entry: Mapping[int, list[int]]) -> list[int]:
    """The numbers of candidates that begin where this one ends."""
    return sorted({n for place in bits(candidate.sub_graph.output) for n in by_entry.get(place, ())})


def _combine_neighbours(graph: DataflowGraph, rounds: _Rounds, rules: Sequence[tuple[int, int]],
                        max_depth: int) -> None:
    by_entry = _by_entry(rounds.all)
    # As TVM: of two that were made in different rounds, only the new one may stand first.
    for number in range(rounds.first_new, len(rounds.all)):
        first = rounds.all[number]
        for other in _below(graph, first, by_entry):
            second = rounds.all[other]
            if other == number or max_depth and first.sub_graph.depth + second.sub_graph.depth > max_depth:
                continue
            kinds = first.sub_graph.kind, second.sub_graph.kind
            if any(kinds[0] <= a and kinds[1] <= b for a, b in rules) and first.touches(graph, second):
                rounds.add(first.union(graph, second))


def _combine_tuples(graph: DataflowGraph, rounds: _Rounds) -> None:
    """Injective operators, the tuple of their results, and what takes the tuple."""
    by_exit: dict[Any, Any] = {}
    for number, candidate in enumerate(rounds.all):
        if candidate.sub_graph.kind <= INJECTIVE:
            for place in bits(candidate.sub_graph.exit):
                by_exit.setdefault(place, []).append(number)
    for number in range(rounds.first_new, len(rounds.all)):
        consumer = rounds.all[number]
        if consumer.sub_graph.kind > INJECTIVE:
            continue
        for place in bits(consumer.sub_graph.input):
            if not isinstance(graph.nodes[place], Tuple):
                continue
            whole = consumer.union(graph, Candidate("", SubGraph(graph, 1 << place, INJECTIVE, "tuple"), consumer.spec))
            unions = [whole]
            for field in dict.fromkeys(graph.inputs[place]):
                producers = [rounds.all[n] for n in by_exit.get(field, ()) if n != number]
                unions = [union.union(graph, producer) for producer in producers for union in unions
                          if not union.sub_graph.inside & producer.sub_graph.inside]
            for union in unions:
                if union is not whole:
                    rounds.add(union)


def _combine_fields(graph: DataflowGraph, rounds: _Rounds) -> None:
    """A candidate and a field of its result."""
    for base in rounds.all[rounds.first_new:]:
        for place in bits(base.sub_graph.output):
            if isinstance(graph.nodes[place], TupleGetItem):
                rounds.add(base.union(graph, Candidate("", SubGraph(graph, 1 << place, INJECTIVE, "proj"), base.spec)))


def pruned(graph: DataflowGraph, candidates: Any) -> list[Candidate]:
    """The candidates without those that a larger one of the same target holds, as long as the larger ones do not overlap;
    sorted by their places."""
    kept: dict[Any, Any] = {}
    while True:
        before = len(kept)
        for candidate in _maximal(candidates):
            kept.setdefault(candidate.sub_graph.key, candidate)
        if len(kept) == before:
            break
        overlapping = _overlapping(list(kept.values()))
        candidates = [c for c in candidates if c.sub_graph.key not in overlapping]
    return sorted(kept.values(), key=lambda c: (c.sub_graph.order_key(len(graph)), c.rule))


def _by_place(candidates: Sequence[Candidate]) -> dict[int, list[int]]:
    at: dict[Any, Any] = {}
    for number, candidate in enumerate(candidates):
        for place in bits(candidate.sub_graph.inside):
            at.setdefault(place, []).append(number)
    return at


def _maximal(candidates: Sequence[Candidate]) -> list[Candidate]:
    at = _by_place(candidates)
    made = []
    for number, candidate in enumerate(candidates):
        inside = candidate.sub_graph.inside
        # One that holds it holds its first place. Of those that are the same expressions the first stays.
        others = ((n, candidates[n]) for n in at[candidate.sub_graph.first])
        if not any(o.spec is candidate.spec and inside & ~o.sub_graph.inside == 0 and (o.sub_graph.inside != inside or n < number)
                   for n, o in others):
            made.append(candidate)
    return made


def _overlapping(candidates: Sequence[Candidate]) -> set[tuple[int, Any]]:
    at = _by_place(candidates)
    found: set[Any] = set()
    for numbers in at.values():
        if len({candidates[n].sub_graph.inside for n in numbers}) > 1:
            found.update(candidates[n].sub_graph.key for n in numbers)
    return found
