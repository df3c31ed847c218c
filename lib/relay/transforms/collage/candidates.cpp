// The candidates of CollagePartition.
//
// Candidates begin as single operators or matches of patterns. Rules make larger ones of neighbours, in rounds, until
// a round makes none:
//
//   nn.relu(%x), abs of it, exp of that      relu; abs; exp; relu+abs; abs+exp; relu+abs+exp
#include "candidates.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace relayopt {

namespace {

// Two parts are merged if their fusion kinds are at most these.
struct FusionRule {
  Fusion first;
  Fusion second;
};
// As FuseOps does.
constexpr FusionRule kTVMRules[] = {{Fusion::kOutEWiseFusable, Fusion::kBroadcast},
                                    {Fusion::kBroadcast, Fusion::kCommReduce},
                                    {Fusion::kInjective, Fusion::kInjective}};
constexpr FusionRule kDepthRules[] = {{Fusion::kOutEWiseFusable, Fusion::kOutEWiseFusable}};

auto RulesOf(CollageTarget::Style style) -> std::span<const FusionRule> {
  switch (style) {
    case CollageTarget::Style::kTVMFusion: return kTVMRules;
    case CollageTarget::Style::kMaxDepthFusion: return kDepthRules;
    case CollageTarget::Style::kNoFusion: return {};
  }
  return {};
}

using NumbersByExpr = absl::flat_hash_map<ExprId, std::vector<size_t>>;

// Returns the numbers of candidates by expressions of theirs.
auto NumbersBy(const std::vector<CollageCandidate>& candidates, const std::vector<ExprId>& (CollagePart::*ids)() const)
    -> NumbersByExpr {
  NumbersByExpr numbers;
  for (size_t i = 0; i < candidates.size(); ++i) {
    for (const ExprId id : ((*candidates[i].part).*ids)()) numbers[id].push_back(i);
  }
  return numbers;
}

// Returns the numbers of candidates that begin where a part ends, ascending.
auto NumbersBelow(const CollageGraph& graph, const CollagePart& part, const NumbersByExpr& by_entry)
    -> std::vector<size_t> {
  std::vector<size_t> below;
  for (const ExprId id : part.output()) {
    const auto found = by_entry.find(id);
    if (found != by_entry.end()) below.insert(below.end(), found->second.begin(), found->second.end());
  }
  std::ranges::sort(below);
  below.erase(std::ranges::unique(below).begin(), below.end());
  graph.budget().Take(part.output().size() + below.size());
  return below;
}

auto UnionOf(const CollageGraph& graph, const CollageCandidate& a, const CollagePart& part, std::string_view rule)
    -> CollageCandidate {
  return {JoinLabels(a.rule, rule), CollagePart::Union(graph, *a.part, part, JoinLabels(a.part->label(), part.label())),
          a.target};
}

// Candidates that grow by rounds, each once.
class Combiner {
 public:
  Combiner(const CollageGraph& graph, const CollageTarget& target) : graph_(graph), target_(target) {}

  // Returns the candidates, and all that the rules of the target make of them.
  auto Run(std::vector<CollageCandidate> single, bool with_tuples) -> std::vector<CollageCandidate> {
    for (CollageCandidate& each : single) {
      seen_.insert(each.part->key());
      new_.push_back(std::move(each));
    }
    while (!new_.empty() && !graph_.budget().is_spent()) {
      first_new_ = all_.size();
      std::ranges::move(new_, std::back_inserter(all_));
      new_.clear();
      CombineNeighbours();
      if (!with_tuples) continue;
      CombineTuples();
      CombineFields();
    }
    return std::move(all_);
  }

 private:
  void Add(CollageCandidate candidate) {
    if (!graph_.budget().is_spent() && seen_.insert(candidate.part->key()).second) new_.push_back(std::move(candidate));
  }

  void CombineNeighbours() {
    const std::span<const FusionRule> rules = RulesOf(target_.style);
    if (rules.empty()) return;
    const NumbersByExpr by_entry = NumbersBy(all_, &CollagePart::entry);
    // As TVM: of two candidates from different rounds, only the newer one may come first.
    for (size_t i = first_new_; i < all_.size(); ++i) {
      const CollagePart& first = *all_[i].part;
      for (const size_t other : NumbersBelow(graph_, first, by_entry)) {
        if (graph_.budget().is_spent()) return;
        const CollagePart& second = *all_[other].part;
        if (other == i || first.depth() + second.depth() > target_.max_depth) continue;
        const bool fits = std::ranges::any_of(rules, [&](const FusionRule& rule) {
          return first.fusion() <= rule.first && second.fusion() <= rule.second;
        });
        if (fits && first.Touches(graph_, second)) Add(UnionOf(graph_, all_[i], second, all_[other].rule));
      }
    }
  }

  // Injective operators, the tuple of their results, and what takes the tuple.
  void CombineTuples() {
    NumbersByExpr by_exit;
    for (size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].part->fusion() > Fusion::kInjective) continue;
      for (const ExprId id : all_[i].part->exit()) by_exit[id].push_back(i);
    }
    for (size_t i = first_new_; i < all_.size(); ++i) {
      if (all_[i].part->fusion() > Fusion::kInjective) continue;
      for (const ExprId id : all_[i].part->input()) {
        if (graph_.budget().is_spent()) return;
        if (graph_.function().kind(id) == ExprKind::kTuple) CombineTuple(i, id, by_exit);
      }
    }
  }

  void CombineTuple(size_t consumer, ExprId tuple, const NumbersByExpr& by_exit) {
    const CollagePart alone(graph_, {tuple}, Fusion::kInjective, "tuple");
    std::vector<CollageCandidate> unions = {UnionOf(graph_, all_[consumer], alone, "")};
    absl::flat_hash_set<ExprId> fields;
    for (const ExprId field : graph_.function().operands(tuple)) {
      const auto found = by_exit.find(field);
      if (!fields.insert(field).second) continue;
      std::vector<CollageCandidate> larger;
      for (size_t k = 0; found != by_exit.end() && k < found->second.size(); ++k) {
        const CollageCandidate& producer = all_[found->second[k]];
        if (found->second[k] == consumer) continue;
        for (const CollageCandidate& each : unions) {
          if (each.part->Overlaps(*producer.part)) continue;
          if (graph_.budget().is_spent()) return;
          larger.push_back(UnionOf(graph_, each, *producer.part, producer.rule));
        }
      }
      unions = std::move(larger);
    }
    for (CollageCandidate& each : unions) {
      if (each.part->inside().size() > all_[consumer].part->inside().size() + 1) Add(std::move(each));
    }
  }

  // A candidate and a field of its result.
  void CombineFields() {
    for (size_t i = first_new_; i < all_.size(); ++i) {
      for (const ExprId id : all_[i].part->output()) {
        if (graph_.function().kind(id) != ExprKind::kTupleGetItem) continue;
        if (graph_.budget().is_spent()) return;
        const CollagePart alone(graph_, {id}, Fusion::kInjective, "proj");
        Add(UnionOf(graph_, all_[i], alone, ""));
      }
    }
  }

  const CollageGraph& graph_;
  const CollageTarget& target_;
  std::vector<CollageCandidate> all_;
  std::vector<CollageCandidate> new_;
  size_t first_new_ = 0;
  absl::flat_hash_set<std::string> seen_;
};

auto NestedRule(const std::string& name, const std::string& label) -> std::string {
  return label.size() > name.size() && label.starts_with(name) ? label : JoinLabels(name, label, '.');
}

}  // namespace

auto HostCandidates(const CollageGraph& graph, const CollageTarget& host) -> std::vector<CollageCandidate> {
  std::vector<CollageCandidate> made;
  for (const ExprId id : graph.function().ids_to_root()) {
    if (graph.MustBeLowered(id)) continue;
    CollagePartRef part = CollagePart::Of(graph, {id});
    made.push_back({part->label(), part, &host, 0.0});
  }
  return made;
}

auto KernelCandidates(const CollageGraph& graph, const CollageTarget& target) -> std::vector<CollageCandidate> {
  std::vector<CollageCandidate> single;
  for (const ExprId id : graph.function().ids_to_root()) {
    const ExprKind kind = graph.function().kind(id);
    if (kind != ExprKind::kOpCall && kind != ExprKind::kCall) continue;
    CollagePartRef part = CollagePart::Of(graph, {id});
    if (part->fusion() <= Fusion::kOutEWiseFusable) single.push_back({part->label(), part, &target});
  }
  std::vector<CollageCandidate> made = Combiner(graph, target).Run(std::move(single), true);
  std::erase_if(made, [&](const auto& each) { return !each.part->IsValid(graph, target.max_depth); });
  return made;
}

auto CompilerCandidates(const CollageGraph& graph, const CollageTarget& target,
                        const std::vector<CompositeMatch>& matches) -> std::vector<CollageCandidate> {
  std::vector<CollageCandidate> single;
  for (const CompositeMatch& match : matches) {
    std::vector<ExprId> inside;
    std::ranges::copy_if(match.inside, std::back_inserter(inside), [&](ExprId id) { return !graph.IsInline(id); });
    if (inside.empty()) continue;
    const CollagePartRef part = CollagePart::Of(graph, std::move(inside));
    single.push_back({NestedRule(match.name, part->label()),
                      CollagePart::AsFunction(graph, part, NestedPart::Kind::kComposite, match.name), &target});
  }
  std::vector<CollageCandidate> made;
  for (CollageCandidate& each : Combiner(graph, target).Run(std::move(single), false)) {
    if (!each.part->IsValid(graph, target.max_depth)) continue;
    each.part = CollagePart::AsFunction(graph, each.part, NestedPart::Kind::kCompiler, target.compiler);
    made.push_back(std::move(each));
  }
  return made;
}

namespace {

// Returns the candidates that no other candidate of the same target contains. Of several with the same expressions the
// first stays.
auto Maximal(const CollageGraph& graph, const std::vector<CollageCandidate>& candidates)
    -> std::vector<CollageCandidate> {
  const NumbersByExpr at = NumbersBy(candidates, &CollagePart::inside);
  std::vector<CollageCandidate> made;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const std::vector<ExprId>& inside = candidates[i].part->inside();
    // A candidate that contains this one contains its first expression.
    const bool is_contained = std::ranges::any_of(at.at(inside.front()), [&](size_t other) {
      graph.budget().Take(1);
      if (graph.budget().is_spent()) return true;
      const std::vector<ExprId>& outside = candidates[other].part->inside();
      if (candidates[other].target != candidates[i].target || outside.size() < inside.size()) return false;
      if (outside.size() == inside.size()) return other < i && outside == inside;
      graph.budget().Take(outside.size());
      return std::ranges::includes(outside, inside);
    });
    if (!is_contained) made.push_back(candidates[i]);
  }
  return made;
}

// Returns the keys of the candidates that share an expression with another candidate.
auto OverlappingKeys(const std::vector<CollageCandidate>& candidates) -> absl::flat_hash_set<std::string> {
  absl::flat_hash_set<std::string> found;
  for (const auto& [id, numbers] : NumbersBy(candidates, &CollagePart::inside)) {
    const std::vector<ExprId>& first = candidates[numbers.front()].part->inside();
    const auto differs = [&](size_t number) { return candidates[number].part->inside() != first; };
    if (!std::ranges::any_of(numbers, differs)) continue;
    for (const size_t number : numbers) found.insert(candidates[number].part->key());
  }
  return found;
}

}  // namespace

auto PrunedCandidates(const CollageGraph& graph, std::vector<CollageCandidate> candidates)
    -> std::vector<CollageCandidate> {
  std::vector<CollageCandidate> kept;
  absl::flat_hash_set<std::string> keys;
  for (size_t before = SIZE_MAX; before != kept.size();) {
    before = kept.size();
    for (CollageCandidate& each : Maximal(graph, candidates)) {
      if (keys.insert(each.part->key()).second) kept.push_back(std::move(each));
    }
    const auto overlapping = OverlappingKeys(kept);
    std::erase_if(candidates, [&](const auto& each) { return overlapping.contains(each.part->key()); });
  }
  std::ranges::stable_sort(kept, [](const auto& a, const auto& b) {
    if (a.part->IsBefore(*b.part)) return true;
    return !b.part->IsBefore(*a.part) && a.rule < b.rule;
  });
  return kept;
}

auto Coalesced(const CollageGraph& graph, std::vector<CollageCandidate> chosen) -> std::vector<CollageCandidate> {
  for (bool changed = true; changed && !graph.budget().is_spent();) {
    changed = false;
    graph.budget().Take(chosen.size());
    const NumbersByExpr by_entry = NumbersBy(chosen, &CollagePart::entry);
    std::vector<bool> removed(chosen.size());
    std::vector<CollageCandidate> added;
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (removed[i]) continue;
      for (const size_t other : NumbersBelow(graph, *chosen[i].part, by_entry)) {
        if (other == i || removed[other] || chosen[i].target != chosen[other].target ||
            !chosen[i].part->Touches(graph, *chosen[other].part)) {
          continue;
        }
        added.push_back(UnionOf(graph, chosen[i], *chosen[other].part, chosen[other].rule));
        removed[i] = removed[other] = true;
        changed = true;
        break;
      }
    }
    std::vector<CollageCandidate> next;
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (!removed[i]) next.push_back(std::move(chosen[i]));
    }
    std::ranges::move(added, std::back_inserter(next));
    chosen = std::move(next);
  }
  return chosen;
}

}  // namespace relayopt
