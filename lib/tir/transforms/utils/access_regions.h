// The region of each buffer that is accessed during its lifetime.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/result.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// Keyed by data variable: the buffer that a block or an allocation defines, and for each dimension the range that all
// accesses together cover. Allocations with several buffers, or with a buffer of another type, are left out.
struct AccessedRegion {
  BufferId buffer;
  std::vector<Range> ranges;
};
using AccessedRegions = absl::flat_hash_map<PrimExpr, AccessedRegion>;

// Blocks must be opaque and have no initialisation. `is_strict`: regions do not begin below 0 and are not larger than
// the shape. Returns an error for invalid programs, for example if a buffer is allocated but not accessed.
auto CollectAccessedRegions(const PrimFunc& func, bool is_strict) -> Result<AccessedRegions>;

}  // namespace relayopt::tir
