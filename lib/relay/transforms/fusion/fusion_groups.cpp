// Groups grow along the tree of post-dominators.
#include "fusion_groups.h"

#include <algorithm>

#include "fusion_graph.h"
#include "relayopt/relay/ir/dominator_tree.h"

namespace relayopt {

namespace {

// Below each expression the values that reach the rest of the program only through it. The weight of an expression is
// the worst pattern on its way to its dominator.
auto ComputePostDominators(const FusionGraph& graph) -> DominatorTree {
  DominatorTree tree(graph.size());
  for (uint32_t i = static_cast<uint32_t>(graph.size()); i-- > 0;) {
    const ExprId id(i);
    if (graph.is_external(id)) {
      tree.Add(id, ExprId(), static_cast<uint8_t>(Fusion::kOpaque));
      continue;
    }
    DominatorTree::Ancestor dominator;
    for (const FusionGraph::Edge& edge : graph.users(id)) {
      const bool first = !dominator.id;
      const auto common = first ? DominatorTree::Ancestor{edge.user, 0} : tree.CommonAncestor(dominator.id, edge.user);
      dominator.id = common.id;
      dominator.weight = std::max({dominator.weight, common.weight, static_cast<uint8_t>(edge.pattern)});
      if (!dominator.id) break;
    }
    tree.Add(id, dominator.id, dominator.weight);
  }
  return tree;
}

class Grouping {
 public:
  Grouping(const FusionGraph& graph, size_t max_size)
      : graph_(graph),
        tree_(ComputePostDominators(graph)),
        max_size_(max_size),
        parent_(graph.size()),
        pattern_(graph.size()),
        size_(graph.size(), 1),
        has_anchor_(graph.size()),
        seen_(graph.size()) {
    for (ExprId id(0U); id.value() < graph.size(); ++id) {
      parent_[id] = id;
      pattern_[id] = graph.pattern(id);
      has_anchor_[id] = graph.pattern(id) == Fusion::kOutEWiseFusable;
    }
  }

  // Anchored groups (convolutions with what follows them) come first, then injective operators, then what feeds tuples
  // inside groups.
  auto Run() -> SideTable<ExprId, ExprId> {
    for (const Phase phase : {Phase::kAnchors, Phase::kInjective, Phase::kTupleFields}) {
      for (ExprId id(0U); id.value() < graph_.size(); ++id) {
        if (pattern_[id] != Fusion::kOpaque && tree_.parent(id) && IsWanted(id, phase)) TryFuse(id, phase);
      }
    }
    SideTable<ExprId, ExprId> groups(graph_.size());
    for (ExprId id(0U); id.value() < graph_.size(); ++id) groups[id] = Find(id);
    return groups;
  }

 private:
  enum class Phase : uint8_t { kAnchors, kInjective, kTupleFields };

  // The group of an expression. What is kept for an expression that is no longer the last of its group stays as it was
  // when it joined.
  auto Find(ExprId id) -> ExprId {
    while (parent_[id] != id) {
      parent_[id] = parent_[parent_[id]];
      id = parent_[id];
    }
    return id;
  }

  // Whether the patterns of an expression, of its dominator and of the way between them call for fusing the two in this
  // phase.
  auto IsWanted(ExprId id, Phase phase) -> bool {
    const ExprId dominator = tree_.parent(id);
    const Fusion pattern = pattern_[id];
    const Fusion way = WayPattern(id);
    const ExprId target = Find(dominator);
    if (phase == Phase::kTupleFields) {
      // Only into tuples that some injective operator has taken in.
      return pattern <= Fusion::kInjective && pattern_[dominator] == Fusion::kTuple &&
             pattern_[target] <= Fusion::kInjective;
    }
    if (target == Find(id) || pattern_[dominator] == Fusion::kTuple) return false;
    switch (pattern) {
      case Fusion::kElemWise:
      case Fusion::kBroadcast: return way <= Fusion::kCommReduce;
      case Fusion::kInjective:
      case Fusion::kTuple: return phase == Phase::kInjective;
      case Fusion::kOutEWiseFusable: return phase == Phase::kAnchors && way == Fusion::kElemWise;
      default: return false;
    }
  }

  auto WayPattern(ExprId id) const -> Fusion { return static_cast<Fusion>(tree_.weight(id)); }

  // The worst pattern that groups on the way may have.
  static auto LimitInside(Fusion pattern) -> Fusion {
    return pattern == Fusion::kOutEWiseFusable ? Fusion::kBroadcast : Fusion::kInjective;
  }
  static auto LimitAtEnd(Fusion pattern, Phase phase) -> Fusion {
    if (phase == Phase::kTupleFields) return Fusion::kInjective;
    // The end may already belong to a convolution or be a reduction.
    return pattern <= Fusion::kBroadcast ? Fusion::kOutEWiseFusable : LimitInside(pattern);
  }

  // Puts an expression and all that lies between it and its dominator into the dominator's group, if all of it is fit.
  void TryFuse(ExprId id, Phase phase) {
    const ExprId target = Find(tree_.parent(id));
    if (pattern_[target] > LimitAtEnd(pattern_[id], phase) || !CollectRegion(id)) return;
    const Fusion limit = LimitInside(pattern_[id]);
    for (size_t i = 1; i < region_.size(); ++i) {
      if (pattern_[Find(region_[i])] > limit) return;
    }
    for (const ExprId member : region_) Merge(Find(member), target);
  }

  // The expression and all on its way to its dominator. False when the group would become too large.
  auto CollectRegion(ExprId id) -> bool {
    const ExprId dominator = tree_.parent(id);
    ++stamp_;
    region_.assign({id});
    seen_[id] = stamp_;
    size_t total = size_[Find(dominator)];
    for (size_t i = 0; i < region_.size(); ++i) {
      total += size_[region_[i]];
      if (total > max_size_) return false;
      for (const FusionGraph::Edge& edge : graph_.users(region_[i])) {
        if (edge.user == dominator || seen_[edge.user] == stamp_) continue;
        seen_[edge.user] = stamp_;
        region_.push_back(edge.user);
      }
    }
    return true;
  }

  void Merge(ExprId child, ExprId target) {
    if (child == target) return;
    size_[target] += size_[child];
    parent_[child] = target;
    // Without an anchor the pattern of the end stands for the group.
    if (!has_anchor_[child]) return;
    has_anchor_[target] = true;
    pattern_[target] = std::max(pattern_[target], pattern_[child]);
  }

  const FusionGraph& graph_;
  const DominatorTree tree_;
  const size_t max_size_;
  // A union-find forest whose roots are the last expressions of groups.
  SideTable<ExprId, ExprId> parent_;
  SideTable<ExprId, Fusion> pattern_;
  SideTable<ExprId, size_t> size_;
  // Whether a group contains an operator that others are fused to.
  SideTable<ExprId, bool> has_anchor_;
  std::vector<ExprId> region_;
  SideTable<ExprId, uint32_t> seen_;
  uint32_t stamp_ = 0;
};

}  // namespace

auto IsKernel(const Function& function, ExprId literal) -> bool {
  return function.IntAttr(literal, "Primitive") != 0 || function.StringAttr(literal, "Compiler");
}

auto FindFusionGroups(const Function& function, const FusionLimits& limits) -> SideTable<ExprId, ExprId> {
  if (limits.fuse) return Grouping(FusionGraph(function), limits.max_size).Run();
  SideTable<ExprId, ExprId> groups(function.size());
  for (ExprId id(0U); id.value() < function.size(); ++id) groups[id] = id;
  return groups;
}

}  // namespace relayopt
