// Simple analyses: variables, type variables and called functions.
#include "relayopt/relay/analysis/analysis.h"

#include <fmt/format.h>

#include "absl/container/flat_hash_set.h"
#include "relayopt/module/functions.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

// Calls `visit(id)` for everything below `id`, users before operands.
template <typename Visit>
void WalkBelow(const Function& function, ExprId id, Visit&& visit) {
  SideTable<ExprId, bool> seen(function.size());
  std::vector<ExprId> stack = {id};
  while (!stack.empty()) {
    const ExprId next = stack.back();
    stack.pop_back();
    if (seen[next]) continue;
    seen[next] = true;
    visit(next);
    const auto operands = function.operands(next);
    for (size_t i = operands.size(); i-- > 0;) stack.push_back(operands[i]);
  }
}

// The variables that a node binds.
template <typename Visit>
void ForEachBound(const Function& function, ExprId id, Visit&& visit) {
  switch (function.kind(id)) {
    case ExprKind::kFunction:
      for (const ExprId param : function.params(id)) visit(param);
      return;
    case ExprKind::kLet:
      for (size_t i = 0; i < function.let_size(id); ++i) visit(function.let_var(id, i));
      return;
    case ExprKind::kMatch:
      for (const MatchClause& clause : function.match(id).clauses) {
        for (uint32_t i = clause.first_operand; i < clause.rhs; ++i) visit(function.operand(id, i));
      }
      return;
    default: return;
  }
}

}  // namespace

auto FindVars(const Function& function, ExprId id) -> VarSets {
  VarSets sets;
  SideTable<ExprId, bool> is_bound(function.size());
  WalkBelow(function, id, [&](ExprId node) {
    if (function.kind(node) == ExprKind::kVar) sets.all.push_back(node);
    ForEachBound(function, node, [&](ExprId var) { is_bound[var] = true; });
  });
  for (const ExprId var : sets.all) (is_bound[var] ? sets.bound : sets.free).push_back(var);
  return sets;
}

auto FindTypeVars(const Function& function, ExprId id) -> TypeVarSets {
  const Context& context = function.context();
  TypeVarSets sets;
  absl::flat_hash_set<TypeId> seen;
  absl::flat_hash_set<TypeId> bound;
  std::vector<TypeId> stack;
  const auto walk = [&](TypeId type) {
    stack.push_back(type);
    while (!stack.empty()) {
      const TypeId next = stack.back();
      stack.pop_back();
      if (!next || !seen.insert(next).second) continue;
      const Type& term = context.type(next);
      if (term.kind == TypeKind::kVar) sets.all.push_back(next);
      stack.push_back(term.result);
      for (size_t i = term.args.size(); i-- > 0;) stack.push_back(term.args[i]);
      for (size_t i = term.type_params.size(); i-- > 0;) {
        bound.insert(term.type_params[i]);
        stack.push_back(term.type_params[i]);
      }
    }
  };
  WalkBelow(function, id, [&](ExprId node) {
    if (function.kind(node) == ExprKind::kFunction) {
      for (const TypeId param : function.info(node).type_params) {
        bound.insert(param);
        walk(param);
      }
      walk(function.info(node).result);
    } else if (function.kind(node) == ExprKind::kVar) {
      walk(function.var(node).annotation);
    }
    walk(function.type(node));
  });
  for (const TypeId var : sets.all) (bound.contains(var) ? sets.bound : sets.free).push_back(var);
  return sets;
}

auto CallGraph(const Module& module) -> SideTable<GlobalId, std::vector<GlobalId>> {
  SideTable<GlobalId, std::vector<GlobalId>> graph(module.globals().size());
  for (const auto& [caller, function] : FunctionsOf<Function>(module)) {
    absl::flat_hash_set<GlobalId> seen;
    for (const ExprId id : function.ids()) {
      if (function.kind(id) == ExprKind::kGlobal && seen.insert(function.global(id)).second) {
        graph[caller].push_back(function.global(id));
      }
    }
  }
  return graph;
}

auto CheckKind(const Module& module, TypeId type) -> std::optional<std::string> {
  const Context& context = module.context();
  std::vector<TypeId> stack = {type};
  absl::flat_hash_set<TypeId> seen;
  while (!stack.empty()) {
    const TypeId next = stack.back();
    stack.pop_back();
    if (!next || !seen.insert(next).second) continue;
    const Type& term = context.type(next);
    if (term.kind == TypeKind::kCall) {
      const TypeDefId def = module.FindTypeDef(term.name);
      if (!def) return fmt::format("there is no type '{}'", context.text(term.name));
      const size_t wanted = module.type_def(def).params.size();
      if (wanted != term.args.size()) {
        return fmt::format("the type '{}' takes {} argument{}, here it has {}", context.text(term.name), wanted,
                           wanted == 1 ? "" : "s", term.args.size());
      }
    }
    stack.push_back(term.result);
    stack.insert(stack.end(), term.args.begin(), term.args.end());
  }
  return std::nullopt;
}

}  // namespace relayopt
