// Comparing results.
#include "relayopt/eval/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "relayopt/eval/format.h"

namespace relayopt {

namespace {

struct Bounds {
  double relative;
  double absolute;
};

auto BoundsOf(DataType dtype, const Tolerance& tolerance) -> Bounds {
  if (dtype == DataType::Float(64)) return {1e-10, 1e-10};
  if (dtype == DataType::Float(16)) return {1e-2, 1e-2};
  if (dtype == DataType::BFloat(16)) return {1e-1, 1e-1};
  return {tolerance.rtol < 0 ? 1e-4 : tolerance.rtol, tolerance.atol < 0 ? 1e-5 : tolerance.atol};
}

auto FloatAt(const Tensor& tensor, int64_t i) -> double {
  const DataType dtype = tensor.dtype();
  if (dtype == DataType::Float(64)) return tensor.data<double>()[i];
  if (dtype == DataType::Float(32)) return tensor.data<float>()[i];
  if (dtype == DataType::Float(16)) return tensor.data<Half>()[i];
  return tensor.data<BFloat>()[i];
}

auto IsComparableFloat(DataType dtype) -> bool {
  return dtype.lanes == 1 && (dtype.code == TypeCode::kFloat || dtype == DataType::BFloat(16));
}

// How wrong `b` is where `a` is right: 0 when it will do, else more than 1 as it gets worse.
auto Badness(double a, double b, const Tolerance& tolerance, const Bounds& bounds) -> double {
  constexpr double kWorst = std::numeric_limits<double>::infinity();
  // Rounding decides where numbers overflow.
  if (!tolerance.exact && !std::isfinite(a)) return 0;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b) ? 0 : kWorst;
  if (a == b) return tolerance.exact && std::signbit(a) != std::signbit(b) ? 2 : 0;
  if (std::isinf(a) || std::isinf(b)) return kWorst;
  const double difference = std::fabs(a - b);
  if (tolerance.exact) return 2 + difference;
  const double allowed = bounds.absolute + bounds.relative * std::fabs(a);
  return difference <= allowed ? 0 : difference / allowed;
}

auto WorstFloat(const Tensor& expected, const Tensor& got, const Tolerance& tolerance) -> std::optional<int64_t> {
  const Bounds bounds = BoundsOf(expected.dtype(), tolerance);
  double worst = 0;
  std::optional<int64_t> at;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double badness = Badness(FloatAt(expected, i), FloatAt(got, i), tolerance, bounds);
    if (badness <= worst) continue;
    worst = badness;
    at = i;
  }
  return at;
}

auto FirstDifference(const Tensor& expected, const Tensor& got) -> std::optional<int64_t> {
  const auto a = expected.bytes();
  const auto b = got.bytes();
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin());
  if (end == a.end()) return std::nullopt;
  return (end - a.begin()) / static_cast<ptrdiff_t>(expected.dtype().bytes());
}

auto CompareTensors(const Tensor& expected, const Tensor& got, const Tolerance& tolerance) -> std::optional<Mismatch> {
  Mismatch mismatch;
  if (expected.dtype() != got.dtype()) {
    mismatch.form = fmt::format("{} instead of {}", ToString(got.dtype()), ToString(expected.dtype()));
    return mismatch;
  }
  if (!std::ranges::equal(expected.shape(), got.shape())) {
    mismatch.form =
        fmt::format("shape ({}) instead of ({})", fmt::join(got.shape(), ", "), fmt::join(expected.shape(), ", "));
    return mismatch;
  }
  const bool is_float = IsComparableFloat(expected.dtype());
  const auto at = is_float ? WorstFloat(expected, got, tolerance) : FirstDifference(expected, got);
  if (!at) return std::nullopt;
  mismatch.expected = FormatElement(expected, *at);
  mismatch.got = FormatElement(got, *at);
  if (is_float) {
    mismatch.absolute = std::fabs(FloatAt(expected, *at) - FloatAt(got, *at));
    mismatch.relative = mismatch.absolute / std::fabs(FloatAt(expected, *at));
  }
  int64_t rest = *at;
  for (size_t axis = expected.rank(); axis-- > 0;) {
    mismatch.index.insert(mismatch.index.begin(), rest % expected.extent(axis));
    rest /= expected.extent(axis);
  }
  return mismatch;
}

}  // namespace

auto ToString(const Mismatch& mismatch) -> std::string {
  if (!mismatch.form.empty()) return fmt::format("output {}  {}", mismatch.output, mismatch.form);
  return fmt::format("output {} [{}]  expected {}  got {}  abs {:.1e}  rel {:.1e}", mismatch.output,
                     fmt::join(mismatch.index, ","), mismatch.expected, mismatch.got, mismatch.absolute,
                     mismatch.relative);
}

auto Compare(const Value& expected, const Value& got, const Tolerance& tolerance) -> std::optional<Mismatch> {
  std::vector<Tensor> left;
  std::vector<Tensor> right;
  FlattenTensors(expected, left);
  FlattenTensors(got, right);
  if (left.size() != right.size()) {
    Mismatch mismatch;
    mismatch.form = fmt::format("{} tensors instead of {}", right.size(), left.size());
    return mismatch;
  }
  for (size_t i = 0; i < left.size(); ++i) {
    if (auto mismatch = CompareTensors(left[i], right[i], tolerance)) {
      mismatch->output = i;
      return mismatch;
    }
  }
  return std::nullopt;
}

}  // namespace relayopt
