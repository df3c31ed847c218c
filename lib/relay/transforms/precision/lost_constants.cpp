// Constants that a narrower float type cannot hold.
#include "relayopt/relay/transforms/lost_constants.h"

#include <cmath>
#include <limits>
#include <vector>

namespace relayopt {

namespace {

// Where rounding to nearest leaves the numbers of a type.
struct FloatLimits {
  // The least magnitude that becomes infinite (or, without infinities, is no longer a number).
  double overflow;
  // The greatest magnitude that becomes 0.
  double underflow;
};

auto LimitsOf(DataType dtype) -> std::optional<FloatLimits> {
  if (dtype == DataType::Float(16)) return FloatLimits{65520, 0x1p-25};
  if (dtype == DataType::BFloat(16)) return FloatLimits{0x1.ffp127, 0x1p-134};
  if (dtype.code == TypeCode::kE4M3) return FloatLimits{464, 0x1p-10};
  if (dtype.code == TypeCode::kE5M2) return FloatLimits{61440, 0x1p-17};
  if (dtype == DataType::Float(32)) return FloatLimits{0x1.ffffffp127, 0x1p-150};
  return std::nullopt;
}

// Returns nothing if the type is not numeric.
auto NumberAt(DataType dtype, const ElementBytes& elements, size_t i) -> std::optional<double> {
  if (dtype == DataType::Float(32)) return elements.At<float>(i);
  if (dtype == DataType::Float(64)) return elements.At<double>(i);
  const auto from = elements.begin() + static_cast<ptrdiff_t>(i * dtype.bytes());
  const auto to = from + static_cast<ptrdiff_t>(dtype.bytes());
  return Constant(dtype, {}, std::vector<std::byte>(from, to)).ScalarAsDouble();
}

}  // namespace

auto StandsForInfinity(double value) -> bool {
  constexpr double kGreatest = 3.40282e38;
  return std::fabs(value) >= kGreatest && std::fabs(value) <= std::numeric_limits<float>::max();
}

auto BecomesZero(double value, DataType narrow) -> bool {
  const auto limits = LimitsOf(narrow);
  return limits && value != 0 && std::fabs(value) <= limits->underflow;
}

auto FindLostElement(const Constant& constant, DataType narrow, bool zeros_count) -> std::optional<LostElement> {
  const auto limits = LimitsOf(narrow);
  if (!limits || !constant.dtype().is_float() || constant.dtype() == narrow) return std::nullopt;
  std::optional<double> vanished;
  bool is_any_kept = false;
  const ElementBytes elements = constant.Elements();
  for (size_t i = 0; i < constant.num_elements(); ++i) {
    const auto value = NumberAt(constant.dtype(), elements, i);
    if (!value) return std::nullopt;
    if (std::isfinite(*value) && std::fabs(*value) >= limits->overflow) return LostElement{*value, true};
    if (*value == 0) continue;
    if (std::fabs(*value) > limits->underflow) {
      is_any_kept = true;
    } else if (!vanished) {
      vanished = value;
    }
  }
  if (!vanished || (is_any_kept && !zeros_count)) return std::nullopt;
  return LostElement{*vanished, false};
}

}  // namespace relayopt
