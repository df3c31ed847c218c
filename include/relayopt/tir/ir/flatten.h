// Buffers of several dimensions as ones of as many as memory has.
#pragma once

#include <span>
#include <vector>

#include "relayopt/arith/analyzer.h"
#include "relayopt/tir/ir/buffer.h"

namespace relayopt::tir {

// The buffer with the dimensions between two axis separators as one: their product, or stride times extent of the first
// where there are strides. The buffer itself where nothing changes.
auto FlattenedBuffer(Tables& tables, BufferId buffer) -> BufferId;

// The indices of an element in FlattenedBuffer, the element offset included, simplified. The analyzer knows nothing of
// the place. As TVM: what loops around it say is not used. As many indices as dimensions.
auto ElemOffset(arith::Analyzer& analyzer, const Buffer& buffer, std::span<const PrimExpr> indices)
    -> std::vector<PrimExpr>;

// The extents to allocate so that the buffer fits, its strides included. A stride is a multiple of the next one.
auto AllocationShape(Terms& terms, const Buffer& buffer) -> std::vector<PrimExpr>;

// Makes the offset of a flat buffer a part of its last extent: the indices of ElemOffset count it.
void CountOffset(Terms& terms, Buffer& flat);

}  // namespace relayopt::tir
