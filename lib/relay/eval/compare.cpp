// Compares results of programs.
#include "relayopt/relay/eval/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "relayopt/relay/eval/format.h"

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

auto IsInteger(DataType dtype) -> bool { return dtype.lanes == 1 && (dtype.is_int() || dtype.is_uint()); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns an integer, whatever its width.
auto IntAt(const Tensor& tensor, int64_t i) -> double {
  const DataType dtype = tensor.dtype();
  const bool is_signed = dtype.code == TypeCode::kInt;
  switch (dtype.bytes()) {
    case 1: return is_signed ? tensor.data<int8_t>()[i] : tensor.data<uint8_t>()[i];
    case 2: return is_signed ? tensor.data<int16_t>()[i] : tensor.data<uint16_t>()[i];
    // Cast, because C++ would convert both types to an unsigned one.
    case 4:
      return is_signed ? static_cast<double>(tensor.data<int32_t>()[i])
                       : static_cast<double>(tensor.data<uint32_t>()[i]);
    default:
      return is_signed ? static_cast<double>(tensor.data<int64_t>()[i])
                       : static_cast<double>(tensor.data<uint64_t>()[i]);
  }
}

}  // namespace

auto NumberAt(const Tensor& tensor, int64_t i) -> double {
  return IsComparableFloat(tensor.dtype()) ? FloatAt(tensor, i) : IntAt(tensor, i);
}

auto ElementDistance(const Tensor& a, const Tensor& b, int64_t i) -> double {
  // The difference of two signed numbers of 64 bits fits into an unsigned one.
  if (a.dtype() != b.dtype() || a.dtype().is_float() || a.dtype().bytes() != 8) {
    return std::fabs(NumberAt(a, i) - NumberAt(b, i));
  }
  const uint64_t x = a.data<uint64_t>()[i];
  const uint64_t y = b.data<uint64_t>()[i];
  const bool is_less = a.dtype().is_int() ? static_cast<int64_t>(x) < static_cast<int64_t>(y) : x < y;
  return static_cast<double>(is_less ? y - x : x - y);
}

namespace {

// Returns the slack that is needed to accept the difference between two tensors.
auto SlackOf(const Tensor& a, const Tensor& b) -> RoundingTolerance {
  if (a.dtype() != b.dtype() || a.dtype().lanes != 1 || !std::ranges::equal(a.shape(), b.shape())) return {kInfinity};
  const bool is_float = IsComparableFloat(a.dtype());
  RoundingTolerance slack;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = is_float ? FloatAt(a, i) : IntAt(a, i);
    const double y = is_float ? FloatAt(b, i) : IntAt(b, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    // Truth values have no distance.
    if (a.dtype() != DataType::Bool() && std::isfinite(x) && std::isfinite(y)) {
      slack.distance = std::max(slack.distance, std::fabs(x - y));
    } else {
      slack.undecided.resize(static_cast<size_t>(a.size()));
      slack.undecided[static_cast<size_t>(i)] = true;
    }
  }
  return slack;
}

// Returns how far `b` is from the correct `a`: 0 if it is acceptable, else above 1, and larger for larger errors.
auto Badness(double a, double b, const Tolerance& tolerance, const Bounds& bounds) -> double {
  constexpr double kWorst = kInfinity;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b) ? 0 : kWorst;
  if (a == b) return tolerance.exact && std::signbit(a) != std::signbit(b) ? 2 : 0;
  if (std::isinf(a) || std::isinf(b)) return kWorst;
  const double difference = std::fabs(a - b);
  if (tolerance.exact) return 2 + difference;
  const double allowed = bounds.absolute + bounds.relative * std::fabs(a);
  return difference <= allowed ? 0 : difference / allowed;
}

auto WorstFloat(const Tensor& expected, const Tensor& got, const Tolerance& tolerance, const RoundingTolerance& slack)
    -> std::optional<int64_t> {
  Bounds bounds = BoundsOf(expected.dtype(), tolerance);
  if (tolerance.narrows) {
    const Bounds shorter = BoundsOf(got.dtype() == DataType::BFloat(16) ? got.dtype() : DataType::Float(16), tolerance);
    bounds = {std::max(bounds.relative, shorter.relative), std::max(bounds.absolute, shorter.absolute)};
  }
  bounds.absolute += slack.distance;
  double worst = 0;
  std::optional<int64_t> at;
  for (int64_t i = 0; i < expected.size(); ++i) {
    if (!slack.undecided.empty() && slack.undecided[static_cast<size_t>(i)]) continue;
    const double badness = Badness(FloatAt(expected, i), FloatAt(got, i), tolerance, bounds);
    if (badness <= worst) continue;
    worst = badness;
    at = i;
  }
  return at;
}

auto AreSameBytes(const Tensor& a, const Tensor& b, int64_t i) -> bool {
  const size_t width = a.dtype().bytes();
  const size_t at = static_cast<size_t>(i) * width;
  return std::ranges::equal(a.bytes().subspan(at, width), b.bytes().subspan(at, width));
}

// Returns the worst element of tensors that are not floats: for numbers the one with the largest difference, if the
// slack does not allow that, for others the first one whose bytes differ.
auto WorstOther(const Tensor& expected, const Tensor& got, const RoundingTolerance& slack) -> std::optional<int64_t> {
  const auto a = expected.bytes();
  const auto b = got.bytes();
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin());
  if (end == a.end()) return std::nullopt;
  std::optional<int64_t> at;
  for (int64_t i = (end - a.begin()) / static_cast<ptrdiff_t>(expected.dtype().bytes()); i < expected.size(); ++i) {
    if (!slack.undecided.empty() && slack.undecided[static_cast<size_t>(i)]) continue;
    if (AreSameBytes(expected, got, i)) continue;
    if (IsInteger(expected.dtype()) && ElementDistance(expected, got, i) <= slack.distance) continue;
    if (at && !IsInteger(expected.dtype())) break;
    if (!at || ElementDistance(expected, got, i) > ElementDistance(expected, got, *at)) at = i;
  }
  return at;
}

auto CompareTensors(const Tensor& expected, const Tensor& got, const Tolerance& tolerance,
                    const RoundingTolerance& slack) -> std::optional<Mismatch> {
  if (slack.distance == kInfinity) return std::nullopt;
  Mismatch mismatch;
  const bool are_floats = IsComparableFloat(expected.dtype()) && IsComparableFloat(got.dtype());
  if (expected.dtype() != got.dtype() && !(tolerance.narrows && are_floats)) {
    mismatch.form = fmt::format("{} instead of {}", ToString(got.dtype()), ToString(expected.dtype()));
    return mismatch;
  }
  if (!std::ranges::equal(expected.shape(), got.shape())) {
    mismatch.form =
        fmt::format("shape ({}) instead of ({})", fmt::join(got.shape(), ", "), fmt::join(expected.shape(), ", "));
    return mismatch;
  }
  const bool is_float = IsComparableFloat(expected.dtype());
  const auto at = is_float ? WorstFloat(expected, got, tolerance, slack) : WorstOther(expected, got, slack);
  if (!at) return std::nullopt;
  mismatch.expected = FormatElement(expected, *at);
  mismatch.got = FormatElement(got, *at);
  if (is_float || IsInteger(expected.dtype())) {
    mismatch.absolute = ElementDistance(expected, got, *at);
    // Zeros of different signs are equal.
    if (mismatch.absolute != 0) mismatch.relative = mismatch.absolute / std::fabs(NumberAt(expected, *at));
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

auto RelativeBound(DataType dtype) -> double { return BoundsOf(dtype, Tolerance()).relative; }

void Widen(std::vector<RoundingTolerance>& slack, const Value& a, const Value& b, double margin) {
  std::vector<Tensor> left;
  std::vector<Tensor> right;
  FlattenTensors(a, left);
  FlattenTensors(b, right);
  slack.resize(std::max({slack.size(), left.size(), right.size()}));
  for (size_t i = 0; i < slack.size(); ++i) {
    const bool are_both = i < left.size() && i < right.size();
    RoundingTolerance more = are_both ? SlackOf(left[i], right[i]) : RoundingTolerance{kInfinity};
    slack[i].distance = std::max(slack[i].distance, margin * more.distance);
    if (slack[i].undecided.empty()) slack[i].undecided.swap(more.undecided);
    for (size_t k = 0; k < more.undecided.size(); ++k) {
      if (more.undecided[k]) slack[i].undecided[k] = true;
    }
  }
}

void LeaveOutDifferent(std::vector<RoundingTolerance>& slack, const Value& a, const Value& b) {
  std::vector<Tensor> left;
  std::vector<Tensor> right;
  FlattenTensors(a, left);
  FlattenTensors(b, right);
  slack.resize(std::max({slack.size(), left.size(), right.size()}));
  for (size_t k = 0; k < slack.size(); ++k) {
    const bool have_one_form = k < left.size() && k < right.size() && left[k].dtype() == right[k].dtype() &&
                               std::ranges::equal(left[k].shape(), right[k].shape());
    if (!have_one_form) {
      slack[k].distance = kInfinity;
      continue;
    }
    slack[k].undecided.resize(static_cast<size_t>(left[k].size()));
    for (int64_t i = 0; i < left[k].size(); ++i) {
      if (!AreSameBytes(left[k], right[k], i)) slack[k].undecided[static_cast<size_t>(i)] = true;
    }
  }
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
    const RoundingTolerance slack = i < tolerance.slack.size() ? tolerance.slack[i] : RoundingTolerance();
    if (auto mismatch = CompareTensors(left[i], right[i], tolerance, slack)) {
      mismatch->output = i;
      return mismatch;
    }
  }
  return std::nullopt;
}

}  // namespace relayopt
