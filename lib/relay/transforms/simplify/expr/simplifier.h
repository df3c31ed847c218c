// The interface for the rules of SimplifyExpr: a function that is emitted bottom-up, with exact numbers of uses.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/purity.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/post_dominators.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_rules.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

// A call that is about to be emitted; `args` are ids in the new function.
struct CallSite {
  const OpDef* op = nullptr;
  AttrsId attrs;
  std::span<const ExprId> args;
  // The type; invalid if it is not known.
  TypeId type;
};

class Simplifier;

enum SimplifyRuleTraits : uint8_t {
  // Part of SimplifyExprPostAlterOp.
  kForPostAlterOp = 1,
  // Correct only up to rounding for floats.
  kReassociates = 2,
};

// One rule: what a call becomes. It is tried on calls of its root operators whose arguments are simplified already.
struct SimplifyRule {
  // The name that switches it off.
  std::string_view name;
  // `before => after`, for help.
  std::string_view doc;
  // The operators of the call; none: every binary operator that broadcasts.
  std::array<const OpDef*, 4> roots;
  // Returns the replacement of the call, or an invalid id when the rule does not apply. Must not emit anything before
  // it has called Simplifier::Commit.
  auto(*apply)(Simplifier& to, const CallSite& call) -> ExprId;
  // Flags of SimplifyRuleTraits.
  uint8_t traits = 0;

  constexpr auto Is(SimplifyRuleTraits trait) const -> bool { return (traits & trait) != 0; }
};

// The rules of one run, in the order in which they are tried, with the number of times that each was applied.
class RuleSet {
 public:
  // `strict_fp`: floats keep every bit.
  RuleSet(std::vector<const SimplifyRule*> rules, bool strict_fp);

  auto rules() const -> std::span<const SimplifyRule* const> { return rules_; }
  auto strict_fp() const -> bool { return strict_fp_; }
  // Bit i: rule i has this root.
  auto RulesOf(const OpDef* op) const -> uint32_t;
  // Counts the application of a rule to a call at this position.
  void Count(size_t rule, SourceRange range) {
    ++counts_[rule];
    if (places_ != nullptr) places_->emplace_back(rule, range);
  }
  // Remembers where rules are applied from now on.
  void RecordPlaces(std::vector<std::pair<size_t, SourceRange>>& places) { places_ = &places; }
  auto count(size_t rule) const -> uint64_t { return counts_[rule]; }

 private:
  std::vector<const SimplifyRule*> rules_;
  bool strict_fp_;
  std::vector<uint64_t> counts_;
  std::vector<std::pair<size_t, SourceRange>>* places_ = nullptr;
  OpRules<uint32_t> masks_;
  uint32_t broadcast_mask_ = 0;
};

// One pass over a function. An expression is simplified when it is emitted, so that its users see it in its final form.
class Simplifier {
 public:
  // `purity` knows which calls of functions have effects; without it all of them are taken to have some.
  Simplifier(const Function& function, RuleSet& rules, const SideTable<ExprId, Purity>* purity);

  // Returns the simplified function, or nothing if no rule applied.
  auto Run() -> std::optional<Function>;
  // Whether a rule did not apply only because something else used an intermediate result. That user may be gone by now.
  auto blocked() const -> bool { return blocked_; }

  // For rules.
  auto context() const -> Context& { return function_.context(); }
  auto made() const -> const Function& { return to_.function(); }
  auto type(ExprId id) const -> TypeId { return made().type(id); }
  // Returns the type as a tensor, or null.
  auto TensorType(TypeId type) const -> const Type* { return relayopt::TensorType(context(), type); }
  auto TensorTypeOf(ExprId id) const -> const Type* { return TensorType(type(id)); }
  auto IsCallOf(ExprId id, const OpDef* op) const -> bool {
    return made().kind(id) == ExprKind::kOpCall && made().op(id) == op;
  }
  // Whether floats of this type must keep every bit.
  auto IsStrict(const Type* type) const -> bool {
    return rules_.strict_fp() && type != nullptr && type->dtype.is_float();
  }
  auto IsConstant(ExprId id) const -> bool { return made().kind(id) == ExprKind::kConstant; }
  template <typename A>
  auto AttrsOf(ExprId id) const -> const A* {
    return context().As<A>(made().attrs(id));
  }
  // Whether only the call that is being simplified uses `id`, so that it may be dropped; or whether all other uses of
  // it flow into the call.
  auto IsInner(ExprId id) -> bool {
    if (uses_[id.value()] == 1 || FlowsIntoCall(id)) return true;
    blocked_ = true;
    return false;
  }
  // Whether `id` has this many users, all of which the rule takes apart.
  auto IsUsedTimes(ExprId id, uint32_t users) -> bool {
    if (uses_[id.value()] == users) return true;
    blocked_ = true;
    return false;
  }
  // Whether a call may give up these operands (invalid ones do not count) without a visible change: they have no
  // effects, or what has effects in them keeps users in the scope in which it is evaluated now.
  auto MayDrop(std::initializer_list<ExprId> operands) -> bool;

  // Must be called when the rule applies: the call gives up its arguments, and `inner`, which only it used, is taken
  // apart. `inner` goes from users to operands.
  void Commit(const CallSite& call, std::span<const ExprId> inner = {});
  void Commit(const CallSite& call, std::initializer_list<ExprId> inner) {
    Commit(call, std::span(inner.begin(), inner.size()));
  }
  // Emits the call as it is, for inspection; this is not a use.
  auto EmitScratch(const CallSite& call) -> ExprId;
  // Emits a call, simplified. Without `attrs` an operator that has attributes gets their defaults.
  auto Emit(const OpDef* op, std::initializer_list<ExprId> args, AttrsId attrs = {}) -> ExprId;
  template <typename A>
  auto EmitWith(const OpDef* op, const A& attrs, std::initializer_list<ExprId> args) -> ExprId {
    return Emit(op, args, context().InternAttrs(attrs));
  }
  // Gives a new call the span of the one that it stands for.
  void StandFor(ExprId call, ExprId before) {
    if (!made().span(call)) to_.SetSpan(call, made().span(before));
  }
  // `value` rounded to `dtype`, which must have scalars.
  auto Scalar(DataType dtype, double value) -> ExprId;
  auto Constant(class Constant constant) -> ExprId;

 private:
  using Args = absl::InlinedVector<ExprId, 4>;

  void CountOldUsers();
  void BarPartitions();
  void FindAnchored();
  auto FlowsIntoCall(ExprId id) -> bool;
  auto Visit(ExprId id) -> ExprId;
  auto Simplify(const CallSite& call) -> ExprId;
  // Records the properties of a new node.
  void Note(ExprId made, bool has_effect);
  auto HasEffect(ExprId old) -> bool;
  void Release(ExprId id);
  void RemoveDead();

  const Function& function_;
  RuleSet& rules_;
  const SideTable<ExprId, Purity>* purity_;
  Rebuild rebuild_;
  FunctionBuilder& to_;
  // The number of other nodes that use an old node.
  SideTable<ExprId, uint32_t> old_users_;
  // The last user of an old node.
  SideTable<ExprId, ExprId> last_user_;
  // Computed on demand.
  std::optional<PostDominators> dominators_;
  // The old call that is being simplified; none inside of rules that emit calls.
  ExprId current_;
  // The old call that is simplified, also while its parts are emitted.
  ExprId visited_;
  // Old nodes inside functions that a pattern made.
  SideTable<ExprId, bool> barred_;
  // The number of other nodes that use a new node, including those that are still to be emitted.
  std::vector<uint32_t> uses_;
  std::vector<bool> has_effect_;
  // The old expression of which a new one with effects is a copy; ends with the last such expression.
  std::vector<ExprId> origins_;
  // Old expressions all of whose users evaluate them in the scope that they belong to. Computed on demand.
  SideTable<ExprId, bool> anchored_;
  std::vector<bool> dead_;
  // New nodes that lost a user.
  std::vector<ExprId> released_;
  bool changed_ = false;
  bool blocked_ = false;
};

// reshape of `data` to a static shape.
auto EmitReshape(Simplifier& to, ExprId data, const DimList& shape) -> ExprId;

// Whether scalars of this type can be made.
auto HasScalars(DataType dtype) -> bool;

}  // namespace relayopt
