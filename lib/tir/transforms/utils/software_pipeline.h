// The parts of InjectSoftwarePipeline: what a pipeline is, the versions of its buffers, and the loops that it becomes.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/result.h"
#include "relayopt/tir/analysis/buffer_accesses.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// One statement of the body of a pipelined loop.
struct PipelineStep {
  // A block without axes, in the builder's table.
  StmtId block;
  // The number of iterations by which the step is late.
  int64_t stage = 0;
  // Its position in an iteration of the new loop.
  int64_t order = 0;
  // Whether what it writes is awaited by the steps that read it.
  bool is_async = false;
  std::vector<BufferRegion> reads;
  std::vector<BufferRegion> writes;
};

// A loop that is to be pipelined.
struct SoftwarePipeline {
  PrimExpr var;
  PrimExpr min;
  PrimExpr extent;
  ForKind kind = ForKind::kSerial;
  // Its remaining annotations.
  ObjectId annotations;
  SourceRange range;
  // In the order of the program.
  std::vector<PipelineStep> steps;
  // The buffers that each iteration allocates.
  std::vector<BufferId> allocs;
};

// The number of elements of matrix fragments, by data variable.
using FragmentSizes = absl::flat_hash_map<PrimExpr, int64_t>;
auto CollectFragmentSizes(const PrimFunc& func) -> FragmentSizes;

// Keyed by a buffer: the buffer that holds several versions of it, along a new first dimension.
using VersionedBuffers = absl::flat_hash_map<BufferId, BufferId>;

// Returns the buffers of a pipeline that are written for an iteration while an earlier iteration still reads them.
auto MakeVersions(Tables& tables, const SoftwarePipeline& pipeline, const absl::flat_hash_set<BufferId>& doubled)
    -> VersionedBuffers;

// Rewrites the block of a step so that it accesses the version of the iteration `pipeline.var`.
auto SelectVersions(StmtBuilder& builder, const SoftwarePipeline& pipeline, const VersionedBuffers& versions,
                    const FragmentSizes& fragments, StmtId block) -> Result<StmtId>;

// Returns an error if the stages and orders run an access before another one that it depends on.
auto CheckDependences(Tables& tables, const SoftwarePipeline& pipeline) -> std::optional<Diagnostic>;

// Returns the block that the loop becomes: prologue, loop and epilogue. `known` holds the buffers around the loop and
// those of its iterations; the latter are removed.
auto BuildPipeline(StmtBuilder& builder, const SoftwarePipeline& pipeline, const VersionedBuffers& versions,
                   const FragmentSizes& fragments, BuffersByData& known) -> Result<StmtId>;

}  // namespace relayopt::tir
