// Constant bounds of integers.
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/arith/memo.h"
#include "relayopt/arith/analyzer.h"

namespace relayopt::arith {

// Returns all values of the type; lanes do not matter.
auto EverythingOf(DataType type) -> ConstBound;
// Whether a cast from one integer type to another keeps every number of the bound.
auto KeepsValue(ConstBound bound, DataType from, DataType to) -> bool;

class ConstBounds {
 public:
  explicit ConstBounds(Terms& terms) : terms_(terms) {}

  auto Get(PrimExpr e) -> ConstBound;
  // `is_new` if nothing has asked for the variable yet, so that all that is remembered stays true.
  void Set(PrimExpr var, ConstBound bound, bool is_new = false);
  auto HasSeen(PrimExpr var) const -> bool { return seen_.contains(var); }
  void Bind(PrimExpr var, const Range& range);
  // Adds the bounds of terms that follow from comparisons with literals in the condition.
  void EnterConstraint(PrimExpr condition);
  void LeaveConstraint();

 private:
  struct KnownBound {
    PrimExpr term;
    ConstBound bound;
  };

  auto Lookup(PrimExpr e) const -> const ConstBound*;
  auto Compute(PrimExpr e) -> ConstBound;
  auto ComputeBinary(PrimExpr e) -> ConstBound;
  // Returns the bound of the result in mathematics.
  static auto ComputeExact(PrimKind kind, ConstBound a, ConstBound b, DataType type) -> ConstBound;
  auto ComputeCast(PrimExpr e) -> ConstBound;
  auto ComputeCall(PrimExpr e) -> ConstBound;
  auto Operand(PrimExpr e, size_t i) -> ConstBound { return Get(terms_.operand(e, i)); }
  void Learn(PrimExpr part);

  Terms& terms_;
  absl::flat_hash_map<PrimExpr, ConstBound> bound_;
  // Variables that were asked for while nothing was known of them.
  absl::flat_hash_set<PrimExpr> seen_;
  std::vector<KnownBound> constraints_;
  // Of each term, what the first constraint says of it, what the first two say together, and so on.
  absl::flat_hash_map<PrimExpr, std::vector<ConstBound>> constraints_of_;
  std::vector<size_t> scopes_;
  MemoLayers<ConstBound> memo_;
  std::vector<PrimExpr> stack_;
};

}  // namespace relayopt::arith
