// Finds function literals and the variables they capture.
#include "closure_analysis.h"

#include <algorithm>

#include "lib/relay/transforms/type_var_collector.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/support/depth_first.h"

namespace relayopt {

namespace {

auto IsGeneric(const Function& function, ExprId id) -> bool {
  return function.kind(id) == ExprKind::kFunction && !function.info(id).type_params.empty();
}

// Returns the expressions that have uses other than being called.
auto ValuesOf(const Function& function) -> absl::flat_hash_set<ExprId> {
  absl::flat_hash_set<ExprId> values;
  for (const ExprId id : function.ids_to_root()) {
    const auto operands = function.operands(id);
    values.insert(operands.begin() + (function.kind(id) == ExprKind::kCall ? 1 : 0), operands.end());
  }
  return values;
}

// Adds the variables that an expression binds itself: parameters, let variables, variables of patterns.
void AddBoundVars(const Function& function, ExprId id, absl::flat_hash_set<ExprId>& bound) {
  const auto operands = function.operands(id);
  switch (function.kind(id)) {
    case ExprKind::kFunction: bound.insert(operands.begin(), operands.end() - 1); return;
    case ExprKind::kLet:
      for (size_t i = 0; i < function.let_size(id); ++i) bound.insert(function.let_var(id, i));
      return;
    case ExprKind::kMatch:
      for (const MatchClause& clause : function.match(id).clauses) {
        bound.insert(operands.begin() + clause.first_operand, operands.begin() + clause.rhs);
      }
      return;
    default: return;
  }
}

}  // namespace

ClosureAnalysis::ClosureAnalysis(const Function& function)
    : function_(function), lets_(function), closures_(function.size()) {
  FindLiterals();
  for (const ExprId literal : literals_) FindCaptures(literal);
  for (auto i = literals_.rbegin(); i != literals_.rend(); ++i) DropSelfCaptures(*i);
}

void ClosureAnalysis::FindLiterals() {
  for (const ExprId id : function_.ids_below_root()) {
    if (function_.kind(id) == ExprKind::kFunction) literals_.push_back(id);
  }
  if (literals_.empty()) return;
  scopes_ = ComputeScopes(function_);
  std::vector<bool> in_kernel(scopes_.scopes.size());
  for (size_t i = 1; i < in_kernel.size(); ++i) {
    const Scope& scope = scopes_.scopes[i];
    in_kernel[i] =
        in_kernel[scope.parent.value()] || (scope.owner != function_.root() && IsPrimitive(function_, scope.owner));
  }
  std::erase_if(literals_, [&](ExprId id) {
    return !scopes_.of[id] || IsPrimitive(function_, id) || in_kernel[scopes_.of[id].value()];
  });
  DropNestedGenerics();
  is_literal_.insert(literals_.begin(), literals_.end());
}

// A generic literal that mentions type parameters of functions around it would, as a global function, have those beside
// its own; a value of such a type does not fit where its own are expected.
void ClosureAnalysis::DropNestedGenerics() {
  if (std::ranges::none_of(literals_, [&](ExprId id) { return IsGeneric(function_, id); })) return;
  const absl::flat_hash_set<ExprId> values = ValuesOf(function_);
  std::erase_if(literals_, [&](ExprId id) {
    return IsGeneric(function_, id) && values.contains(id) && MentionsOuterTypeVars(id);
  });
}

auto ClosureAnalysis::MentionsOuterTypeVars(ExprId literal) const -> bool {
  TypeVarCollector vars(function_.context());
  std::vector<ExprId> inside = Region(literal);
  inside.push_back(literal);
  for (const ExprId id : inside) {
    if (function_.kind(id) == ExprKind::kFunction) vars.Bind(function_.info(id).type_params);
  }
  for (const ExprId id : inside) {
    if (function_.kind(id) == ExprKind::kVar) vars.Add(function_.var(id).annotation);
    if (function_.kind(id) == ExprKind::kFunction) vars.Add(function_.info(id).result);
  }
  return !vars.found().empty();
}

auto ClosureAnalysis::Region(ExprId literal) const -> std::vector<ExprId> {
  std::vector<ExprId> order;
  absl::flat_hash_set<ExprId> seen;
  WalkDepthFirst(
      literal, [&](ExprId id) { return seen.insert(id).second; },
      // Literals inside have regions of their own.
      [&](ExprId id) { return id != literal && IsLiteral(id) ? size_t{0} : function_.operands(id).size(); },
      [&](ExprId id, size_t i) { return function_.operand(id, i); },
      [&](ExprId id) {
        if (id != literal) order.push_back(id);
      });
  return order;
}

// The variables that a literal takes from outside; its own let variable is kept apart.
void ClosureAnalysis::FindCaptures(ExprId literal) {
  const std::vector<ExprId> region = Region(literal);
  absl::flat_hash_set<ExprId> bound = BoundVars(literal, region);
  Closure& result = closures_[literal];
  const auto mention = [&](ExprId var) {
    if (!bound.insert(var).second) return;
    if (lets_.ValueOf(var) == literal)
      result.self = var;
    else
      result.captures.push_back(var);
  };
  for (const ExprId id : region) {
    if (function_.kind(id) == ExprKind::kVar) mention(id);
    if (IsLiteral(id)) std::ranges::for_each(closures_[id].captures, mention);
  }
}

auto ClosureAnalysis::BoundVars(ExprId literal, const std::vector<ExprId>& region) const
    -> absl::flat_hash_set<ExprId> {
  absl::flat_hash_set<ExprId> bound;
  AddBoundVars(function_, literal, bound);
  for (const ExprId id : region) {
    if (!IsLiteral(id)) AddBoundVars(function_, id, bound);
  }
  return bound;
}

// A recursive literal without captures need not capture its own variable: inside, its global function is used instead.
// Outer literals come first.
void ClosureAnalysis::DropSelfCaptures(ExprId literal) {
  std::erase_if(closures_[literal].captures, [&](ExprId var) {
    const auto outer = EnclosingGlobal(var, literal);
    if (!outer) return false;
    closures_[*outer].is_known_inside = true;
    return true;
  });
}

auto ClosureAnalysis::EnclosingGlobal(ExprId var, ExprId literal) const -> std::optional<ExprId> {
  const ExprId value = lets_.ValueOf(var);
  if (!value || !IsLiteral(value) || !closures_[value].captures.empty()) return std::nullopt;
  if (!scopes_.IsInside(scopes_.of[literal], scopes_.first[value])) return std::nullopt;
  return value;
}

}  // namespace relayopt
