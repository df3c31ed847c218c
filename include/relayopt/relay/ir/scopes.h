// Scopes of expressions. They are derived from the table and not stored in it.
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
  // An ancestor further up, for climbing in logarithmic time.
  ScopeId jump;
  uint32_t depth = 0;
  // The node that opens the scope.
  ExprId owner;
  // Which scope of the owner it is. kFunction: 0; kIf: 0 then, 1 else; kMatch: the index of the clause; kLet: the index
  // of the step.
  uint32_t region = 0;
};

// The scope of every node, which is the lowest common ancestor of the scopes of its uses. Scope 0 is outside of the
// root function.
struct Scopes {
  std::vector<Scope> scopes;
  // The scope of a node; invalid for nodes that the root does not reach.
  SideTable<ExprId, ScopeId> of;
  // For nodes that open scopes, the first one; the scopes of a node are consecutive.
  SideTable<ExprId, ScopeId> first;

  auto operator[](ScopeId id) const -> const Scope& { return scopes[id.value()]; }
  auto CommonAncestor(ScopeId a, ScopeId b) const -> ScopeId;
  // Whether `inner` is `outer`, or inside of it.
  auto IsInside(ScopeId inner, ScopeId outer) const -> bool;
};

// Returns the scope in which `user`, which must be reachable, evaluates its i-th operand.
auto UseScope(const Function& function, const Scopes& scopes, ExprId user, size_t i) -> ScopeId;

// Computes all scopes in one reverse scan. The function must be in post-order (see Verify).
auto ComputeScopes(const Function& function) -> Scopes;

}  // namespace relayopt
