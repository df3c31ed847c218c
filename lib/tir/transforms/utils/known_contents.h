// The known contents of buffers at each statement.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/tir/transforms/utils/buffer_boxes.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

// All elements of a box for which `guard` holds (if it is valid) hold `value`. Both are terms without loads over the
// variables of the position and a variable for each axis of the buffer.
struct KnownContent {
  BufferBox box;
  PrimExpr value;
  PrimExpr guard = {};
};

// The known contents of buffers before each statement of a function. Memory of different pointers is taken to be
// different, and integers not to overflow, as everywhere.
class KnownContents {
 public:
  explicit KnownContents(const PrimFunc& func);

  // Replaces loads of elements that are known before the statement by their values. The analyzer has to know what holds
  // at the statement.
  auto WithValues(StmtId stmt, PrimExpr expr, arith::Analyzer& analyzer) const -> PrimExpr;
  // Whether a store is known to change nothing. The analyzer has to know what holds at the statement.
  auto ChangesNothing(BufferStore store, arith::Analyzer& analyzer) const -> bool;
  // Whether elements are known before the statement.
  auto empty(StmtId stmt) const -> bool { return !before_.contains(stmt); }

 private:
  class Walker;
  // Returns a value or a guard for the element with these indices.
  static auto AtElement(Terms& terms, const std::vector<PrimExpr>& axes, PrimExpr expr,
                        std::span<const PrimExpr> indices) -> PrimExpr;

  Terms& terms_;
  // The variables of the axes of each buffer.
  absl::flat_hash_map<BufferId, std::vector<PrimExpr>> axes_;
  absl::flat_hash_map<StmtId, std::vector<KnownContent>> before_;
};

}  // namespace relayopt::tir
