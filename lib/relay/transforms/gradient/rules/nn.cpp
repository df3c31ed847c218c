// Gradients of pooling, normalization, losses and related operators.
#include "gradient_rules.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

namespace {

auto SoftmaxGradient(GradientContext& r) -> Gradients {
  const ReduceAttrs sum{.axis = {Dim(r.attrs<SoftmaxAttrs>().axis)}, .keepdims = true};
  const ExprId weighted = r.CallWith("sum"_op, sum, {r.Multiply(r.gradient(), r.call())});
  return std::vector<ExprId>{r.Multiply(r.Subtract(r.gradient(), weighted), r.call())};
}

auto LogSoftmaxGradient(GradientContext& r) -> Gradients {
  const ReduceAttrs attrs{.axis = {Dim(r.attrs<SoftmaxAttrs>().axis)}, .keepdims = true};
  const ExprId sum = r.CallWith("sum"_op, attrs, {r.gradient()});
  const ExprId softmax = r.Call("exp"_op, {r.call()});
  return std::vector<ExprId>{r.Subtract(r.gradient(), r.Multiply(sum, softmax))};
}

auto BiasAddGradient(GradientContext& r) -> Gradients {
  const ReduceAttrs sum{.axis = {Dim(r.attrs<BiasAddAttrs>().axis)}, .exclude = true};
  return std::vector<ExprId>{r.CollapseSumLike(r.gradient(), r.arg(0)), r.CallWith("sum"_op, sum, {r.gradient()})};
}

// Returns the gradient divided by the size of the batch.
auto PerSample(GradientContext& r, ExprId x) -> ExprId {
  const DataType int32 = DataType::Int(32);
  const ExprId shape = r.CallWith("shape_of"_op, ShapeOfAttrs{.dtype = int32}, {x});
  const ExprId batch = r.CallWith("take"_op, TakeAttrs{.axis = Dim(0)}, {shape, EmitScalar(r.to(), int32, int64_t{0})});
  return r.Divide(r.gradient(), r.CallWith("cast"_op, CastAttrs{.dtype = r.ElementType(x)}, {batch}));
}

auto CrossEntropyGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId y = r.arg(1);
  const ExprId gradient = PerSample(r, x);
  const ExprId of_x = r.Divide(r.Multiply(r.Negative(gradient), y), x);
  return std::vector<ExprId>{of_x, r.Multiply(r.Negative(gradient), r.Call("log"_op, {x}))};
}

auto CrossEntropyWithLogitsGradient(GradientContext& r) -> Gradients {
  const ExprId gradient = PerSample(r, r.arg(0));
  return std::vector<ExprId>{r.Multiply(r.Negative(gradient), r.arg(1)), r.Multiply(r.Negative(gradient), r.arg(0))};
}

// Returns the call that undoes a pooling with the same window.
template <typename A>
auto PoolGradient(GradientContext& r, const OpDef* op) -> Gradients {
  A attrs = r.attrs<A>();
  for (const Dim& dilation : attrs.dilation) {
    if (!dilation.is(1)) return r.Error("the window must not be dilated");
  }
  attrs.dilation = DimList();
  attrs.out_layout.clear();
  return std::vector<ExprId>{r.CallWith(op, attrs, {r.gradient(), r.arg(0)})};
}
auto MaxPool2DGradient(GradientContext& r) -> Gradients {
  return PoolGradient<MaxPool2DAttrs>(r, "nn.max_pool2d_grad"_op);
}
auto AvgPool2DGradient(GradientContext& r) -> Gradients {
  return PoolGradient<AvgPool2DAttrs>(r, "nn.avg_pool2d_grad"_op);
}

auto GlobalAvgPool2DGradient(GradientContext& r) -> Gradients {
  const std::string& layout = r.attrs<GlobalPool2DAttrs>().layout;
  const Type* type = r.tensor(r.arg(0));
  if (type == nullptr || type->rank() != 4) return r.Error("the data must have four axes");
  if (layout != "NCHW" && layout != "NHWC") return r.Error("the layout {} is neither NCHW nor NHWC", layout);
  const size_t first = layout == "NCHW" ? 2 : 1;
  AvgPool2DAttrs attrs;
  attrs.pool_size = DimList({type->shape[first], type->shape[first + 1]});
  attrs.dilation = DimList();
  attrs.layout = layout;
  return std::vector<ExprId>{r.CallWith("nn.avg_pool2d_grad"_op, attrs, {r.gradient(), r.arg(0)})};
}

// With n = (x - mean) / deviation and h = g * gamma, the gradient of x is (h - mean(h) - n * mean(h * n)) / deviation,
// with means along the axis.
auto LayerNormGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<LayerNormAttrs>();
  const ExprId x = r.arg(0);
  const ExprId gamma = r.arg(1);
  const Type* type = r.tensor(x);
  if (type == nullptr) return r.Error("its operand is not a tensor of known type");
  const auto rank = static_cast<int64_t>(type->rank());
  const int64_t axis = attrs.axis < 0 ? attrs.axis + rank : attrs.axis;
  if (axis < 0 || axis >= rank) return r.Error("axis {} of {}", attrs.axis, rank);
  const auto mean = [&](ExprId value) {
    return r.CallWith("mean"_op, ReduceAttrs{.axis = {Dim(axis)}, .keepdims = true}, {value});
  };
  const ExprId centred = r.Subtract(x, mean(x));
  const ExprId variance = r.Add(mean(r.Multiply(centred, centred)), r.Scalar(x, attrs.epsilon));
  const ExprId inverse = r.Call("rsqrt"_op, {variance});
  const ExprId normal = r.Multiply(centred, inverse);
  ExprId scaled = r.gradient();
  if (attrs.scale) {
    const ExpandDimsAttrs trailing{.axis = 1, .num_newaxis = rank - 1 - axis};
    scaled = r.Multiply(scaled, rank - 1 == axis ? gamma : r.CallWith("expand_dims"_op, trailing, {gamma}));
  }
  const ExprId rest =
      r.Subtract(r.Subtract(scaled, mean(scaled)), r.Multiply(normal, mean(r.Multiply(scaled, normal))));
  const auto along_axis = [&](ExprId value) {
    return r.CallWith("sum"_op, ReduceAttrs{.axis = {Dim(axis)}, .exclude = true}, {value});
  };
  return std::vector<ExprId>{
      r.Multiply(rest, inverse),
      attrs.scale ? along_axis(r.Multiply(r.gradient(), normal)) : r.ZerosLike(gamma),
      attrs.center ? along_axis(r.gradient()) : r.ZerosLike(r.arg(2)),
  };
}

constexpr GradientRow kNNRows[] = {
    {"nn.avg_pool2d"_op, AvgPool2DGradient},
    {"nn.bias_add"_op, BiasAddGradient},
    {"nn.cross_entropy"_op, CrossEntropyGradient},
    {"nn.cross_entropy_with_logits"_op, CrossEntropyWithLogitsGradient},
    {"nn.global_avg_pool2d"_op, GlobalAvgPool2DGradient},
    {"nn.layer_norm"_op, LayerNormGradient},
    {"nn.log_softmax"_op, LogSoftmaxGradient},
    {"nn.max_pool2d"_op, MaxPool2DGradient},
    {"nn.softmax"_op, SoftmaxGradient},
};

}  // namespace

auto NNGradients() -> std::span<const GradientRow> { return kNNRows; }

}  // namespace relayopt
