// Rules that replace an operator on real numbers by one on the quantized tensors that represent them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/relay/transforms/qnn/emitter.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/op_rules.h"

namespace relayopt {

// The real numbers that integers q represent, scale * (q - zero_point); or a tuple of such types.
struct AffineType {
  // Expressions of the function being built: scalars, or vectors along `axis`.
  ExprId scale;
  ExprId zero_point;
  DataType dtype;
  int64_t axis = -1;
  // The fields of a tuple; the other members are then unused.
  std::vector<AffineType> fields = {};
};

// An operand: its replacement, and the real numbers that it represents. Without a type it is a constant of real
// numbers.
struct AffineOperand {
  ExprId expr;
  std::optional<AffineType> type;
};

// A result of integers.
struct AffineResult {
  ExprId expr;
  AffineType type;
};

// A call that a rule is to compute on integers.
struct FakeQuantizedCall : CallView {
  QnnEmitter& emit;
  std::span<const AffineOperand> args;
  // The quantization of the region's result; null if it is not given.
  const AffineType* out = nullptr;
  // Whether the region's result is that of this call, or of unary operators after it.
  bool ends_region = false;
  // Whether only operators that commute with rounding and clipping follow (FakeQuantizationRule::commutes): the result
  // may be quantized like the region's. Elsewhere that would cut off what later operators bring back into range.
  bool is_last = false;
  // Set by a rule that rejects the call: the reason, as the predicate of a sentence about the operator.
  std::string_view refusal = {};

  // Returns the type of the first operand, or null if it has none or is a tuple.
  auto data() const -> const AffineType*;
  // Returns the rank of the i-th operand, or nothing if it is not known to be a tensor.
  auto rank(size_t i = 0) const -> std::optional<size_t>;
  // Emits the same call on the new operands.
  auto Same() -> ExprId;
  // Rejects the call, for this reason.
  auto Refuse(std::string_view why) -> std::nullopt_t {
    refusal = why;
    return std::nullopt;
  }
};

// Reasons for which rules reject calls.
namespace refusal {
inline constexpr std::string_view kChannels = "would mix up the scales of channels";
inline constexpr std::string_view kOperand = "has an operand that is not dequantized";
inline constexpr std::string_view kSaturates = "gives numbers that would be cut off before later operators";
inline constexpr std::string_view kConstant = "has a constant that its operand's scale cannot represent";
inline constexpr std::string_view kOverflow = "gives numbers that may not fit into int32";
}  // namespace refusal

// Returns nothing if the operator cannot be computed in this way.
using FakeQuantizationFunction = auto(*)(FakeQuantizedCall& call) -> std::optional<AffineResult>;

struct FakeQuantizationRule {
  FakeQuantizationFunction function = nullptr;
  // The rule serves single operators between dequantizations too, as quantization-aware training leaves them.
  bool is_for_training = false;
  // Used on request only: the result is less exact.
  bool is_optional = false;
  // Whether rounding and clipping the operands instead of the result gives the same; null: never.
  bool (*commutes)(const Function& function, ExprId call) = nullptr;
};
// For FakeQuantizationRule::commutes.
inline auto AlwaysCommutes(const Function&, ExprId) -> bool { return true; }
using FakeQuantizationRuleOf = OpRule<FakeQuantizationRule>;

// Returns the rules of each family, for FindFakeQuantizationRule.
auto ShapeFakeQuantizationRules() -> std::span<const FakeQuantizationRuleOf>;
auto PoolingFakeQuantizationRules() -> std::span<const FakeQuantizationRuleOf>;
auto ArithmeticFakeQuantizationRules() -> std::span<const FakeQuantizationRuleOf>;
auto ProductFakeQuantizationRules() -> std::span<const FakeQuantizationRuleOf>;

// Returns null if the operator has none.
auto FindFakeQuantizationRule(const OpDef* op) -> const FakeQuantizationRule*;

// Queries about affine types.

// The smallest and the largest of some real numbers.
struct RealRange {
  double min = 0;
  double max = 0;
};
// Returns the numbers that a type represents, or the elements of a constant, or nothing if they are not known.
auto RangeOf(const QnnEmitter& emit, const AffineType& type) -> std::optional<RealRange>;
auto RangeOf(const QnnEmitter& emit, const AffineOperand& operand) -> std::optional<RealRange>;
// Whether a type represents all numbers of a range up to rounding.
auto Represents(const QnnEmitter& emit, const AffineType& type, const RealRange& range) -> bool;

// Whether scale or zero point differ along the axis.
auto IsPerChannel(const QnnEmitter& emit, const AffineType& type) -> bool;
// Whether two scales or zero points are one expression, or constants that agree up to rounding.
auto AreClose(const QnnEmitter& emit, ExprId a, ExprId b) -> bool;
// Whether scale, zero point and element type agree up to rounding.
auto AreClose(const QnnEmitter& emit, const AffineType& a, const AffineType& b) -> bool;
// Whether everything is the same, the axis included.
auto AreEqual(const QnnEmitter& emit, const AffineType& a, const AffineType& b) -> bool;

// Emission.

// The type with scale and zero point of rank 0 if they are constants of one element, as qnn operators need them.
auto WithScalars(QnnEmitter& emit, AffineType type) -> AffineType;
// Returns the product of two scales, a constant where both are. Returns none if both are vectors of different lengths.
auto EmitScaleProduct(QnnEmitter& emit, ExprId a, ExprId b) -> ExprId;
// int32 zeros of the shape of a scale.
auto EmitZeroPoints(QnnEmitter& emit, ExprId scale) -> ExprId;
// qnn.requantize from one type to the scale and zero point of another, along `axis`.
auto EmitRequantizeCall(QnnEmitter& emit, ExprId data, const AffineType& from, const AffineType& to, DataType out_dtype,
                        int64_t axis) -> ExprId;
// qnn.quantize of real numbers.
auto EmitQuantizeCall(QnnEmitter& emit, ExprId data, const AffineType& to, int64_t axis) -> ExprId;
// Returns a constant of integers or float32 numbers, of extent `values.size()` along `axis` and 1 along all other axes.
auto EmitAlongAxis(QnnEmitter& emit, std::span<const double> values, DataType dtype, size_t rank, int64_t axis)
    -> ExprId;

}  // namespace relayopt
