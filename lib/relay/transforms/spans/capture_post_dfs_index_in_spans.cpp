// CapturePostDfsIndexInSpans: stores the post-order index of every expression in its span.
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/dominator_tree.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/depth_first.h"

namespace relayopt {

namespace {

constexpr uint32_t kNoIndex = UINT32_MAX;

// The indices of a function's nodes as TVM counts them: an operator, a global and a constructor are one node each
// however often they are mentioned, and each step of a let chain is one.
class Indexer {
 public:
  explicit Indexer(const Function& function)
      : function_(function), indices_(function.size(), kNoIndex), seen_(function.size()), unbound_(function.size()) {
    Walk();
    FindDominators();
  }

  auto IndexOf(ExprId id) const -> uint32_t { return indices_[id]; }
  // Returns the index of the immediate post-dominator, or -1.
  auto DominatorOf(ExprId id) const -> int32_t {
    const ExprId parent = dominators_->parent(ExprId(indices_[id]));
    return parent ? static_cast<int32_t>(parent.value()) : -1;
  }

 private:
  struct Edge {
    uint32_t from;
    uint32_t user;
  };

  void Walk() {
    WalkDepthFirst(
        function_.root(), [&](ExprId id) { return Enter(id); },
        [&](ExprId id) { return function_.operands(id).size(); }, [&](ExprId id, size_t i) { return Operand(id, i); },
        [&](ExprId id) { Number(id); });
  }

  auto Enter(ExprId id) -> bool {
    if (seen_[id] || unbound_[id]) return false;
    seen_[id] = true;
    const auto shared = SharedIndex(id);
    if (shared) indices_[id] = *shared;
    if (function_.kind(id) == ExprKind::kOpCall) OpIndex(function_.op(id));
    return !shared;
  }

  auto Operand(ExprId id, size_t i) -> ExprId {
    const auto operands = function_.operands(id);
    if (function_.kind(id) != ExprKind::kLet || i + 1 == operands.size()) return operands[i];
    // The value comes before its variable, which has no index yet.
    unbound_[operands[i - i % 2]] = i % 2 == 0;
    return operands[i ^ 1];
  }

  // Returns the index of a node that all its uses share, assigned at the first of them.
  auto SharedIndex(ExprId id) -> std::optional<uint32_t> {
    switch (function_.kind(id)) {
      case ExprKind::kOp: return OpIndex(function_.op(id));
      case ExprKind::kGlobal: {
        const auto [place, is_new] = globals_.try_emplace(function_.global(id), next_);
        next_ += is_new ? 1 : 0;
        return place->second;
      }
      case ExprKind::kConstructor: {
        const auto [place, is_new] = constructors_.try_emplace(function_.constructor(id), next_);
        next_ += is_new ? 1 : 0;
        return place->second;
      }
      default: return std::nullopt;
    }
  }

  auto OpIndex(const OpDef* op) -> uint32_t {
    const auto [place, is_new] = ops_.try_emplace(op, next_);
    next_ += is_new ? 1 : 0;
    return place->second;
  }

  void Number(ExprId id) {
    const auto operands = function_.operands(id);
    switch (function_.kind(id)) {
      case ExprKind::kLet: NumberLet(id); return;
      case ExprKind::kMatch: {
        indices_[id] = next_++;
        for (const MatchClause& clause : function_.match(id).clauses) {
          for (uint32_t i = clause.first_operand; i < clause.rhs; ++i) Use(operands[0], indices_[operands[i]]);
          Use(operands[clause.rhs], indices_[id]);
        }
        return;
      }
      case ExprKind::kFunction:
        indices_[id] = next_++;
        Use(operands.back(), indices_[id]);
        return;
      default:
        indices_[id] = next_++;
        if (function_.kind(id) == ExprKind::kOpCall) edges_.push_back({OpIndex(function_.op(id)), indices_[id]});
        for (const ExprId operand : operands) Use(operand, indices_[id]);
    }
  }

  // One node for each step; the value's user is the variable.
  void NumberLet(ExprId id) {
    const auto operands = function_.operands(id);
    for (size_t i = 0; i + 1 < operands.size(); i += 2) Use(operands[i + 1], indices_[operands[i]]);
    Use(operands.back(), next_);
    for (size_t i = 1; i < function_.let_size(id); ++i, ++next_) edges_.push_back({next_, next_ + 1});
    indices_[id] = next_++;
  }

  // A use inside the value of a recursive binding comes before the variable: it does not dominate it.
  void Use(ExprId operand, uint32_t user) {
    if (indices_[operand] != kNoIndex && indices_[operand] < user) edges_.push_back({indices_[operand], user});
  }

  void FindDominators() {
    dominators_.emplace(next_);
    std::vector<uint32_t> first(next_ + 1);
    for (const Edge& edge : edges_) ++first[edge.from];
    uint32_t sum = 0;
    for (uint32_t& count : first) sum += std::exchange(count, sum);
    std::vector<uint32_t> users(edges_.size());
    std::vector<uint32_t> end = first;
    for (const Edge& edge : edges_) users[end[edge.from]++] = edge.user;
    for (uint32_t node = next_; node-- > 0;) {
      ExprId common;
      for (uint32_t i = first[node]; i < end[node]; ++i) {
        const ExprId user(users[i]);
        if (i == first[node])
          common = user;
        else if (common)
          common = dominators_->CommonAncestor(common, user).id;
      }
      dominators_->Add(ExprId(node), common, 0);
    }
  }

  const Function& function_;
  SideTable<ExprId, uint32_t> indices_;
  SideTable<ExprId, bool> seen_;
  // Let variables whose value is being visited.
  SideTable<ExprId, bool> unbound_;
  absl::flat_hash_map<const OpDef*, uint32_t> ops_;
  absl::flat_hash_map<GlobalId, uint32_t> globals_;
  absl::flat_hash_map<CtorId, uint32_t> constructors_;
  std::vector<Edge> edges_;
  uint32_t next_ = 0;
  // Dominators of post-order indices.
  std::optional<DominatorTree> dominators_;
};

struct CapturePostDfsIndexInSpans {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    const Indexer indexer(function);
    Context& context = function.context();
    const StringId source = context.Intern("index");
    Rebuild rebuild(function);
    const SideTable<ExprId, bool> in_pattern = PatternVars(function);
    rebuild.ForEach([&](ExprId id) {
      const ExprId made = rebuild.Copy(id);
      const ExprKind kind = function.kind(id);
      const bool keeps = kind == ExprKind::kOp || kind == ExprKind::kConstructor || in_pattern[id];
      if (keeps || indexer.IndexOf(id) == kNoIndex) return made;
      const auto index = static_cast<int32_t>(indexer.IndexOf(id));
      const int32_t dominator = indexer.DominatorOf(id);
      rebuild.to().SetSpan(made, context.Intern(Span{source, index, dominator, index, dominator}));
      return made;
    });
    return rebuild.Finish();
  }

 private:
  static auto PatternVars(const Function& function) -> SideTable<ExprId, bool> {
    SideTable<ExprId, bool> result(function.size());
    for (const ExprId id : function.ids()) {
      if (function.kind(id) != ExprKind::kMatch) continue;
      for (const MatchClause& clause : function.match(id).clauses) {
        for (uint32_t i = clause.first_operand; i < clause.rhs; ++i) result[function.operand(id, i)] = true;
      }
    }
    return result;
  }
};

}  // namespace

constinit const PassDef kCapturePostDfsIndexInSpansPass = DescribePass<CapturePostDfsIndexInSpans>({
    .name = "CapturePostDfsIndexInSpans",
    .opt_level = 0,
    .summary = "stores the post-order numbers of expressions in their spans",
    .details =
        R"(Gives every expression the span `index:<i>:<d>`, where i is its place in post-order and d that of its
immediate post-dominator, the first expression that every path from it to the result goes through; -1 when there is
none. --print-spans shows spans.

  add(%x, 1f)      =>    add(%x, 1f) /* span=index:3:5 */

Operators, globals and constructors count once each, and so does each step of a let chain. Operators and
constructors as values and variables of patterns keep their spans. Nothing else changes.)",
    .idempotent = true,
});

}  // namespace relayopt
