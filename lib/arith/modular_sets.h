// Remainders: of every integer term a set `coefficient * t + base` that holds its values.
#pragma once

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/arith/memo.h"
#include "relayopt/arith/analyzer.h"

namespace relayopt::arith {

// gcd of the absolute values; gcd(a, 0) = |a|.
auto Gcd(int64_t a, int64_t b) -> int64_t;
// g = gcd(a, b) and x, y with a * x + b * y = g.
struct ExtendedGcd {
  int64_t g, x, y;
};
auto FindExtendedGcd(int64_t a, int64_t b) -> ExtendedGcd;

class ModularSets {
 public:
  ModularSets(Terms& terms, Analyzer& analyzer) : terms_(terms), analyzer_(analyzer) {}

  auto Get(PrimExpr e) -> ModularSet;
  // `is_new` if nothing has asked for the variable yet, so that all that is remembered stays true.
  void Set(PrimExpr var, ModularSet set, bool is_new = false);
  auto HasSeen(PrimExpr var) const -> bool { return seen_.contains(var); }
  // Learns from a condition of exactly the form `v % c == d`. As TVM: not from conjunctions.
  void EnterConstraint(PrimExpr condition);
  void LeaveConstraint();

 private:
  auto Compute(PrimExpr e) -> ModularSet;
  auto Cast(PrimExpr value, DataType type) -> ModularSet;
  auto Combine(PrimKind kind, PrimExpr dividend, ModularSet a, ModularSet b) -> ModularSet;
  auto Divide(PrimExpr dividend, ModularSet a, ModularSet divisor, bool floor) -> ModularSet;
  auto Remainder(PrimExpr dividend, ModularSet a, ModularSet divisor, bool floor) -> ModularSet;

  Terms& terms_;
  Analyzer& analyzer_;
  absl::flat_hash_map<PrimExpr, ModularSet> sets_;
  // Variables that were asked for while nothing was known of them.
  absl::flat_hash_set<PrimExpr> seen_;
  std::vector<std::pair<PrimExpr, ModularSet>> scopes_;  // what to restore; no variable if nothing was learnt
  MemoLayers<ModularSet> memo_;
  std::vector<PrimExpr> stack_;
};

}  // namespace relayopt::arith
