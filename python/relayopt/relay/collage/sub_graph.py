"""Parts of a function: sets of its expressions, as bits of integers by their place in post-order."""

from __future__ import annotations

from ... import _core
from ...ir.op import Op
from ..adt import Constructor, Match
from ..operands import children_of
from ..expr import Call, Constant, GlobalVar, If, Let, RefCreate, RefRead, RefWrite, Tuple, TupleGetItem, Var
from ..function import Function
from ..ty import TensorType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ...ir.expr import RelayExpr

ELEMENTWISE, BROADCAST, INJECTIVE, REDUCTION, FUSIBLE, OPAQUE = 0, 1, 2, 3, 4, 8


def bits(value: Any) -> Iterator[Any]:
    """The places of the bits of an integer, ascending."""
    while value:
        low = value & -value
        yield low.bit_length() - 1
        value ^= low


def can_inline(node: RelayExpr) -> bool:
    """Whether an expression is nobody's input: it stands in every function that uses it."""
    if isinstance(node, (Op, Constructor, Function)):
        return True
    return isinstance(node, Constant) and not node.data.shape


def is_primitive(node: Any) -> bool:
    """Whether an expression is a function that is one kernel."""
    return isinstance(node, Function) and node.attrs is not None and bool(node.attrs.get("Primitive", 0))


def must_be_lowered(node: RelayExpr) -> bool:
    """Whether an expression has to be computed by some target: it cannot be left to the host."""
    if not isinstance(node, Call):
        return False
    if isinstance(node.op, Op):
        # What the virtual machine does itself.
        return not (node.op.get_attr("TNonComputational") or node.op.name in ("device_copy", "shape_of", "vm.shape_of"))
    return is_primitive(node.op)


def _is_dynamic(ty: Any) -> bool:
    if isinstance(ty, TensorType):
        return any(type(extent).__name__ != "IntImm" for extent in ty.shape)
    return any(_is_dynamic(field) for field in getattr(ty, "fields", ()))


def kind_and_label(node: RelayExpr) -> tuple[int, str]:
    """How an expression may be fused, and what it is called in names."""
    if isinstance(node, Call):
        if isinstance(node.op, Op):
            pattern = node.op.get_attr("TOpPattern")
            depends = node.op.get_attr("TShapeDataDependent")
            if pattern is None or depends and any(depends) and _is_dynamic(node.checked_type):
                return OPAQUE, node.op.name
            return int(pattern), node.op.name
        if isinstance(node.op, Function):
            pattern = node.op.attrs.get("TOpPattern") if node.op.attrs is not None else None
            return (OPAQUE, "call_fun") if pattern is None else (int(pattern), "call_prim")
        return OPAQUE, "call_any"
    if isinstance(node, Constant):
        return ELEMENTWISE, "const" if node.data.shape else "scalar"
    if isinstance(node, (Tuple, TupleGetItem)):
        of = node if isinstance(node, Tuple) else node.tuple_value
        tensors = all(isinstance(field, TensorType) for field in of.checked_type.fields)
        return INJECTIVE if tensors else OPAQUE, "tuple" if of is node else "proj"
    for cls, name in ((Var, "%"), (GlobalVar, "@"), (Op, "`"), (Constructor, "`")):
        if isinstance(node, cls):
            return OPAQUE, name + (node.name if cls is Op else node.name_hint)
    names = {Function: "fn", Let: "let", If: "if", RefCreate: "ref", RefRead: "ref_read", RefWrite: "ref_write", Match: "match"}
    return OPAQUE, names.get(type(node), "")


class DataflowGraph:
    """The expressions of a function by their places, what uses them, and what is computed from them."""

    def __init__(self, root: RelayExpr) -> None:
        self.root = root
        self.nodes = _core.post_order(root)
        self.index = {node: place for place, node in enumerate(self.nodes)}
        self.inputs = [[self.index[c] for c in children_of(node) if c in self.index] for node in self.nodes]
        self.outputs: list[list[int]] = [[] for _ in self.nodes]
        for user, places in enumerate(self.inputs):
            for place in places:
                self.outputs[place].append(user)
        self.input_bits = [sum(1 << place for place in set(places)) for places in self.inputs]
        self.output_bits = [sum(1 << place for place in set(places)) for places in self.outputs]
        self.inline = sum(1 << place for place, node in enumerate(self.nodes) if can_inline(node))
        self.root_place = self.index[root]
        # As bits: a square of the number of expressions in bits, which is what the search is made for.
        self.downstream = [0] * len(self.nodes)
        for place in reversed(range(len(self.nodes))):
            for user in self.outputs[place]:
                self.downstream[place] |= self.downstream[user] | 1 << user
        self.block = self._blocks()

    def __len__(self) -> int:
        return len(self.nodes)

    def _blocks(self) -> Any:
        """The innermost function, branch or clause that each expression is in: tuples that grow inwards."""
        paths: list[Any] = [None] * len(self.nodes)
        paths[self.root_place] = ()
        for place in reversed(range(len(self.nodes))):
            node, path = self.nodes[place], paths[place]
            for position, child in enumerate(self.inputs[place]):
                inner = path
                if isinstance(node, Function) or isinstance(node, (If, Match)) and position > 0:
                    inner = (*path, (place, position if isinstance(node, (If, Match)) else 0))
                paths[child] = inner if paths[child] is None else _common_prefix(paths[child], inner)
        return paths


def _common_prefix(a: Any, b: Any) -> Any:
    if a == b:
        return a
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return a[:length]


class SubGraph:
    """Some expressions of a graph. `nested` are (attributes, SubGraph): what is to become a function with these attributes."""

    def __init__(self, graph: DataflowGraph, inside: int, kind: int, label: str,
                 nested: Sequence[tuple[Any, SubGraph]] = ()) -> None:
        self.inside, self.kind, self.label = inside, kind, label
        self.nested = tuple(sorted(nested, key=lambda pair: pair[1].order_key(len(graph))))
        self.first = (inside & -inside).bit_length() - 1
        self.last = inside.bit_length() - 1
        self.entry = self.exit = self.input = self.output = 0
        for place in bits(inside):
            uses, users = graph.input_bits[place], graph.output_bits[place]
            if uses & ~inside & ~graph.inline:
                self.entry |= 1 << place
            if users & ~inside or place == graph.root_place:
                self.exit |= 1 << place
            self.input |= uses & ~inside & ~graph.inline
            self.output |= users & ~inside
        self.depth = self._depth(graph)
        self.key: tuple[Any, ...] = (inside, tuple((tuple(sorted(attrs.items())), part.key) for attrs, part in self.nested))

    def order_key(self, size: int) -> tuple[int, int]:
        """Sorts as the places do, from the first on."""
        return self.first, int(format(self.inside, f"0{size}b")[::-1], 2)

    def _depth(self, graph: DataflowGraph) -> int:
        """The number of expressions on the longest way from an entry to an exit."""
        deepest = 0
        depths: dict[Any, Any] = {}
        for place in bits(self.inside):
            if self.entry >> place & 1:
                depths.setdefault(place, 0)
            if place not in depths:
                continue
            if self.exit >> place & 1:
                deepest = max(deepest, depths[place] + 1)
            for user in graph.outputs[place]:
                if self.inside >> user & 1:
                    depths[user] = max(depths.get(user, 0), depths[place] + 1)
        return deepest

    def is_valid(self, graph: DataflowGraph, max_exits: int, max_depth: int) -> bool:
        """Whether this can be one function: few results, none used inside as well, nothing that comes back."""
        if max_exits and sum(1 for _ in bits(self.exit)) > max_exits or max_depth and self.depth > max_depth:
            return False
        if len({graph.block[place] for place in bits(self.inside)}) > 1:
            return False
        if any(graph.output_bits[place] & self.inside for place in bits(self.exit)):
            return False
        return not any(graph.downstream[place] & self.entry for place in bits(self.output))

    def touches(self, graph: DataflowGraph, other: Any) -> bool:
        """Whether this feeds another, and one function of both would not feed itself."""
        if self.inside & other.inside or not self.output & other.entry:
            return False
        return not (_flows_into(graph, self, other) or _flows_into(graph, other, self))

    def union(self, graph: DataflowGraph, other: Any, label: str) -> SubGraph:
        nested = list(self.nested)
        for attrs, part in other.nested:
            for number, (known, known_part) in enumerate(nested):
                if "Composite" not in known and known == attrs:
                    nested[number] = known, known_part.union(graph, part, join(known_part.label, part.label))
                    break
            else:
                nested.append((attrs, part))
        return SubGraph(graph, self.inside | other.inside, max(self.kind, other.kind), label, nested)

    def with_attrs(self, graph: DataflowGraph, attrs: Any) -> SubGraph:
        """What becomes a function with attributes, whole."""
        return SubGraph(graph, self.inside, self.kind, self.label, [(attrs, self)])


def _flows_into(graph: DataflowGraph, left: SubGraph, right: SubGraph) -> bool:
    return any(graph.downstream[place] & right.entry for place in bits(left.output & ~right.inside))


def join(left: str, right: str, by: str = "+") -> str:
    """Two labels as one."""
    return left + by + right if left and right else left or right


def of_places(graph: DataflowGraph, inside: int) -> SubGraph:
    """The part that is at some places."""
    found = [kind_and_label(graph.nodes[place]) for place in bits(inside)]
    return SubGraph(graph, inside, max((kind for kind, _ in found), default=ELEMENTWISE),
                    "+".join(label for _, label in found if label))
