// A depth-first walk that treats a group as a single node.
#include "parallel_order.h"

namespace relayopt {

ParallelOrder::ParallelOrder(const Function& function, std::span<const ParallelGroup> groups)
    : function_(function),
      groups_(groups),
      scopes_(ComputeScopes(function)),
      needs_(function.size()),
      value_(function.size()),
      group_of_(function.size(), kNoGroup),
      inputs_(groups.size()),
      state_(function.size(), State::kNew),
      is_made_(function.size()) {
  FindNeeds();
  for (uint32_t i = 0; i < groups.size(); ++i) {
    if (IsWellScoped(groups[i])) Adopt(i);
  }
}

void ParallelOrder::FindNeeds() {
  const auto bind = [this](ExprId user, size_t i) {
    needs_[function_.operand(user, i)] = UseScope(function_, scopes_, user, i);
  };
  for (const ExprId id : function_.ids()) {
    if (!scopes_.of[id]) continue;
    switch (function_.kind(id)) {
      case ExprKind::kFunction:
        for (size_t i = 0; i < function_.params(id).size(); ++i) bind(id, i);
        break;
      case ExprKind::kLet:
        for (size_t i = 0; i < function_.let_size(id); ++i) {
          bind(id, 2 * i);
          value_[function_.let_var(id, i)] = function_.let_value(id, i);
        }
        break;
      case ExprKind::kMatch:
        for (const MatchClause& clause : function_.match(id).clauses) {
          for (uint32_t i = clause.first_operand; i < clause.rhs; ++i) bind(id, i);
        }
        break;
      default: break;
    }
  }
  for (const ExprId id : function_.ids()) {
    if (scopes_.of[id] && function_.kind(id) != ExprKind::kVar) needs_[id] = NeedOf(id);
  }
}

auto ParallelOrder::NeedOf(ExprId id) const -> ScopeId {
  ScopeId need(0U);
  for (const ExprId operand : function_.operands(id)) {
    if (needs_[operand] && scopes_[needs_[operand]].depth > scopes_[need].depth) need = needs_[operand];
  }
  // A value that the expression binds itself is not needed before it; it is then only known where the expression may be
  // placed.
  return scopes_[need].depth > scopes_[scopes_.of[id]].depth ? scopes_.of[id] : need;
}

auto ParallelOrder::IsWellScoped(const ParallelGroup& group) const -> bool {
  ScopeId place;
  for (const auto& branch : group.branches) place = scopes_.CommonAncestor(place, scopes_.of[branch.back()]);
  for (const auto& branch : group.branches) {
    for (size_t level = 0; level < branch.size(); ++level) {
      for (const ExprId arg : function_.operands(branch[level])) {
        const bool is_link = level != 0 && arg == branch[level - 1];
        if (!is_link && !scopes_.IsInside(place, needs_[arg])) return false;
      }
    }
  }
  return true;
}

void ParallelOrder::Adopt(uint32_t index) {
  for (const auto& branch : groups_[index].branches) {
    group_of_[branch.back()] = index;
    for (size_t level = 0; level < branch.size(); ++level) {
      for (const ExprId arg : function_.operands(branch[level])) {
        if (level == 0 || arg != branch[level - 1]) inputs_[index].push_back(arg);
      }
    }
  }
}

void ParallelOrder::GiveUp(uint32_t index) {
  for (const auto& branch : groups_[index].branches) group_of_[branch.back()] = kNoGroup;
}

// The first result of a group represents the group, and the other results wait for it. Variables wait for their values,
// although nothing has to exist when they are emitted, because a group must not need a variable that holds one of its
// own results.
auto ParallelOrder::NumOperands(ExprId id) const -> size_t {
  if (group_of_[id] != kNoGroup) {
    const bool first = groups_[group_of_[id]].branches[0].back() == id;
    return first ? inputs_[group_of_[id]].size() : 1;
  }
  return value_[id] ? 1 : function_.operands(id).size();
}

auto ParallelOrder::Operand(ExprId id, size_t i) const -> ExprId {
  if (group_of_[id] != kNoGroup) {
    const ExprId first = groups_[group_of_[id]].branches[0].back();
    return first == id ? inputs_[group_of_[id]][i] : first;
  }
  return value_[id] ? value_[id] : function_.operand(id, i);
}

// Called when `id` is open and was reached again: gives up the groups on the cycle, if any. Without groups the cycle is
// that of a recursive closure, which needs its variable only.
void ParallelOrder::BreakCycle(ExprId id) {
  size_t first = stack_.size() - 1;
  while (stack_[first].id != id) --first;
  // Another result of the same group may wait for it.
  const bool is_result = group_of_[id] != kNoGroup;
  if (is_result && first != 0 && group_of_[stack_[first - 1].id] == group_of_[id]) --first;
  size_t lowest = stack_.size();
  for (size_t i = stack_.size(); i-- > first;) {
    if (group_of_[stack_[i].id] != kNoGroup) lowest = i;
  }
  if (lowest == stack_.size()) return;
  for (size_t i = first; i < stack_.size(); ++i) {
    if (const uint32_t group = group_of_[stack_[i].id]; group != kNoGroup) GiveUp(group);
  }
  for (size_t i = lowest; i < stack_.size(); ++i) state_[stack_[i].id] = State::kNew;
  const ExprId again = stack_[lowest].id;
  stack_.resize(lowest);
  state_[again] = State::kOpen;
  stack_.push_back({again, 0});
}

void ParallelOrder::Run(const std::function<void(ExprId, const ParallelGroup*)>& emit) {
  const auto open = [&](ExprId id) {
    state_[id] = State::kOpen;
    stack_.push_back({id, 0});
    if (function_.kind(id) != ExprKind::kVar || is_made_[id]) return;
    is_made_[id] = true;
    emit(id, nullptr);
  };
  open(function_.root());
  while (!stack_.empty()) {
    const ExprId id = stack_.back().id;
    if (stack_.back().next < NumOperands(id)) {
      const ExprId operand = Operand(id, stack_.back().next++);
      if (state_[operand] == State::kNew)
        open(operand);
      else if (state_[operand] == State::kOpen)
        BreakCycle(operand);
      continue;
    }
    state_[id] = State::kDone;
    stack_.pop_back();
    if (is_made_[id]) continue;
    if (group_of_[id] == kNoGroup) {
      is_made_[id] = true;
      emit(id, nullptr);
      continue;
    }
    const ParallelGroup& group = groups_[group_of_[id]];
    for (const auto& branch : group.branches) is_made_[branch.back()] = true;
    emit({}, &group);
  }
}

}  // namespace relayopt
