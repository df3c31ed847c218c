// Plans which allocations share memory.
#pragma once

#include <memory>
#include <vector>

#include "lib/tir/transforms/utils/linear_accesses.h"
#include "relayopt/tir/analysis/storage_scope.h"

namespace relayopt::tir {

// Memory that is allocated once for several allocations.
struct StorageEntry {
  // The thread, pragma or parallel loop that it is allocated in; none: the function.
  StmtId attach;
  StorageScope scope;
  DataType element;
  // In bits; 0 when it is not a literal.
  uint64_t bits = 0;
  // The allocations, in the order in which they begin.
  std::vector<StmtId> allocs;
};

struct StoragePlan {
  // In the order in which they were created.
  std::vector<std::unique_ptr<StorageEntry>> entries;
  absl::flat_hash_map<PrimExpr, StorageEntry*> by_var;
};

// Two similar allocations share memory if one ends before the other begins; an allocation takes the memory of one that
// ends in the same statement if the statement works element by element.
auto PlanStorage(const PrimFunc& func, const LinearAccesses& accesses, std::optional<Diagnostic>& fault) -> StoragePlan;

}  // namespace relayopt::tir
