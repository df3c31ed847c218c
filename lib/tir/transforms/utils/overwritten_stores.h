// Stores whose element is overwritten before it is read.
#pragma once

#include "absl/container/flat_hash_set.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// Returns the stores that may be left out because another store overwrites their element before it is read, whatever
// happens in between.
auto FindOverwrittenStores(const PrimFunc& func) -> absl::flat_hash_set<StmtId>;

}  // namespace relayopt::tir
