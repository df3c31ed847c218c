// Rules that lower quantized operators to integer arithmetic.
#pragma once

#include <span>

#include "emitter.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/op_rules.h"
#include "requantize.h"

namespace relayopt {

// A call of a quantized operator whose arguments have been rewritten.
struct QnnCall : CallView {
  QnnEmitter& emit;
  // The new arguments, in the function being built.
  std::span<const ExprId> args;
  // How requantization computes if attributes do not determine it.
  RequantizeMode mode;
};

// A lowering rule: emits the replacement of the call and returns it; invalid if the call has to stay (what was emitted
// is then dropped).
using QnnRule = auto(*)(QnnCall& call) -> ExprId;

using QnnRuleOf = OpRule<QnnRule>;

// Returns the rules of each family, for FindQnnLowering.
auto QnnElementwiseLowerings() -> std::span<const QnnRuleOf>;
auto QnnUnaryLowerings() -> std::span<const QnnRuleOf>;
auto QnnBinaryLowerings() -> std::span<const QnnRuleOf>;
auto QnnProductLowerings() -> std::span<const QnnRuleOf>;
auto QnnConvolutionLowerings() -> std::span<const QnnRuleOf>;

// Returns null if the operator has none.
auto FindQnnLowering(const OpDef* op) -> QnnRule;

// Emission of operations that several families use. Scales and zero points that are not scalars vary along `axis`
// (negative: counted from the end).
auto EmitQuantize(QnnEmitter& emit, ExprId data, const QuantizationParams& to, int64_t axis, DataType out_dtype)
    -> ExprId;
auto EmitDequantize(QnnEmitter& emit, ExprId data, const QuantizationParams& from, int64_t axis) -> ExprId;

// The zero points of data and weight, if they are scalar constants.
struct ProductZeroPoints {
  ProductZeroPoints(const QnnEmitter& emit, ExprId data_zero_point, ExprId weight_zero_point)
      : data(emit.ScalarInt(data_zero_point)), weight(emit.ScalarInt(weight_zero_point)) {}

  // Whether one of them is not a scalar constant.
  auto is_dynamic() const -> bool { return !data || !weight; }
  // Whether terms with it may differ from 0.
  auto data_counts() const -> bool { return is_dynamic() || *data != 0; }
  auto weight_counts() const -> bool { return is_dynamic() || *weight != 0; }

  std::optional<int64_t> data;
  std::optional<int64_t> weight;
};

// (x - a) * (w - b) = x*w - b*x - a*w + a*b. Terms that are 0 are invalid ids.
struct ProductTerms {
  ExprId product;
  ExprId weight_zero_point_term;
  ExprId data_zero_point_term;
  // Needed if both of the above exist.
  ExprId constant_term;
};
auto EmitProduct(QnnEmitter& emit, const ProductTerms& terms) -> ExprId;

}  // namespace relayopt
