// The transforms of Winograd's method, by Toom and Cook: polynomials are multiplied by their values at some points and
// at infinity.
#include <array>
#include <span>

#include "winograd.h"

namespace relayopt {

namespace {

constexpr int64_t kLeastPoints = 3;

// TVM's points, which a search for small errors found: row i is for i + 3 points.
constexpr std::array<std::array<double, 13>, 11> kPoints = {{
    {0, -1, 1},
    {0, -1, 1, 0.5},
    {0, -1, 1, 0.5, -2},
    {0, -1, 1, 0.5, -2, -0.5},
    {0, -1, 1, 0.5, -0.5, 2, -2},
    {0, -1, 1, 0.5, -0.5, 2, -2, -0.25},
    {0, -1, 1, 0.5, -0.5, 2, -2, -0.25, 4},
    {0, -1, 1, 0.5, -0.5, 2, -2, -0.25, 0.75, -4.0 / 3},
    {0, -1, 1, 0.5, -0.5, 2, -2, -0.25, 4, 0.75, -4.0 / 3},
    {0, -1, 1, 0.5, -0.5, 2, -2, -0.25, 4, 0.75, -4.0 / 3, 0.25},
    {0, -1, 1, 0.5, -0.5, 2, -2, -0.25, 4, 0.25, -0.75, 4.0 / 3, -4},
}};

auto PowersOf(std::span<const double> points, int64_t count) -> TransformMatrix {
  const auto finite = static_cast<int64_t>(points.size());
  TransformMatrix powers = {finite + 1, count, std::vector<double>(static_cast<size_t>((finite + 1) * count), 0)};
  for (int64_t i = 0; i < finite; ++i) {
    double power = 1;
    for (int64_t k = 0; k < count; ++k, power *= points[static_cast<size_t>(i)]) {
      powers.elements[static_cast<size_t>(i * count + k)] = power;
    }
  }
  // At infinity only the highest power matters.
  powers.elements.back() = 1;
  return powers;
}

// The coefficients, from the constant one on, of the product of (x - p) over all points but the one at `left_out`.
auto ProductOfRoots(std::span<const double> points, size_t left_out) -> std::vector<double> {
  std::vector<double> coefficients = {1};
  for (size_t i = 0; i < points.size(); ++i) {
    if (i == left_out) continue;
    coefficients.push_back(0);
    for (size_t k = coefficients.size(); k-- > 0;) {
      coefficients[k] = (k == 0 ? 0 : coefficients[k - 1]) - points[i] * coefficients[k];
    }
  }
  return coefficients;
}

}  // namespace

auto WinogradTransformsFor(KernelContext& kernel, int64_t tile, int64_t taps) -> std::optional<WinogradTransforms> {
  if (tile < 2 || tile > 8 || taps < 3 || taps > 7) {
    kernel.Error("there is no transform for tiles of {} and kernels of {} elements", tile, taps);
    return std::nullopt;
  }
  const int64_t size = tile + taps - 1;
  const auto finite = static_cast<size_t>(size - 1);
  const std::span<const double> points = std::span(kPoints[finite - kLeastPoints]).first(finite);

  WinogradTransforms transforms;
  transforms.result = PowersOf(points, tile);
  const TransformMatrix powers = PowersOf(points, taps);
  transforms.filter = {taps, size, std::vector<double>(static_cast<size_t>(taps * size))};
  transforms.data = {size, size, std::vector<double>(static_cast<size_t>(size * size), 0)};
  for (size_t i = 0; i <= finite; ++i) {
    // Column i of the data's transform multiplies by all differences but its own; that of the filter divides by their
    // value. At infinity nothing is left out.
    double scale = 1;
    for (size_t k = 0; i < finite && k < finite; ++k) scale *= k == i ? 1 : points[i] - points[k];
    // As TVM: the first of the two, which could have either sign, is positive.
    const double sign = i == 0 && scale < 0 ? -1 : 1;
    for (int64_t k = 0; k < taps; ++k) {
      transforms.filter.elements[static_cast<size_t>(k * size) + i] =
          powers.elements[i * static_cast<size_t>(taps) + static_cast<size_t>(k)] / (scale * sign);
    }
    const std::vector<double> roots = ProductOfRoots(points, i);
    for (size_t k = 0; k < roots.size(); ++k)
      transforms.data.elements[k * static_cast<size_t>(size) + i] = roots[k] * sign;
  }
  return transforms;
}

}  // namespace relayopt
