// Finds groups of parallel branches, plans how far they can be merged, and emits the merged calls.
#include "parallel_branches.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "parallel_order.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/slicing.h"

namespace relayopt {

ParallelRules::~ParallelRules() = default;

auto JoinSite::Concatenate(std::span<const ExprId> parts, int64_t axis) const -> ExprId {
  return EmitCallWith(to, "concatenate"_op, ConcatenateAttrs{.axis = axis}, {EmitTuple(to, parts)});
}

auto JoinSite::Slices(ExprId joined, size_t axis, size_t rank, std::span<const int64_t> widths) const
    -> std::vector<ExprId> {
  std::vector<ExprId> slices;
  StridedSliceAttrs attrs;
  attrs.slice_mode = "size";
  attrs.begin = DimList(std::vector<Dim>(rank, 0));
  attrs.end = DimList(std::vector<Dim>(rank, -1));
  attrs.strides = DimList(std::vector<Dim>(rank, 1));
  int64_t offset = 0;
  for (const int64_t width : widths) {
    attrs.begin.values[axis] = offset;
    attrs.end.values[axis] = width;
    slices.push_back(EmitCallWith(to, "strided_slice"_op, attrs, {joined}));
    offset += width;
  }
  return slices;
}

namespace {

// Extents that are known must be the same.
auto SameTensorType(const Context& context, TypeId a, TypeId b) -> bool {
  if (!a || !b) return false;
  const Type& left = context.type(a);
  const Type& right = context.type(b);
  return left.is_tensor() && right.is_tensor() && left.dtype == right.dtype &&
         std::ranges::equal(left.shape, right.shape, [](const Dim& x, const Dim& y) {
           return SameExtent(x, y) || (!x.is_int() && !y.is_int());
         });
}

class Joiner {
 public:
  Joiner(const Function& function, const ParallelRules& rules, uint64_t min_branches)
      : function_(function),
        rules_(rules),
        min_branches_(min_branches),
        uses_(function.size()),
        only_user_(function.size()) {}

  auto Run() -> std::optional<Function> {
    FindGroups();
    std::vector<ParallelGroup> planned;
    for (ParallelGroup& group : groups_) {
      if (group.branches.size() >= min_branches_ && Plan(group)) planned.push_back(std::move(group));
    }
    groups_ = std::move(planned);
    if (groups_.empty()) return std::nullopt;
    return Emit();
  }

 private:
  // As TVM: only calls count as users, and the operator itself uses only its first argument. So a branch continues past
  // values that are also fields of tuples or results; these are then computed twice.
  void FindGroups() {
    absl::flat_hash_map<std::pair<ExprId, ParallelKey>, size_t> group_of;
    for (const ExprId id : function_.ids()) {
      const ExprKind kind = function_.kind(id);
      if (kind != ExprKind::kOpCall && kind != ExprKind::kCall) continue;
      const auto args = function_.operands(id).subspan(kind == ExprKind::kCall ? 1 : 0);
      const bool wanted = kind == ExprKind::kOpCall && function_.op(id) == rules_.op() && !args.empty();
      const auto key = wanted ? rules_.Key(function_, id) : std::nullopt;
      for (const ExprId arg : key ? args.first(1) : args) {
        uses_[arg] = static_cast<uint8_t>(std::min(2, uses_[arg] + 1));
        only_user_[arg] = id;
      }
      if (!key) continue;
      const auto [entry, is_new] = group_of.try_emplace({args.front(), *key}, groups_.size());
      if (is_new) groups_.emplace_back();
      groups_[entry->second].branches.push_back({id});
    }
  }

  // Extends the branches step by step. Returns false if another group has their results already.
  auto Plan(ParallelGroup& group) -> bool {
    JoinSite site{function_, scratch_, group, [this](ExprId id) { return Placeholder(id); }};
    ExprId joined = rules_.JoinFirst(site);
    if (!joined || !SplitsAsBefore(site, joined, 0)) return false;
    for (size_t level = 1; Grow(group); ++level) {
      joined = JoinLevel(site, joined, level);
      if (joined && SplitsAsBefore(site, joined, level)) continue;
      for (auto& branch : group.branches) branch.pop_back();
      break;
    }
    for (const auto& branch : group.branches) {
      for (const ExprId id : branch) {
        if (taken_.contains(id)) return false;
      }
    }
    for (const auto& branch : group.branches) taken_.insert(branch.begin(), branch.end());
    return true;
  }

  // Returns a variable in place of an expression, for trying out types.
  auto Placeholder(ExprId id) -> ExprId {
    ExprId& variable = placeholders_[id];
    if (!variable) {
      variable = scratch_.Var({});
      scratch_.SetType(variable, function_.type(id));
    }
    return variable;
  }

  // Adds a call to every branch, if all can continue with calls that are in no other group.
  auto Grow(ParallelGroup& group) -> bool {
    for (const auto& branch : group.branches) {
      const ExprId last = branch.back();
      if (uses_[last] != 1 || taken_.contains(last)) return false;
      const ExprId user = only_user_[last];
      if (function_.kind(user) != ExprKind::kOpCall || function_.op(user)->fusion > Fusion::kBroadcast) return false;
    }
    for (auto& branch : group.branches) branch.push_back(only_user_[branch.back()]);
    return true;
  }

  // Returns the joined call of the last level of all branches, or none if they differ.
  auto JoinLevel(const JoinSite& site, ExprId previous, size_t level) const -> ExprId {
    const auto& branches = site.group.branches;
    const ExprId call = branches[0][level];
    // It depends on positions, not only on values.
    if (function_.op(call) == "trilu"_op) return {};
    const auto args = function_.operands(call);
    const size_t parent = static_cast<size_t>(std::ranges::find(args, branches[0][level - 1]) - args.begin());
    for (const auto& branch : branches) {
      const ExprId other = branch[level];
      if (function_.op(other) != function_.op(call) || function_.operands(other).size() != args.size() ||
          function_.operand(other, parent) != branch[level - 1] ||
          !function_.context().EqualAttrs(function_.attrs(other), function_.attrs(call))) {
        return {};
      }
    }
    std::vector<ExprId> joined;
    for (size_t i = 0; i < args.size(); ++i) {
      joined.push_back(i == parent ? previous : rules_.JoinArgument(site, level, i, parent));
      if (!joined.back()) return {};
    }
    return EmitCall(site.to, function_.op(call), joined, function_.attrs(call));
  }

  auto SplitsAsBefore(const JoinSite& site, ExprId joined, size_t level) const -> bool {
    const std::vector<ExprId> parts = rules_.Split(site, joined, level);
    if (parts.size() != site.group.branches.size()) return false;
    for (size_t k = 0; k < parts.size(); ++k) {
      const TypeId before = function_.type(site.group.branches[k][level]);
      if (!SameTensorType(function_.context(), site.MadeType(parts[k]), before)) return false;
    }
    return true;
  }

  auto Emit() -> std::optional<Function> {
    ParallelOrder order(function_, groups_);
    FunctionBuilder to(function_.context());
    to.ReserveLike(function_);
    SideTable<ExprId, ExprId> made(function_.size());
    std::vector<ExprId> operands;
    order.Run([&](ExprId id, const ParallelGroup* group) {
      if (group != nullptr) return EmitGroup(to, made, *group);
      operands.clear();
      for (const ExprId operand : function_.operands(id)) operands.push_back(made[operand]);
      made[id] = to.Copy(function_, id, operands);
    });
    if (!changed_) return std::nullopt;
    return Relayout(to.Finish(made[function_.root()]));
  }

  void EmitGroup(FunctionBuilder& to, SideTable<ExprId, ExprId>& made, const ParallelGroup& group) {
    changed_ = true;
    const JoinSite site{function_, to, group, [&made](ExprId id) { return made[id]; }};
    std::vector<ExprId> calls;
    for (const auto& branch : group.branches) calls.insert(calls.end(), branch.begin(), branch.end());
    to.Replace(function_, calls);
    ExprId joined = rules_.JoinFirst(site);
    const size_t last = group.branches[0].size() - 1;
    for (size_t level = 1; level <= last; ++level) joined = JoinLevel(site, joined, level);
    const std::vector<ExprId> parts = rules_.Split(site, joined, last);
    for (size_t k = 0; k < parts.size(); ++k) made[group.branches[k][last]] = parts[k];
  }

  const Function& function_;
  const ParallelRules& rules_;
  const uint64_t min_branches_;
  // The number of calls that use a value; 2 means two or more.
  SideTable<ExprId, uint8_t> uses_;
  SideTable<ExprId, ExprId> only_user_;
  std::vector<ParallelGroup> groups_;
  // Calls that belong to a planned group.
  absl::flat_hash_set<ExprId> taken_;
  // For inferring types tentatively.
  FunctionBuilder scratch_{function_.context()};
  absl::flat_hash_map<ExprId, ExprId> placeholders_;
  bool changed_ = false;
};

}  // namespace

auto JoinParallelBranches(const Function& function, const ParallelRules& rules, uint64_t min_branches)
    -> std::optional<Function> {
  return Joiner(function, rules, min_branches).Run();
}

}  // namespace relayopt
