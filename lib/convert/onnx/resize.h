// Resizing axis by axis, with extents that are known and with others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "node.h"

namespace relayopt::onnx {

struct ResizeAttributes {
  std::string mode = "nearest";
  std::string coordinates = "half_pixel";
  std::string rounding = "round_prefer_floor";
  double cubic_alpha = -0.75;
  bool exclude_outside = false;
  double extrapolation = 0;
  bool antialias = false;
  std::string policy = "stretch";
};

struct ResizeTarget {
  Ints axes;
  // One of the two.
  std::optional<std::vector<double>> scales;
  std::optional<Ints> sizes;
  std::vector<double> roi;
};

// Returns the extent of a result that is scaled, or nothing if the scale is not positive, or the result too large.
auto ScaledExtent(int64_t extent, double scale) -> std::optional<int64_t>;

// Returns data of which not all extents are known, resized to scales or sizes that are known.
auto ResizeOpen(Node& n, ExprId x, const ResizeTarget& target, const ResizeAttributes& attrs) -> ExprId;

}  // namespace relayopt::onnx
