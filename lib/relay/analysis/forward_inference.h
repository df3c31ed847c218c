// Fast type inference for functions in which every type follows from those of earlier expressions.
#pragma once

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Returns the function with its types and annotations: itself when it has them all, else a copy. One visit of each
// expression determines its type, because those of its operands are known: most functions need no more, and the results
// of passes, which emit typed expressions, need even less. Returns null if that is not enough, or after an error: types
// that are not known yet, extents that are to be forgotten, matches, polymorphic calls.
auto InferForward(const Module& module, const FunctionRef& function) -> FunctionRef;

// Whether `result` says more about a value, or about fields of a tuple, of which `annotation` knows nothing: a foreign
// operator without a type has a single handle as its result, until passes find out more.
auto RefinesUnknown(const Context& context, TypeId annotation, TypeId result) -> bool;

}  // namespace relayopt
