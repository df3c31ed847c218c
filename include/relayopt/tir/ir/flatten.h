// Flattens multi-dimensional buffers to the number of dimensions that memory has.
#pragma once

#include <span>
#include <vector>

#include "relayopt/arith/analyzer.h"
#include "relayopt/tir/ir/buffer.h"

namespace relayopt::tir {

// Returns the buffer with the dimensions between two axis separators merged into one. Its extent is their product or,
// with strides, stride times extent of the first one. Returns the buffer itself when nothing changes.
auto FlattenedBuffer(Tables& tables, BufferId buffer) -> BufferId;

// Returns the simplified indices of an element in FlattenedBuffer, including the element offset. There must be as many
// `indices` as dimensions. As TVM: the ranges of surrounding loops are not used, so the analyzer should know nothing of
// them.
auto ElemOffset(arith::Analyzer& analyzer, const Buffer& buffer, std::span<const PrimExpr> indices)
    -> std::vector<PrimExpr>;

// The extents to allocate for the buffer, including its strides. Each stride must be a multiple of the next one.
auto AllocationShape(Terms& terms, const Buffer& buffer) -> std::vector<PrimExpr>;

// Makes the offset of a flat buffer a part of its last extent: the indices of ElemOffset count it.
void CountOffset(Terms& terms, Buffer& flat);

}  // namespace relayopt::tir
