// Index maps: functions from coordinates to coordinates, which describe where a layout transform moves elements.
#pragma once

#include <cstdint>
#include <vector>

#include "relayopt/core/context.h"

namespace relayopt {

// An operation of an index map on the results of earlier steps. Quotients and remainders round down, or toward zero.
enum class IndexOp : uint8_t { kConstant, kAdd, kSub, kMul, kFloorDiv, kFloorMod, kDiv, kMod, kMin, kMax, kUnknown };

constexpr auto HasOperands(IndexOp op) -> bool { return op != IndexOp::kConstant && op != IndexOp::kUnknown; }

struct IndexStep {
  IndexOp op = IndexOp::kUnknown;
  int64_t constant = 0;
  // Indices of the operands; see IndexMap.
  size_t a = 0;
  size_t b = 0;
};

// An index map as a list of steps. Indices 0 to rank - 1 are the coordinates; index rank + i is the result of step i,
// whose operands have smaller indices.
struct IndexMap {
  size_t rank = 0;
  std::vector<IndexStep> steps;
  // The indices of the coordinates of the result.
  std::vector<size_t> results;
};

// Returns the map that an object of class tir.IndexMap describes. What a step cannot express becomes kUnknown.
auto IndexMapOf(const Context& context, ObjectId map) -> IndexMap;

}  // namespace relayopt
