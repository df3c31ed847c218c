// What a piece of a tensor program needs from outside.
#pragma once

#include <span>
#include <vector>

#include "relayopt/tir/ir/stmt.h"

namespace relayopt::tir {

struct Undefined {
  // Variables that are used where nothing defines them, in the order of their first uses.
  std::vector<PrimExpr> vars;
  // Buffers that are accessed where nothing declares them, likewise.
  std::vector<BufferId> buffers;
};

struct UndefinedOptions {
  // Whether the extents of threads count as uses.
  bool visit_thread_extent = true;
};

// What is used in `root` and not defined in it. `params` are defined. Accesses of a buffer use its data, its extents
// and its strides. A thread is defined where its attribute stands first, from there on.
auto FindUndefined(Stmt root, std::span<const PrimExpr> params, const UndefinedOptions& options = {}) -> Undefined;

}  // namespace relayopt::tir
