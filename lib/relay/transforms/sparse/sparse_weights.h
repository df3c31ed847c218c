// Converts weights of a function to sparse matrices.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/support/result.h"

namespace relayopt {

// Block-sparse rows: blocks, the block column of each, and where each row of blocks starts; or the extents of these.
template <typename T>
struct BlockSparse {
  T data;
  T indices;
  T starts;
};

using SparseShapes = absl::flat_hash_map<std::string, BlockSparse<std::vector<int64_t>>>;

// Reads `names` and, for each of them, extents as `64x16x1x64x5`: those of the blocks (two or three), of the indices
// and of the starts.
auto ParseSparseShapes(std::span<const std::string> names, std::span<const std::string> shapes) -> Result<SparseShapes>;

// The sparse parameters of one function under reconstruction.
class SparseParams {
 public:
  SparseParams(Rebuild& rebuild, const SparseShapes& shapes)
      : rebuild_(rebuild),
        shapes_(shapes),
        old_params_(rebuild.from().params().begin(), rebuild.from().params().end()) {}

  // Returns the parameters `w.data` (float32), `w.indices` and `w.indptr` (int32) that replace parameter `w` of the
  // function, made on first use, or nothing if the old expression is not one of the listed parameters.
  auto Find(ExprId old) -> std::optional<BlockSparse<ExprId>>;

  // Returns the new function: its parameters are those old ones that are still used, in the order of their first use,
  // then the new ones.
  auto Finish() -> Function;

 private:
  auto Param(const std::string& name, std::span<const int64_t> shape, DataType dtype) -> ExprId;

  Rebuild& rebuild_;
  const SparseShapes& shapes_;
  absl::flat_hash_set<ExprId> old_params_;
  absl::flat_hash_map<ExprId, BlockSparse<ExprId>> made_;
  std::vector<ExprId> params_;
};

// Replaces the calls for which `fits(call)` holds and whose second operand is a listed parameter: `emit(to, data,
// weight)` emits the call on the sparse weight. Returns nothing if there is no such call; an error when the lists are
// malformed.
template <typename Fits, typename Emit>
auto ReplaceWeights(const Function& function, std::span<const std::string> names, std::span<const std::string> shapes,
                    const Fits& fits, const Emit& emit) -> Result<std::optional<Function>> {
  RELAYOPT_TRY(const SparseShapes parsed, ParseSparseShapes(names, shapes));
  Rebuild rebuild(function);
  SparseParams params(rebuild, parsed);
  bool changed = false;
  rebuild.ForEach([&](ExprId id) {
    const auto weight = fits(id) ? params.Find(function.operand(id, 1)) : std::nullopt;
    if (!weight) return rebuild.Copy(id);
    changed = true;
    return emit(rebuild.to(), rebuild.New(function.operand(id, 0)), *weight);
  });
  if (!changed) return std::nullopt;
  return params.Finish();
}

}  // namespace relayopt
