// Pointers to vectors where all accesses are vectors.
#pragma once

#include <optional>

#include "relayopt/support/diagnostic.h"
#include "relayopt/support/result.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// Which pointers may change their type, and how.
struct PointerTypeOptions {
  // A let of a handle without type takes the type of the accesses; otherwise it is an error.
  bool allow_untyped_pointers = false;
  bool rewrite_params = true;
  bool rewrite_allocate_const = true;
  // Single elements that are read become elements of vectors.
  bool shuffle_scalar_reads = true;
};

// Returns nothing if no pointer changes.
auto RewritePointerTypes(const PrimFunc& func, const PointerTypeOptions& options) -> Result<std::optional<PrimFunc>>;

}  // namespace relayopt::tir
