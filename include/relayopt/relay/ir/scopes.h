// Where expressions live: scopes are derived from the table, not stored.
#pragma once

#include <vector>

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

using ScopeId = Index<struct ScopeTag>;

// A region in which expressions are evaluated: a function's parameters and body, a branch of an if, the right-hand side
// of a clause, or one step of a let chain together with all that follows it (so that the steps of a chain nest).
struct Scope {
  ScopeId parent;
  // An ancestor, for logarithmic climbing.
  ScopeId jump;
  uint32_t depth = 0;
  // The node that opens the scope.
  ExprId owner;
  // kFunction: 0; kIf: 0 then, 1 else; kMatch: the clause; kLet: the step.
  uint32_t region = 0;
};

// The scope of every node: the lowest common ancestor of the scopes of its uses. Scope 0 is outside the root function.
struct Scopes {
  std::vector<Scope> scopes;
  // None for nodes that the root does not reach.
  SideTable<ExprId, ScopeId> of;
  // For nodes that open scopes, the first of them; a node's scopes are consecutive.
  SideTable<ExprId, ScopeId> first;

  auto operator[](ScopeId id) const -> const Scope& { return scopes[id.value()]; }
  auto CommonAncestor(ScopeId a, ScopeId b) const -> ScopeId;
  // Whether `inner` is `outer` or inside it.
  auto IsInside(ScopeId inner, ScopeId outer) const -> bool;
};

// The scope in which `user` evaluates its i-th operand. `user` must be reachable.
auto UseScope(const Function& function, const Scopes& scopes, ExprId user, size_t i) -> ScopeId;

// One reverse scan. The function must be in post-order (see Verify).
auto ComputeScopes(const Function& function) -> Scopes;

}  // namespace relayopt
