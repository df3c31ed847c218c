// Lowering of pooling and resizing.
#include <algorithm>
#include <string>

#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/reduce.h"
#include "rules.h"

namespace relayopt {

namespace {

// Places of the spatial axes (D, H and W, those there are) in an unpacked layout; nothing for a packed one.
auto SpatialAxes(std::string_view layout) -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> axes;
  for (const char name : {'D', 'H', 'W'}) {
    const size_t at = layout.find(name);
    if (at != std::string_view::npos) axes.push_back(static_cast<int64_t>(at));
  }
  const auto parsed = Layout::Parse(layout);
  if (!parsed || parsed->rank() != parsed->primal_rank()) return std::nullopt;
  return axes;
}

auto LowerGlobalPool(LowerCall& call, const OpDef* reduce) -> ExprId {
  const auto* attrs = call.attrs<GlobalPool2DAttrs>();
  if (attrs == nullptr || (!attrs->out_layout.empty() && attrs->out_layout != attrs->layout)) return {};
  const auto axes = SpatialAxes(attrs->layout);
  if (!axes) return {};
  const ReduceAttrs written{.axis = DimList(std::vector<Dim>(axes->begin(), axes->end())), .keepdims = true};
  return call.CallWith(reduce, written, {call.args[0]});
}
auto LowerGlobalAvgPool(LowerCall& call) -> ExprId { return LowerGlobalPool(call, "mean"_op); }
auto LowerGlobalMaxPool(LowerCall& call) -> ExprId { return LowerGlobalPool(call, "max"_op); }

// One axis at a time: output i is reduced over [floor(i * in / out), ceil((i + 1) * in / out)).
template <typename A>
auto ReduceAdaptively(LowerCall& call, const OpDef* reduce) -> ExprId {
  const auto* attrs = call.attrs<A>();
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (attrs == nullptr || type == nullptr || result == nullptr) return {};
  const auto axes = SpatialAxes(attrs->layout);
  const auto from = KnownExtents(type->shape);
  const auto into = KnownExtents(result->shape);
  if (!axes || !from || !into) return {};
  ExprId data = call.args[0];
  if (*from == *into) return Bounded(call, reduce, data);
  for (const int64_t axis : *axes) {
    const int64_t in = (*from)[static_cast<size_t>(axis)];
    const int64_t out = (*into)[static_cast<size_t>(axis)];
    if (in == out) continue;
    std::vector<ExprId> parts;
    for (int64_t i = 0; i < out; ++i) {
      const ExprId part = call.Slice(data, axis, i * in / out, ((i + 1) * in + out - 1) / out);
      parts.push_back(call.CallWith(reduce, ReduceAttrs{.axis = {axis}, .keepdims = true}, {part}));
    }
    data = parts.size() == 1 ? parts[0] : call.Concatenate(parts, axis);
  }
  return data;
}

template <typename A>
auto LowerAdaptiveMaxPool(LowerCall& call) -> ExprId {
  return ReduceAdaptively<A>(call, "max"_op);
}
// Relax has the averages.
template <typename A>
auto LowerAdaptiveAvgPool(LowerCall& call) -> ExprId {
  // Averages of integers round down, once.
  if (call.target == LowerTarget::kRelax || call.HasIntegers()) return {};
  return ReduceAdaptively<A>(call, "mean"_op);
}

// Rounding up is said with padding behind the data, enough for the windows that the result has: what both systems make
// of their own flags differs from Relay where the last window begins in the padding.
template <typename A>
auto LowerCeilMode(LowerCall& call) -> ExprId {
  const auto* attrs = call.attrs<A>();
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (attrs == nullptr || type == nullptr || result == nullptr || !attrs->ceil_mode) return {};
  if constexpr (requires { attrs->count_include_pad; }) {
    // The padding that rounding adds is not counted.
    if (attrs->count_include_pad) return {};
  }
  const auto axes = SpatialAxes(attrs->layout);
  if (!axes) return {};
  const size_t rank = axes->size();
  const auto padding = [&](bool behind, size_t i) {
    const DimList& given = attrs->padding;
    if (given.size() == 1) return given[0].value();
    return given[given.size() == rank ? i : i + (behind ? rank : 0)].value();
  };
  A written = *attrs;
  written.ceil_mode = false;
  written.padding = DimList();
  for (size_t i = 0; i < rank; ++i) written.padding.values.emplace_back(padding(false, i));
  for (size_t i = 0; i < rank; ++i) {
    const Dim in = type->shape[static_cast<size_t>((*axes)[i])];
    const Dim out = result->shape[static_cast<size_t>((*axes)[i])];
    if (!in.is_int() || !out.is_int()) return {};
    const int64_t window = (attrs->pool_size[i].value() - 1) * attrs->dilation[i].value() + 1;
    const int64_t needed = (out.value() - 1) * attrs->strides[i].value() + window;
    written.padding.values.emplace_back(std::max(padding(true, i), needed - in.value() - padding(false, i)));
  }
  return call.With(written);
}

// Where nearest neighbours stand along one axis, asked of the operator itself: what systems do halfway between two
// differs.
auto NearestPlaces(LowerCall& call, const OpDef* op, AttrsId attrs, std::span<const int64_t> shape, size_t axis)
    -> std::optional<std::vector<int64_t>> {
  // A picture of one channel whose elements are their places along the axis.
  std::vector<int64_t> extents(shape.size(), 1);
  extents[axis] = shape[axis];
  Tensor ramp(kFloat32, extents);
  for (int64_t i = 0; i < shape[axis]; ++i) ramp.mutable_data<float>()[i] = static_cast<float>(i);
  const KernelInput inputs[] = {{std::span(&ramp, 1)}};
  const auto moved = RunKernel(call.context(), OpInstance{op, attrs}, inputs, {});
  if (!moved || moved->tensors.size() != 1) return std::nullopt;
  const Tensor& result = moved->tensors[0];
  if (result.size() == 0) return std::nullopt;
  // One line along the axis.
  int64_t stride = 1;
  for (size_t i = axis + 1; i < result.rank(); ++i) stride *= result.extent(i);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < result.extent(axis); ++i) {
    places.push_back(static_cast<int64_t>(result.elements<float>()[static_cast<size_t>(i * stride)]));
  }
  return places;
}

// The region that operators want named in every mode: two numbers for each of `axes` axes.
auto WholeRegion(Context& context, size_t axes) -> ObjectId {
  const std::vector<ObjectId> zeros(2 * axes, context.AddFloat(0, kFloat32));
  return context.AddArray(zeros);
}

// Resizing to the nearest neighbour takes elements; other methods are the target's.
template <typename A>
auto Resize(LowerCall& call, const OpDef* op, A attrs, ExprId data) -> ExprId {
  const auto axes = SpatialAxes(attrs.layout);
  const Type* type = call.tensor(data);
  if (!axes || type == nullptr || attrs.size.size() != axes->size()) return {};
  // A region counts in one mode only, which has no form.
  if (attrs.coordinate_transformation_mode == "tf_crop_and_resize") return {};
  const auto shape = KnownExtents(type->shape);
  if (attrs.method != "nearest_neighbor" || !shape) {
    return op == call.op() ? ExprId() : call.CallWith(op, attrs, {data});
  }
  attrs.out_dtype = DataType::Void();
  const AttrsId id = call.context().InternAttrs(attrs);
  for (const int64_t axis : *axes) {
    const auto places = NearestPlaces(call, op, id, *shape, static_cast<size_t>(axis));
    if (!places) return {};
    data = call.Take(data, *places, axis);
  }
  const Type* result = call.result();
  return result == nullptr ? data : call.Cast(data, result->dtype);
}

template <typename A>
auto LowerResize(LowerCall& call) -> ExprId {
  const auto* attrs = call.attrs<A>();
  return attrs == nullptr ? ExprId() : Resize(call, call.op(), *attrs, call.args[0]);
}

// Other methods: a picture of height 1.
auto LowerResize1d(LowerCall& call) -> ExprId {
  const auto* attrs = call.attrs<Resize1DAttrs>();
  if (attrs == nullptr || attrs->size.size() != 1) return {};
  if (attrs->method == "nearest_neighbor") return Resize(call, call.op(), *attrs, call.args[0]);
  const int64_t at = attrs->layout == "NWC" ? 1 : 2;
  const Resize2DAttrs flat{.size = {1, attrs->size[0]},
                           .roi = WholeRegion(call.context(), 2),
                           .layout = at == 1 ? "NHWC" : "NCHW",
                           .method = attrs->method,
                           .coordinate_transformation_mode = attrs->coordinate_transformation_mode,
                           .rounding_method = attrs->rounding_method,
                           .cubic_alpha = attrs->cubic_alpha,
                           .cubic_exclude = attrs->cubic_exclude,
                           .extrapolation_value = attrs->extrapolation_value,
                           .out_dtype = attrs->out_dtype};
  const ExprId picture = call.CallWith("expand_dims"_op, ExpandDimsAttrs{.axis = at, .num_newaxis = 1}, {call.args[0]});
  const ExprId resized = Resize(call, "image.resize2d"_op, flat, picture);
  return resized.has_value() ? call.CallWith("squeeze"_op, SqueezeAttrs{.axis = {at}}, {resized}) : ExprId();
}

// What the result's type has for the spatial axes.
auto ResultSize(LowerCall& call, std::string_view layout) -> DimList {
  DimList size;
  const auto axes = SpatialAxes(layout);
  if (!axes) return size;
  for (const int64_t axis : *axes) {
    const Dim extent = call.result()->shape[static_cast<size_t>(axis)];
    if (!extent.is_int()) return {};
    size.values.emplace_back(extent.value());
  }
  return size;
}

auto LowerUpsampling(LowerCall& call) -> ExprId {
  const auto* attrs = call.attrs<UpSamplingAttrs>();
  if (attrs == nullptr || call.result() == nullptr) return {};
  const bool is_nearest = attrs->method == "nearest_neighbor";
  const Resize2DAttrs resize{.size = ResultSize(call, attrs->layout),
                             .roi = WholeRegion(call.context(), 2),
                             .layout = attrs->layout,
                             .method = is_nearest                          ? "nearest_neighbor"
                                       : attrs->method.ends_with("linear") ? "linear"
                                                                           : "cubic",
                             .coordinate_transformation_mode = attrs->align_corners ? "align_corners" : "asymmetric",
                             .rounding_method = "",
                             .cubic_alpha = -0.5};
  return Resize(call, "image.resize2d"_op, resize, call.args[0]);
}

auto LowerUpsampling3d(LowerCall& call) -> ExprId {
  const auto* attrs = call.attrs<UpSampling3DAttrs>();
  if (attrs == nullptr || call.result() == nullptr) return {};
  const bool is_nearest = attrs->method == "nearest_neighbor";
  const Resize3DAttrs resize{.size = ResultSize(call, attrs->layout),
                             .roi = WholeRegion(call.context(), 3),
                             .layout = attrs->layout,
                             .method = is_nearest ? "nearest_neighbor" : "linear",
                             .coordinate_transformation_mode = attrs->coordinate_transformation_mode,
                             .rounding_method = ""};
  return Resize(call, "image.resize3d"_op, resize, call.args[0]);
}

constexpr OpRule<LowerRule> kPoolRules[] = {
    {"nn.global_avg_pool2d"_op, LowerGlobalAvgPool},
    {"nn.global_max_pool2d"_op, LowerGlobalMaxPool},
    {"nn.adaptive_max_pool1d"_op, LowerAdaptiveMaxPool<AdaptivePool1DAttrs>},
    {"nn.adaptive_max_pool2d"_op, LowerAdaptiveMaxPool<AdaptivePool2DAttrs>},
    {"nn.adaptive_max_pool3d"_op, LowerAdaptiveMaxPool<AdaptivePool3DAttrs>},
    {"nn.adaptive_avg_pool1d"_op, LowerAdaptiveAvgPool<AdaptivePool1DAttrs>},
    {"nn.adaptive_avg_pool2d"_op, LowerAdaptiveAvgPool<AdaptivePool2DAttrs>},
    {"nn.adaptive_avg_pool3d"_op, LowerAdaptiveAvgPool<AdaptivePool3DAttrs>},
    {"nn.max_pool1d"_op, LowerCeilMode<MaxPool1DAttrs>},
    {"nn.max_pool2d"_op, LowerCeilMode<MaxPool2DAttrs>},
    {"nn.max_pool3d"_op, LowerCeilMode<MaxPool3DAttrs>},
    {"nn.avg_pool1d"_op, LowerCeilMode<AvgPool1DAttrs>},
    {"nn.avg_pool2d"_op, LowerCeilMode<AvgPool2DAttrs>},
    {"nn.avg_pool3d"_op, LowerCeilMode<AvgPool3DAttrs>},
    {"image.resize1d"_op, LowerResize1d},
    {"image.resize2d"_op, LowerResize<Resize2DAttrs>},
    {"image.resize3d"_op, LowerResize<Resize3DAttrs>},
    {"nn.upsampling"_op, LowerUpsampling},
    {"nn.upsampling3d"_op, LowerUpsampling3d},
};

}  // namespace

auto LowerPoolRules() -> std::span<const OpRule<LowerRule>> { return kPoolRules; }

}  // namespace relayopt
