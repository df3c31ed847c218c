// Chooses the largest magnitude that a quantized value should represent, from recorded values.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "relayopt/core/tensor.h"

namespace relayopt {

// Returns the elements of a tensor of floats, or nothing for other types.
auto FloatsOf(const Tensor& tensor) -> std::optional<std::vector<float>>;

// Returns the largest magnitude, or 0 if there are no values.
auto LargestMagnitude(std::span<const float> values) -> float;

// Returns the magnitude at which cutting off loses least: that of the least divergence between the distribution of the
// values and that of the values quantized. Values must be finite, and there must be some.
auto ThresholdByDivergence(std::span<const float> values) -> double;

// Returns the magnitude that all but one in 100,000 values are below. Values must be finite, and there must be some.
auto ThresholdByPercentile(std::span<const float> values) -> double;

}  // namespace relayopt
