// The engine of SimplifyExpr: emits a function bottom-up and tries the rules on every call.
//
// Operands are final before their users are emitted, and what a rule emits is simplified in turn (Emit calls Simplify),
// so that a chain of any length collapses in one walk. No rule undoes what another one does, so this terminates.
//
// A rule that takes an intermediate result apart must know whether something else uses it. `uses_` counts the users of
// every new expression as far as they are emitted, plus the old ones that are still to come: Release and RemoveDead
// give up the operands of what is no longer used. A rule that did not apply because of another user sets blocked(); as
// that user may vanish later, the pass then runs again.
//
//   %0 = reshape(%x, [16]); reshape(%0, [4, 4])    root reshape: SimplifyReshape emits reshape(%x, [4, 4]), releases %0
//   %0 = add(%x, 1f); add(%0, 2f)                  SimplifyAdjacentMultiplyOrAdd emits add(%x, 3f), unless %0 has
//                                                  another user
#include <algorithm>
#include <bit>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/ops/type_rule.h"
#include "simplifier.h"

namespace relayopt {

namespace {

// Calls `act` with each operand, once with those that are there several times. Few operands need no table.
template <typename Act>
void ForEachOnce(std::span<const ExprId> operands, const Act& act) {
  constexpr size_t kFew = 16;
  absl::flat_hash_set<ExprId> seen;
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto before = operands.first(i);
    const bool is_first = operands.size() > kFew ? seen.insert(operands[i]).second
                                                 : std::ranges::find(before, operands[i]) == before.end();
    if (is_first) act(operands[i]);
  }
}

}  // namespace

RuleSet::RuleSet(std::vector<const SimplifyRule*> rules, bool strict_fp)
    : rules_(std::move(rules)), strict_fp_(strict_fp), counts_(rules_.size()) {
  for (size_t i = 0; i < rules_.size(); ++i) {
    const uint32_t bit = uint32_t{1} << i;
    if (rules_[i]->roots[0] == nullptr) broadcast_mask_ |= bit;
    for (const OpDef* op : rules_[i]->roots) {
      if (op == nullptr) continue;
      const uint32_t* others = masks_.Find(op);
      masks_.Add(op, others == nullptr ? bit : *others | bit);
    }
  }
}

auto RuleSet::RulesOf(const OpDef* op) const -> uint32_t {
  const uint32_t* found = masks_.Find(op);
  const uint32_t mask = found == nullptr ? 0 : *found;
  return op->fusion == Fusion::kBroadcast && Arity(*op) == 2 ? mask | broadcast_mask_ : mask;
}

auto HasScalars(DataType dtype) -> bool {
  if (dtype.lanes != 1) return false;
  if (dtype.is_int() || dtype.is_uint()) return dtype.bits == 1 || (dtype.bits >= 8 && dtype.bits <= 64);
  return dtype.code == TypeCode::kFloat ? dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64
                                        : dtype == DataType::BFloat(16);
}

Simplifier::Simplifier(const Function& function, RuleSet& rules, const SideTable<ExprId, Purity>* purity)
    : function_(function),
      rules_(rules),
      purity_(purity),
      rebuild_(function),
      to_(rebuild_.to()),
      old_users_(function.size()),
      last_user_(function.size()) {
  uses_.reserve(function.size());
  has_effect_.reserve(function.size());
  dead_.reserve(function.size());
}

auto Simplifier::Run() -> std::optional<Function> {
  CountOldUsers();
  BarPartitions();
  rebuild_.ForEach([this](ExprId id) {
    const ExprId made = Visit(id);
    uses_[made.value()] += old_users_[id];
    RemoveDead();
    return made;
  });
  if (!changed_) return std::nullopt;
  return rebuild_.Finish();
}

void Simplifier::CountOldUsers() {
  for (const ExprId id : function_.ids()) {
    for (const ExprId operand : function_.operands(id)) {
      if (last_user_[operand] == id) continue;
      last_user_[operand] = id;
      ++old_users_[operand];
    }
  }
}

auto Simplifier::FlowsIntoCall(ExprId id) -> bool {
  if (!current_) return false;
  for (const ExprId old : function_.operands(current_)) {
    // A user after the call does not flow into it.
    if (rebuild_.New(old) != id || uses_[id.value()] != old_users_[old] || last_user_[old] != current_) continue;
    if (!dominators_) dominators_.emplace(function_);
    return std::ranges::all_of(dominators_->users(old),
                               [this](ExprId user) { return dominators_->Dominates(current_, user); });
  }
  return false;
}

// Expressions that a pattern has partitioned are not simplified.
void Simplifier::BarPartitions() {
  for (const ExprId id : function_.ids().reversed()) {
    const bool is_partition = IsPartition(function_, id);
    if (is_partition && barred_.empty()) barred_.resize(function_.size());
    if (!is_partition && (barred_.empty() || !barred_[id])) continue;
    for (const ExprId operand : function_.operands(id)) barred_[operand] = true;
  }
}

auto Simplifier::Visit(ExprId id) -> ExprId {
  if (function_.kind(id) == ExprKind::kOpCall && (barred_.empty() || !barred_[id])) {
    const OpDef* op = function_.op(id);
    if (rules_.RulesOf(op) != 0) {
      const auto old_args = function_.operands(id);
      Args args;
      for (size_t i = 0; i < old_args.size(); ++i) {
        const ExprId arg = rebuild_.New(old_args[i]);
        const auto same = std::find(args.begin(), args.end(), arg);
        // Two arguments became one expression, which counts this user once.
        if (same != args.end() && old_args[static_cast<size_t>(same - args.begin())] != old_args[i]) {
          --uses_[arg.value()];
        }
        args.push_back(arg);
      }
      current_ = id;
      visited_ = id;
      const ExprId simple = Simplify({op, function_.attrs(id), args, function_.type(id)});
      current_ = {};
      if (simple) {
        if (made().kind(simple) == ExprKind::kOpCall && !made().span(simple)) to_.SetSpan(simple, function_.span(id));
        return simple;
      }
    }
  }
  const ExprId made = rebuild_.Copy(id);
  Note(made, HasEffect(id));
  if (has_effect_[made.value()]) {
    origins_.resize(made.value() + 1);
    origins_[made.value()] = id;
  }
  return made;
}

auto Simplifier::Simplify(const CallSite& call) -> ExprId {
  for (uint32_t mask = rules_.RulesOf(call.op); mask != 0; mask &= mask - 1) {
    const auto rule = static_cast<size_t>(std::countr_zero(mask));
    if (rules_.rules()[rule]->Is(kReassociates) && IsStrict(TensorTypeOf(call.args[0]))) continue;
    const ExprId simple = rules_.rules()[rule]->apply(*this, call);
    if (!simple) continue;
    rules_.Count(rule, function_.range(visited_));
    changed_ = true;
    if (!type(simple)) to_.SetType(simple, call.type);
    return simple;
  }
  return {};
}

void Simplifier::Note(ExprId made, bool has_effect) {
  RELAYOPT_DCHECK(made.value() == uses_.size(), "every new node is noted");
  static_cast<void>(made);
  uses_.push_back(0);
  has_effect_.push_back(has_effect);
  dead_.push_back(false);
}

auto Simplifier::HasEffect(ExprId old) -> bool {
  switch (function_.kind(old)) {
    case ExprKind::kFunction: return false;
    case ExprKind::kCall:
      if (purity_ == nullptr || !(*purity_)[old].eval) return true;
      break;
    case ExprKind::kRefRead:
    case ExprKind::kRefWrite: return true;
    case ExprKind::kOpCall:
      if (function_.op(old)->stateful) return true;
      break;
    default: break;
  }
  return std::ranges::any_of(function_.operands(old),
                             [this](ExprId operand) { return has_effect_[rebuild_.New(operand).value()]; });
}

void Simplifier::FindAnchored() {
  const Scopes scopes = ComputeScopes(function_);
  anchored_.resize(function_.size());
  for (const ExprId id : function_.ids()) anchored_[id] = true;
  for (const ExprId user : function_.ids()) {
    if (!scopes.of[user]) continue;
    const auto operands = function_.operands(user);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (UseScope(function_, scopes, user, i) != scopes.of[operands[i]]) anchored_[operands[i]] = false;
    }
  }
}

// Follows what becomes unused when the operands lose one user each, down to expressions without effects and to those
// that keep another user and their scope.
//
//   %1 = nn.dropout(%x).0; multiply(%1, ones_like(%1))    ones_like(%1) goes; the product becomes %1, which stays
auto Simplifier::MayDrop(std::initializer_list<ExprId> operands) -> bool {
  // More expressions than this are never followed, so that chains of calls cost a linear amount of work.
  constexpr size_t kMostUnused = 64;
  absl::flat_hash_map<ExprId, uint32_t> lost;
  std::vector<ExprId> pending(operands);
  size_t unused = 0;
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (!id || !has_effect_[id.value()]) continue;
    if (uses_[id.value()] > ++lost[id]) {
      const ExprId origin = id.value() < origins_.size() ? origins_[id.value()] : ExprId();
      if (anchored_.empty()) FindAnchored();
      if (!origin || !anchored_[origin]) return false;
      continue;
    }
    if (uses_[id.value()] < lost[id] || ++unused > kMostUnused) return false;
    const ExprKind kind = made().kind(id);
    const bool is_passive = kind == ExprKind::kTuple || kind == ExprKind::kTupleGetItem ||
                            (kind == ExprKind::kOpCall && !made().op(id)->stateful);
    if (!is_passive) return false;
    ForEachOnce(made().operands(id), [&](ExprId part) { pending.push_back(part); });
  }
  return true;
}

void Simplifier::Release(ExprId id) {
  --uses_[id.value()];
  released_.push_back(id);
}

// A node without users releases its operands.
void Simplifier::RemoveDead() {
  while (!released_.empty()) {
    const ExprId id = released_.back();
    released_.pop_back();
    if (uses_[id.value()] != 0 || dead_[id.value()]) continue;
    dead_[id.value()] = true;
    ForEachOnce(made().operands(id), [this](ExprId operand) { Release(operand); });
  }
}

void Simplifier::Commit(const CallSite& call, std::span<const ExprId> inner) {
  ForEachOnce(call.args, [this](ExprId arg) { Release(arg); });
  for (const ExprId id : inner) {
    if (dead_[id.value()] || uses_[id.value()] != 0) continue;
    dead_[id.value()] = true;
    ForEachOnce(made().operands(id), [this](ExprId operand) { Release(operand); });
  }
}

auto Simplifier::EmitScratch(const CallSite& call) -> ExprId {
  const ExprId made = to_.OpCall(InternOpInstance(context(), {call.op, call.attrs}), call.args);
  to_.SetType(made, call.type);
  Note(made, false);
  dead_[made.value()] = true;
  return made;
}

auto Simplifier::Emit(const OpDef* op, std::initializer_list<ExprId> list, AttrsId attrs) -> ExprId {
  const Args args(list.begin(), list.end());
  if (!attrs && op->attrs != nullptr && !op->attrs_undeclared) attrs = context().DefaultAttrs(*op->attrs);
  absl::InlinedVector<TypeId, 4> inputs;
  bool has_effect = op->stateful;
  for (const ExprId arg : args) {
    inputs.push_back(type(arg));
    has_effect = has_effect || has_effect_[arg.value()];
  }
  ForEachOnce(args, [this](ExprId arg) { ++uses_[arg.value()]; });
  const TypeId result = TypeOfCall(context(), *op, attrs, inputs);
  const CallSite call{op, attrs, args, result};
  const ExprId outer = std::exchange(current_, ExprId());
  const ExprId simple = Simplify(call);
  current_ = outer;
  if (simple) return simple;
  const ExprId made = to_.OpCall(InternOpInstance(context(), {op, attrs}), args);
  to_.SetType(made, result);
  Note(made, has_effect);
  return made;
}

auto Simplifier::Scalar(DataType dtype, double value) -> ExprId {
  const ExprId scalar = EmitScalar(to_, dtype, value);
  Note(scalar, false);
  return scalar;
}

auto Simplifier::Constant(class Constant constant) -> ExprId {
  std::vector<Dim> shape(constant.shape().begin(), constant.shape().end());
  const TypeId type = context().Tensor(shape, constant.dtype());
  // Literals of scalars share their constants.
  const ExprId made = to_.Constant(context().AddConstant(std::move(constant)));
  to_.SetType(made, type);
  Note(made, false);
  return made;
}

}  // namespace relayopt
