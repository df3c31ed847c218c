// Tensor programs near a given one.
#pragma once

#include <optional>

#include "random.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt {

// Makes one change: another operator, number or variable in an expression; a statement removed, duplicated, moved or
// made conditional; a branch without one of its cases; a loop of another kind. Nothing when the drawn change is not
// possible at the drawn place. The result may break a rule of the IR, leave its buffers, or read uninitialized memory.
auto MutatePrimFunc(const tir::PrimFunc& func, Random& random) -> std::optional<tir::PrimFunc>;

}  // namespace relayopt
