// Counts the steps of quantization by which two programs may differ.
#pragma once

#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/compare.h"

namespace relayopt {

// Returns how far each output of a program may be from that of another one that rounds to quantized numbers at other
// points: one step for each rounding on the way to the output, as counted in the program that has more of them. The
// step of an integer is 1, that of dequantized numbers their scale, that of other floats a 127th of their range.
auto QuantizationSlack(const Module& before, const Module& after, std::string_view entry, const Value& expected)
    -> std::vector<RoundingTolerance>;

}  // namespace relayopt
