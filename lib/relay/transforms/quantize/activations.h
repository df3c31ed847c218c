// Records the inputs of simulated quantizations while the program runs.
#pragma once

#include <span>
#include <vector>

#include "config.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Runs the function with every quantization switched off and collects, for each of `quantizations` (calls of
// relay.op.annotation.simulated_quantize in it), the finite numbers that it was given, over all runs. The function is
// run on each file of the data set, or, without any, once on random arguments. `unbound` are parameters that only
// quantizations use: they get no arguments. An error when a file cannot be read or the program fails.
auto CollectActivations(const Module& module, GlobalId id, std::span<const ExprId> quantizations,
                        std::span<const ExprId> unbound, const QuantizeConfig& config)
    -> Result<std::vector<std::vector<float>>>;

}  // namespace relayopt
