// MergeCompilerRegions: merges adjacent regions for the same compiler.
#include <algorithm>
#include <utility>
#include <vector>

#include "compiler_annotations.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// Walks from results to operands; a region absorbs its parents after all of them have been processed.
class RegionMerger {
 public:
  RegionMerger(const Function& function, AnnotatedRegions& regions)
      : function_(function),
        regions_(regions),
        scopes_(ComputeScopes(function)),
        value_of_(function.size()),
        visited_(function.size()),
        done_(regions.size()),
        facts_(regions.size()),
        seen_(regions.size()),
        walked_(function.size()) {
    for (const ExprId id : function.ids()) {
      if (function.kind(id) != ExprKind::kLet) continue;
      for (size_t i = 0; i < function.let_size(id); ++i) value_of_[function.let_var(id, i)] = function.let_value(id, i);
    }
  }

  void Run() {
    Enter(function_.root());
    while (!stack_.empty()) Step();
  }

 private:
  static constexpr size_t kMostWorkPerNode = 64;

  // A node whose operands are visited, or a region whose parents are.
  struct Frame {
    ExprId node;
    size_t next = 0;
    RegionId region;
    std::list<ExprId>::const_iterator input;
  };

  void Enter(ExprId node) {
    if (visited_[node]) return;
    visited_[node] = true;
    stack_.push_back({node, 0, {}, {}});
  }

  void Step() {
    Frame& frame = stack_.back();
    if (frame.region) {
      StepRegion(frame);
      return;
    }
    const auto operands = function_.operands(frame.node);
    if (frame.next < operands.size()) {
      Enter(operands[frame.next++]);
      return;
    }
    const ExprId node = frame.node;
    stack_.pop_back();
    if (!IsCompilerEnd(function_, node)) return;
    const RegionId region = regions_.RegionOf(node);
    if (region && !done_[region]) stack_.push_back({node, 0, region, regions_.inputs(region).begin()});
  }

  void StepRegion(Frame& frame) {
    // The region was already processed through another of its ends: its inputs may now belong to its user.
    if (done_[frame.region]) {
      stack_.pop_back();
      return;
    }
    if (frame.input != regions_.inputs(frame.region).end()) {
      const ExprId value = function_.operand(*frame.input++, 0);
      const RegionId parent = regions_.RegionOf(value);
      if (parent && !done_[parent]) Enter(value);
      return;
    }
    const RegionId region = frame.region;
    stack_.pop_back();
    if (!done_[region]) MergeParents(region);
  }

  // Finds the regions that feed `region`, in order, also through expressions that are in no region: variables,
  // tuples, branches, calls of closures.
  void FindParents(RegionId region) {
    parents_.clear();
    detours_.clear();
    for (const ExprId input : regions_.inputs(region)) {
      const ExprId value = function_.operand(input, 0);
      if (const RegionId parent = regions_.RegionOf(value)) {
        parents_.push_back(parent);
      } else {
        pending_.push_back(value);
      }
    }
    ++stamp_;
    while (!pending_.empty()) {
      const ExprId outside = pending_.back();
      pending_.pop_back();
      // Shared expressions are visited once.
      if (std::exchange(walked_[outside], stamp_) == stamp_) continue;
      ++work_;
      const auto visit = [&](ExprId part) {
        if (const RegionId parent = regions_.RegionOf(part)) {
          detours_.push_back(parent);
        } else {
          pending_.push_back(part);
        }
      };
      if (function_.kind(outside) == ExprKind::kVar && value_of_[outside]) visit(value_of_[outside]);
      for (const ExprId part : function_.operands(outside)) visit(part);
    }
    correlated_ = parents_;
    correlated_.insert(correlated_.end(), detours_.begin(), detours_.end());
    for (auto* list : {&parents_, &detours_, &correlated_}) {
      std::ranges::sort(*list);
      list->erase(std::ranges::unique(*list).begin(), list->end());
    }
  }

  // A region must not absorb one from which a path leads to it through a region of another compiler: it would have to
  // run before and after that one. The same holds for expressions in no region. Nor may it leave its scope for that of
  // the parent where it runs more often (a closure) or knows more (what a branch, a let or a clause binds).
  void MergeParents(RegionId region) {
    done_[region] = true;
    FindParents(region);
    Facts& facts = facts_[region];
    facts.order = next_order_++;
    facts.feeders = correlated_;
    std::vector<RegionId> mergeable;
    const auto stays_apart = [&](RegionId parent) {
      facts.others.push_back(parent);
      facts_[parent].first_other_user = std::min(facts_[parent].first_other_user, facts.order);
    };
    // From the innermost scope outwards: what is joined first is available to the next.
    std::ranges::stable_sort(parents_, std::ranges::greater(), [&](RegionId parent) { return DepthOf(parent); });
    for (const RegionId parent : parents_) {
      // Merged regions may feed each other. A region that still waits for its own parents is not a parent.
      if (parent == region || !done_[parent]) continue;
      const bool is_same = regions_.compiler(parent) == regions_.compiler(region);
      if (is_same && CanRunTogether(region, parent, mergeable)) {
        mergeable.push_back(parent);
      } else {
        stays_apart(parent);
      }
    }
    for (const RegionId detour : detours_) {
      if (detour != region) stays_apart(detour);
    }
    std::vector<RegionId> allowed;
    for (const RegionId parent : mergeable) {
      if (!IsRestricted(region, parent)) allowed.push_back(parent);
    }
    for (const RegionId parent : allowed) {
      if (CanRunTogether(region, parent, {})) {
        TakeIn(parent, region);
      } else {
        stays_apart(parent);
      }
    }
  }

  void TakeIn(RegionId parent, RegionId region) {
    Facts& facts = facts_[region];
    Facts& theirs = facts_[parent];
    facts.first_other_user = std::min(facts.first_other_user, theirs.first_other_user);
    facts.scope = scopes_.CommonAncestor(ScopeOf(region), ScopeOf(parent));
    for (auto list : {&Facts::feeders, &Facts::others}) {
      std::vector<RegionId>& mine = facts.*list;
      std::vector<RegionId>& more = theirs.*list;
      if (mine.size() < more.size()) std::swap(mine, more);
      mine.insert(mine.end(), more.begin(), more.end());
      more = {};
    }
    regions_.Merge(parent, region);
  }

  // Whether a result of `parent` also reaches `region` through another compiler. Looks back no further than to the
  // first region of another compiler that takes something from `parent`.
  auto IsRestricted(RegionId region, RegionId parent) -> bool {
    // Limits the search, because long paths outside of regions would be walked for each of many regions.
    if (work_ > kMostWorkPerNode * function_.size()) return true;
    const uint32_t first = facts_[parent].first_other_user;
    ++stamp_;
    std::vector<RegionId> pending = {region};
    seen_[region] = stamp_;
    while (!pending.empty()) {
      Facts& facts = facts_[pending.back()];
      const RegionId self = pending.back();
      pending.pop_back();
      if (facts.order < first) continue;
      Normalize(facts.others, self);
      Normalize(facts.feeders, self);
      if (std::ranges::binary_search(facts.others, parent)) return true;
      for (const RegionId feeder : facts.feeders) {
        if (feeder == parent || seen_[feeder] == stamp_) continue;
        seen_[feeder] = stamp_;
        pending.push_back(feeder);
      }
    }
    return false;
  }

  // Whether `region` could run where `parent` does: in the same scope, or one of ifs and lets in it where everything
  // that enters is known outside, too, or comes from regions that are to be joined with it. As TVM: then a branch is
  // computed whether it is taken or not.
  auto CanRunTogether(RegionId region, RegionId parent, const std::vector<RegionId>& joined) -> bool {
    const ScopeId outer = ScopeOf(parent);
    const ScopeId inner = ScopeOf(region);
    if (outer == inner) return true;
    if (!outer || !inner || !scopes_.IsInside(inner, outer)) return false;
    for (ScopeId scope = inner; scope != outer; scope = scopes_[scope].parent) {
      if (++work_ > kMostWorkPerNode * function_.size()) return false;
      const ExprKind owner = function_.kind(scopes_[scope].owner);
      if (owner != ExprKind::kIf && owner != ExprKind::kLet) return false;
    }
    const auto is_known = [&](ExprId input) {
      const ExprId value = function_.operand(input, 0);
      if (function_.kind(value) == ExprKind::kConstant) return true;
      const RegionId from = regions_.RegionOf(value);
      if (from == region || from == parent || std::ranges::find(joined, from) != joined.end()) return true;
      // Every use of a region may have an end of its own, in the scope of the use.
      const ScopeId scope = from ? ScopeOf(from) : scopes_.of[value];
      return scope && scopes_.IsInside(outer, scope);
    };
    const auto knows_all = [&](RegionId part) { return std::ranges::all_of(regions_.inputs(part), is_known); };
    return knows_all(region) && std::ranges::all_of(joined, knows_all);
  }

  auto DepthOf(RegionId region) -> uint32_t {
    const ScopeId scope = ScopeOf(region);
    return scope ? scopes_[scope].depth : 0;
  }

  // Returns the scope of what leaves a region.
  auto ScopeOf(RegionId region) -> ScopeId {
    ScopeId& scope = facts_[region].scope;
    if (scope) return scope;
    for (const ExprId end : regions_.outputs(region)) {
      const ScopeId other = scopes_.of[function_.operand(end, 0)];
      scope = scope && other ? scopes_.CommonAncestor(scope, other) : other ? other : scope;
    }
    return scope;
  }

  // Replaces merged regions by their representatives.
  void Normalize(std::vector<RegionId>& list, RegionId self) const {
    for (RegionId& id : list) id = regions_.Root(id);
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
    std::erase(list, self);
  }

  // The data of a processed region.
  struct Facts {
    // When it was processed; for merged regions the last time.
    uint32_t order = 0;
    // The scope of its results, once it has been computed.
    ScopeId scope;
    // When the first region of another compiler took a value of this one.
    uint32_t first_other_user = UINT32_MAX;
    // The regions that feed it, and those among them that belong to other compilers.
    std::vector<RegionId> feeders;
    std::vector<RegionId> others;
  };

  const Function& function_;
  AnnotatedRegions& regions_;
  Scopes scopes_;
  // The values of variables that are bound by let.
  SideTable<ExprId, ExprId> value_of_;
  SideTable<ExprId, bool> visited_;
  SideTable<RegionId, bool> done_;
  SideTable<RegionId, Facts> facts_;
  // The last search that visited the region.
  SideTable<RegionId, uint32_t> seen_;
  SideTable<ExprId, uint32_t> walked_;
  uint32_t stamp_ = 0;
  uint32_t next_order_ = 0;
  std::vector<Frame> stack_;
  std::vector<RegionId> parents_;
  std::vector<RegionId> detours_;
  std::vector<RegionId> correlated_;
  size_t work_ = 0;
  std::vector<ExprId> pending_;
};

struct MergeCompilerRegions {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    RELAYOPT_TRY(AnnotatedRegions regions, AnnotatedRegions::Find(function));
    if (regions.size() == 0) return std::nullopt;
    RegionMerger(function, regions).Run();
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) {
      if (!IsCompilerBegin(function, id)) return ExprId();
      const ExprId end = function.operand(id, 0);
      const bool is_inside = IsCompilerEnd(function, end) && regions.RegionOf(end) == regions.RegionOf(id);
      return is_inside ? rebuild.New(function.operand(end, 0)) : ExprId();
    });
  }
};

}  // namespace

constinit const PassDef kMergeCompilerRegionsPass = DescribePass<MergeCompilerRegions>({
    .name = "MergeCompilerRegions",
    .opt_level = 0,
    .summary = "merges adjacent regions for the same external compiler",
    .details =
        R"(Behind AnnotateTarget every call is a region of its own. A compiler_begin right behind a compiler_end of the same compiler goes
away together with it, and both regions become one:

  nn.relu(begin(end(nn.conv2d(...))))   =>   nn.relu(nn.conv2d(...))

Left alone: two regions between which a value also goes through another compiler or something outside of all regions.
Joined they would have to run both before and after it. So are regions of different scopes: one in a closure or a
match clause runs at another time than one outside. One in a branch is joined where all that it needs is known outside.)",
});

}  // namespace relayopt
