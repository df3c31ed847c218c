// Computes how a function is evaluated.
#include "function_plan.h"

namespace relayopt {

FunctionPlan::FunctionPlan(FunctionRef of)
    : owner(std::move(of)),
      function(*owner),
      scopes(ComputeScopes(function)),
      lambda(function.size()),
      slot(function.size()),
      first_operand(function.size()),
      lets(function),
      home(function.size()),
      source(function.size()) {
  PlaceSteps();
  PlaceOperands();
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
    home[id] = lambda_of_scope[scopes.of[id].value()];
    slot[id] = lambdas[home[id]].num_slots++;
  }
  for (size_t i = 1; i < count.size(); ++i) count[i] += count[i - 1];
  first_step = count;
  steps.resize(count.back());
  for (const ExprId id : function.ids()) {
    if (scopes.of[id]) steps[count[scopes.of[id].value()]++] = id;
  }
}

void FunctionPlan::PlaceOperands() {
  for (const ExprId id : function.ids()) {
    first_operand[id] = static_cast<uint32_t>(operand_slots.size());
    if (!scopes.of[id]) continue;
    // The operands of a function are read by its own frames.
    const uint32_t reader = function.kind(id) == ExprKind::kFunction ? lambda[id] : home[id];
    for (const ExprId operand : function.operands(id)) operand_slots.push_back(SlotIn(reader, SourceOf(operand)));
  }
}

auto FunctionPlan::SlotIn(uint32_t reader, ExprId id) -> uint32_t {
  if (home[id] == reader) return slot[id];
  // Every lambda between the one that reads the value and the one that computes it captures it.
  const auto [known, is_new] = captured.try_emplace({reader, id}, lambdas[reader].num_slots);
  const uint32_t result = known->second;
  if (!is_new) return result;
  ++lambdas[reader].num_slots;
  uint32_t inner = reader;
  uint32_t inner_slot = result;
  while (true) {
    LambdaPlan& plan = lambdas[inner];
    const uint32_t outer = plan.parent;
    Capture capture = {.value = id, .inner_slot = inner_slot, .is_self = plan.function == id};
    if (home[id] == outer) {
      capture.outer_slot = slot[id];
      plan.captures.push_back(capture);
      return result;
    }
    const auto [above, fresh] = captured.try_emplace({outer, id}, lambdas[outer].num_slots);
    capture.outer_slot = above->second;
    plan.captures.push_back(capture);
    if (!fresh) return result;
    ++lambdas[outer].num_slots;
    inner = outer;
    inner_slot = above->second;
  }
}

auto FunctionPlan::SourceOf(ExprId id) -> ExprId {
  if (function.kind(id) != ExprKind::kVar || lets.empty()) return id;
  ExprId end = id;
  while (function.kind(end) == ExprKind::kVar && lets.ValueOf(end)) {
    end = source[end] ? source[end] : lets.ValueOf(end);
    // A variable bound to itself, which the verifier refuses.
    if (end == id) return id;
  }
  // Chains of variables are walked once.
  while (id != end) {
    const ExprId next = source[id] ? source[id] : lets.ValueOf(id);
    source[id] = end;
    id = next;
  }
  return end;
}

}  // namespace relayopt
