// Divides a function into regions that become graphs: bodies of functions and branches.
#pragma once

#include <vector>

#include "relayopt/relay/ir/scopes.h"
#include "relayopt/support/side_table.h"

namespace relayopt::onnx::out {

class Regions {
 public:
  // `self` is the global that the function defines: its calls are calls of the function itself.
  Regions(const Function& function, GlobalId self);

  // Returns the expressions of the body of a function (region 0) or of a branch of an `if` (0 and 1), in order. A step
  // of a let chain belongs to the region around it.
  auto Of(ExprId owner, uint32_t region) const -> const std::vector<ExprId>& {
    return regions_[scopes_.first[owner].value() + region];
  }

  // Returns the value that a variable is bound to, the result of a let chain, or the expression itself.
  auto Resolved(ExprId id) const -> ExprId;

  // Returns the last call by which a function calls itself, or none if it does not.
  auto SelfCall(ExprId callee) const -> ExprId { return self_calls_[callee]; }

  // Whether an expression has a use other than access to its fields after the third.
  auto IsUsed(ExprId id) const -> bool { return is_used_[id]; }

 private:
  void FindRegions();
  void FindSelfCalls(GlobalId self);

  const Function& function_;
  const Scopes scopes_;
  // Indexed by scope: the region that it is or is in.
  std::vector<ScopeId> around_;
  // Indexed by scope; empty for those of let chains.
  std::vector<std::vector<ExprId>> regions_;
  // The values of variables in let chains.
  SideTable<ExprId, ExprId> let_values_;
  SideTable<ExprId, bool> is_used_;
  SideTable<ExprId, ExprId> self_calls_;
};

}  // namespace relayopt::onnx::out
