// Fast type inference for functions in which every type follows from those of earlier expressions.
#pragma once

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Returns the function with its types and annotations: itself when it has them all, else a copy. One look at each
// expression settles its type, since its operands have been settled before: that is all that most functions need, and
// next to nothing for what passes make, which emit typed expressions. Returns null if it is not enough, or when there
// is an error: types that are not known yet, extents that are to be forgotten, matches, polymorphic calls.
auto InferForward(const Module& module, const FunctionRef& function) -> FunctionRef;

}  // namespace relayopt
