// Rules for average pooling of integers.
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "rules.h"

namespace relayopt {

namespace {

using Result = std::optional<AffineResult>;

// qnn.avg_pool2d, straight to the result's scale when nothing but the quantization follows.
auto AvgPool2D(FakeQuantizedCall& call, const AvgPool2DAttrs& attrs) -> Result {
  const AffineType* type = call.data();
  if (type == nullptr) return std::nullopt;
  // The operator keeps the element type.
  const bool takes_out = call.ends_region && call.is_last && call.out != nullptr && call.out->dtype == type->dtype;
  const AffineType& to = takes_out ? *call.out : *type;
  const ExprId pooled = call.emit.CallWith("qnn.avg_pool2d"_op, attrs,
                                           {call.args[0].expr, type->scale, type->zero_point, to.scale, to.zero_point});
  return AffineResult{pooled, to};
}

// Returns the operator on int32, in the result's scale.
auto AdaptiveAvgPool(FakeQuantizedCall& call) -> Result {
  const AffineType* type = call.data();
  if (type == nullptr || call.out == nullptr) return std::nullopt;
  // Where operators follow, the result's steps may be too coarse.
  AffineType to = call.is_last ? *call.out : *type;
  const bool is_same =
      AreClose(call.emit, type->scale, to.scale) && AreClose(call.emit, type->zero_point, to.zero_point);
  const ExprId wide = is_same ? call.emit.Cast(call.args[0].expr, kInt32)
                              : EmitRequantizeCall(call.emit, call.args[0].expr, *type, to, kInt32, type->axis);
  to.dtype = kInt32;
  return AffineResult{EmitCall(call.emit.to(), call.op(), {wide}, call.function().attrs(call.id())), std::move(to)};
}

auto Mean(FakeQuantizedCall& call) -> Result {
  const AffineType* type = call.data();
  if (type == nullptr) return std::nullopt;
  if (IsPerChannel(call.emit, *type)) return call.Refuse(refusal::kChannels);
  const ExprId wide = call.emit.Cast(call.args[0].expr, kInt32);
  const ExprId mean = EmitCall(call.emit.to(), call.op(), {wide}, call.function().attrs(call.id()));
  return AffineResult{call.emit.Cast(mean, type->dtype), *type};
}

constexpr FakeQuantizationRuleOf kPoolingRules[] = {
    {"mean"_op, {Mean}},
    {"nn.adaptive_avg_pool1d"_op, {AdaptiveAvgPool}},
    {"nn.avg_pool2d"_op, {WithAttrs<AvgPool2D>, true}},
    {"nn.global_avg_pool2d"_op, {AdaptiveAvgPool, true}},
};

}  // namespace

auto PoolingFakeQuantizationRules() -> std::span<const FakeQuantizationRuleOf> { return kPoolingRules; }

}  // namespace relayopt
