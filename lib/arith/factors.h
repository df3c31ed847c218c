// Products as lists of their factors.
#pragma once

#include <vector>

#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

// Calls `visit` for the factors of a product, from left to right, until one call returns false; whether none did.
template <typename Visit>
auto ForEachFactor(const Terms& terms, PrimExpr product, Visit&& visit) -> bool {
  std::vector<PrimExpr> pending = {product};
  while (!pending.empty()) {
    const PrimExpr factor = pending.back();
    pending.pop_back();
    if (terms.kind(factor) == PrimKind::kMul) {
      pending.push_back(terms.operand(factor, 1));
      pending.push_back(terms.operand(factor, 0));
    } else if (!visit(factor)) {
      return false;
    }
  }
  return true;
}

}  // namespace relayopt::arith
