// Interval sets of variables, and evaluation of terms over them.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/arith/analyzer.h"

namespace relayopt::arith {

using VarSets = absl::flat_hash_map<PrimExpr, IntSet>;

class IntSets {
 public:
  IntSets(Terms& terms, Analyzer& analyzer) : terms_(terms), analyzer_(analyzer) {}

  void Bind(PrimExpr var, const IntSet& set) { vars_[var] = set; }
  void Bind(PrimExpr var, const Range& range);
  void EnterConstraint(PrimExpr condition);
  void LeaveConstraint();

  // Returns the set from bindings and constraints.
  auto Get(PrimExpr e) -> IntSet;
  // With these variables only.
  auto Get(PrimExpr e, std::span<const Analyzer::VarSet> vars) -> IntSet;

 private:
  void Learn(PrimExpr var, PrimKind op, PrimExpr limit);

  Terms& terms_;
  Analyzer& analyzer_;
  VarSets vars_;
  // The sets that the open constraints give variables: the variables in order of entry, and the sets of each.
  std::vector<PrimExpr> learnt_;
  absl::flat_hash_map<PrimExpr, std::vector<IntSet>> learnt_of_;
  std::vector<size_t> scopes_;
};

}  // namespace relayopt::arith
