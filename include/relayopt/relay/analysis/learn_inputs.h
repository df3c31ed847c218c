// Infers the types of inputs from an operator's type rule.
#pragma once

#include <optional>
#include <vector>

#include "relayopt/core/context.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The types of a call: all inputs, and the result.
struct CallSignature {
  std::vector<TypeId> inputs;
  TypeId result;
};

// Runs the type rule of `op`. An invalid input type stands for one to be inferred, such as that of the weight of a
// convolution. Returns nothing if the rule rejects the inputs or does not determine all types.
auto LearnInputs(Context& context, const OpDef& op, AttrsId attrs, std::vector<TypeId> inputs)
    -> std::optional<CallSignature>;

}  // namespace relayopt
