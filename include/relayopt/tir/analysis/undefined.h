// Finds what a part of a tensor program uses without defining it.
#pragma once

#include <span>
#include <vector>

#include "relayopt/tir/ir/stmt.h"

namespace relayopt::tir {

// What is used without a definition.
struct Undefined {
  // Variables that are used without a definition, in the order of first use.
  std::vector<PrimExpr> vars;
  // Buffers that are accessed without a declaration, in the order of first access.
  std::vector<BufferId> buffers;
};

// What counts as a use.
struct UndefinedOptions {
  // Whether the extents of thread bindings count as uses.
  bool visit_thread_extent = true;
};

// Returns the variables and buffers that `root` uses but does not define. `params` count as defined. Accessing a buffer
// uses its data pointer, its shape and its strides. A thread variable is defined from its first thread attribute on.
auto FindUndefined(Stmt root, std::span<const PrimExpr> params, const UndefinedOptions& options = {}) -> Undefined;

}  // namespace relayopt::tir
