// Lowering of pooling and resizing.
#include <algorithm>
#include <array>
#include <string>

#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/transform.h"
#include "rules.h"
#include "windows.h"

namespace relayopt {

namespace {

// The largest window that is expanded element by element.
constexpr int64_t kMostWindow = 128;

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

auto LowerGlobalPool(LowerCall& call, const GlobalPool2DAttrs& attrs) -> ExprId {
  const auto axes = SpatialAxes(attrs.layout);
  const Type* type = call.input(0);
  if (!axes || type == nullptr) return {};
  // A window without elements counts as one element; a mean of none is NaN.
  const auto is_empty = [&](int64_t axis) {
    const Dim extent = type->shape[static_cast<size_t>(axis)];
    return extent.is_int() && extent.value() == 0;
  };
  if (std::ranges::any_of(*axes, is_empty)) return {};
  const OpDef* reduce = call.op() == "nn.global_max_pool2d"_op ? "max"_op : "mean"_op;
  const ReduceAttrs written{.axis = DimList(std::vector<Dim>(axes->begin(), axes->end())), .keepdims = true};
  return call.CallWith(reduce, written, {call.args[0]});
}

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

// Rounding up is expressed by padding after the data, enough for the windows that the result has: what both systems
// make of their own flags differs from Relay where the last window begins in the padding.
template <typename A>
auto LowerCeilMode(LowerCall& call, const A& attrs) -> ExprId {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr || !attrs.ceil_mode) return {};
  bool counts_padding = false;
  if constexpr (requires { attrs.count_include_pad; }) counts_padding = attrs.count_include_pad;
  const auto axes = SpatialAxes(attrs.layout);
  if (!axes || (counts_padding && call.target == LowerTarget::kOnnx)) return {};
  const size_t rank = axes->size();
  const auto given = FullPadding(attrs.padding, rank);
  const auto windows = PerAxis(attrs.pool_size, rank);
  const auto strides = PerAxis(attrs.strides, rank);
  const auto dilation = PerAxis(attrs.dilation, rank);
  if (!given || !windows || !strides || !dilation) return {};
  const auto padding = [&](bool behind, size_t i) { return (*given)[i + (behind ? rank : 0)]; };
  A written = attrs;
  written.ceil_mode = false;
  written.padding = DimList();
  ExprId data = call.args[0];
  PadAttrs pad;
  // Padding that is added by rounding up does not count for the average, so padding that counts is added explicitly.
  if constexpr (requires { written.count_include_pad; }) {
    if (counts_padding) {
      pad.pad_width.values.assign(type->rank(), {0, 0});
      for (size_t i = 0; i < rank; ++i) {
        // Windows that hang over reach elements that padding of less than nothing would cut off.
        if (padding(true, i) < 0) return {};
        pad.pad_width.values[static_cast<size_t>((*axes)[i])] = {padding(false, i), padding(true, i)};
      }
      data = call.CallWith("nn.pad"_op, pad, {data, call.Real(0, type->dtype)});
      written.count_include_pad = false;
      type = call.tensor(data);
      if (type == nullptr) return {};
    }
  }
  const auto left = [&](bool behind, size_t i) { return counts_padding ? 0 : padding(behind, i); };
  for (size_t i = 0; i < rank; ++i) written.padding.values.emplace_back(left(false, i));
  for (size_t i = 0; i < rank; ++i) {
    const Dim in = type->shape[static_cast<size_t>((*axes)[i])];
    const Dim out = result->shape[static_cast<size_t>((*axes)[i])];
    if (!in.is_int() || !out.is_int()) return {};
    const int64_t window = ((*windows)[i] - 1) * (*dilation)[i] + 1;
    const int64_t needed = (out.value() - 1) * (*strides)[i] + window;
    written.padding.values.emplace_back(std::max(left(true, i), needed - in.value() - left(false, i)));
  }
  return call.CallWith(call.op(), written, {data});
}

// Of lists that are longer than there are spatial axes Relay reads the first numbers only; other systems refuse them.
template <typename A>
auto LowerPool(LowerCall& call, const A& attrs) -> ExprId {
  A written = attrs;
  for (DimList* list : {&written.pool_size, &written.strides, &written.dilation})
    list->values.resize(std::min(list->size(), A().strides.size()));
  const ExprId made = LowerCeilMode(call, written);
  const bool is_same =
      attrs.pool_size == written.pool_size && attrs.strides == written.strides && attrs.dilation == written.dilation;
  return made.has_value() || is_same ? made : call.CallWith(call.op(), written, {call.args[0]});
}

// Returns the positions of nearest neighbours along one axis, computed by evaluating the operator itself, because
// systems differ in how they round.
auto NearestPlaces(LowerCall& call, const OpDef* op, AttrsId attrs, std::span<const int64_t> shape, size_t axis)
    -> std::optional<std::vector<int64_t>> {
  // An image of one channel whose elements are their positions along the axis.
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
  places.reserve(static_cast<size_t>(result.extent(axis)));
  for (int64_t i = 0; i < result.extent(axis); ++i) {
    places.push_back(static_cast<int64_t>(result.elements<float>()[static_cast<size_t>(i * stride)]));
  }
  return places;
}

// Returns the region that operators want named in every mode: two numbers for each of `axes` axes.
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
  // Only this mode uses the region. It is not lowered.
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
auto LowerResize(LowerCall& call, const A& attrs) -> ExprId {
  return Resize(call, call.op(), attrs, call.args[0]);
}

// Other methods: a picture of height 1.
auto LowerResize1d(LowerCall& call, const Resize1DAttrs& attrs) -> ExprId {
  if (attrs.size.size() != 1) return {};
  if (attrs.method == "nearest_neighbor") return Resize(call, call.op(), attrs, call.args[0]);
  const int64_t at = attrs.layout == "NWC" ? 1 : 2;
  const Resize2DAttrs flat{.size = {1, attrs.size[0]},
                           .roi = WholeRegion(call.context(), 2),
                           .layout = at == 1 ? "NHWC" : "NCHW",
                           .method = attrs.method,
                           .coordinate_transformation_mode = attrs.coordinate_transformation_mode,
                           .rounding_method = attrs.rounding_method,
                           .cubic_alpha = attrs.cubic_alpha,
                           .cubic_exclude = attrs.cubic_exclude,
                           .extrapolation_value = attrs.extrapolation_value,
                           .out_dtype = attrs.out_dtype};
  const ExprId picture = call.CallWith("expand_dims"_op, ExpandDimsAttrs{.axis = at, .num_newaxis = 1}, {call.args[0]});
  const ExprId resized = Resize(call, "image.resize2d"_op, flat, picture);
  return resized.has_value() ? call.CallWith("squeeze"_op, SqueezeAttrs{.axis = {at}}, {resized}) : ExprId();
}

// Returns the extents of the spatial axes in the result type.
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

// The names of the methods of upsampling are other ones.
auto ResizeMethod(std::string_view method) -> std::string_view {
  if (method.starts_with("nearest")) return "nearest_neighbor";
  return method.ends_with("linear") ? "linear" : "cubic";
}

auto LowerUpsampling(LowerCall& call, const UpSamplingAttrs& attrs) -> ExprId {
  if (call.result() == nullptr) return {};
  const Resize2DAttrs resize{.size = ResultSize(call, attrs.layout),
                             .roi = WholeRegion(call.context(), 2),
                             .layout = attrs.layout,
                             .method = std::string(ResizeMethod(attrs.method)),
                             .coordinate_transformation_mode = attrs.align_corners ? "align_corners" : "asymmetric",
                             .rounding_method = ""};
  return Resize(call, "image.resize2d"_op, resize, call.args[0]);
}

auto LowerUpsampling3d(LowerCall& call, const UpSampling3DAttrs& attrs) -> ExprId {
  if (call.result() == nullptr) return {};
  const Resize3DAttrs resize{.size = ResultSize(call, attrs.layout),
                             .roi = WholeRegion(call.context(), 3),
                             .layout = attrs.layout,
                             .method = std::string(ResizeMethod(attrs.method)),
                             .coordinate_transformation_mode = attrs.coordinate_transformation_mode,
                             .rounding_method = ""};
  return Resize(call, "image.resize3d"_op, resize, call.args[0]);
}

// The greatest sum of a window and its weights is the greatest of the sums at each position in the window.
auto LowerDilation2d(LowerCall& call, const Dilation2DAttrs& attrs) -> ExprId {
  const Type* result = call.result();
  if (result == nullptr) return {};
  const ExprId data = ConvertLayout(call, call.args[0], attrs.data_layout, "NCHW");
  const ExprId window = ConvertLayout(call, call.args[1], attrs.kernel_layout, "IHW");
  if (!data.has_value() || !window.has_value()) return {};
  const auto from = KnownExtents(call.tensor(data)->shape);
  const auto size = KnownExtents(call.tensor(window)->shape);
  if (!from || !size || (*size)[1] * (*size)[2] > kMostWindow || (*size)[0] != (*from)[1]) return {};
  PadAttrs pad{.pad_width = DimLists{{{0, 0}, {0, 0}}}};
  std::vector<int64_t> into;
  for (size_t i = 0; i < 2; ++i) {
    const auto of = [&](const DimList& list, size_t at) { return list[list.size() == 1 ? 0 : at].value(); };
    const int64_t before = of(attrs.padding, i);
    const int64_t after = of(attrs.padding, attrs.padding.size() == 4 ? i + 2 : i);
    const int64_t reach = ((*size)[i + 1] - 1) * of(attrs.dilations, i) + 1;
    const int64_t room = (*from)[i + 2] + before + after - reach;
    if (before < 0 || after < 0 || room < 0) return {};
    into.push_back(room / of(attrs.strides, i) + 1);
    pad.pad_width.values.push_back({before, after});
  }
  const DataType dtype = result->dtype;
  const ExprId padded = call.CallWith("nn.pad"_op, pad, {call.Cast(data, dtype), call.Real(0, dtype)});
  const ExprId weights = call.Cast(window, dtype);
  ExprId greatest;
  for (int64_t k = 0; k < (*size)[1] * (*size)[2]; ++k) {
    const std::array at = {k / (*size)[2], k % (*size)[2]};
    ExprId part = padded;
    ExprId weight = weights;
    for (size_t i = 0; i < 2; ++i) {
      const int64_t stride = attrs.strides[attrs.strides.size() == 1 ? 0 : i].value();
      const int64_t begin = at[i] * attrs.dilations[attrs.dilations.size() == 1 ? 0 : i].value();
      part = call.Slice(part, static_cast<int64_t>(i) + 2, begin, begin + (into[i] - 1) * stride + 1, stride);
      weight = call.Slice(weight, static_cast<int64_t>(i) + 1, at[i], at[i] + 1);
    }
    const ExprId sum = call.Add(part, weight);
    greatest = k == 0 ? Bounded(call, "max"_op, sum) : call.Call("maximum"_op, {greatest, sum});
    if (!greatest.has_value()) return {};
  }
  return greatest.has_value() ? ConvertLayout(call, greatest, "NCHW", attrs.data_layout) : ExprId();
}

// Boxes depend on nothing but extents.
auto LowerPriorBoxes(LowerCall& call) -> ExprId {
  const Type* type = call.input(0);
  const auto shape = type == nullptr ? std::nullopt : KnownExtents(type->shape);
  if (!shape || call.result() == nullptr || call.result()->dtype != kFloat32) return {};
  const Tensor data(type->dtype, *shape);
  const KernelInput input{std::span(&data, 1)};
  const auto boxes = RunKernel(call.context(), call.instance(), std::span(&input, 1), {});
  if (!boxes || boxes->is_tuple || boxes->tensors.size() != 1) return {};
  const ExprId made = call.to().Constant(call.context().AddConstant(boxes->tensors[0].ToConstant()));
  call.to().SetType(made, call.context().Tensor(call.result()->shape, kFloat32));
  return made;
}

constexpr OpRule<LowerRule> kPoolRules[] = {
    {"nn.global_avg_pool2d"_op, WithAttrs<LowerGlobalPool>},
    {"nn.global_max_pool2d"_op, WithAttrs<LowerGlobalPool>},
    {"nn.adaptive_max_pool1d"_op, LowerAdaptiveMaxPool<AdaptivePool1DAttrs>},
    {"nn.adaptive_max_pool2d"_op, LowerAdaptiveMaxPool<AdaptivePool2DAttrs>},
    {"nn.adaptive_max_pool3d"_op, LowerAdaptiveMaxPool<AdaptivePool3DAttrs>},
    {"nn.adaptive_avg_pool1d"_op, LowerAdaptiveAvgPool<AdaptivePool1DAttrs>},
    {"nn.adaptive_avg_pool2d"_op, LowerAdaptiveAvgPool<AdaptivePool2DAttrs>},
    {"nn.adaptive_avg_pool3d"_op, LowerAdaptiveAvgPool<AdaptivePool3DAttrs>},
    {"nn.max_pool1d"_op, WithAttrs<LowerPool<MaxPool1DAttrs>>},
    {"nn.max_pool2d"_op, WithAttrs<LowerPool<MaxPool2DAttrs>>},
    {"nn.max_pool3d"_op, WithAttrs<LowerPool<MaxPool3DAttrs>>},
    {"nn.avg_pool1d"_op, WithAttrs<LowerPool<AvgPool1DAttrs>>},
    {"nn.avg_pool2d"_op, WithAttrs<LowerPool<AvgPool2DAttrs>>},
    {"nn.avg_pool3d"_op, WithAttrs<LowerPool<AvgPool3DAttrs>>},
    {"image.dilation2d"_op, WithAttrs<LowerDilation2d>},
    {"image.resize1d"_op, WithAttrs<LowerResize1d>},
    {"image.resize2d"_op, WithAttrs<LowerResize<Resize2DAttrs>>},
    {"image.resize3d"_op, WithAttrs<LowerResize<Resize3DAttrs>>},
    {"nn.upsampling"_op, WithAttrs<LowerUpsampling>},
    {"nn.upsampling3d"_op, WithAttrs<LowerUpsampling3d>},
    {"vision.multibox_prior"_op, LowerPriorBoxes},
};

}  // namespace

auto LowerPoolRules() -> std::span<const OpRule<LowerRule>> { return kPoolRules; }

}  // namespace relayopt
