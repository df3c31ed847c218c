// Accesses of allocated memory in the order in which they happen.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// A statement that accesses memory by itself (a leaf; also a let that is no scope), or where a nested scope begins or
// ends.
struct AccessEntry {
  StmtId stmt;
  // For a scope: the distance to its other end in the sequence; positive at the beginning, 0 for a leaf.
  int64_t pair_offset = 0;
  // The data variables that it touches, at a leaf and at the end of a scope: those that were allocated in the scope
  // around it. In the order of the accesses, several times if there are several.
  std::vector<PrimExpr> touched;
};

// An allocation, and how many scopes were open around it.
struct AllocationInfo {
  StmtId stmt;
  size_t level = 0;
};

struct LinearAccesses {
  std::vector<AccessEntry> sequence;
  absl::flat_hash_map<PrimExpr, AllocationInfo> allocations;
  // Buffers that loads and stores name.
  absl::flat_hash_set<BufferId> accessed;
};

// The statements that count as scopes and as allocations.
struct LinearOptions {
  // LetStmt opens a scope.
  bool let_scopes = true;
  // Which allocations are followed; empty: all.
  std::function<bool(const Allocate&)> follows;
};

// Scopes are loops, branches, assertions, lets, the outermost thread, virtual threads and extern_scope. `fault`
// describes an error in the program: an access at a position that is neither a leaf nor inside of a scope of its own.
auto LinearizeAccesses(const PrimFunc& func, const LinearOptions& options, std::optional<Diagnostic>& fault)
    -> LinearAccesses;

// The variables whose first or last access is here.
struct LivenessEvent {
  std::vector<PrimExpr> begins;
  std::vector<PrimExpr> ends;
};
using Liveness = absl::flat_hash_map<StmtId, LivenessEvent>;
// A variable begins with the leaf or scope that touches it first, and ends with the one that touches it last.
auto AnalyzeLiveness(const LinearAccesses& accesses) -> Liveness;

// Returns the size of an allocation in bits when its extents are literals, otherwise 0.
auto ConstantBits(const Terms& terms, const Allocate& alloc) -> uint64_t;

}  // namespace relayopt::tir
