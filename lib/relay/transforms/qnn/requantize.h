// Requantization (change of scale and zero point), in integer or in float arithmetic.
#pragma once

#include <cstdint>
#include <optional>

#include "emitter.h"

namespace relayopt {

enum class RequantizeRounding : uint8_t {
  kUpward,     // half toward plus infinity
  kToNearest,  // half away from zero
};

// How products are computed: in 64-bit integers, or in this float type.
struct RequantizeMode {
  RequantizeRounding rounding = RequantizeRounding::kUpward;
  DataType compute_dtype = DataType::Int(64);
};

// `UPWARD`, `TONEAREST`; `int64`, `float32`, `float64`. Nothing for anything else.
auto ParseRounding(std::string_view text) -> std::optional<RequantizeRounding>;
auto ParseComputeType(std::string_view text) -> std::optional<DataType>;

// Scale and zero point of a quantized tensor, expressions of the function being built.
struct QuantizationParams {
  ExprId scale;
  ExprId zero_point;
};

// A number as multiplier * 2^(shift - 31).
struct FixedPointMultiplier {
  int32_t multiplier = 0;
  int shift = 0;
};
auto ToFixedPoint(double value) -> FixedPointMultiplier;

// fixed_point_multiply(data, value).
auto EmitFixedPointMultiply(QnnEmitter& emit, ExprId data, double value) -> ExprId;
// The same, rounded half away from zero, which takes several operators; the result is int32. Returns invalid if the
// type of `data` is not known.
auto EmitFixedPointMultiplyToNearest(QnnEmitter& emit, ExprId data, double value) -> ExprId;

// Converts `data` to other quantization parameters: integers of `out_dtype` that represent the same real numbers.
// `from` varies along `axis` (negative: counted from the end). Returns invalid if a scale is not constant, or when the
// ratio of the scales is not a positive number.
auto EmitRequantize(QnnEmitter& emit, ExprId data, const QuantizationParams& from, const QuantizationParams& to,
                    int64_t axis, DataType out_dtype, const RequantizeMode& mode) -> ExprId;

// The same to int32; just a cast when the parameters are the same scalars.
auto EmitRequantizeOrCast(QnnEmitter& emit, ExprId data, const QuantizationParams& from, const QuantizationParams& to,
                          int64_t axis, const RequantizeMode& mode) -> ExprId;

}  // namespace relayopt
