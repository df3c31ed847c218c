// Requantization (change of scale and zero point), in integer or in float arithmetic.
#include "requantize.h"

#include <algorithm>
#include <cmath>

#include "lib/relay/transforms/expand_bias.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/misc_tensor.h"

namespace relayopt {

namespace {

class Requantizer {
 public:
  Requantizer(QnnEmitter& emit, const RequantizeMode& mode, Shape shape, int64_t axis)
      : emit_(emit),
        mode_(mode),
        shape_(shape.begin(), shape.end()),
        axis_(shape.empty() ? 0 : NormalizedAxis(axis, shape.size())) {}

  auto Run(ExprId data, const QuantizationParams& from, const QuantizationParams& to, DataType out_dtype) -> ExprId {
    const auto multipliers = Multipliers(from.scale, to.scale);
    if (!multipliers) return {};
    const bool per_axis = !emit_.constant(from.scale)->is_scalar();
    const bool same_scale = emit_.SameScalar(from.scale, to.scale);
    const bool in_floats = mode_.compute_dtype.is_float();
    const DataType type = in_floats ? mode_.compute_dtype : kInt32;
    ExprId value = emit_.Cast(data, type);
    if (!emit_.IsInt(from.zero_point, 0)) value = emit_.Subtract(value, emit_.Cast(Spread(from.zero_point), type));
    if (!same_scale) {
      value = in_floats ? FloatScale(value, *multipliers, per_axis) : IntegerScale(value, *multipliers, per_axis);
    }
    if (!emit_.IsInt(to.zero_point, 0)) {
      const ExprId zero_point = emit_.Cast(to.zero_point, type);
      // As TVM: the operands are in this order.
      value = in_floats ? emit_.Add(value, zero_point) : emit_.Add(zero_point, value);
    }
    if (in_floats) value = emit_.Cast(Round(value), kInt32);
    return out_dtype == kInt32 ? value : emit_.Narrow(value, out_dtype);
  }

  // Returns a product in 64 bits, rounded half away from zero: half a unit is added before the shift, one less for
  // negative products.
  auto ToNearest(ExprId value, const std::vector<double>& multipliers, bool per_axis) -> ExprId {
    std::vector<int64_t> factors;
    std::vector<int64_t> left;
    std::vector<int64_t> right;
    std::vector<int64_t> half_up;
    std::vector<int64_t> half_down;
    bool shifts_left = false;
    for (const double multiplier : multipliers) {
      const FixedPointMultiplier fixed = ToFixedPoint(multiplier);
      factors.push_back(fixed.multiplier);
      left.push_back(fixed.shift > 0 ? fixed.shift : 0);
      // Products have less than 63 bits: a longer shift gives 0 just the same.
      right.push_back(std::min((fixed.shift > 0 ? 0 : -fixed.shift) + 31, 63));
      const int64_t half = int64_t{1} << (right.back() - 1);
      half_up.push_back(half);
      half_down.push_back(half - 1);
      shifts_left |= left.back() != 0;
    }
    const auto channels = [&](const std::vector<int64_t>& values) {
      return per_axis ? AlongAxis(values, kInt64) : emit_.Int(values.front(), kInt64);
    };
    value = emit_.Cast(value, kInt64);
    if (shifts_left) value = emit_.Call("left_shift"_op, {value, channels(left)});
    value = emit_.Multiply(value, channels(factors));
    const ExprId positive = emit_.Call("greater_equal"_op, {value, Filled(emit_.Int(0, kInt64), Fill::kZeros)});
    const Fill fill = per_axis ? Fill::kBroadcast : Fill::kFull;
    const ExprId half = emit_.Where(positive, Filled(channels(half_up), fill), Filled(channels(half_down), fill));
    value = emit_.Call("right_shift"_op, {emit_.Add(value, half), channels(right)});
    return emit_.Cast(value, kInt32);
  }

 private:
  // Ratios of scales, one for each channel; returns nothing if they are not known or not usable.
  auto Multipliers(ExprId from, ExprId to) -> std::optional<std::vector<double>> {
    auto ratios = emit_.Values(from);
    const auto divisor = emit_.Values(to);
    if (!ratios || !divisor || divisor->size() != 1) return std::nullopt;
    for (double& ratio : *ratios) {
      ratio /= divisor->front();
      if (!std::isfinite(ratio)) return std::nullopt;
    }
    return ratios;
  }

  // Returns a zero point as a vector along the axis, even where it is a scalar.
  auto Spread(ExprId zero_point) -> ExprId {
    if (shape_.empty()) return zero_point;
    return ExpandBias(emit_.to(), emit_.Reshape(zero_point, {-1}), shape_.size(), axis_);
  }

  template <typename T>
  auto AlongAxis(const std::vector<T>& values, DataType dtype) -> ExprId {
    return ExpandBias(emit_.to(), emit_.Vector(std::span<const T>(values), dtype), shape_.size(), axis_);
  }

  auto IntegerScale(ExprId value, const std::vector<double>& multipliers, bool per_axis) -> ExprId {
    if (mode_.rounding == RequantizeRounding::kToNearest) return ToNearest(value, multipliers, per_axis);
    if (!per_axis) return EmitFixedPointMultiply(emit_, value, multipliers.front());
    std::vector<int64_t> factors;
    std::vector<int64_t> left;
    std::vector<int64_t> right;
    FixedPointMultiplyPerAxisAttrs attrs{.axes = {axis_}};
    for (const double multiplier : multipliers) {
      const FixedPointMultiplier fixed = ToFixedPoint(multiplier);
      factors.push_back(fixed.multiplier);
      left.push_back(fixed.shift > 0 ? fixed.shift : 0);
      right.push_back(fixed.shift > 0 ? 0 : -fixed.shift);
      if (left.back() != 0) attrs.is_lshift_required = true;
      if (right.back() != 0) attrs.is_rshift_required = true;
    }
    return emit_.CallWith(
        "fixed_point_multiply_per_axis"_op, attrs,
        {value, emit_.Vector(factors, kInt32), emit_.Vector(left, kInt32), emit_.Vector(right, kInt32)});
  }

  // How a scalar is expanded to the shape of the data; unused when that shape is not known.
  enum class Fill : uint8_t { kZeros, kFull, kBroadcast };
  auto Filled(ExprId value, Fill fill) -> ExprId {
    if (!AllKnown(shape_)) return value;
    const InitOpAttrs attrs{.shape = DimList(shape_), .dtype = kInt64};
    if (fill == Fill::kZeros) return emit_.CallWith("zeros"_op, attrs, {});
    if (fill == Fill::kFull) return emit_.CallWith("full"_op, attrs, {value});
    return emit_.CallWith("broadcast_to"_op, InitOpAttrs{.shape = DimList(shape_)}, {value});
  }

  auto FloatScale(ExprId value, const std::vector<double>& multipliers, bool per_axis) -> ExprId {
    if (per_axis) return emit_.Multiply(value, AlongAxis(multipliers, mode_.compute_dtype));
    return emit_.Multiply(emit_.Real(multipliers.front(), mode_.compute_dtype), value);
  }

  // Rounds floats by other operators; values that are not finite stay.
  auto Round(ExprId value) -> ExprId {
    const DataType type = mode_.compute_dtype;
    const auto truncate = [&](ExprId x) { return emit_.Cast(emit_.Cast(x, DataType::Int(type.bits)), type); };
    const ExprId half = emit_.Real(0.5, type);
    const ExprId zero = emit_.Real(0, type);
    const ExprId one = emit_.Real(1, type);
    ExprId rounded;
    if (mode_.rounding == RequantizeRounding::kUpward) {
      const ExprId shifted = emit_.Add(value, half);
      const ExprId truncated = truncate(shifted);
      const ExprId is_floor = emit_.Call("logical_or"_op, {emit_.Call("equal"_op, {shifted, truncated}),
                                                           emit_.Call("greater_equal"_op, {shifted, zero})});
      rounded = emit_.Where(is_floor, truncated, emit_.Subtract(truncated, one));
    } else {
      const ExprId sign = emit_.Call("where"_op, {emit_.Call("less"_op, {value, zero}), emit_.Real(-1, type), one});
      const ExprId magnitude = emit_.Multiply(emit_.Add(value, emit_.Multiply(half, sign)), sign);
      rounded = emit_.Multiply(truncate(magnitude), sign);
    }
    return emit_.Call("where"_op, {emit_.Call("isfinite"_op, {value}), rounded, value});
  }

  QnnEmitter& emit_;
  RequantizeMode mode_;
  std::vector<Dim> shape_;
  int64_t axis_;
};

}  // namespace

auto ParseRounding(std::string_view text) -> std::optional<RequantizeRounding> {
  if (text == "UPWARD") return RequantizeRounding::kUpward;
  if (text == "TONEAREST") return RequantizeRounding::kToNearest;
  return std::nullopt;
}

auto ParseComputeType(std::string_view text) -> std::optional<DataType> {
  if (text == "int64") return kInt64;
  if (text == "float32") return DataType::Float(32);
  if (text == "float64") return DataType::Float(64);
  return std::nullopt;
}

auto ToFixedPoint(double value) -> FixedPointMultiplier {
  if (value == 0) return {};
  int shift = 0;
  const double significand = std::frexp(value, &shift);
  auto multiplier = static_cast<int64_t>(std::round(std::ldexp(significand, 31)));
  // RequantizeRounding can carry out of the 31 bits.
  if (multiplier == int64_t{1} << 31) {
    multiplier /= 2;
    ++shift;
  }
  // With a longer shift, which the operators do not take, the product of any int32 is less than one half.
  constexpr int kLongestShift = 31;
  if (shift < -kLongestShift) return {};
  return {static_cast<int32_t>(multiplier), shift};
}

auto EmitFixedPointMultiply(QnnEmitter& emit, ExprId data, double value) -> ExprId {
  const FixedPointMultiplier fixed = ToFixedPoint(value);
  return emit.CallWith("fixed_point_multiply"_op,
                       FixedPointMultiplyAttrs{.multiplier = fixed.multiplier, .shift = fixed.shift}, {data});
}

auto EmitFixedPointMultiplyToNearest(QnnEmitter& emit, ExprId data, double value) -> ExprId {
  const Type* type = emit.tensor(data);
  if (type == nullptr) return {};
  return Requantizer(emit, {.rounding = RequantizeRounding::kToNearest}, type->shape, 0)
      .ToNearest(data, {value}, false);
}

auto EmitRequantize(QnnEmitter& emit, ExprId data, const QuantizationParams& from, const QuantizationParams& to,
                    int64_t axis, DataType out_dtype, const RequantizeMode& mode) -> ExprId {
  const Type* type = emit.tensor(data);
  if (type == nullptr) return {};
  return Requantizer(emit, mode, type->shape, axis).Run(data, from, to, out_dtype);
}

auto EmitRequantizeOrCast(QnnEmitter& emit, ExprId data, const QuantizationParams& from, const QuantizationParams& to,
                          int64_t axis, const RequantizeMode& mode) -> ExprId {
  if (emit.SameScalar(from.scale, to.scale) && emit.SameScalar(from.zero_point, to.zero_point)) {
    return emit.Cast(data, kInt32);
  }
  return EmitRequantize(emit, data, from, to, axis, kInt32, mode);
}

}  // namespace relayopt
