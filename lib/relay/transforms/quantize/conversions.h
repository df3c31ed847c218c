// Moves conversions from and to floats into functions of their own.
#pragma once

#include "config.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Takes a quantized function apart, which must be typed:
//
//   @quantize_inputs      from its parameters to a tuple of what the network computes on
//   @quantized_main       the network
//   @dequantize_outputs   from its result to that of the function
//
// and the function itself calls one after the other. Types are inferred afterwards. An error when one of the names is
// taken, or when everything is to be integers (PartitionConversions::kFullyIntegral) and is not.
auto PartitionIntoConversions(const Module& module, GlobalId id, const QuantizeConfig& config) -> Result<Module>;

}  // namespace relayopt
