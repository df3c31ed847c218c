// The parts of LowerAutoCopy: a copy as a nest of loops around a store, its rewrites, and the padding of shared memory.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/result.h"
#include "relayopt/tir/analysis/buffer_accesses.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// The extents of threadIdx.x, y and z in a function; nullopt if it has no such threads.
using ThreadExtents = std::array<std::optional<int64_t>, 3>;
inline constexpr std::string_view kThreadTags[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};

// One loop of a copy.
struct CopyLoop {
  PrimExpr var;
  PrimExpr min;
  PrimExpr extent;
  ForKind kind = ForKind::kSerial;
  // Of a kThreadBinding loop.
  IterVarId thread;
};

// Loops around a store, outermost first, which is guarded if `guard` is valid.
struct CopyNest {
  std::vector<CopyLoop> loops;
  PrimExpr guard;
  BufferId target;
  PrimExpr value;
  std::vector<PrimExpr> indices;
};

// Returns the nest that the statement is, or nullopt if it is anything else.
auto ReadCopyNest(const Stmt& stmt) -> std::optional<CopyNest>;
auto WriteCopyNest(StmtBuilder& builder, const CopyNest& nest) -> StmtId;
// Wraps a statement into loops.
auto WrapInLoops(StmtBuilder& builder, std::span<const CopyLoop> loops, StmtId body) -> StmtId;

// The annotations of a block with auto_copy about its copy.
struct CopyBlock {
  BufferRegion read;
  BufferRegion write;
  // "vector_bytes" and "local_stage".
  int64_t vector_bytes = 1;
  bool local_stage = false;
  SourceRange range;
};

// Further requests of the rewrites of a copy.
struct CopyNeeds {
  // Buffers for the block to allocate.
  std::vector<BufferId> allocs;
  // By buffer, the number of elements of which padding is a multiple.
  absl::flat_hash_map<BufferId, int64_t> padding;
};

// Returns a copy from shared to global memory whose loops follow the target: B[f(i, j)] = A[i, j] becomes A[g(i, j)] in
// B[i, j]. Only for permutations f.
auto InvertCopy(Tables& tables, CopyNest& nest, const CopyBlock& block) -> std::optional<Diagnostic>;
// Fuses the loops of a copy and distributes it to the threads, each of which copies a vector.
auto CoalesceCopy(Tables& tables, CopyNest& nest, const CopyBlock& block, const ThreadExtents& threads)
    -> std::optional<Diagnostic>;
// Copies into memory of the thread, then from it.
auto StageCopy(StmtBuilder& builder, const CopyNest& nest, CopyNeeds& needs) -> StmtId;
// Copies tiles of 16 by 16 between shared memory and fragments by T.tvm_load_matrix_sync or T.tvm_store_matrix_sync.
auto CopyFragments(StmtBuilder& builder, CopyNest nest, const CopyBlock& block, bool is_load, CopyNeeds& needs)
    -> Result<StmtId>;

// Copies tiles of fragments to shared memory, from where all threads copy them to global memory. `around` are the loops
// over threads of a block around the copy.
auto CopyFragmentsOut(StmtBuilder& builder, CopyNest nest, const CopyBlock& block, const ThreadExtents& threads,
                      std::span<const CopyLoop> around, CopyNeeds& needs) -> Result<StmtId>;

// Chooses strides of shared memory such that the threads of a warp access different banks.
class SharedMemoryPadder {
 public:
  SharedMemoryPadder(Tables& tables, const ThreadExtents& threads);

  // Records the accesses of a copy in loops that are given by variable and minimum.
  void Analyze(Stmt copy, absl::flat_hash_map<PrimExpr, PrimExpr> outer);
  void Need(const CopyNeeds& needs);
  // Returns the buffer with strides; the buffer itself if it is not shared memory that a copy accesses.
  auto Pad(BufferId buffer) const -> BufferId;

 private:
  // For an access, the values of each index within a warp.
  using AccessSpace = std::vector<std::vector<int64_t>>;
  struct Visit;
  // The stride without padding, the size of elements, and the unit of padding.
  struct Padding {
    int64_t stride;
    int64_t bits;
    int64_t multiple;
  };

  // The least padding of a dimension with the fewest conflicts. `low` has the values of the dimensions after it.
  static auto BestPadding(const std::vector<AccessSpace>& accesses, const std::vector<std::vector<int64_t>>& low,
                          size_t dim, const Padding& padding) -> int64_t;

  Tables& tables_;
  ThreadExtents warp_;
  absl::flat_hash_map<BufferId, std::vector<AccessSpace>> accesses_;
  absl::flat_hash_map<BufferId, int64_t> multiples_;
};

}  // namespace relayopt::tir
