"""Regions between annotations."""


class AnnotatedRegion:
    """The expressions between begin and end annotations."""

    def __init__(self, number, target):
        self.id, self.target, self.nodes, self.ins, self.outs = number, target, [], [], []


class AnnotatedRegionSet:
    """The regions of an expression that begin and end annotations mark."""

    def __init__(self, expr, region_begin_op, region_end_op):
        from ... import _core
        from ..expr import Call
        from .analysis import _children

        self._regions, self._of = [], {}
        for node in _core.post_order(expr):
            if isinstance(node, Call) and node.op == region_begin_op:
                continue
            if isinstance(node, Call) and node.op == region_end_op:
                region = self._of.get(node.args[0])
                if region is None:
                    region = self._new(node.attrs.compiler)
                    region.nodes.append(node.args[0])
                    self._of[node.args[0]] = region
                region.nodes.append(node)
                region.outs.append(node)
                self._of[node] = region
                continue
            for child in _children(node):
                if isinstance(child, Call) and child.op == region_begin_op:
                    region = self._of.get(child) or self._of.get(node) or self._new(child.attrs.compiler)
                    region.ins.append(child)
                    region.nodes.append(child)
                    self._of[child] = region
                    if node not in self._of:
                        self._of[node] = region
                        region.nodes.append(node)
                elif child in self._of and not (isinstance(child, Call) and child.op == region_end_op):
                    if node not in self._of:
                        self._of[node] = self._of[child]
                        self._of[child].nodes.append(node)

    def _new(self, target):
        self._regions.append(AnnotatedRegion(len(self._regions), target))
        return self._regions[-1]

    def __len__(self):
        return len(self._regions)

    def get_region(self, expr):
        """The region of an expression, or None."""
        return self._of.get(expr)
