// Foreign operators: operators of another system, such as `onnx.LSTM`, in functions of Relay.
//
// A foreign operator is a registered operator that takes any number of operands. Passes over Relay leave it alone. It
// is not in lists of operators: its row is registered when its name is first used.
#pragma once

#include <string_view>

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// Finds the operator with this name: registers its row (RegisterOp) and returns it, or returns null for an unknown
// name. Thread-safe.
using ForeignOps = auto(*)(std::string_view name) -> const OpDef*;

// The function that FindOp asks about names that are not in the table; null, the default, for none.
void SetForeignOps(ForeignOps find);

// Whether the operator is foreign. Kernels of foreign operators accept empty tuples, which stand for inputs that are
// left out.
inline auto IsForeignOp(const OpDef& op) -> bool { return op.variadic && op.number != OpDef::kNoNumber; }

}  // namespace relayopt
