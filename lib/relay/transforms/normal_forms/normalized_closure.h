// Builds closures whose intermediate results are bound by let.
#pragma once

#include <vector>

#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Emits the body of a closure in A-normal form: `steps` (alternating variables and values) and then `result`. Every
// intermediate result is bound, and `result` again for each step. Except for variables and the call that is
// differentiated, the values may only consist of ids from `first` on.
auto NormalizeClosure(FunctionBuilder& to, PassContext& context, std::vector<ExprId> steps, ExprId result, ExprId first)
    -> ExprId;

}  // namespace relayopt
