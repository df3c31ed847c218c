// The algebraic data type GradCell: a tensor, or the promise of a tensor of ones or zeros.
#pragma once

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// The definitions that LazyGradientInit uses.
struct GradCell {
  StringId type;
  CtorId raw;
  CtorId one;
  CtorId zero;
  GlobalId from;      // @FromGradCell: the tensor
  GlobalId add;       // @AddGradCell: the sum, cheap where an operand is zero
  GlobalId multiply;  // @MultiplyGradCell: the product, cheap where an operand is zero or one
};

// Returns the definitions, added to the module where it lacks them, or nothing if the module has others of these names.
auto AddGradCell(Module& module) -> std::optional<GradCell>;

}  // namespace relayopt
