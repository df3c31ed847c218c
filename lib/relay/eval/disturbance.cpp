// What an evaluation changes on purpose, so that several runs show what decides about a result.
//
//   %0 = subtract(add(%x, 1f), %x)      kRounding: 1.00003, 0.99998, ... 1e-4 of the largest operand is possible
//   %1 = cast(subtract(%y, %z), bool)   the difference is 3e-9, -2e-9, ...: it may be zero, so true or false
//   %1 = divide(%y, subtract(%y, %z))   the same for a divisor: infinite, or 1e9
//   %2 = subtract(%inf, %inf)           kOpen: 1.7, -inf, ...
//   %2 = multiply(zeros, %nan)          kOpen: -0.3, nan, ...: gradients leave out such products
//   %3 = max([nan, 1])                  kOpen: 1, inf, ...: TVM's maximum depends on the position of NaN
//   %3 = max([-inf])                    kOpen: TVM's maximum is the smallest finite number
//   %4 = nn.dense([1e30, 1], [[3e9, 2]])    kOpen: twice the weights overflow before the sum is made
//   %5 = image.resize1d([1, 4])         kRounding: 2, 3, ...: 2.9999 becomes 2
#include "disturbance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "relayopt/relay/eval/compare.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/quantization.h"

namespace relayopt {

namespace {

// Floats below this may be treated as 0.
constexpr double kVerySmall = 1e-30;

// Calls `visit` with a value of the C++ type of a float; does nothing for other types.
template <typename Visit>
void VisitFloats(DataType dtype, Visit&& visit) {
  if (dtype == DataType::Float(64)) visit(double());
  if (dtype == DataType::Float(32)) visit(float());
  if (dtype == DataType::Float(16)) visit(Half());
  if (dtype == DataType::BFloat(16)) visit(BFloat());
}

template <typename T>
auto Rounded(double number) -> T {
  if constexpr (std::is_same_v<T, double>)
    return number;
  else
    return T(static_cast<float>(number));
}

// Replaces the floats of a tensor by what `change` makes of them, and leaves other tensors alone.
template <typename Change>
void ChangeFloats(Tensor& tensor, Change&& change) {
  VisitFloats(tensor.dtype(), [&]<typename T>(T) {
    Tensor made(tensor.dtype(), {tensor.shape().begin(), tensor.shape().end()});
    std::ranges::transform(tensor.elements<T>(), made.mutable_data<T>(), [&](const T& element) {
      const auto number = static_cast<double>(element);
      const double changed = change(number);
      return std::isnan(number) && std::isnan(changed) ? element : Rounded<T>(changed);
    });
    tensor = std::move(made);
  });
}

// Whether `holds` holds for a float of the tensors.
template <typename Holds>
auto HasFloat(std::span<const Tensor> tensors, Holds&& holds) -> bool {
  bool found = false;
  for (const Tensor& tensor : tensors) {
    VisitFloats(tensor.dtype(), [&]<typename T>(T) {
      found = found || std::ranges::any_of(tensor.elements<T>(), [&](const T& x) { return holds(double(x)); });
    });
  }
  return found;
}
auto HasNaN(std::span<const Tensor> tensors) -> bool {
  return HasFloat(tensors, [](double x) { return std::isnan(x); });
}
auto HasInfinity(std::span<const Tensor> tensors) -> bool {
  return HasFloat(tensors, [](double x) { return std::isinf(x); });
}

auto IsFloat(DataType dtype) -> bool { return dtype.is_float() || dtype == DataType::BFloat(16); }

auto LargestMagnitude(const Tensor& tensor) -> double {
  double largest = 0;
  HasFloat(std::span(&tensor, 1), [&](double x) {
    largest = std::max(largest, std::abs(x));
    return false;
  });
  return largest;
}

// Returns the tensors with 1 instead of NaN, and instead of infinities if `also_infinities`.
auto Finite(std::span<const Tensor> tensors, bool also_infinities) -> std::vector<Tensor> {
  std::vector<Tensor> made(tensors.begin(), tensors.end());
  for (Tensor& tensor : made) {
    ChangeFloats(tensor, [&](double x) {
      return std::isnan(x) || (also_infinities && std::isinf(x)) ? std::copysign(1.0, x) : x;
    });
  }
  return made;
}

auto IsOneOf(const OpDef& op, std::span<const OpDef* const> ops) -> bool {
  return std::ranges::find(ops, &op) != ops.end();
}

auto IsRemainder(const OpDef& op) -> bool {
  constexpr std::array kRemainders = {"floor_mod"_op, "mod"_op, "trunc_mod"_op};
  return IsOneOf(op, kRemainders);
}

// Operators that subtract a mean and multiply by a scale: done in the other order, the difference of two products has
// the rounding error of these.
auto SubtractsMean(const OpDef& op) -> bool {
  constexpr std::array kNormalizations = {"nn.batch_norm"_op, "nn.group_norm"_op, "nn.instance_norm"_op,
                                          "nn.layer_norm"_op};
  return IsOneOf(op, kNormalizations);
}

// Returns the operand whose being zero makes infinities or NaN of numbers; nullopt if there is none.
auto DivisorOf(const OpDef& op) -> std::optional<size_t> {
  constexpr std::array kQuotients = {"divide"_op, "floor_divide"_op, "trunc_divide"_op};
  constexpr std::array kPoles = {"log"_op, "log10"_op, "log2"_op, "power"_op, "rsqrt"_op};
  if (IsRemainder(op) || IsOneOf(op, kQuotients)) return 1;
  return IsOneOf(op, kPoles) ? std::optional<size_t>(0) : std::nullopt;
}

// Operators that search for the largest or smallest of several numbers: the result depends on the positions of NaN.
auto SearchesExtremes(const OpDef& op) -> bool {
  constexpr std::array kSearches = {"max"_op,
                                    "min"_op,
                                    "argmax"_op,
                                    "argmin"_op,
                                    "nn.max_pool1d"_op,
                                    "nn.max_pool2d"_op,
                                    "nn.max_pool3d"_op,
                                    "nn.global_max_pool2d"_op,
                                    "nn.adaptive_max_pool1d"_op,
                                    "nn.adaptive_max_pool2d"_op,
                                    "nn.adaptive_max_pool3d"_op};
  return IsOneOf(op, kSearches);
}

// Whether it is a product with nothing but zeros, which need not be computed.
auto MultipliesByZeros(const OpDef& op, std::span<const Tensor> operands) -> bool {
  return &op == "multiply"_op && std::ranges::any_of(operands, [](const Tensor& tensor) {
    return IsFloat(tensor.dtype()) && LargestMagnitude(tensor) == 0 && !HasNaN(std::span(&tensor, 1));
  });
}

// Whether it computes integers by interpolation, in floats that it rounds itself.
auto InterpolatesIntegers(const OpDef& op, DataType result) -> bool {
  constexpr std::array kResizes = {"image.resize1d"_op,   "image.resize2d"_op,  "image.resize3d"_op,
                                   "nn.upsampling"_op,    "nn.upsampling3d"_op, "image.crop_and_resize"_op,
                                   "image.grid_sample"_op};
  return (result.is_int() || result.is_uint()) && IsOneOf(op, kResizes);
}

// The elements of the result that are where a search for extremes starts. As TVM: that is a finite number, so that the
// largest of infinities need not be one of them.
auto AtStartOfSearch(const Tensor& result) -> std::vector<bool> {
  std::vector<bool> is_start(static_cast<size_t>(result.size()));
  for (int64_t i = 0; i < result.size(); ++i)
    is_start[static_cast<size_t>(i)] = std::abs(NumberAt(result, i)) == LargestFinite(result.dtype());
  return is_start;
}

// The elements of sums of products whose parts are so large that some of them, scaled or added in another order, may
// leave the range of the type. `magnitudes` is what the operator makes of the magnitudes of its operands.
auto MayOverflow(const Tensor& magnitudes) -> std::vector<bool> {
  std::vector<bool> may(static_cast<size_t>(magnitudes.size()));
  const double limit = std::sqrt(LargestFinite(magnitudes.dtype()));
  for (int64_t i = 0; i < magnitudes.size(); ++i)
    may[static_cast<size_t>(i)] = !(std::abs(NumberAt(magnitudes, i)) <= limit);
  return may;
}

auto Magnitudes(std::span<const Tensor> operands) -> std::vector<Tensor> {
  std::vector<Tensor> made(operands.begin(), operands.end());
  for (Tensor& tensor : made) ChangeFloats(tensor, [](double x) { return std::abs(x); });
  return made;
}

auto IsComparison(const OpDef& op) -> bool {
  constexpr std::array kComparisons = {"equal"_op,      "not_equal"_op, "less"_op,
                                       "less_equal"_op, "greater"_op,   "greater_equal"_op};
  return IsOneOf(op, kComparisons);
}

// Returns the numbers whose being zero decides about the elements of a truth value: those that are cast, and the
// differences of those that are compared. Nothing for other operators, and where operands are broadcast.
auto DecidingNumbers(const OpDef& op, std::span<const Tensor> operands, const Tensor& result) -> std::vector<double> {
  const bool is_cast = &op == "cast"_op || &op == "cast_like"_op;
  if (result.dtype() != DataType::Bool() || !(is_cast || IsComparison(op))) return {};
  std::vector<double> numbers(static_cast<size_t>(result.size()));
  const size_t count = is_cast ? 1 : 2;
  for (size_t k = 0; k < count; ++k) {
    const Tensor& operand = operands[k];
    const bool is_scalar = operand.size() == 1;
    if (!IsFloat(operand.dtype())) return {};
    if (!is_scalar && !std::ranges::equal(operand.shape(), result.shape())) return {};
    for (int64_t i = 0; i < result.size(); ++i) {
      const double number = NumberAt(operand, is_scalar ? 0 : i);
      numbers[static_cast<size_t>(i)] += k == 0 ? number : -number;
    }
  }
  return numbers;
}

}  // namespace

auto Evaluator::Disturbance::NextNoise() -> double {
  return static_cast<double>(static_cast<int32_t>(random_.Next() >> 32)) / 2147483648.0;
}

void Evaluator::Disturbance::Round(Tensor& tensor, double magnitude, std::optional<DataType> precision) {
  const double bound = RelativeBound(precision.value_or(tensor.dtype()));
  ChangeFloats(tensor, [&](double number) {
    if (!std::isfinite(number)) return number;
    // A value that one order of computation gives as 0 may be a small number in another.
    if (std::max(std::abs(number), magnitude) < kVerySmall) {
      static_cast<void>(NextNoise());
      return NextNoise() < 0 ? 0 : kVerySmall;
    }
    const double noisy = number + bound * std::max(std::abs(number), magnitude) * NextNoise();
    // A finite number stays finite.
    return std::abs(noisy) <= LargestFinite(tensor.dtype()) ? noisy : number;
  });
}

void Evaluator::Disturbance::MoveByStep(Tensor& tensor, double step) {
  const auto move = [&]<typename T>(T) {
    Tensor made(tensor.dtype(), {tensor.shape().begin(), tensor.shape().end()});
    std::ranges::transform(tensor.elements<T>(), made.mutable_data<T>(), [&](const T& element) {
      const double moved = static_cast<double>(element) + std::round(NextNoise() * 1.5) * step;
      const bool fits = !std::is_integral_v<T> || (moved >= static_cast<double>(std::numeric_limits<T>::min()) &&
                                                   moved <= static_cast<double>(std::numeric_limits<T>::max()));
      return fits ? static_cast<T>(moved) : element;
    });
    tensor = std::move(made);
  };
  if (tensor.dtype() == DataType::Int(8)) move(int8_t());
  if (tensor.dtype() == DataType::UInt(8)) move(uint8_t());
  if (tensor.dtype() == DataType::Int(16)) move(int16_t());
  if (tensor.dtype() == DataType::Int(32)) move(int32_t());
  if (tensor.dtype() == DataType::Float(32)) move(float());
}

void Evaluator::Disturbance::DisturbArgument(Tensor& tensor) {
  if (kind_ == Kind::kRounding) Round(tensor);
}

void Evaluator::Disturbance::DisturbOperands(const OpInstance& instance, std::span<Tensor> operands) {
  if (kind_ == Kind::kRounding && SubtractsMean(*instance.op)) {
    for (Tensor& tensor : operands) Round(tensor);
    return;
  }
  for (size_t i = 1; kind_ == Kind::kRounding && i < operands.size(); ++i) {
    const bool is_same = std::ranges::any_of(
        operands.first(i), [&](const Tensor& earlier) { return earlier.bytes().data() == operands[i].bytes().data(); });
    if (is_same) Round(operands[i]);
  }
}

void Evaluator::Disturbance::DisturbResults(const OpInstance& instance, std::span<const Tensor> operands,
                                            std::span<Tensor> results, const Compute& compute) {
  if (kind_ == Kind::kOpen) return ReplaceOpen(instance, operands, results, compute);
  if (kind_ == Kind::kSteps) {
    if (!RoundsToSteps(*instance.op)) return;
    // A result that stays a float moves by the scale in the second operand.
    const double scale = operands.size() > 1 && operands[1].size() == 1 ? NumberAt(operands[1], 0) : 0;
    for (Tensor& tensor : results) MoveByStep(tensor, tensor.dtype().is_float() ? scale : 1);
    return;
  }
  if (zeros_ != nullptr) DivideByZero(instance, operands, results, compute);
  // Computed as a difference from the dividend, a remainder has the dividend's rounding error.
  const double magnitude = IsRemainder(*instance.op) ? LargestMagnitude(operands[0]) : 0;
  // As TVM: Legalize computes this of float64 in float32, too.
  const bool is_single = instance.op == "erf"_op && results[0].dtype() == DataType::Float(64);
  const auto precision = is_single ? std::optional(DataType::Float(32)) : std::nullopt;
  for (Tensor& tensor : results) {
    Round(tensor, magnitude, precision);
    if (InterpolatesIntegers(*instance.op, tensor.dtype())) MoveByStep(tensor, 1);
  }
  if (zeros_ != nullptr && results.size() == 1) DecideAtZero(instance, operands, results[0]);
}

auto Evaluator::Disturbance::ChooseZeros(const std::vector<double>& numbers) -> std::vector<std::optional<bool>> {
  std::vector<std::optional<bool>> is_zero(numbers.size());
  const size_t decision = num_decisions_++;
  if (zeros_->decisions.size() <= decision) zeros_->decisions.resize(decision + 1);
  auto& ranges = zeros_->decisions[decision];
  if (ranges.empty()) ranges.assign(numbers.size(), {});
  // Another branch was taken.
  if (ranges.size() != numbers.size()) return is_zero;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i])) ranges[i].Add(numbers[i]);
    // Consecutive seeds give both values, and neighbouring elements get all pairs of values.
    if (ranges[i].MayBeZero()) is_zero[i] = (seed_ >> ((i + decision) % 3) & 1) == 0;
  }
  return is_zero;
}

void Evaluator::Disturbance::DecideAtZero(const OpInstance& instance, std::span<const Tensor> operands,
                                          Tensor& result) {
  const std::vector<double> numbers = DecidingNumbers(*instance.op, operands, result);
  if (numbers.empty()) return;
  const auto is_zero = ChooseZeros(numbers);
  Tensor decided(result.dtype(), {result.shape().begin(), result.shape().end()});
  std::ranges::copy(result.elements<Bool>(), decided.mutable_data<Bool>());
  for (size_t i = 0; i < is_zero.size(); ++i) {
    if (is_zero[i]) decided.mutable_data<Bool>()[i] = !*is_zero[i];
  }
  result = std::move(decided);
}

void Evaluator::Disturbance::DivideByZero(const OpInstance& instance, std::span<const Tensor> operands,
                                          std::span<Tensor> results, const Compute& compute) {
  const auto divisor = DivisorOf(*instance.op);
  if (!divisor || *divisor >= operands.size() || !IsFloat(operands[*divisor].dtype())) return;
  const Tensor& numbers = operands[*divisor];
  std::vector<double> divisors(static_cast<size_t>(numbers.size()));
  for (int64_t i = 0; i < numbers.size(); ++i) divisors[static_cast<size_t>(i)] = NumberAt(numbers, i);
  const auto is_zero = ChooseZeros(divisors);
  const auto is_chosen = [](const std::optional<bool>& chosen) { return chosen.value_or(false); };
  if (std::ranges::none_of(is_zero, is_chosen)) return;
  std::vector<Tensor> others(operands.begin(), operands.end());
  size_t i = 0;
  ChangeFloats(others[*divisor], [&](double number) { return is_chosen(is_zero[i++]) ? 0 : number; });
  if (auto made = compute(others)) std::ranges::move(*made, results.begin());
}

void Evaluator::Disturbance::ReplaceAt(Tensor& result, const std::vector<bool>& is_open) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  // First each value everywhere, because some operators (a minimum) pass on few values. Further runs mix them.
  constexpr std::array kEverywhere = {kInfinity, -kInfinity, kNaN, 0.0};
  size_t i = 0;
  ChangeFloats(result, [&](double number) {
    if (!is_open[i++]) return number;
    if (seed_ - 1 < kEverywhere.size()) return kEverywhere[seed_ - 1];
    const double noise = NextNoise();
    if (NextNoise() < 0) return 2 * noise;
    return noise < -0.3 ? -kInfinity : noise < 0.3 ? kInfinity : kNaN;
  });
}

void Evaluator::Disturbance::ReplaceOpen(const OpInstance& instance, std::span<const Tensor> operands,
                                         std::span<Tensor> results, const Compute& compute) {
  const bool has_nan = HasNaN(results);
  const bool has_infinity = HasInfinity(results);
  if (SearchesExtremes(*instance.op) && HasNaN(operands)) {
    std::vector<Tensor> others(operands.begin(), operands.end());
    for (Tensor& tensor : others) {
      ChangeFloats(tensor, [&](double x) {
        const double noise = NextNoise();
        return !std::isnan(x) || noise > 0.5 ? x : std::copysign(std::numeric_limits<double>::infinity(), noise);
      });
    }
    if (auto found = compute(others)) std::ranges::copy(*found, results.begin());
    return;
  }
  // The largest of nothing is where the search starts, too.
  const bool is_of_nothing = !operands.empty() && operands[0].size() == 0;
  if (SearchesExtremes(*instance.op) && (HasInfinity(operands) || is_of_nothing)) {
    for (Tensor& result : results) ReplaceAt(result, AtStartOfSearch(result));
    return;
  }
  const bool sums_products = instance.op->fusion == Fusion::kOutEWiseFusable;
  if (!has_nan && !has_infinity && !sums_products) return;
  // The results after NaN and infinities in the operands are replaced, and after only NaN is.
  const auto of_numbers = compute(Finite(operands, /*also_infinities=*/true));
  const auto of_infinities = has_nan ? compute(Finite(operands, /*also_infinities=*/false)) : of_numbers;
  const auto of_magnitudes =
      sums_products ? compute(Magnitudes(Finite(operands, /*also_infinities=*/true))) : of_numbers;
  if (!of_numbers || !of_infinities || !of_magnitudes) return;
  const bool is_zero = MultipliesByZeros(*instance.op, operands);
  for (size_t k = 0; k < results.size(); ++k) {
    const Tensor& made = (*of_numbers)[k];
    const Tensor& other = (*of_infinities)[k];
    if (!IsFloat(made.dtype()) || made.size() != results[k].size() || other.size() != made.size()) continue;
    std::vector<bool> is_open(static_cast<size_t>(made.size()));
    if (sums_products) is_open = MayOverflow((*of_magnitudes)[k]);
    for (int64_t i = 0; i < made.size(); ++i) {
      const double number = NumberAt(made, i);
      const bool is_domain_error = std::isnan(number);
      is_open[static_cast<size_t>(i)] =
          is_open[static_cast<size_t>(i)] || (is_zero && std::isnan(NumberAt(results[k], i))) ||
          (is_domain_error ? domain_errors_are_open_ : std::isinf(number) || std::isnan(NumberAt(other, i)));
    }
    ReplaceAt(results[k], is_open);
  }
}

}  // namespace relayopt
