// What the threads of a kernel access, and where barriers have to stand between them.
#pragma once

#include <optional>

#include "absl/container/flat_hash_set.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/tir/analysis/storage_scope.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// The statements before which all threads of a block have to meet, so that what one writes to memory of this scope is
// there when another one reads it. `fault`: one would have to stand where not every thread comes.
auto PlanBarriers(const PrimFunc& func, const StorageScope& scope, std::optional<Diagnostic>& fault)
    -> absl::flat_hash_set<StmtId>;

}  // namespace relayopt::tir
