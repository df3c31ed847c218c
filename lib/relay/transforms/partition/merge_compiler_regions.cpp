// MergeCompilerRegions: merges adjacent regions for the same compiler.
#include <algorithm>
#include <utility>
#include <vector>

#include "compiler_annotations.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// Walks from results to operands; a region takes its parents in once all of them have done so.
class RegionMerger {
 public:
  RegionMerger(const Function& function, AnnotatedRegions& regions)
      : function_(function),
        regions_(regions),
        visited_(function.size()),
        done_(regions.size()),
        facts_(regions.size()),
        seen_(regions.size()),
        walked_(function.size()) {}

  void Run() {
    Enter(function_.root());
    while (!stack_.empty()) Step();
  }

 private:
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
    // Another of its ends was met on the way and saw to it: its inputs may belong to its user by now.
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

  // The regions that feed `region`, in order, and those of the parts of the ifs that do.
  void FindParents(RegionId region) {
    parents_.clear();
    correlated_.clear();
    for (const ExprId input : regions_.inputs(region)) {
      const ExprId value = function_.operand(input, 0);
      if (const RegionId parent = regions_.RegionOf(value)) {
        parents_.push_back(parent);
      } else if (function_.kind(value) == ExprKind::kIf) {
        pending_.push_back(value);
      }
    }
    correlated_ = parents_;
    ++stamp_;
    while (!pending_.empty()) {
      const ExprId choice = pending_.back();
      pending_.pop_back();
      // Ifs that share parts are walked once.
      if (std::exchange(walked_[choice], stamp_) == stamp_) continue;
      for (const ExprId part : function_.operands(choice)) {
        if (const RegionId parent = regions_.RegionOf(part))
          correlated_.push_back(parent);
        else if (function_.kind(part) == ExprKind::kIf)
          pending_.push_back(part);
      }
    }
    for (auto* list : {&parents_, &correlated_}) {
      std::ranges::sort(*list);
      list->erase(std::ranges::unique(*list).begin(), list->end());
    }
  }

  // A region must not take in one from which a way leads to it through a region of another compiler: it would then have
  // to run before and after that one.
  void MergeParents(RegionId region) {
    done_[region] = true;
    FindParents(region);
    Facts& facts = facts_[region];
    facts.order = next_order_++;
    facts.feeders = correlated_;
    std::vector<RegionId> mergeable;
    for (const RegionId parent : parents_) {
      // Merged regions may feed each other. A region that still waits for its own parents is not a parent.
      if (parent == region || !done_[parent]) continue;
      if (regions_.compiler(parent) == regions_.compiler(region)) {
        mergeable.push_back(parent);
      } else {
        facts.others.push_back(parent);
        facts_[parent].first_other_user = std::min(facts_[parent].first_other_user, facts.order);
      }
    }
    std::vector<RegionId> allowed;
    for (const RegionId parent : mergeable) {
      if (!IsRestricted(region, parent)) allowed.push_back(parent);
    }
    for (const RegionId parent : allowed) TakeIn(parent, region);
  }

  void TakeIn(RegionId parent, RegionId region) {
    Facts& facts = facts_[region];
    Facts& theirs = facts_[parent];
    facts.first_other_user = std::min(facts.first_other_user, theirs.first_other_user);
    for (auto list : {&Facts::feeders, &Facts::others}) {
      std::vector<RegionId>& mine = facts.*list;
      std::vector<RegionId>& more = theirs.*list;
      if (mine.size() < more.size()) std::swap(mine, more);
      mine.insert(mine.end(), more.begin(), more.end());
      more = {};
    }
    regions_.Merge(parent, region);
  }

  // Whether what `parent` makes also reaches `region` through another compiler. Looks back no further than to the first
  // region of another compiler that takes something from `parent`.
  auto IsRestricted(RegionId region, RegionId parent) -> bool {
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

  // Replaces merged regions by their representatives.
  void Normalize(std::vector<RegionId>& list, RegionId self) const {
    for (RegionId& id : list) id = regions_.Root(id);
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
    std::erase(list, self);
  }

  // What is known about a processed region.
  struct Facts {
    // When it was; of merged regions the last.
    uint32_t order = 0;
    // When the first region of another compiler took a value of this one.
    uint32_t first_other_user = UINT32_MAX;
    // The regions that feed it, and those among them that belong to other compilers.
    std::vector<RegionId> feeders;
    std::vector<RegionId> others;
  };

  const Function& function_;
  AnnotatedRegions& regions_;
  SideTable<ExprId, bool> visited_;
  SideTable<RegionId, bool> done_;
  SideTable<RegionId, Facts> facts_;
  // The last search that came by.
  SideTable<RegionId, uint32_t> seen_;
  SideTable<ExprId, uint32_t> walked_;
  uint32_t stamp_ = 0;
  uint32_t next_order_ = 0;
  std::vector<Frame> stack_;
  std::vector<RegionId> parents_;
  std::vector<RegionId> correlated_;
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

Left alone: two regions between which a value also goes through another compiler. Joined they would have to run both before and
after it.)",
});

}  // namespace relayopt
