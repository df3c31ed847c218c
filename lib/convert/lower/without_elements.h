// Layers whose results have no elements.
#pragma once

#include <optional>
#include <vector>

#include "relayopt/core/context.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// Returns the extents of the result of a layer, an operator on images, a scan or a sort, if one of them is 0; none for
// other operators. Such a result can be made anew: runtimes refuse many of these calls, or count backwards from none.
auto EmptyLayerExtents(const OpDef* op, const Type* result) -> std::optional<std::vector<int64_t>>;

}  // namespace relayopt
