// Forms of neural network layers.
#include "forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "extents.h"
#include "lib/convert/lower/windows.h"
#include "python.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/qnn.h"
#include "relayopt/relay/ops/vision.h"

namespace relayopt::relax {

namespace {

auto WritePad(const RelaxCall& call, const PadAttrs& attrs) -> Text {
  const Constant* value = call.constant(1);
  if (value == nullptr || call.result() == nullptr || attrs.pad_mode != "constant") return std::nullopt;
  const auto number = value->ScalarAsDouble();
  DimList widths;
  Extents extents = call.extents(0);
  std::string data = call.args[0];
  for (size_t i = 0; i < attrs.pad_width.values.size(); ++i) {
    const DimList& pair = attrs.pad_width.values[i];
    if (pair.size() != 2 || !pair[0].is_int() || !pair[1].is_int() || i >= extents.size()) return std::nullopt;
    const int64_t before = pair[0].value();
    const int64_t after = pair[1].value();
    // Negative widths cut off, and the cut keeps one element at least.
    if (before < 0 || after < 0) {
      const std::string end = after < 0 ? fmt::format("{} - {}", extents[i], -after) : extents[i];
      data = fmt::format("R.strided_slice({}, axes=[{}], begin=[{}], end=[{}])", data, i, std::max<int64_t>(-before, 0),
                         end);
    }
    extents[i] = fmt::format("{} + {}", extents[i], before + after);
    for (const int64_t width : {before, after}) widths.values.emplace_back(std::max<int64_t>(width, 0));
  }
  if (!number) return std::nullopt;
  if (!PythonTuple(call.result()->shape)) call.lines().SetExtents(extents);
  return fmt::format("R.nn.pad({}, pad_width={}, pad_mode=\"constant\", pad_value={})", data, *PythonList(widths),
                     PythonFloat(*number));
}

// Whether the data of a pool has the axes of its layout, which is one for as many axes as the operator pools along:
// Relay takes data with more, or with fewer, and Relax does not.
auto HasAxesOf(std::string_view layout, const Type* data, size_t spatial) -> bool {
  const auto parsed = Layout::Parse(layout);
  return data != nullptr && parsed && parsed->rank() == data->rank() && parsed->primal_rank() == spatial + 2;
}

// TVM infers another type for averages of integers than it computes, so both are written. Sums of small integers, which
// overflow in Relay, have no form.
auto WriteIntegerAverage(const RelaxCall& call) -> Text {
  if (call.input(0)->dtype.bits < 32) return std::nullopt;
  RelaxCall wide = call;
  wide.args[0] = fmt::format("R.astype({}, \"int64\")", call.args[0]);
  return AsResult(call, wide.Write());
}

// Without sizes, which Relax wants, the result is as large as the data.
template <size_t kSpatial>
auto WriteAdaptivePool(const RelaxCall& call, const AdaptivePoolAttrs<kSpatial>& attrs) -> Text {
  if (attrs.output_size.empty()) return AsResult(call, call.args[0]);
  if (!HasAxesOf(attrs.layout, call.input(0), kSpatial)) return std::nullopt;
  return call.input(0)->dtype.is_float() ? Text(call.Write()) : WriteIntegerAverage(call);
}

// An equation of scalars is empty.
auto WriteEinsum(const RelaxCall& call, const EinsumAttrs& attrs) -> Text {
  return fmt::format("R.einsum({}, subscripts={})", fmt::join(call.args, ", "), PythonString(attrs.equation));
}

// Returns a tuple of three, of which inference uses the first.
auto WriteBatchNorm(const RelaxCall& call, const BatchNormAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr) return std::nullopt;
  // TVM 0.27 may give float32 for float16.
  const bool is_half = type->dtype == DataType::Float(16);
  std::vector<std::string> args = call.args;
  for (std::string& arg : args) {
    if (is_half) arg = fmt::format("R.astype({}, \"float32\")", arg);
  }
  std::string made =
      fmt::format("R.nn.batch_norm({}, axis={}, epsilon={}, center={}, scale={}, momentum=0.0, training=False)",
                  fmt::join(args, ", "), NormalizedAxis(attrs.axis, type->rank()), PythonFloat(attrs.epsilon),
                  attrs.center ? "True" : "False", attrs.scale ? "True" : "False");
  if (!is_half) return made;
  return fmt::format("(R.astype({}[0], \"float16\"), {}, {})", call.lines().Bind(made), call.args[3], call.args[4]);
}

// TVM 0.27 gives float32 for other floats, and has only some layouts.
auto WriteGridSample(const RelaxCall& call, const GridSampleAttrs& attrs) -> Text {
  const Type* data = call.input(0);
  if (data == nullptr || data->dtype != DataType::Float(32)) return std::nullopt;
  return attrs.layout == "NCHW" || attrs.layout == "NCDHW" ? Text(call.Write()) : std::nullopt;
}

// Axes other than the first and the channels.
auto OtherAxes(size_t rank, int64_t channel) -> std::string {
  DimList axes;
  for (size_t i = 1; i < rank; ++i) {
    if (static_cast<int64_t>(i) != channel) axes.values.emplace_back(static_cast<int64_t>(i));
  }
  return *PythonList(axes);
}

// Relax leaves a vector as it is.
auto WriteBatchFlatten(const RelaxCall& call) -> Text {
  const Type* data = call.input(0);
  if (data != nullptr && data->rank() == 1) return fmt::format("R.expand_dims({}, axis=[1])", call.args[0]);
  return fmt::format("R.nn.batch_flatten({})", call.args[0]);
}

auto WriteLayerNorm(const RelaxCall& call, const LayerNormAttrs& attrs) -> Text {
  if (!attrs.center || !attrs.scale) return std::nullopt;
  return fmt::format("R.nn.layer_norm({}, axes=[{}], epsilon={}, center=True, scale=True)", fmt::join(call.args, ", "),
                     attrs.axis, PythonFloat(attrs.epsilon));
}

template <typename A>
auto WriteChannelNorm(const RelaxCall& call, const A& attrs) -> Text {
  const Type* type = call.input(0);
  // LowerFor spells out those of doubles that it can.
  if (type == nullptr || !attrs.center || !attrs.scale || type->dtype.bits == 64) return std::nullopt;
  std::string groups;
  if constexpr (requires { attrs.num_groups; }) groups = fmt::format(", num_groups={}", attrs.num_groups);
  const int64_t channel = NormalizedAxis(attrs.axis, type->rank());
  return fmt::format("R.{}({}{}, channel_axis={}, axes={}, epsilon={}, center=True, scale=True)", call.name(),
                     fmt::join(call.args, ", "), groups, channel, OtherAxes(type->rank(), channel),
                     PythonFloat(attrs.epsilon));
}

constexpr std::string_view kConvAttrs = "strides padding dilation groups data_layout kernel_layout out_dtype";
constexpr std::string_view kTransposeAttrs =
    "strides padding output_padding dilation groups data_layout kernel_layout out_dtype";
constexpr std::string_view kMaxPoolAttrs = "pool_size strides padding dilation ceil_mode layout";
constexpr std::string_view kAvgPoolAttrs = "pool_size strides padding dilation ceil_mode count_include_pad layout";
constexpr std::string_view kMaxPoolGradientAttrs = "pool_size strides ceil_mode layout out_layout";
constexpr std::string_view kAvgPoolGradientAttrs = "pool_size strides ceil_mode count_include_pad layout out_layout";
constexpr std::string_view kResizeAttrs =
    "size layout method coordinate_transformation_mode cubic_alpha cubic_exclude extrapolation_value out_dtype";

// Relax legalizes only layouts with one letter for each axis that are the same for input and output.
template <typename A>
auto WriteConv(const RelaxCall& call, const A& attrs) -> Text {
  const Type* data = call.input(0);
  if (data == nullptr || attrs.data_layout.size() != data->rank()) return std::nullopt;
  if (!attrs.out_layout.empty() && attrs.out_layout != attrs.data_layout) return std::nullopt;
  return call.Write();
}
// Relax requires output padding that is smaller than the strides.
template <typename A>
auto WriteTransposedConv(const RelaxCall& call, const A& attrs) -> Text {
  for (size_t i = 0; i < attrs.output_padding.size(); ++i) {
    const Dim& stride = attrs.strides[attrs.strides.size() == 1 ? 0 : i];
    if (!stride.is_int() || !attrs.output_padding[i].is_int()) return std::nullopt;
    if (attrs.output_padding[i].value() >= stride.value()) return std::nullopt;
  }
  return WriteConv<A>(call, attrs);
}

// Whether a whole window fits: Relay gives a result to pools that Relax refuses.
template <typename A>
auto FitsPool(const Type& data, const A& attrs) -> bool {
  const size_t spatial = A().strides.size();
  const auto padding = FullPadding(attrs.padding, spatial);
  const auto window = PerAxis(attrs.pool_size, spatial);
  const auto dilation = PerAxis(attrs.dilation, spatial);
  if (!padding || !window || !dilation) return false;
  for (size_t i = 0; i < spatial; ++i) {
    const size_t axis = attrs.layout.find("DHW"[3 - spatial + i]);
    if (axis == std::string::npos || !data.shape[axis].is_int()) continue;
    const int64_t extent = data.shape[axis].value() + (*padding)[i] + (*padding)[i + spatial];
    if (extent < ((*window)[i] - 1) * (*dilation)[i] + 1) return false;
  }
  return true;
}

template <typename A>
auto WritePool(const RelaxCall& call, const A& attrs) -> Text {
  constexpr bool kIsAverage = requires { attrs.count_include_pad; };
  const Type* data = call.input(0);
  if (!HasAxesOf(attrs.layout, data, A().strides.size()) || !FitsPool(*data, attrs)) return std::nullopt;
  std::string pool = call.Write();
  // LowerFor replaces some of these calls by padding.
  if (pool.find("ceil_mode=True") != std::string::npos) return std::nullopt;
  if (!kIsAverage || data->dtype.is_float()) return pool;
  return WriteIntegerAverage(call);
}

// A region counts only where the mode asks for one; the method of rounding may be empty.
template <typename A>
auto WriteResize(const RelaxCall& call, const A& attrs) -> Text {
  if (attrs.coordinate_transformation_mode == "tf_crop_and_resize") return std::nullopt;
  std::string text = call.Write();
  text.pop_back();
  return fmt::format("{}, rounding_method={})", text, PythonString(attrs.rounding_method));
}

// In TVM 0.27 aligned regions may be smaller than an element; they are not shifted, and Relay's have been before.
auto WriteRoiAlign(const RelaxCall& call, const ROIAlignAttrs& attrs) -> Text {
  const RegionMode mode = RegionMode::Of(attrs.mode);
  if (mode.of_corners || mode.text() != attrs.mode) return std::nullopt;
  std::string text = call.Write();
  text.pop_back();
  return fmt::format("{}, aligned={}, mode=\"{}\")", text, mode.is_aligned ? "True" : "False",
                     mode.is_max ? "max" : "avg");
}

// Which of two extents that are equal when the program runs says more.
auto ClearerExtent(std::string_view a, std::string_view b) -> std::string {
  return std::string(b.find_first_not_of("0123456789") == std::string::npos ? b : a);
}

// Gives both operands of a product, none of them transposed, the same names for what has to be equal: TVM compiles no
// other products. An extent that is written as 1 is broadcast. Says what the extents of the result are.
void AlignProduct(const RelaxCall& call) {
  Extents left = call.extents(0);
  Extents right = call.extents(1);
  if (left.size() < 2 || right.size() < 2) return;
  std::string& inner = right[right.size() - 2];
  left.back() = inner = ClearerExtent(left.back(), inner);
  const size_t rank = std::max(left.size(), right.size());
  Extents extents;
  for (size_t i = 0; i + 2 < rank; ++i) {
    const size_t from_end = rank - i;
    std::string* a = from_end <= left.size() ? &left[left.size() - from_end] : nullptr;
    std::string* b = from_end <= right.size() ? &right[right.size() - from_end] : nullptr;
    const bool is_shared = a != nullptr && b != nullptr && *a != "1" && *b != "1";
    if (is_shared) *a = *b = ClearerExtent(*a, *b);
    extents.push_back(a == nullptr || (b != nullptr && *a == "1") ? *b : *a);
  }
  extents.push_back(left[left.size() - 2]);
  extents.push_back(right.back());
  call.lines().Recast(call.operand(0), left);
  call.lines().Recast(call.operand(1), right);
  call.lines().SetExtents(std::move(extents));
}

auto WriteMatmul(const RelaxCall& given) -> Text {
  RelaxCall call = given;
  const Type* result = call.result();
  const Type* input = call.input(0);
  const Type* other = call.input(1);
  if (result == nullptr || input == nullptr) return std::nullopt;
  AlignProduct(call);
  for (size_t i = 0; i < 2; ++i) call.args[i] = call.lines().TextOf(call.operand(i));
  // TVM 0.27 takes a product over nothing for one element.
  const bool is_of_nothing = input->rank() != 0 && input->shape.back().is(0);
  if (Text zeros = is_of_nothing ? ZerosOfResult(call) : std::nullopt) return zeros;
  // Relax requires both operands to have one type; Relay makes both of the type of the result.
  if (other != nullptr && other->dtype != input->dtype) {
    return fmt::format("R.matmul(R.astype({0}, {2}), R.astype({1}, {2}))", call.args[0], call.args[1],
                       DtypeText(result->dtype));
  }
  if (result->dtype == input->dtype) return fmt::format("R.matmul({}, {})", call.args[0], call.args[1]);
  return fmt::format("R.matmul({}, {}, out_dtype={})", call.args[0], call.args[1], DtypeText(result->dtype));
}

// A limit that is computed would be ignored without a word, and one of shape (1,) fails in the build. The result has a
// row for every box, as Relay's has.
auto WriteAllClassNms(const RelaxCall& call, const AllClassNonMaximumSuppressionAttrs& attrs) -> Text {
  const Constant* limit = call.constant(2);
  const Type* scores = call.input(1);
  if (attrs.output_format != "onnx" || limit == nullptr || !limit->ScalarAsInt()) return std::nullopt;
  if (scores == nullptr || scores->rank() != 3) return std::nullopt;
  const Dim& boxes = scores->shape[2];
  const int64_t most = boxes.is_int() ? boxes.value() : INT32_MAX;
  const int64_t kept = std::clamp<int64_t>(*limit->ScalarAsInt(), 0, most);
  if (kept == 0) return std::nullopt;
  return fmt::format(
      "R.vision.all_class_non_max_suppression({}, {}, R.const({}, \"int64\"), R.reshape({}, ()), R.reshape({}, ()), "
      "output_format=\"onnx\")",
      call.args[0], call.args[1], kept, call.args[3], call.args[4]);
}

// Padding is given for all four sides.
template <typename A>
auto WritePoolGradient(const RelaxCall& call, const A& attrs) -> Text {
  const auto padding = FullPadding(attrs.padding, 2);
  const Type* data = call.input(1);
  // TVM 0.27 gives elements in the padding a part of gradients of integers.
  if (!padding || attrs.ceil_mode || !HasAxesOf(attrs.layout, data, 2) || !data->dtype.is_float()) return std::nullopt;
  if (!FitsPool(*data, attrs)) return std::nullopt;
  std::string text = call.Write();
  text.pop_back();
  return fmt::format("{}, padding=[{}])", text, fmt::join(*padding, ", "));
}

constexpr OpRule<RelaxForm> kNetworkForms[] = {
    // Products.
    {"einsum"_op, {"einsum", "", WithAttrs<WriteEinsum>}},
    {"nn.batch_matmul"_op, {"matmul", "", WriteMatmul}},
    {"nn.matmul"_op, {"matmul", "", WriteMatmul}},
    {"nn.conv1d"_op, {"nn.conv1d", kConvAttrs, WithAttrs<WriteConv<Conv1DAttrs>>}},
    {"nn.conv1d_transpose"_op,
     {"nn.conv1d_transpose", kTransposeAttrs, WithAttrs<WriteTransposedConv<Conv1DTransposeAttrs>>}},
    {"nn.conv2d"_op, {"nn.conv2d", kConvAttrs, WithAttrs<WriteConv<Conv2DAttrs>>}},
    {"nn.conv2d_transpose"_op,
     {"nn.conv2d_transpose", kTransposeAttrs, WithAttrs<WriteTransposedConv<Conv2DTransposeAttrs>>}},
    {"nn.conv3d"_op, {"nn.conv3d", kConvAttrs, WithAttrs<WriteConv<Conv3DAttrs>>}},
    {"nn.conv3d_transpose"_op,
     {"nn.conv3d_transpose", kTransposeAttrs, WithAttrs<WriteTransposedConv<Conv3DTransposeAttrs>>}},
    // Layers.
    {"nn.adaptive_avg_pool1d"_op, {"nn.adaptive_avg_pool1d", "output_size layout", WithAttrs<WriteAdaptivePool<1>>}},
    {"nn.adaptive_avg_pool2d"_op, {"nn.adaptive_avg_pool2d", "output_size layout", WithAttrs<WriteAdaptivePool<2>>}},
    {"nn.adaptive_avg_pool3d"_op, {"nn.adaptive_avg_pool3d", "output_size layout", WithAttrs<WriteAdaptivePool<3>>}},
    {"nn.avg_pool1d"_op, {"nn.avg_pool1d", kAvgPoolAttrs, WithAttrs<WritePool<AvgPool1DAttrs>>}},
    {"nn.avg_pool2d"_op, {"nn.avg_pool2d", kAvgPoolAttrs, WithAttrs<WritePool<AvgPool2DAttrs>>}},
    {"nn.avg_pool2d_grad"_op,
     {"grad.avg_pool2d_backward", kAvgPoolGradientAttrs, WithAttrs<WritePoolGradient<AvgPool2DAttrs>>}},
    {"nn.avg_pool3d"_op, {"nn.avg_pool3d", kAvgPoolAttrs, WithAttrs<WritePool<AvgPool3DAttrs>>}},
    {"nn.batch_flatten"_op, {"nn.batch_flatten", "", WriteBatchFlatten}},
    {"nn.batch_norm"_op, {"nn.batch_norm", "", WithAttrs<WriteBatchNorm>}},
    {"nn.group_norm"_op, {"nn.group_norm", "", WithAttrs<WriteChannelNorm<GroupNormAttrs>>}},
    {"nn.instance_norm"_op, {"nn.instance_norm", "", WithAttrs<WriteChannelNorm<InstanceNormAttrs>>}},
    {"nn.layer_norm"_op, {"nn.layer_norm", "", WithAttrs<WriteLayerNorm>}},
    {"nn.log_softmax"_op, {"nn.log_softmax", "axis"}},
    {"nn.max_pool1d"_op, {"nn.max_pool1d", kMaxPoolAttrs, WithAttrs<WritePool<MaxPool1DAttrs>>}},
    {"nn.max_pool2d"_op, {"nn.max_pool2d", kMaxPoolAttrs, WithAttrs<WritePool<MaxPool2DAttrs>>}},
    {"nn.max_pool2d_grad"_op,
     {"grad.max_pool2d_backward", kMaxPoolGradientAttrs, WithAttrs<WritePoolGradient<MaxPool2DAttrs>>}},
    {"nn.max_pool3d"_op, {"nn.max_pool3d", kMaxPoolAttrs, WithAttrs<WritePool<MaxPool3DAttrs>>}},
    {"nn.nll_loss"_op, {"nn.nll_loss", "reduction ignore_index"}},
    {"nn.pad"_op, {"nn.pad", "", WithAttrs<WritePad>}},
    {"nn.softmax"_op, {"nn.softmax", "axis"}},
    // Images and boxes.
    {"image.affine_grid"_op, {"image.affine_grid", "target_shape=size"}},
    {"image.grid_sample"_op,
     {"image.grid_sample", "method layout padding_mode align_corners", WithAttrs<WriteGridSample>}},
    {"image.resize2d"_op, {"image.resize2d", kResizeAttrs, WithAttrs<WriteResize<Resize2DAttrs>>}},
    {"image.resize3d"_op, {"image.resize3d", kResizeAttrs, WithAttrs<WriteResize<Resize3DAttrs>>}},
    {"vision.all_class_non_max_suppression"_op,
     {"vision.all_class_non_max_suppression", "", WithAttrs<WriteAllClassNms>}},
    {"vision.roi_pool"_op, {"vision.roi_pool", "pooled_size spatial_scale layout"}},
    {"vision.roi_align"_op,
     {"vision.roi_align", "pooled_size spatial_scale sample_ratio layout", WithAttrs<WriteRoiAlign>}},
    // Quantization.
    {"qnn.dequantize"_op, {"dequantize", "axis out_dtype"}},
    {"qnn.quantize"_op, {"quantize", "axis out_dtype"}},
};

}  // namespace

auto NetworkForms() -> std::span<const OpRule<RelaxForm>> { return kNetworkForms; }

}  // namespace relayopt::relax
