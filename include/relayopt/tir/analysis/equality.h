// Structural equality of tensor programs.
#pragma once

#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

enum class FreeVars : uint8_t {
  kThemselves,  // a variable or buffer that nothing defines is equal to itself only
  kMapped,      // it is equal to the one that stands in its place where it is met first
};

// Whether both are the same program up to the names of variables, buffers and blocks, as the reference's
// StructuralEqual: what a statement defines on the left corresponds to what its counterpart defines on the right, one
// to one. Both are of one context. Names, source ranges and offset factors of buffers do not count.
auto StructuralEqual(const PrimFunc& a, const PrimFunc& b, FreeVars free_vars = FreeVars::kThemselves) -> bool;
// The same of two statements, or expressions.
auto StructuralEqual(Stmt a, Stmt b, FreeVars free_vars = FreeVars::kThemselves) -> bool;
auto StructuralEqual(Context& context, PrimExpr a, PrimExpr b, FreeVars free_vars = FreeVars::kThemselves) -> bool;

}  // namespace relayopt::tir
