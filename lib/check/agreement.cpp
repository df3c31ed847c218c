// How far the results of two programs agree.
#include "relayopt/check/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "relayopt/relay/eval/compare.h"
#include "relayopt/relay/eval/format.h"

namespace relayopt {

namespace {

auto IsPlainFloat(DataType dtype) -> bool {
  return dtype.lanes == 1 && (dtype.code == TypeCode::kFloat || dtype == DataType::BFloat(16));
}
auto IsNumber(DataType dtype) -> bool { return dtype.lanes == 1 && (IsPlainFloat(dtype) || !dtype.is_float()); }

// Floats by their bits in the order of their values: neighbours differ by 1, and -0 is 0.
template <typename Bits>
auto Ordinal(Bits bits) -> int64_t {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const auto magnitude = static_cast<int64_t>(bits & static_cast<Bits>(~kSign));
  return (bits & kSign) != 0 ? -magnitude : magnitude;
}
auto OrdinalOf(DataType dtype, double value) -> int64_t {
  const auto bits_of = [](auto number, auto bits) {
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
  };
  if (dtype == DataType::Float(64)) return Ordinal<uint64_t>(bits_of(value, uint64_t{}));
  if (dtype == DataType::Float(32)) {
    return Ordinal<uint32_t>(bits_of(static_cast<float>(value), uint32_t{}));
  }
  const uint16_t bits =
      dtype == DataType::Float(16) ? FloatToHalf(static_cast<float>(value)) : FloatToBFloat(static_cast<float>(value));
  return Ordinal<uint16_t>(bits);
}
auto UlpsBetween(DataType dtype, double a, double b) -> uint64_t {
  const int64_t x = OrdinalOf(dtype, a);
  const int64_t y = OrdinalOf(dtype, b);
  return x < y ? static_cast<uint64_t>(y) - static_cast<uint64_t>(x)
               : static_cast<uint64_t>(x) - static_cast<uint64_t>(y);
}

auto TypeText(const Tensor& tensor) -> std::string {
  return fmt::format("Tensor[({}), {}]", fmt::join(tensor.shape(), ", "), ToString(tensor.dtype()));
}

auto IndexText(const Tensor& tensor, int64_t i) -> std::string {
  std::vector<int64_t> index(tensor.rank());
  for (size_t axis = tensor.rank(); axis-- > 0;) {
    index[axis] = i % tensor.extent(axis);
    i /= tensor.extent(axis);
  }
  return fmt::format("[{}]", fmt::join(index, ","));
}

// Rows of the last axis whose largest element is at the same position; the first of equal ones counts.
void AddTop1(const Tensor& expected, const Tensor& got, OutputAgreement& output) {
  const int64_t width = expected.rank() == 0 ? 0 : expected.extent(expected.rank() - 1);
  if (width < 2) return;
  const auto largest = [width](const Tensor& tensor, int64_t row) {
    int64_t best = 0;
    for (int64_t k = 1; k < width; ++k) {
      if (NumberAt(tensor, row * width + k) > NumberAt(tensor, row * width + best)) best = k;
    }
    return best;
  };
  for (int64_t row = 0; row < expected.size() / width; ++row) {
    ++output.top1_rows;
    output.top1_same += largest(expected, row) == largest(got, row) ? 1 : 0;
  }
}

}  // namespace

void Agreement::Add(const Value& expected, const Value& got) {
  std::vector<Tensor> left;
  std::vector<Tensor> right;
  const bool are_tensors = FlattenTensors(expected, left) && FlattenTensors(got, right);
  outputs_.resize(std::max({outputs_.size(), left.size(), right.size(), size_t{1}}));
  if (!are_tensors) {
    outputs_[0].form = "the results are more than tensors and tuples of them";
    return;
  }
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    if (i >= left.size() || i >= right.size()) {
      outputs_[i].form = i >= left.size() ? "is not expected" : "is missing";
    } else {
      AddTensor(left[i], right[i], outputs_[i]);
    }
  }
}

void Agreement::AddTensor(const Tensor& expected, const Tensor& got, OutputAgreement& output) {
  output.type = TypeText(expected);
  const bool both_float = IsPlainFloat(expected.dtype()) && IsPlainFloat(got.dtype());
  const bool is_comparable = both_float || expected.dtype() == got.dtype();
  if (!is_comparable || !IsNumber(expected.dtype()) || !std::ranges::equal(expected.shape(), got.shape())) {
    if (output.form.empty()) output.form = fmt::format("is {}, expected {}", TypeText(got), TypeText(expected));
    return;
  }
  const bool has_bounds = options_.rtol || options_.atol;
  const double usual = both_float && !options_.ulps ? RelativeBound(expected.dtype()) : 0;
  // As Tolerance: the absolute bound of float32 is a tenth of the relative one.
  const double usual_absolute = expected.dtype() == DataType::Float(32) ? usual / 10 : usual;
  const double rtol = has_bounds ? options_.rtol.value_or(0) : usual;
  const double atol = has_bounds ? options_.atol.value_or(0) : usual_absolute;
  for (int64_t i = 0; i < expected.size(); ++i) {
    ++output.elements;
    const double a = NumberAt(expected, i);
    const double b = NumberAt(got, i);
    if (std::isnan(a) && std::isnan(b)) continue;
    const double distance = a == b && both_float ? 0 : ElementDistance(expected, got, i);
    if (distance == 0) continue;
    const bool are_finite = std::isfinite(a) && std::isfinite(b);
    double badness = std::numeric_limits<double>::infinity();
    if (are_finite) {
      output.max_absolute = std::max(output.max_absolute, distance);
      output.max_relative = std::max(output.max_relative, distance / std::fabs(a));
      const double allowed = atol + rtol * std::fabs(a);
      badness = allowed > 0 ? distance / allowed : distance == 0 ? 0 : 1 + distance;
      if (both_float) {
        const uint64_t ulps = UlpsBetween(expected.dtype(), a, b);
        output.max_ulps = std::max(output.max_ulps, ulps);
        if (options_.ulps) {
          // Within either of the bounds will do.
          const double by_ulps = static_cast<double>(ulps) / static_cast<double>(std::max<uint64_t>(*options_.ulps, 1));
          if (ulps <= *options_.ulps) continue;
          badness = has_bounds ? std::min(badness, by_ulps) : by_ulps;
        }
      }
    } else {
      output.max_absolute = badness;
    }
    if (badness <= 1) continue;
    ++output.apart;
    if (badness <= output.worst_badness) continue;
    output.worst_badness = badness;
    output.worst = fmt::format("{}  expected {}  got {}", IndexText(expected, i), FormatElement(expected, i),
                               FormatElement(got, i));
  }
  AddTop1(expected, got, output);
}

auto Agreement::Agrees(const OutputAgreement& output) const -> bool {
  if (!output.form.empty()) return false;
  if (options_.top1 && output.top1_rows != 0) {
    return static_cast<double>(output.top1_same) >= *options_.top1 * static_cast<double>(output.top1_rows);
  }
  return output.apart == 0;
}

auto Agreement::agrees() const -> bool {
  return std::ranges::all_of(outputs_, [&](const OutputAgreement& output) { return Agrees(output); });
}

auto Agreement::ToText(std::span<const std::string> names) const -> std::string {
  std::string text;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const OutputAgreement& output = outputs_[i];
    text += fmt::format("output {}  ", names.size() == outputs_.size() ? names[i] : std::to_string(i));
    if (!output.form.empty()) {
      text += output.form + "  DIFFERENT\n";
      continue;
    }
    text += fmt::format("{}  max abs {:.1e}  max rel {:.1e}", output.type, output.max_absolute, output.max_relative);
    if (output.max_ulps != 0) text += fmt::format("  max ulps {}", output.max_ulps);
    if (output.top1_rows != 0) text += fmt::format("  top-1 {} of {}", output.top1_same, output.top1_rows);
    text += Agrees(output) ? "  same\n" : "  DIFFERENT\n";
    if (output.apart != 0) {
      text += fmt::format("  {} of {} elements are apart; the worst {}\n", output.apart, output.elements, output.worst);
    }
  }
  return text;
}

}  // namespace relayopt
