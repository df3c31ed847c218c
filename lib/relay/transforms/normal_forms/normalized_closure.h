// Builds closures whose intermediate results are bound by let.
#pragma once

#include <vector>

#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// The body of a closure, `steps` (variables and values in turn) and then `result`, in the form that ToANormalForm gives
// it: every intermediate result is bound, and `result` once more for each step. `first` is the oldest id that the
// values may be made of, but for variables and what stands for the call that is differentiated.
auto NormalizeClosure(FunctionBuilder& to, PassContext& context, std::vector<ExprId> steps, ExprId result, ExprId first)
    -> ExprId;

}  // namespace relayopt
