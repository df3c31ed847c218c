// Reshapes a vector along one axis such that it broadcasts against a tensor.
#pragma once

#include "relayopt/core/extents.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

// `bias` with axes of extent 1 after its own, so that it lies along `axis` (not negative) of a tensor of rank `rank`.
inline auto ExpandBias(FunctionBuilder& to, ExprId bias, size_t rank, int64_t axis) -> ExprId {
  const int64_t behind = static_cast<int64_t>(rank) - axis - 1;
  if (behind <= 0) return bias;
  return EmitCallWith(to, "expand_dims"_op, ExpandDimsAttrs{.axis = 1, .num_newaxis = behind}, {bias});
}

}  // namespace relayopt
