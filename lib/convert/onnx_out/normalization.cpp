// Forms of normalizations, softmax, losses and biases.
#include <numeric>

#include "layers.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt::onnx::out {

namespace {

// Returns a vector of one number, as long as the i-th argument.
auto Filled(OnnxCall& call, size_t like, double value) -> Name {
  const Type* type = call.input(like);
  return call.Add("Expand", {call.Number(value, type->dtype), call.Add("Shape", {call.arg(like)})});
}

// Returns the axes with `axis` moved to another position.
auto MovedAxis(size_t rank, int64_t axis, int64_t to) -> std::vector<int64_t> {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + axis);
  order.insert(order.begin() + to, axis);
  return order;
}

// Applies `add` to the data with `axis` moved to `place`, and moves the axis of the result back.
template <typename Add>
auto WithAxisAt(OnnxCall& call, int64_t axis, int64_t place, Add add) -> Name {
  if (axis == place) return add(call.arg(0));
  const auto order = MovedAxis(call.input(0)->rank(), axis, place);
  return call.Transpose(add(call.Transpose(call.arg(0), order)), InverseOf(order));
}

auto WriteBatchNorm(OnnxCall& call, const BatchNormAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || data->rank() < 2) return std::nullopt;
  const Name gamma = attrs.scale ? call.arg(1) : Filled(call, 1, 1);
  const Name beta = attrs.center ? call.arg(2) : Filled(call, 2, 0);
  const int64_t axis = NormalizedAxis(attrs.axis, data->rank());
  const Name normal = WithAxisAt(call, axis, 1, [&](Name x) {
    return call.Add("BatchNormalization", {x, gamma, beta, call.arg(3), call.arg(4)},
                    {Float("epsilon", attrs.epsilon)});
  });
  return Values{normal, call.arg(3), call.arg(4)};
}

auto WriteLayerNorm(OnnxCall& call, const LayerNormAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || !attrs.center || !attrs.scale) return std::nullopt;
  const auto last = static_cast<int64_t>(data->rank()) - 1;
  const int64_t axis = NormalizedAxis(attrs.axis, data->rank());
  // onnxruntime refuses rows without elements.
  if (data->shape[static_cast<size_t>(axis)].is(0)) return std::nullopt;
  return One(WithAxisAt(call, axis, last, [&](Name x) {
    return call.Add("LayerNormalization", {x, call.arg(1), call.arg(2)},
                    {Float("epsilon", attrs.epsilon), Int("axis", -1)});
  }));
}

auto WriteInstanceNorm(OnnxCall& call, const InstanceNormAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || data->rank() < 3 || !attrs.center || !attrs.scale) return std::nullopt;
  const auto normal = [&](Name x) {
    return call.Add("InstanceNormalization", {x, call.arg(1), call.arg(2)}, {Float("epsilon", attrs.epsilon)});
  };
  const int64_t axis = NormalizedAxis(attrs.axis, data->rank());
  // Where the batch is the channels, each of them is normalized over all other axes: there is one instance.
  const std::vector<int64_t> front = {0};
  if (axis == 0) return One(call.Add("Squeeze", {normal(call.Unsqueeze(call.arg(0), front)), call.List(front)}));
  return One(WithAxisAt(call, axis, 1, normal));
}

// Each group is one instance: reshaped, normalized, scaled by channel.
auto WriteGroupNorm(OnnxCall& call, const GroupNormAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || data->rank() < 3 || !attrs.center || !attrs.scale) return std::nullopt;
  const auto shape = KnownExtents(data->shape);
  if (!shape || NormalizedAxis(attrs.axis, data->rank()) != 1) return std::nullopt;
  const DataType dtype = data->dtype;
  const auto vector = [&](double value) {
    return call.Add("Expand", {call.Number(value, dtype), call.List({attrs.num_groups})});
  };
  const Name rows = call.Reshape(call.arg(0), std::vector<int64_t>{(*shape)[0], attrs.num_groups, -1});
  const Name normal =
      call.Add("InstanceNormalization", {rows, vector(1), vector(0)}, {Float("epsilon", attrs.epsilon)});
  std::vector<int64_t> behind(data->rank() - 2);
  std::iota(behind.begin(), behind.end(), 1);
  const Name scaled = call.Add("Mul", {call.Reshape(normal, *shape), call.Unsqueeze(call.arg(1), behind)});
  return One(call.Add("Add", {scaled, call.Unsqueeze(call.arg(2), behind)}));
}

auto WriteLrn(OnnxCall& call, const LRNAttrs& attrs) -> CallOutputs {
  // LowerFor expands those that onnxruntime has no kernel for, if their extents are known.
  const Type* data = call.input(0);
  if (data == nullptr || data->rank() != 4 || NormalizedAxis(attrs.axis, 4) != 1) return std::nullopt;
  return One(call.Add(
      "LRN", {call.arg(0)},
      {Int("size", attrs.size), Float("alpha", attrs.alpha), Float("beta", attrs.beta), Float("bias", attrs.bias)}));
}

auto WriteSoftmax(OnnxCall& call, const SoftmaxAttrs& attrs) -> CallOutputs {
  return One(call.Add(call.name(), {call.arg(0)}, {Int("axis", NormalizedAxis(attrs.axis, call.input(0)->rank()))}));
}

auto WriteNllLoss(OnnxCall& call, const NLLLossAttrs& attrs) -> CallOutputs {
  const Type* target = call.input(1);
  if (target == nullptr) return std::nullopt;
  const bool is_index = target->dtype == kIndexType || target->dtype == DataType::Int(32);
  return One(call.Add("NegativeLogLikelihoodLoss",
                      {call.arg(0), is_index ? call.arg(1) : call.Cast(call.arg(1), kIndexType), call.arg(2)},
                      {String("reduction", attrs.reduction), Int("ignore_index", attrs.ignore_index)}));
}

auto WriteBiasAdd(OnnxCall& call, const BiasAddAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr) return std::nullopt;
  const size_t behind = data->rank() - 1 - static_cast<size_t>(NormalizedAxis(attrs.axis, data->rank()));
  return One(call.Add("Add", {call.arg(0), call.AsColumn(call.arg(1), behind)}));
}

constexpr OpRule<OnnxForm> kNormalizationForms[] = {
    {"nn.batch_norm"_op, {"BatchNormalization", kReals, WithAttrs<WriteBatchNorm>}},
    {"nn.bias_add"_op, {"Add", kReals | kI32 | kI64, WithAttrs<WriteBiasAdd>}},
    {"nn.group_norm"_op, {"InstanceNormalization, Mul, Add", kSmallFloats, WithAttrs<WriteGroupNorm>}},
    {"nn.instance_norm"_op, {"InstanceNormalization", kSmallFloats, WithAttrs<WriteInstanceNorm>}},
    {"nn.layer_norm"_op, {"LayerNormalization", kReals, WithAttrs<WriteLayerNorm>}},
    {"nn.log_softmax"_op, {"LogSoftmax", kReals, WithAttrs<WriteSoftmax>}},
    {"nn.lrn"_op, {"LRN", kSmallFloats, WithAttrs<WriteLrn>}},
    {"nn.nll_loss"_op, {"NegativeLogLikelihoodLoss", kF32 | kF64, WithAttrs<WriteNllLoss>}},
    {"nn.softmax"_op, {"Softmax", kReals, WithAttrs<WriteSoftmax>}},
};

}  // namespace

auto NormalizationForms() -> std::span<const OpRule<OnnxForm>> { return kNormalizationForms; }

}  // namespace relayopt::onnx::out
