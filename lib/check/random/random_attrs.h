// Random attribute records.
#pragma once

#include "random.h"
#include "relayopt/core/context.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// Returns a record for a call of `op` whose first tensor has type `data`: fields that have a default often keep it,
// others get values that suit their name and the tensor's rank, and now and then odd ones. The operator's type rule has
// to decide whether they make sense. Returns none for an operator without attributes.
auto RandomAttrs(Random& random, Context& context, const OpDef& op, const Type& data) -> AttrsId;

}  // namespace relayopt
