// What a type rule wants of inputs that do not exist yet.
#pragma once

#include <optional>
#include <vector>

#include "relayopt/core/context.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The types of a call: of all inputs, and of the result.
struct CallSignature {
  std::vector<TypeId> inputs;
  TypeId result;
};

// Runs the rule of `op` where a type of none stands for an input that is to be found, such as the weight of a
// convolution. Nothing when the rule refuses or does not tell.
auto LearnInputs(Context& context, const OpDef& op, AttrsId attrs, std::vector<TypeId> inputs)
    -> std::optional<CallSignature>;

}  // namespace relayopt
