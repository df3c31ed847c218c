// Forms of operators on images and boxes, and of quantization.
#include <algorithm>
#include <cmath>

#include "forms.h"
#include "layers.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/qnn.h"
#include "relayopt/relay/ops/vision.h"

namespace relayopt::onnx::out {

namespace {

// How ONNX rounds halves for nearest-neighbour sampling that LowerFor left because extents are not known.
auto NearestModeOf(std::string_view rounding, std::string_view coordinates) -> std::optional<std::string_view> {
  if (rounding == "round") return "round_prefer_ceil";
  if (rounding.empty()) return coordinates == "align_corners" ? "round_prefer_ceil" : "floor";
  const bool is_known =
      rounding == "floor" || rounding == "ceil" || rounding == "round_prefer_floor" || rounding == "round_prefer_ceil";
  return is_known ? std::optional(rounding) : std::nullopt;
}

// Returns all attributes except the extents of the result.
template <typename A>
auto ResizeAttributes(const A& attrs) -> std::optional<Attributes> {
  const std::string_view coordinates = attrs.coordinate_transformation_mode;
  if (coordinates != "half_pixel" && coordinates != "align_corners" && coordinates != "asymmetric" &&
      coordinates != "pytorch_half_pixel") {
    return std::nullopt;
  }
  Attributes attributes = {String("coordinate_transformation_mode", coordinates)};
  if (attrs.method == "nearest_neighbor") {
    const auto mode = NearestModeOf(attrs.rounding_method, coordinates);
    if (!mode) return std::nullopt;
    attributes.push_back(String("mode", "nearest"));
    attributes.push_back(String("nearest_mode", *mode));
  } else {
    const bool is_cubic = attrs.method == "cubic";
    attributes.push_back(String("mode", is_cubic ? "cubic" : "linear"));
    if (is_cubic) {
      attributes.push_back(Float("cubic_coeff_a", attrs.cubic_alpha));
      attributes.push_back(Int("exclude_outside", attrs.cubic_exclude == 1 ? 1 : 0));
    }
  }
  return attributes;
}

template <typename A>
auto WriteResize(OnnxCall& call, const A& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  const Type* result = call.result();
  if (data == nullptr || result == nullptr || !attrs.layout.starts_with("NC")) return std::nullopt;
  const auto attributes = ResizeAttributes(attrs);
  if (!attributes || attrs.layout.size() != data->rank()) return std::nullopt;
  Name sizes;
  if (const auto shape = KnownExtents(result->shape)) {
    sizes = call.List(*shape);
  } else {
    const auto size = KnownExtents(attrs.size.values);
    if (!size || size->size() + 2 != data->rank()) return std::nullopt;
    const Name front = call.Extents(call.arg(0), 0, 2);
    sizes = call.Add("Concat", {front, call.List(*size)}, {Int("axis", 0)});
  }
  const Name resized = call.Add("Resize", {call.arg(0), {}, {}, sizes}, *attributes);
  const bool is_cast = call.dtype() == data->dtype && result->dtype != data->dtype;
  return One(is_cast ? call.Cast(resized, result->dtype) : resized);
}

// The size is an operand, the extents of height and width.
auto WriteDynResize(OnnxCall& call, const Resize2DAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || attrs.layout != "NCHW") return std::nullopt;
  const auto attributes = ResizeAttributes(attrs);
  if (!attributes) return std::nullopt;
  const Name front = call.Extents(call.arg(0), 0, 2);
  const Name sizes = call.Add("Concat", {front, call.AsLong(1)}, {Int("axis", 0)});
  return One(call.Add("Resize", {call.arg(0), {}, {}, sizes}, *attributes));
}

// Returns the factors of all axes, 1 for the first two.
auto Factors(OnnxCall& call, int64_t spatial) -> Name {
  Names scales = {call.Add("Expand", {call.Number(1, DataType::Float(32)), call.List({2})})};
  for (int64_t i = 1; i <= spatial; ++i) {
    const auto at = static_cast<size_t>(i);
    scales.push_back(call.Reshape(call.Cast(call.arg(at), DataType::Float(32)), std::vector<int64_t>{1}));
  }
  return call.Add("Concat", std::move(scales), {Int("axis", 0)});
}

auto WriteDynUpsampling(OnnxCall& call, const UpSamplingAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || attrs.layout != "NCHW" || call.num_args() < 3) return std::nullopt;
  Resize2DAttrs resize;
  resize.method = attrs.method == "nearest_neighbor" ? "nearest_neighbor"
                  : attrs.method == "bicubic"        ? "cubic"
                                                     : "linear";
  resize.coordinate_transformation_mode = attrs.align_corners ? "align_corners" : "asymmetric";
  resize.rounding_method = "floor";
  const auto attributes = ResizeAttributes(resize);
  return One(call.Add("Resize", {call.arg(0), {}, Factors(call, 2)}, *attributes));
}

auto WriteDynUpsampling3d(OnnxCall& call, const UpSampling3DAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || attrs.layout != "NCDHW" || call.num_args() < 4) return std::nullopt;
  Resize3DAttrs resize;
  resize.method = attrs.method == "nearest_neighbor" ? "nearest_neighbor" : "linear";
  resize.coordinate_transformation_mode = attrs.coordinate_transformation_mode;
  resize.rounding_method = "floor";
  const auto attributes = ResizeAttributes(resize);
  if (!attributes) return std::nullopt;
  return One(call.Add("Resize", {call.arg(0), {}, Factors(call, 3)}, *attributes));
}

// In ONNX, coordinates are the last axis.
auto ChannelsLast(size_t rank) -> std::vector<int64_t> {
  std::vector<int64_t> order = {0};
  for (size_t i = 2; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
  order.push_back(1);
  return order;
}

auto WriteGridSample(OnnxCall& call, const GridSampleAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || !attrs.layout.starts_with("NC")) return std::nullopt;
  if (data->rank() > 4) call.model().Raise(20);
  std::string_view mode = attrs.method;
  // Any other text means zeros in Relay.
  const bool is_padding = attrs.padding_mode == "border" || attrs.padding_mode == "reflection";
  // The modes have other names from version 20 on.
  if (call.opset() >= 20) mode = mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode;
  return One(call.Add("GridSample", {call.arg(0), call.Transpose(call.arg(1), ChannelsLast(data->rank()))},
                      {String("mode", mode), String("padding_mode", is_padding ? attrs.padding_mode : "zeros"),
                       Int("align_corners", attrs.align_corners ? 1 : 0)}));
}

auto WriteAffineGrid(OnnxCall& call, const AffineGridAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || !data->shape[0].is_int()) return std::nullopt;
  const auto size = KnownExtents(attrs.target_shape.values);
  if (!size || size->size() != 2) return std::nullopt;
  call.model().Raise(20);
  const Name grid =
      call.Add("AffineGrid", {call.arg(0), call.List({data->shape[0].value(), 1, (*size)[0], (*size)[1]})},
               {Int("align_corners", 1)});
  return One(call.Transpose(grid, std::vector<int64_t>{0, 3, 1, 2}));
}

// The first column of a region is the number of its image.
auto SplitRegions(OnnxCall& call) -> std::pair<Name, Name> {
  const Name picture = call.Add("Slice", {call.arg(1), call.List({0}), call.List({1}), call.List({1}), call.List({1})});
  const Name box = call.Add("Slice", {call.arg(1), call.List({1}), call.List({5}), call.List({1}), call.List({1})});
  return {call.Cast(call.Add("Squeeze", {picture, call.List({1})}), kIndexType), box};
}

// ONNX's max is that of corners.
auto WriteRoiAlign(OnnxCall& call, const ROIAlignAttrs& attrs) -> CallOutputs {
  const RegionMode mode = RegionMode::Of(attrs.mode);
  if (attrs.layout != "NCHW" || mode.text() != attrs.mode || mode.is_max != mode.of_corners) return std::nullopt;
  const auto size = KnownExtents(attrs.pooled_size.values);
  if (!size || size->size() != 2) return std::nullopt;
  auto [picture, box] = SplitRegions(call);
  if (mode.is_aligned) box = call.Add("Add", {box, call.Number(0.5 / attrs.spatial_scale)});
  return One(call.Add(
      "RoiAlign", {call.arg(0), box, picture},
      {String("coordinate_transformation_mode", mode.is_aligned ? "half_pixel" : "output_half_pixel"),
       String("mode", mode.is_max ? "max" : "avg"), Int("output_height", (*size)[0]), Int("output_width", (*size)[1]),
       Int("sampling_ratio", std::max<int64_t>(0, attrs.sample_ratio)), Float("spatial_scale", attrs.spatial_scale)}));
}

auto WriteRoiPool(OnnxCall& call, const ROIPoolAttrs& attrs) -> CallOutputs {
  if (attrs.layout != "NCHW") return std::nullopt;
  const auto size = KnownExtents(attrs.pooled_size.values);
  if (!size || size->size() != 2) return std::nullopt;
  return One(call.Add("MaxRoiPool", {call.arg(0), call.arg(1)},
                      {Ints("pooled_shape", *size), Float("spatial_scale", attrs.spatial_scale)}));
}

// Pads the boxes with rows of zeros up to the extent of the type; the second value is the number of boxes.
auto WriteAllClassNms(OnnxCall& call, const AllClassNonMaximumSuppressionAttrs& attrs) -> CallOutputs {
  const Type& result = call.context().type(call.function().type(call.id()));
  if (attrs.output_format != "onnx" || call.num_args() != 5) return std::nullopt;
  Names inputs = {call.arg(0), call.arg(1)};
  for (const size_t i : {2, 3, 4}) {
    Name value = i == 2 ? call.AsLong(2) : call.arg(i);
    const Type* type = call.input(i);
    if (type != nullptr && type->rank() == 0) value = call.Reshape(value, std::vector<int64_t>{1});
    inputs.push_back(value);
  }
  const Name found = call.Add("NonMaxSuppression", std::move(inputs));
  const Type& rows = call.context().type(result.args[0]);
  const Name count = call.Extents(found, 0, 1);
  const Type& counts = call.context().type(result.args[1]);
  if (!rows.shape[0].is_int()) {
    // As many rows as there are boxes and classes.
    return std::nullopt;
  }
  const Name missing = call.Add("Sub", {call.List({rows.shape[0].value()}), count});
  const Name pads = call.Add("Concat", {call.List({0, 0}), missing, call.List({0})}, {Int("axis", 0)});
  const Name padded = call.Add("Pad", {found, pads}, {String("mode", "constant")});
  const auto as = [&](Name value, DataType dtype) { return dtype == kIndexType ? value : call.Cast(value, dtype); };
  return Values{as(padded, rows.dtype), as(count, counts.dtype)};
}

// -- quantization --

auto QuantizeAxis(int64_t axis, const Type& data, const Type& scale) -> Attributes {
  return scale.rank() == 0 ? Attributes() : Attributes{Int("axis", NormalizedAxis(axis, data.rank()))};
}

// Returns the zero point in the type of the quantized values; usually it is a constant.
// Input `i`, the zero point in this type and of the shape of the scale before it.
auto ZeroPoint(OnnxCall& call, size_t i, DataType dtype) -> Name {
  const Type* type = call.input(i);
  const Type* scale = call.input(i - 1);
  if (type != nullptr && type->rank() == 0 && scale->rank() == 1) {
    const Name count = call.Add("Shape", {call.arg(i - 1)});
    return call.Add("Expand", {call.As(i, dtype), count});
  }
  if (type != nullptr && type->dtype == dtype) return call.arg(i);
  const auto numbers = NumbersOf(call.constant(i));
  if (numbers && numbers->size() == 1 && call.constant(i)->is_scalar()) {
    return call.Number(static_cast<double>((*numbers)[0]), dtype);
  }
  return call.Cast(call.arg(i), dtype);
}

auto WriteQuantize(OnnxCall& call, const QuantizeAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  const Type* scale = call.input(1);
  const Type* result = call.result();
  if (data == nullptr || scale == nullptr || result == nullptr) return std::nullopt;
  const DataType dtype = result->dtype;
  if (dtype.bits == 16) call.model().Raise(21);
  if (dtype.bits > 16) return std::nullopt;
  return One(call.Add("QuantizeLinear", {call.arg(0), call.arg(1), ZeroPoint(call, 2, dtype)},
                      QuantizeAxis(attrs.axis, *data, *scale)));
}

auto WriteDequantize(OnnxCall& call, const DequantizeAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  const Type* scale = call.input(1);
  const Type* result = call.result();
  if (data == nullptr || scale == nullptr || result == nullptr) return std::nullopt;
  if (result->dtype != scale->dtype) return std::nullopt;
  const DataType dtype = data->dtype;
  if (dtype.bits == 16) call.model().Raise(21);
  const Attributes axis = QuantizeAxis(attrs.axis, *data, *scale);
  if (dtype != DataType::Int(32)) {
    return One(call.Add("DequantizeLinear", {call.arg(0), call.arg(1), ZeroPoint(call, 2, dtype)}, axis));
  }
  // With 32 bits, the zero point must be 0.
  const auto zero = NumbersOf(call.constant(2));
  const bool is_zero = zero && std::ranges::all_of(*zero, [](int64_t value) { return value == 0; });
  if (!is_zero && scale->rank() != 0) return std::nullopt;
  const Name shifted = is_zero ? call.arg(0) : call.Add("Sub", {call.arg(0), call.arg(2)});
  return One(call.Add("DequantizeLinear", {shifted, call.arg(1)}, axis));
}

constexpr OpRule<OnnxForm> kImageForms[] = {
    {"dyn.image.resize2d"_op, {"Resize", kSmallFloats, WithAttrs<WriteDynResize>}},
    {"dyn.nn.upsampling"_op, {"Resize", kSmallFloats, WithAttrs<WriteDynUpsampling>}},
    {"dyn.nn.upsampling3d"_op, {"Resize", kSmallFloats, WithAttrs<WriteDynUpsampling3d>}},
    {"image.affine_grid"_op, {"AffineGrid, Transpose", kF32 | kF64, WithAttrs<WriteAffineGrid>}},
    {"image.grid_sample"_op, {"GridSample", kF32 | kF64, WithAttrs<WriteGridSample>}},
    {"image.resize1d"_op, {"Resize", kSmallFloats, WithAttrs<WriteResize<Resize1DAttrs>>}},
    {"image.resize2d"_op, {"Resize", kSmallFloats, WithAttrs<WriteResize<Resize2DAttrs>>}},
    {"image.resize3d"_op, {"Resize", kSmallFloats, WithAttrs<WriteResize<Resize3DAttrs>>}},
    {"qnn.dequantize"_op, {"DequantizeLinear", kAll, WithAttrs<WriteDequantize>}},
    {"qnn.quantize"_op, {"QuantizeLinear", kAll, WithAttrs<WriteQuantize>}},
    {"vision.all_class_non_max_suppression"_op, {"NonMaxSuppression, Pad", kAll, WithAttrs<WriteAllClassNms>}},
    {"vision.roi_align"_op, {"RoiAlign", kF32 | kF64, WithAttrs<WriteRoiAlign>}},
    {"vision.roi_pool"_op, {"MaxRoiPool", kF32, WithAttrs<WriteRoiPool>}},
};

}  // namespace

auto ImageForms() -> std::span<const OpRule<OnnxForm>> { return kImageForms; }

}  // namespace relayopt::onnx::out
