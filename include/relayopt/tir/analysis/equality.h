// Structural equality of tensor programs.
#pragma once

#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// How variables and buffers without a definition are compared.
enum class FreeVars : uint8_t {
  kThemselves,  // a variable or buffer that nothing defines is equal to itself only
  kMapped,      // it is equal to the one that first occurs at the same position
};

// Whether both programs are the same up to the names of variables, buffers and blocks, as TVM's
// StructuralEqual defines it: definitions on the left and on the right correspond one to one. Both must share a
// context. Names, source ranges and offset factors of buffers are ignored.
auto StructuralEqual(const PrimFunc& a, const PrimFunc& b, FreeVars free_vars = FreeVars::kThemselves) -> bool;
// The same for statements, and for expressions.
auto StructuralEqual(Stmt a, Stmt b, FreeVars free_vars = FreeVars::kThemselves) -> bool;
auto StructuralEqual(Context& context, PrimExpr a, PrimExpr b, FreeVars free_vars = FreeVars::kThemselves) -> bool;

}  // namespace relayopt::tir
