// Resampling along the spatial axes of images.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// How positions in the result map to the data, and how neighbouring elements are combined.
struct Resampling {
  std::string_view layout;
  // nearest_neighbor; linear or a synonym; cubic or a synonym.
  std::string_view method;
  std::string_view coordinates;
  // For nearest_neighbor; empty: `round` where corners are aligned, else `floor`.
  std::string_view rounding;
  double cubic_alpha = -0.5;
  bool cubic_exclude = false;
  // For tf_crop_and_resize: the region as fractions of the extents, first the starts, then the ends.
  std::vector<double> region;
  double extrapolation_value = 0;
};

// The data with its spatial extents (one to three of them) changed to `size`, computed in float32. The result has the
// layout of the data. Nothing, with the error reported, if a name is unknown or the result is too large.
auto Resampled(KernelContext& kernel, const Tensor& data, const Resampling& how, const std::vector<int64_t>& size,
               DataType dtype) -> std::optional<Tensor>;

// Returns the numbers in an array attribute, or nothing if the object is not an array of numbers.
auto RealsOf(const Context& context, ObjectId array) -> std::optional<std::vector<double>>;

// Weights of the four elements around a position that is `t` after the second of them; Keys' cubic kernel.
auto CubicWeights(float t, float alpha) -> std::array<float, 4>;

}  // namespace relayopt
