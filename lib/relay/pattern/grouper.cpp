// Finds all matches of a pattern in a function.
#include "relayopt/relay/pattern/grouper.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

class PatternGrouper {
 public:
  PatternGrouper(DFPattern pattern, const Function& function)
      : pattern_(pattern.id()),
        table_(pattern.table()),
        function_(function),
        matcher_(function, table_),
        grouped_(function.size()),
        barred_(function.size()) {
    OrderPatterns();
    FindRootOps();
  }

  auto Run(ExprId last) -> std::vector<PatternGroup> {
    for (const ExprId id : function_.ids().reversed()) {
      if (last && id > last) continue;
      if (barred_[id] || IsPartition(function_, id)) {
        for (const ExprId operand : function_.operands(id)) barred_[operand] = true;
        continue;
      }
      if (!grouped_[id] && MayBeRoot(id) && matcher_.MayMatch(pattern_, id) && matcher_.Match(pattern_, id)) {
        Propose(id);
      }
    }
    return std::move(groups_);
  }

 private:
  // The patterns below the root, children first.
  void OrderPatterns() {
    std::vector<std::pair<PatternId, size_t>> stack = {{pattern_, 0}};
    absl::flat_hash_set<PatternId> seen = {pattern_};
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      const std::vector<PatternId>& children = table_[id].children;
      if (next == children.size()) {
        patterns_.push_back(id);
        stack.pop_back();
        continue;
      }
      const PatternId child = children[next++];
      if (seen.insert(child).second) stack.emplace_back(child, 0);
    }
    sorted_ = patterns_;
    std::ranges::sort(sorted_);
    has_fuzzy_ = std::ranges::any_of(patterns_, [this](PatternId id) {
      return table_[id].kind == DFPatternKind::kDominator || table_[id].kind == DFPatternKind::kFunction;
    });
  }

  // The operators that the root of a match calls, so that most expressions are not looked at twice.
  void FindRootOps() {
    std::vector<PatternId> pending = {pattern_};
    absl::flat_hash_set<PatternId> seen;
    while (!pending.empty()) {
      const PatternId id = pending.back();
      pending.pop_back();
      if (!seen.insert(id).second) continue;
      const DFPatternNode& node = table_[id];
      switch (node.kind) {
        case DFPatternKind::kAlt:
        case DFPatternKind::kType:
        case DFPatternKind::kDType:
        case DFPatternKind::kShape:
        case DFPatternKind::kAttrs:
          pending.insert(pending.end(), node.children.begin(), node.children.end());
          has_root_ops_ = !node.children.empty();
          break;
        case DFPatternKind::kCall: {
          const OpDef* op = table_[node.children[0]].op;
          root_ops_.insert(op);
          // These are matched rearranged, too.
          if (op == "divide"_op) root_ops_.insert("multiply"_op);
          if (op == "multiply"_op) root_ops_.insert("divide"_op);
          has_root_ops_ = op != nullptr;
          break;
        }
        default: has_root_ops_ = false;
      }
      if (!has_root_ops_) return;
    }
  }

  auto MayBeRoot(ExprId id) const -> bool {
    if (!has_root_ops_) return true;
    if (function_.kind(id) == ExprKind::kOpCall) return root_ops_.contains(function_.op(id));
    return function_.kind(id) == ExprKind::kCall;
  }

  void Propose(ExprId root) {
    if (is_input_of_.empty()) {
      is_input_of_.resize(function_.size());
      is_inside_of_.resize(function_.size());
    }
    PatternGroup group{.root = root, .number = next_number_++, .inputs = {}, .inside = {}, .matches = {}};
    group.matches.reserve(sorted_.size());
    for (const PatternId id : sorted_) {
      matcher_.ForMatched(id, [&](Subject subject) { group.matches.push_back({id, subject}); });
    }
    FindInputs(group);
    FindInside(group);
    if (!IsReplaceable(group)) return;
    for (const ExprId id : group.inside) grouped_[id] = true;
    groups_.push_back(std::move(group));
  }

  // Returns the expressions that never become inputs: those matched by parents and paths of dominator patterns, and
  // those inside matched functions.
  auto FindFuzzy(const PatternGroup& group) const -> absl::flat_hash_set<ExprId> {
    absl::flat_hash_set<ExprId> fuzzy;
    if (!has_fuzzy_) return fuzzy;
    for (const PatternId id : patterns_) {
      if (table_[id].kind == DFPatternKind::kDominator) {
        for (const PatternId part : {table_[id].children[0], table_[id].children[1]}) {
          for (const PatternMatch& match : group.MatchesOf(part)) fuzzy.insert(match.subject.id);
        }
      } else if (table_[id].kind == DFPatternKind::kFunction) {
        for (const PatternMatch& match : group.MatchesOf(id)) {
          std::vector<ExprId> pending = {function_.body(match.subject.id)};
          while (!pending.empty()) {
            const ExprId part = pending.back();
            pending.pop_back();
            if (!fuzzy.insert(part).second) continue;
            pending.insert(pending.end(), function_.operands(part).begin(), function_.operands(part).end());
          }
        }
      }
    }
    return fuzzy;
  }

  void FindInputs(PatternGroup& group) {
    const absl::flat_hash_set<ExprId> fuzzy = FindFuzzy(group);
    const auto add = [&](ExprId id, PatternId pattern) {
      const ExprKind kind = function_.kind(id);
      if (kind == ExprKind::kOp || kind == ExprKind::kFunction || IsInput(group, id)) return;
      if (has_fuzzy_ && fuzzy.contains(id)) return;
      if (kind == ExprKind::kConstant && IsEmbedded(pattern)) return;
      is_input_of_[id] = group.number + 1;
      group.inputs.push_back(id);
    };
    for (const PatternId id : patterns_) {
      const DFPatternNode& node = table_[id];
      const bool takes_operands =
          node.any_children && (node.kind == DFPatternKind::kTuple || node.kind == DFPatternKind::kCall);
      if (!takes_operands && !node.children.empty()) continue;
      for (const auto& [pattern, subject] : group.MatchesOf(id)) {
        if (subject.is_callee()) continue;
        if (!takes_operands) {
          if (subject.id != group.root || id != pattern_) add(subject.id, id);
          continue;
        }
        const bool has_callee = function_.kind(subject.id) == ExprKind::kCall;
        for (const ExprId operand : function_.operands(subject.id).subspan(has_callee ? 1 : 0)) add(operand, id);
      }
    }
  }

  auto IsInput(const PatternGroup& group, ExprId id) const -> bool { return is_input_of_[id] == group.number + 1; }
  auto IsInside(const PatternGroup& group, ExprId id) const -> bool { return is_inside_of_[id] == group.number + 1; }

  // Whether the pattern requires a constant, which then belongs to the group and is not an input.
  auto IsEmbedded(PatternId pattern) const -> bool { return table_[pattern].kind == DFPatternKind::kConstant; }

  // The expressions that the root reaches without passing inputs, in post-order.
  void FindInside(PatternGroup& group) {
    const auto enter = [&](ExprId id) {
      is_inside_of_[id] = group.number + 1;
      pending_.emplace_back(id, 0);
    };
    enter(group.root);
    while (!pending_.empty()) {
      auto& [id, next] = pending_.back();
      const auto operands = function_.operands(id);
      if (next == operands.size()) {
        group.inside.push_back(id);
        pending_.pop_back();
        continue;
      }
      const ExprId operand = operands[next++];
      if (!IsInput(group, operand) && !IsInside(group, operand)) enter(operand);
    }
  }

  auto IsReplaceable(const PatternGroup& group) -> bool {
    for (const ExprId id : group.inside) {
      const ExprKind kind = function_.kind(id);
      if (kind == ExprKind::kOp || kind == ExprKind::kFunction || kind == ExprKind::kConstant) continue;
      if (grouped_[id]) return false;
      if (id == group.root) continue;
      if (dominators_ == nullptr) dominators_ = std::make_unique<PostDominators>(function_);
      for (const ExprId user : dominators_->users(id)) {
        if (!IsInside(group, user) && !dominators_->Dominates(group.root, user)) return false;
      }
    }
    return true;
  }

  PatternId pattern_;
  const PatternTable& table_;
  const Function& function_;
  DFPatternMatcher matcher_;
  std::vector<PatternId> patterns_;
  // In the order of their ids.
  std::vector<PatternId> sorted_;
  // Whether some match expressions that never become inputs.
  bool has_fuzzy_ = false;
  // Of what the root of a match calls; `has_root_ops_` is false if it may be any expression.
  absl::flat_hash_set<const OpDef*> root_ops_;
  bool has_root_ops_ = true;
  SideTable<ExprId, bool> grouped_;
  SideTable<ExprId, bool> barred_;
  std::unique_ptr<PostDominators> dominators_;
  std::vector<PatternGroup> groups_;
  uint32_t next_number_ = 0;
  // One more than the number of the last candidate that an expression is an input of, and is inside of; 0 for none.
  SideTable<ExprId, uint32_t> is_input_of_;
  SideTable<ExprId, uint32_t> is_inside_of_;
  // The expressions whose operands are being looked at.
  std::vector<std::pair<ExprId, size_t>> pending_;
};

}  // namespace

auto MentionedOps(const Function& function) -> absl::flat_hash_set<const OpDef*> {
  absl::flat_hash_set<const OpDef*> ops;
  for (const ExprId id : function.ids()) {
    const ExprKind kind = function.kind(id);
    if (kind == ExprKind::kOpCall || kind == ExprKind::kOp) ops.insert(function.op(id));
  }
  return ops;
}

namespace {

// Whether a part may match if the operators of a function are these. `may` answers for its children.
template <typename May>
auto MayMatchNode(const DFPatternNode& node, const absl::flat_hash_set<const OpDef*>& ops, const May& may) -> bool {
  switch (node.kind) {
    case DFPatternKind::kOp:
      return ops.contains(node.op) ||
             std::ranges::any_of(ops, [&](const OpDef* op) { return MayStandFor(op, node.op); });
    case DFPatternKind::kAlt: return std::ranges::any_of(node.children, may);
    // There may be nothing on the path.
    case DFPatternKind::kDominator: return may(node.children[0]) && may(node.children[2]);
    default: return std::ranges::all_of(node.children, may);
  }
}

}  // namespace

auto MayMatch(DFPattern pattern, const absl::flat_hash_set<const OpDef*>& ops) -> bool {
  const PatternTable& table = pattern.table();
  // Whether a part may match; a part that is in work contains itself, and may.
  absl::flat_hash_map<PatternId, bool> known = {{pattern.id(), true}};
  std::vector<std::pair<PatternId, size_t>> stack = {{pattern.id(), 0}};
  while (!stack.empty()) {
    const PatternId id = stack.back().first;
    const DFPatternNode& node = table[id];
    if (stack.back().second < node.children.size()) {
      const PatternId child = node.children[stack.back().second++];
      if (known.try_emplace(child, true).second) stack.emplace_back(child, 0);
      continue;
    }
    known[id] = MayMatchNode(node, ops, [&](PatternId child) { return known.at(child); });
    stack.pop_back();
  }
  return known.at(pattern.id());
}

auto PatternGroup::MatchesOf(PatternId pattern) const -> std::span<const PatternMatch> {
  const auto found = std::ranges::equal_range(matches, pattern, {}, &PatternMatch::pattern);
  return {found.begin(), found.end()};
}

auto PatternGroup::Get(DFPattern pattern) const -> ExprId {
  const auto found = MatchesOf(pattern.id());
  return found.empty() || found[0].subject.is_callee() ? ExprId() : found[0].subject.id;
}

auto FindPatternGroups(DFPattern pattern, const Function& function, ExprId last) -> std::vector<PatternGroup> {
  return PatternGrouper(pattern, function).Run(last);
}

auto GroupName(const Function& function, const PatternGroup& group) -> std::string {
  std::string name;
  for (const ExprId id : group.inside) {
    switch (function.kind(id)) {
      case ExprKind::kOpCall: name.append(function.op(id)->name) += '_'; break;
      case ExprKind::kCall: name += "Call_"; break;
      case ExprKind::kTuple: name += "Tuple_"; break;
      case ExprKind::kTupleGetItem: name += fmt::format("TupleGetItem{}_", function.index(id)); break;
      case ExprKind::kFunction: name += "Function"; break;
      case ExprKind::kIf: name += "If_"; break;
      case ExprKind::kMatch: name += "Match_"; break;
      case ExprKind::kLet:
        for (size_t i = 0; i < function.let_size(id); ++i) name += "Let_";
        break;
      default: break;
    }
  }
  return name;
}

}  // namespace relayopt
