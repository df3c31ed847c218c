// The lowering of calls of intrinsics for each kind of targets.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "relayopt/arith/prim_expr.h"

namespace relayopt::tir {

// One way to lower; see the rows for what each does.
struct IntrinRule;

// The rules for one target, in the order in which they are tried: those of the kind, for an aarch64 triple those of
// that architecture, then those for all targets. Immutable; cheap to make.
class IntrinRules {
 public:
  // `mtriple` may be empty.
  IntrinRules(arith::Terms& terms, std::string_view kind, std::string_view mtriple);

  // Returns the replacement of a call, which has to be lowered again, or nothing if no rule applies.
  auto Lower(arith::PrimExpr call) const -> std::optional<arith::PrimExpr>;
  // `a * b + c` as one operation, if the kind has one. Floats of any lanes.
  auto FusedMultiplyAdd(arith::PrimExpr a, arith::PrimExpr b, arith::PrimExpr c) const
      -> std::optional<arith::PrimExpr>;

 private:
  auto Apply(const IntrinRule& rule, arith::PrimExpr call) const -> std::optional<arith::PrimExpr>;

  arith::Terms& terms_;
  // Sorted by operator; a later rule is tried if an earlier one does not apply.
  std::vector<std::pair<arith::CallOpId, const IntrinRule*>> rules_;
  const IntrinRule* fma_ = nullptr;
};

}  // namespace relayopt::tir
