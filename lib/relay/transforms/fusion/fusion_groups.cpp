// Groups grow along the tree of post-dominators.
//
// The post-dominator of a value is the first expression that is on all paths from its uses. A value joins the group of
// its post-dominator with everything that lies between, or not at all; so no value of a group is needed outside of it
// except that of its last expression, whatever the graph looks like.
//
// 1. ComputePostDominators walks users before operands and makes the common ancestor of its users the parent of
//    every expression. Its weight is the worst pattern on the way there, which a query then returns without walking.
// 2. Three phases walk the expressions upwards (Run): convolutions and the like with what follows them, so that these
//    are not taken away by anything else; then injective operators; then what feeds tuples that an injective operator
//    has taken in. As TVM: the order of phases and of expressions decides who gets a value that two could take.
// 3. IsWanted checks the patterns, TryFuse what is between: groups there must not be worse than the path allows, and
//    the whole must not exceed the limits.
//
// A group is a tree of a union-find forest whose root is its last expression; the pattern of the root stands for it.
//
//   conv2d -> relu -> add -> (result)    relu's post-dominator is add, conv2d's is relu, or add where a second path
//        \____________/                  leads there: then relu joins together with conv2d
#include "fusion_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "fusion_args.h"
#include "fusion_graph.h"
#include "relayopt/relay/ir/dominator_tree.h"
#include "relayopt/relay/ops/op_def.h"

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
  Grouping(const Function& function, const FusionGraph& graph, const FusionLimits& limits)
      : graph_(graph),
        tree_(ComputePostDominators(graph)),
        max_size_(limits.max_size),
        args_(function, graph, limits.max_args),
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
    Group();
    SideTable<ExprId, ExprId> groups(graph_.size());
    for (ExprId id(0U); id.value() < graph_.size(); ++id) groups[id] = Find(id);
    return groups;
  }

  void Group() {
    for (const Phase phase : {Phase::kAnchors, Phase::kInjective, Phase::kTupleFields}) {
      for (ExprId id(0U); id.value() < graph_.size(); ++id) {
        if (args_.is_limited()) FusePostponed(id, phase);
        if (pattern_[id] != Fusion::kOpaque && tree_.parent(id) && IsWanted(id, phase) && IsFit(id, phase)) Join(id);
      }
    }
  }

  // Returns why an expression is not in the group of its dominator; needs the groups. See ExplainFusion.
  auto WhyApart(const Function& function, ExprId id) -> std::string {
    if (graph_.users(id).empty()) return {};
    if (graph_.pattern(id) == Fusion::kOpaque) return "it has no pattern that others are computed with";
    if (graph_.is_external(id)) return "a let, a branch, a call of a function or the caller uses its value, too";
    const ExprId dominator = tree_.parent(id);
    if (!dominator) return "its users lead to no common one";
    if (Find(id) == Find(dominator)) return {};
    const bool is_op = function.kind(dominator) == ExprKind::kOpCall;
    const std::string name = is_op ? std::string(function.op(dominator)->name) : "a tuple";
    if (graph_.pattern(dominator) == Fusion::kOpaque) return name + " has no pattern that others are computed with";
    if (pattern_[dominator] == Fusion::kTuple) return "a tuple is not a result of a kernel";
    switch (graph_.pattern(id)) {
      case Fusion::kCommReduce: return "a reduction ends its kernel";
      case Fusion::kOutEWiseFusable:
        if (WayPattern(id) != Fusion::kElemWise) return name + " does not use it element by element";
        break;
      case Fusion::kElemWise:
      case Fusion::kBroadcast:
        if (WayPattern(id) > Fusion::kCommReduce) return name + " needs more than one element of it at a time";
        break;
      default: break;
    }
    if (!CollectRegion(id)) return "the kernel would be too large (relay.FuseOps.max_depth)";
    if (HasRoom(id) == FusionArgs::Room::kNo) return "the kernel would have more arguments than the target allows";
    return fmt::format("the kernel of {} cannot take it in", name);
  }

 private:
  enum class Phase : uint8_t { kAnchors, kInjective, kTupleFields };

  // Returns the group of an expression. The data of an expression that is no longer the last of its group is not
  // updated after it has joined.
  auto Find(ExprId id) -> ExprId {
    while (parent_[id] != id) {
      parent_[id] = parent_[parent_[id]];
      id = parent_[id];
    }
    return id;
  }

  auto FindOf() {
    return [this](ExprId id) { return Find(id); };
  }

  // Whether the patterns of an expression, of its dominator and of the path between them allow fusing the two in this
  // phase.
  auto IsWanted(ExprId id, Phase phase) -> bool {
    const ExprId dominator = tree_.parent(id);
    const Fusion pattern = pattern_[id];
    const Fusion way = WayPattern(id);
    const ExprId target = Find(dominator);
    if (phase == Phase::kTupleFields) {
      // Only into tuples that an injective operator has absorbed.
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

  // Returns the worst pattern that groups on the path may have.
  static auto LimitInside(Fusion pattern) -> Fusion {
    return pattern == Fusion::kOutEWiseFusable ? Fusion::kBroadcast : Fusion::kInjective;
  }
  static auto LimitAtEnd(Fusion pattern, Phase phase) -> Fusion {
    if (phase == Phase::kTupleFields) return Fusion::kInjective;
    // The dominator may already belong to a convolution or be a reduction.
    return pattern <= Fusion::kBroadcast ? Fusion::kOutEWiseFusable : LimitInside(pattern);
  }

  // Whether an expression and all that lies between it and its dominator (region_) may be of the dominator's group.
  auto IsFit(ExprId id, Phase phase) -> bool {
    const ExprId target = Find(tree_.parent(id));
    if (pattern_[target] > LimitAtEnd(pattern_[id], phase) || !CollectRegion(id)) return false;
    const Fusion limit = LimitInside(pattern_[id]);
    for (size_t i = 1; i < region_.size(); ++i) {
      if (pattern_[Find(region_[i])] > limit) return false;
    }
    return true;
  }

  // Puts the region of an expression into its dominator's group, at once or when its arguments can be counted.
  void Join(ExprId id) {
    if (args_.is_limited()) {
      const FusionArgs::Answer answer = args_.Ask(id, FindOf());
      if (answer.room == FusionArgs::Room::kLater) postponed_[answer.user].push_back(id);
      if (answer.room != FusionArgs::Room::kYes) return;
    }
    MergeRegion(id);
  }

  void MergeRegion(ExprId id) {
    const ExprId target = Find(tree_.parent(id));
    for (const ExprId member : region_) Merge(Find(member), target);
  }

  // Fuses the groups that waited until the arguments of this user were counted.
  void FusePostponed(ExprId user, Phase phase) {
    const auto found = postponed_.find(user);
    if (found == postponed_.end()) return;
    for (const ExprId id : found->second) {
      if (args_.HasRoom(user, FindOf()) && IsWanted(id, phase) && IsFit(id, phase)) MergeRegion(id);
    }
    postponed_.erase(found);
  }

  auto HasRoom(ExprId id) -> FusionArgs::Room {
    return args_.is_limited() ? args_.Ask(id, FindOf()).room : FusionArgs::Room::kYes;
  }

  // Collects the expression and all on its path to its dominator. Returns false if the group would become too large.
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
    args_.Merge(child, target);
    parent_[child] = target;
    // Without an anchor, the pattern of the last expression is that of the group.
    if (!has_anchor_[child]) return;
    has_anchor_[target] = true;
    pattern_[target] = std::max(pattern_[target], pattern_[child]);
  }

  const FusionGraph& graph_;
  const DominatorTree tree_;
  const size_t max_size_;
  FusionArgs args_;
  // By the user at which the arguments of a group can be counted, the values that wait for it.
  absl::flat_hash_map<ExprId, std::vector<ExprId>> postponed_;
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

auto ExplainFusion(const Function& function, const FusionLimits& limits) -> SideTable<ExprId, std::string> {
  SideTable<ExprId, std::string> reasons(function.size());
  if (!limits.fuse) return reasons;
  const FusionGraph graph(function);
  Grouping grouping(function, graph, limits);
  grouping.Group();
  for (const ExprId id : function.ids()) {
    if (function.kind(id) == ExprKind::kOpCall) reasons[id] = grouping.WhyApart(function, id);
  }
  return reasons;
}

auto FindFusionGroups(const Function& function, const FusionLimits& limits) -> SideTable<ExprId, ExprId> {
  if (limits.fuse) return Grouping(function, FusionGraph(function), limits).Run();
  SideTable<ExprId, ExprId> groups(function.size());
  for (ExprId id(0U); id.value() < function.size(); ++id) groups[id] = id;
  return groups;
}

}  // namespace relayopt
