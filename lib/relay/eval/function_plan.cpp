// Computes how a function is evaluated.
#include "function_plan.h"

namespace relayopt {

FunctionPlan::FunctionPlan(FunctionRef of)
    : owner(std::move(of)),
      function(*owner),
      scopes(ComputeScopes(function)),
      lambda(function.size()),
      slot(function.size()),
      first_operand_(function.size()),
      lets_(function),
      home_(function.size()),
      source_(function.size()) {
  PlaceSteps();
  PlaceOperands();
  FindLastReads();
}

// Outer scopes have smaller ids than inner ones. The loop descends from users to operands, so it sees the lambda of a
// function before anything inside.
void FunctionPlan::PlaceSteps() {
  std::vector<uint32_t> lambda_of_scope(scopes.scopes.size(), 0);
  lambdas.push_back({.function = function.root()});
  for (size_t i = 1; i < scopes.scopes.size(); ++i) {
    const Scope& scope = scopes.scopes[i];
    lambda_of_scope[i] = lambda_of_scope[scope.parent.value()];
    if (function.kind(scope.owner) != ExprKind::kFunction || scope.owner == function.root()) continue;
    lambda[scope.owner] = static_cast<uint32_t>(lambdas.size());
    lambdas.push_back({.function = scope.owner, .parent = lambda_of_scope[i]});
    lambda_of_scope[i] = lambda[scope.owner];
  }
  std::vector<uint32_t> count(scopes.scopes.size() + 1, 0);
  for (const ExprId id : function.ids()) {
    if (!scopes.of[id]) continue;
    ++count[scopes.of[id].value() + 1];
    home_[id] = lambda_of_scope[scopes.of[id].value()];
    slot[id] = lambdas[home_[id]].num_slots++;
  }
  for (size_t i = 1; i < count.size(); ++i) count[i] += count[i - 1];
  first_step_ = count;
  steps_.resize(count.back());
  for (const ExprId id : function.ids()) {
    if (scopes.of[id]) steps_[count[scopes.of[id].value()]++] = id;
  }
}

void FunctionPlan::PlaceOperands() {
  for (const ExprId id : function.ids()) {
    first_operand_[id] = static_cast<uint32_t>(operand_slots_.size());
    if (!scopes.of[id]) continue;
    // The operands of a function are read by its own frames.
    const uint32_t reader = function.kind(id) == ExprKind::kFunction ? lambda[id] : home_[id];
    for (const ExprId operand : function.operands(id)) operand_slots_.push_back(SlotIn(reader, SourceOf(operand)));
  }
}

auto FunctionPlan::SlotIn(uint32_t reader, ExprId id) -> uint32_t {
  if (home_[id] == reader) return slot[id];
  // Every lambda between the reader and the lambda that computes the value captures it.
  const auto [known, is_new] = captured_.try_emplace({reader, id}, lambdas[reader].num_slots);
  const uint32_t result = known->second;
  if (!is_new) return result;
  ++lambdas[reader].num_slots;
  uint32_t inner = reader;
  uint32_t inner_slot = result;
  while (true) {
    LambdaPlan& plan = lambdas[inner];
    const uint32_t outer = plan.parent;
    Capture capture = {.value = id, .inner_slot = inner_slot, .is_self = plan.function == id};
    if (home_[id] == outer) {
      capture.outer_slot = slot[id];
      plan.captures.push_back(capture);
      return result;
    }
    const auto [above, fresh] = captured_.try_emplace({outer, id}, lambdas[outer].num_slots);
    capture.outer_slot = above->second;
    plan.captures.push_back(capture);
    if (!fresh) return result;
    ++lambdas[outer].num_slots;
    inner = outer;
    inner_slot = above->second;
  }
}

// Goes through the scopes in the order of the machine, through all branches one after the other and into functions: the
// read that comes last in this order comes last in every run, since a scope is evaluated at most once in a frame. What
// a closure captures, and what other expressions read when their scopes end, lives as long as the frame.
void FunctionPlan::FindLastReads() {
  // The operand that reads a value last so far, counted from 1.
  SideTable<ExprId, uint32_t> last(function.size());
  SideTable<ExprId, bool> stays(function.size());
  for (const auto& [capture, slot] : captured_) stays[capture.second] = true;
  const auto read = [&](ExprId id) {
    const auto operands = function.operands(id);
    switch (function.kind(id)) {
      case ExprKind::kOpCall:
      case ExprKind::kCall:
      case ExprKind::kTuple:
      case ExprKind::kTupleGetItem:
        for (uint32_t i = 0; i < operands.size(); ++i) last[SourceOf(operands[i])] = first_operand_[id] + i + 1;
        return;
      case ExprKind::kLet:
      case ExprKind::kFunction: stays[SourceOf(operands.back())] = true; return;
      default:
        for (const ExprId operand : operands) stays[SourceOf(operand)] = true;
    }
  };
  struct Region {
    uint32_t scope = 0;
    size_t next = 0;
  };
  std::vector<Region> regions{{}};
  while (!regions.empty()) {
    Region& region = regions.back();
    const auto steps_here = Steps(ScopeId(region.scope));
    if (region.next < steps_here.size()) {
      const ExprId id = steps_here[region.next++];
      read(id);
      if (scopes.first[id]) regions.push_back({scopes.first[id].value()});
    } else if (region.scope + 1 < scopes.scopes.size() &&
               scopes.scopes[region.scope + 1].owner == scopes.scopes[region.scope].owner) {
      region = {region.scope + 1};
    } else {
      regions.pop_back();
    }
  }
  last_reads_.resize(operand_slots_.size());
  for (const ExprId id : function.ids()) {
    if (last[id] != 0 && !stays[id]) last_reads_[last[id] - 1] = true;
  }
}

auto FunctionPlan::SourceOf(ExprId id) -> ExprId {
  if (function.kind(id) != ExprKind::kVar || lets_.empty()) return id;
  ExprId end = id;
  while (function.kind(end) == ExprKind::kVar && lets_.ValueOf(end)) {
    end = source_[end] ? source_[end] : lets_.ValueOf(end);
    // A variable bound to itself, which the verifier refuses.
    if (end == id) return id;
  }
  // Chains of variables are walked once.
  while (id != end) {
    const ExprId next = source_[id] ? source_[id] : lets_.ValueOf(id);
    source_[id] = end;
    id = next;
  }
  return end;
}

}  // namespace relayopt
