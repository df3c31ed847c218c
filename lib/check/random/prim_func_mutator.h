// Tensor programs near a given one.
#pragma once

#include <optional>

#include "random.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt {

// The program with one change: another operator, number or variable in an expression, a statement less, twice, later or
// under a condition, a case of a branch lost, a loop of another kind. Nothing when what was drawn does not allow the
// drawn change. The result may break a rule of the IR, leave its buffers or read what was never written.
auto MutatePrimFunc(const tir::PrimFunc& func, Random& random) -> std::optional<tir::PrimFunc>;

}  // namespace relayopt
