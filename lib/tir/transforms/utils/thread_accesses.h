// The accesses of the threads of a kernel, and where barriers are needed between them.
#pragma once

#include <optional>

#include "absl/container/flat_hash_set.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/tir/analysis/storage_scope.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// Returns the statements before which a barrier for all threads of a block is needed, so that threads read what others
// have written to memory of this scope. `fault` is set when a barrier would be needed where not all threads arrive.
auto PlanBarriers(const PrimFunc& func, const StorageScope& scope, std::optional<Diagnostic>& fault)
    -> absl::flat_hash_set<StmtId>;

}  // namespace relayopt::tir
