// Deformable convolutions for ONNX. Between the last element and the end of the data, and before the first one, the two
// systems differ: where a position leaves the first or last row by less than one, ONNX mixes the row with zeros; Relay
// takes zero before the first row and the last row itself after it. Both agree on data whose borders are zeros.
#include "deformable.h"

#include <algorithm>

#include "relayopt/relay/ops/nn_conv_variants.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"
#include "rules.h"

namespace relayopt {

namespace {

constexpr std::string_view kDataLayout = "NCHW";
constexpr std::string_view kWeightLayout = "OIHW";

// Returns the numbers of an attribute for height and width (`size` 2), or for both beginnings and both ends (4).
auto SpatialNumbers(const DimList& list, size_t size) -> std::optional<std::vector<int64_t>> {
  auto given = KnownExtents(list.values);
  if (!given || given->empty() || given->size() > size) return std::nullopt;
  for (size_t i = 0; given->size() < size; ++i) given->push_back((*given)[i]);
  return given;
}

// In channels first, between conversions.
auto InOneLayout(LowerCall& call, const DeformableConv2DAttrs& attrs) -> ExprId {
  DeformableConv2DAttrs plain = attrs;
  plain.data_layout = kDataLayout;
  plain.kernel_layout = kWeightLayout;
  plain.out_layout = "";
  const ExprId data = ConvertLayout(call, call.args[0], attrs.data_layout, kDataLayout);
  const ExprId offsets = ConvertLayout(call, call.args[1], attrs.data_layout, kDataLayout);
  const ExprId weight = ConvertLayout(call, call.args[2], attrs.kernel_layout, kWeightLayout);
  if (!data.has_value() || !offsets.has_value() || !weight.has_value()) return {};
  const ExprId result = call.CallWith(call.op(), plain, {data, offsets, weight});
  return ConvertLayout(call, result, kDataLayout, attrs.out_layout.empty() ? attrs.data_layout : attrs.out_layout);
}

// No kernel takes half precision.
auto InSingle(LowerCall& call, DataType result) -> ExprId {
  const auto operands = MapToVector<ExprId>(call.args, [&](ExprId arg) { return call.Cast(arg, DataType::Float(32)); });
  return call.Cast(call.On(operands), result);
}

// For each offset: the position of its tap without the offset, and the largest possible offset.
struct Taps {
  std::vector<double> places;
  std::vector<double> most;
  // For the axis of each offset channel: the extent of the data.
  std::vector<double> extents;
  double farthest = 0;
};

struct DeformedWindow {
  std::vector<int64_t> data;
  std::vector<int64_t> offsets;
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilation;
  std::vector<int64_t> padding;
};

auto ReadWindow(const LowerCall& call, const DeformableConv2DAttrs& attrs) -> std::optional<DeformedWindow> {
  const Type* data = call.input(0);
  const Type* offsets = call.input(1);
  const Type* weight = call.input(2);
  if (data == nullptr || offsets == nullptr || weight == nullptr || data->rank() != 4 || offsets->rank() != 4 ||
      weight->rank() != 4) {
    return std::nullopt;
  }
  const auto plane = KnownExtents(data->shape.subspan(2));
  const auto shifts = KnownExtents(offsets->shape.subspan(1));
  const auto kernel = KnownExtents(weight->shape.subspan(2));
  const auto strides = SpatialNumbers(attrs.strides, 2);
  const auto dilation = SpatialNumbers(attrs.dilation, 2);
  const auto padding = SpatialNumbers(attrs.padding, 4);
  if (!plane || !shifts || !kernel || !strides || !dilation || !padding) return std::nullopt;
  return DeformedWindow{*plane, *shifts, *kernel, *strides, *dilation, *padding};
}

auto TapsOf(const DeformedWindow& window) -> Taps {
  Taps taps;
  for (int64_t channel = 0; channel < window.offsets[0]; ++channel) {
    const auto axis = static_cast<size_t>(channel % 2);
    const int64_t tap = channel / 2 % (window.kernel[0] * window.kernel[1]);
    const int64_t in_kernel = axis == 0 ? tap / window.kernel[1] : tap % window.kernel[1];
    taps.extents.push_back(static_cast<double>(window.data[axis]));
    for (int64_t i = 0; i < window.offsets[1] * window.offsets[2]; ++i) {
      const int64_t to = axis == 0 ? i / window.offsets[2] : i % window.offsets[2];
      const auto place =
          static_cast<double>(to * window.strides[axis] + in_kernel * window.dilation[axis] - window.padding[axis]);
      taps.places.push_back(place);
      taps.most.push_back(static_cast<double>(window.data[axis] - 1) - place);
      taps.farthest = std::max(taps.farthest, place);
    }
  }
  return taps;
}

// Offsets that lead no farther than the last row or column, or else far away from the data.
auto KeptInside(LowerCall& call, const DeformedWindow& window) -> ExprId {
  const DataType dtype = call.input(1)->dtype;
  const Taps taps = TapsOf(window);
  const ExprId offsets = call.args[1];
  const ExprId places = call.Cast(call.Numbers(taps.places, window.offsets), dtype);
  const ExprId extents = call.Cast(call.Numbers(taps.extents, {window.offsets[0], 1, 1}), dtype);
  const ExprId most = call.Cast(call.Numbers(taps.most, window.offsets), dtype);
  const ExprId position = call.Add(offsets, places);
  const ExprId is_inside = call.Call("logical_and"_op, {call.Call("greater_equal"_op, {position, call.Real(0, dtype)}),
                                                        call.Call("less"_op, {position, extents})});
  return call.Call("where"_op,
                   {is_inside, call.Call("minimum"_op, {offsets, most}), call.Real(-taps.farthest - 2, dtype)});
}

}  // namespace

auto IsPaddedWithZeros(const Function& function, ExprId data) -> bool {
  if (function.kind(data) != ExprKind::kOpCall || function.op(data) != "nn.pad"_op) return false;
  const auto* pad = function.context().As<PadAttrs>(function.attrs(data));
  const ExprId value = function.operand(data, 1);
  if (pad == nullptr || pad->pad_mode != "constant" || pad->pad_width.size() != 4 ||
      function.kind(value) != ExprKind::kConstant || function.constant(value).ScalarAsDouble() != 0.0) {
    return false;
  }
  for (size_t i = 0; i < 4; ++i) {
    const DimList& ends = pad->pad_width[i];
    const auto fits = [&](const Dim& width) {
      return width.is_int() && (i < 2 ? width.value() == 0 : width.value() > 0);
    };
    if (ends.size() != 2 || !std::ranges::all_of(ends.values, fits)) return false;
  }
  return true;
}

auto KeepsDeformableConv(LowerCall& call, const DeformableConv2DAttrs& attrs) -> bool {
  const Type* data = call.input(0);
  return data != nullptr && data->dtype.bits >= 32 && attrs.data_layout == kDataLayout &&
         attrs.kernel_layout == kWeightLayout && (attrs.out_layout.empty() || attrs.out_layout == kDataLayout) &&
         IsPaddedWithZeros(call.to().function(), call.args[0]);
}

auto LowerDeformableConv(LowerCall& call, const DeformableConv2DAttrs& attrs) -> ExprId {
  const Type* data = call.input(0);
  if (data == nullptr) return {};
  if (attrs.data_layout != kDataLayout || attrs.kernel_layout != kWeightLayout ||
      (!attrs.out_layout.empty() && attrs.out_layout != kDataLayout)) {
    return InOneLayout(call, attrs);
  }
  if (data->dtype.bits < 32) return InSingle(call, data->dtype);
  const auto window = ReadWindow(call, attrs);
  if (!window) return {};
  const PadAttrs border{.pad_width = DimLists{{{0, 0}, {0, 0}, {1, 1}, {1, 1}}}};
  const ExprId padded = call.CallWith("nn.pad"_op, border, {call.args[0], call.Real(0, data->dtype)});
  DeformableConv2DAttrs moved = attrs;
  moved.padding = DimList();
  for (const int64_t width : window->padding) moved.padding.values.emplace_back(width - 1);
  return call.CallWith(call.op(), moved, {padded, KeptInside(call, *window), call.args[2]});
}

}  // namespace relayopt
