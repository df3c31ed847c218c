// One scan finds the region of each expression, the values of variables of let chains, and the used expressions; a
// second one, which needs the bindings, finds functions that call themselves.
#include "regions.h"

namespace relayopt::onnx::out {

Regions::Regions(const Function& function, GlobalId self)
    : function_(function),
      scopes_(ComputeScopes(function)),
      around_(scopes_.scopes.size()),
      regions_(scopes_.scopes.size()),
      let_values_(function.size()),
      is_used_(function.size()),
      self_calls_(function.size()) {
  FindRegions();
  for (const ExprId id : function_.ids()) {
    if (function_.kind(id) == ExprKind::kLet) {
      for (size_t i = 0; i < function_.let_size(id); ++i) {
        // A variable that is bound to the one before it has the value of that one.
        let_values_[function_.let_var(id, i)] = Resolved(function_.let_value(id, i));
      }
    }
    const bool is_late_field = function_.kind(id) == ExprKind::kTupleGetItem && function_.index(id) >= 3;
    for (const ExprId operand : function_.operands(id)) is_used_[operand] = is_used_[operand] || !is_late_field;
    const ScopeId scope = scopes_.of[id];
    if (scope.has_value()) regions_[around_[scope.value()].value()].push_back(id);
  }
  FindSelfCalls(self);
}

// A scope comes after the one that it is in.
void Regions::FindRegions() {
  for (uint32_t i = 0; i < around_.size(); ++i) {
    const ScopeId scope(i);
    const bool is_region = i == 0 || function_.kind(scopes_[scope].owner) == ExprKind::kFunction ||
                           function_.kind(scopes_[scope].owner) == ExprKind::kIf;
    around_[i] = is_region ? scope : around_[scopes_[scope].parent.value()];
  }
}

void Regions::FindSelfCalls(GlobalId self) {
  for (const ExprId id : function_.ids()) {
    if (function_.kind(id) != ExprKind::kCall || !scopes_.of[id].has_value()) continue;
    const ExprId target = Resolved(function_.operand(id, 0));
    const bool is_own = function_.kind(target) == ExprKind::kGlobal && function_.global(target) == self;
    const ExprId callee = is_own ? function_.root() : target;
    if (function_.kind(callee) != ExprKind::kFunction) continue;
    if (scopes_.IsInside(scopes_.of[id], scopes_.first[callee])) self_calls_[callee] = id;
  }
}

auto Regions::Resolved(ExprId id) const -> ExprId {
  while (true) {
    if (function_.kind(id) == ExprKind::kVar && let_values_[id].has_value()) {
      id = let_values_[id];
    } else if (function_.kind(id) == ExprKind::kLet) {
      id = function_.let_result(id);
    } else {
      return id;
    }
  }
}

}  // namespace relayopt::onnx::out
