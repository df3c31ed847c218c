// Rewrites products of 8-bit integers: unsigned data, signed weights, channels padded to whole vectors.
#include "legalize_int8.h"

#include <algorithm>
#include <array>
#include <span>

#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

namespace {

// Added to signed bytes to make them unsigned.
constexpr int64_t kShift = 128;

// The shape of an instruction: the number of products for each lane, and the number of lanes.
constexpr int64_t kProducts = 4;
constexpr int64_t kLanes = 16;

// The CPUs for which TVM has kernels of 8-bit integers.
auto HasConv2D(const Target& target) -> bool { return target.HasFeature("sse4.2"); }
auto HasDense(const Target& target) -> bool {
  return (target.HasFeature("avx512f") && target.HasFeature("avx512bw")) || target.HasFeature("amx-int8");
}

auto EmitCast(FunctionBuilder& to, ExprId data, DataType dtype) -> ExprId {
  return EmitCallWith(to, "cast"_op, CastAttrs{.dtype = dtype}, {data});
}

auto EmitShifted(FunctionBuilder& to, ExprId data) -> ExprId {
  const ExprId sum = EmitCall(to, "add"_op, {EmitCast(to, data, kInt32), EmitScalar(to, kInt32, kShift)});
  return EmitCast(to, sum, kUInt8);
}

auto EmitSum(FunctionBuilder& to, ExprId weight, DimList axes) -> ExprId {
  return EmitCallWith(to, "sum"_op, ReduceAttrs{.axis = std::move(axes)}, {EmitCast(to, weight, kInt32)});
}

using Widths = std::vector<std::array<int64_t, 2>>;

auto EmitPad(FunctionBuilder& to, ExprId data, const Widths& widths, int64_t value) -> ExprId {
  PadAttrs attrs;
  for (const auto& [before, after] : widths) attrs.pad_width.values.push_back(DimList{before, after});
  return EmitCallWith(to, "nn.pad"_op, attrs, {data, EmitScalar(to, kInt32, value)});
}

// Zeros after the elements along one axis.
auto EmitFilled(FunctionBuilder& to, ExprId data, size_t rank, size_t axis, int64_t count) -> ExprId {
  Widths widths(rank, {0, 0});
  widths[axis][1] = count;
  return EmitPad(to, data, widths, 0);
}

// Emits the slice of `data` that begins at its first element and has this shape.
auto EmitHead(FunctionBuilder& to, ExprId data, std::span<const Dim> shape, std::string_view mode) -> ExprId {
  StridedSliceAttrs attrs;
  attrs.begin = DimList(std::vector<Dim>(shape.size(), 0));
  attrs.end = DimList(std::vector<Dim>(shape.begin(), shape.end()));
  attrs.strides = {1};
  attrs.slice_mode = mode;
  return EmitCallWith(to, "strided_slice"_op, attrs, {data});
}

// The positions at which TVM's rule expects the axes of a convolution.
struct Conv2DAxes {
  std::string_view data_layout;
  std::string_view kernel_layout;
  size_t data_channel;
  size_t kernel_in;
  size_t kernel_out;
  // The first of height and width in the data.
  size_t spatial;
};
constexpr Conv2DAxes kConv2DAxes[] = {
    {"NCHW", "OIHW", 1, 1, 0, 2},
    {"NHWC", "HWIO", 3, 2, 3, 1},
};

auto AxesOf(const Conv2DAttrs& attrs) -> const Conv2DAxes* {
  const auto* row = std::find_if(std::begin(kConv2DAxes), std::end(kConv2DAxes), [&](const Conv2DAxes& axes) {
    return axes.data_layout == attrs.data_layout && axes.kernel_layout == attrs.kernel_layout;
  });
  return row == std::end(kConv2DAxes) ? nullptr : row;
}

// The number of channels that are missing to a multiple of `step`, 0 for a multiple.
auto Missing(const Dim& channels, int64_t step) -> int64_t {
  return channels.value() % step == 0 ? 0 : step - channels.value() % step;
}

}  // namespace

auto LegalizeInt8Conv2D(const LegalizeCall& call) -> ExprId {
  const auto* old_attrs = call.attrs<Conv2DAttrs>();
  const Type* data_type = call.input(0);
  const Type* kernel_type = call.input(1);
  const Type* result = call.result();
  if (old_attrs == nullptr || data_type == nullptr || kernel_type == nullptr || result == nullptr) return {};
  const bool shifts = data_type->dtype == kInt8;
  if ((!shifts && data_type->dtype != kUInt8) || kernel_type->dtype != kInt8 || !HasConv2D(call.target)) return {};
  Conv2DAttrs attrs = *old_attrs;
  const Conv2DAxes* axes = AxesOf(attrs);
  const auto is_one = [](const Dim& dim) { return dim == Dim(1); };
  if (axes == nullptr || attrs.groups != 1 || !std::all_of(attrs.dilation.begin(), attrs.dilation.end(), is_one))
    return {};
  SpellOutPadding(attrs.padding, 2);
  if (!AllKnown(result->shape) || !AllKnown(attrs.padding.values) || attrs.padding.size() != 4) return {};
  const Dim& in = data_type->shape[axes->data_channel];
  const Dim& out = kernel_type->shape[axes->kernel_out];
  if (!in.is_int() || !out.is_int()) return {};
  // The correction has 32 bits, and varies along the channels of the data's layout.
  const bool same_layout = attrs.out_layout.empty() || attrs.out_layout == attrs.data_layout;
  if (shifts && (result->dtype != kInt32 || !same_layout)) return {};

  FunctionBuilder& to = call.to;
  ExprId data = call.args[0];
  ExprId kernel = call.args[1];
  ExprId excess;
  if (shifts) {
    if (axes->kernel_out == 0) {
      excess = EmitCallWith(to, "expand_dims"_op, ExpandDimsAttrs{.axis = 1, .num_newaxis = 2},
                            {EmitSum(to, kernel, {1, 2, 3})});
    } else {
      excess = EmitSum(to, kernel, {0, 1, 2});
    }
    excess = EmitCall(to, "multiply"_op, {excess, EmitScalar(to, kInt32, kShift)});
    data = EmitShifted(to, data);
    // A zero is now represented by 128, so the convolution cannot add the padding itself.
    Widths widths(4, {0, 0});
    for (size_t i = 0; i < 2; ++i) widths[axes->spatial + i] = {attrs.padding[i].value(), attrs.padding[2 + i].value()};
    if (widths != Widths(4, {0, 0})) data = EmitPad(to, data, widths, kShift);
    attrs.padding = {0, 0, 0, 0};
  }
  if (const int64_t missing = Missing(in, kProducts); missing != 0) {
    data = EmitFilled(to, data, 4, axes->data_channel, missing);
    kernel = EmitFilled(to, kernel, 4, axes->kernel_in, missing);
  }
  const int64_t missing = Missing(out, kLanes);
  if (missing != 0) {
    kernel = EmitFilled(to, kernel, 4, axes->kernel_out, missing);
    attrs.channels = out.value() + missing;
  }
  ExprId conv = EmitCallWith(to, "nn.conv2d"_op, attrs, {data, kernel});
  if (missing != 0) conv = EmitHead(to, conv, result->shape, "end");
  return shifts ? EmitCall(to, "subtract"_op, {conv, excess}) : conv;
}

namespace {

// Rewrites a product over the last axes of both operands. `emit(data, weight, columns)` emits the product of operands
// whose last axes have been padded to `columns`.
template <typename Emit>
auto LegalizeProduct(const LegalizeCall& call, bool expands, Emit&& emit) -> ExprId {
  const Type* data_type = call.input(0);
  const Type* weight_type = call.input(1);
  const Type* result = call.result();
  if (data_type == nullptr || weight_type == nullptr || result == nullptr || !HasDense(call.target)) return {};
  if (data_type->dtype != kInt8 || (weight_type->dtype != kInt8 && weight_type->dtype != kUInt8)) return {};
  const size_t rank = data_type->rank();
  const size_t weight_rank = weight_type->rank();
  if (rank < 2 || weight_rank < 2 || result->rank() != rank || result->dtype != kInt32) return {};
  const Dim& columns = weight_type->shape[weight_rank - 2];
  const Dim& depth = weight_type->shape[weight_rank - 1];
  if (!columns.is_int() || !depth.is_int() || !AllKnown(result->shape)) return {};

  FunctionBuilder& to = call.to;
  ExprId weight = call.args[1];
  ExprId data = EmitShifted(to, call.args[0]);
  const ExprId sum = EmitSum(to, weight, {-1});
  ExprId excess = EmitCall(to, "multiply"_op, {EmitScalar(to, kInt32, kShift), sum});
  if (expands) excess = EmitCallWith(to, "expand_dims"_op, ExpandDimsAttrs{.axis = 1}, {excess});
  const int64_t missing_columns = Missing(columns, kLanes);
  const int64_t missing_depth = Missing(depth, kProducts);
  if (missing_columns != 0 || missing_depth != 0) {
    Widths widths(weight_rank, {0, 0});
    widths[weight_rank - 2][1] = missing_columns;
    widths[weight_rank - 1][1] = missing_depth;
    weight = EmitPad(to, weight, widths, 0);
    if (missing_depth != 0) data = EmitFilled(to, data, rank, rank - 1, missing_depth);
  }
  ExprId product = emit(data, weight, columns.value() + missing_columns);
  if (missing_columns != 0) product = EmitHead(to, product, result->shape, "size");
  return EmitCall(to, "subtract"_op, {product, excess});
}

}  // namespace

auto LegalizeInt8Dense(const LegalizeCall& call) -> ExprId {
  const auto* old_attrs = call.attrs<DenseAttrs>();
  if (old_attrs == nullptr) return {};
  return LegalizeProduct(call, false, [&](ExprId data, ExprId weight, int64_t columns) {
    DenseAttrs attrs = *old_attrs;
    if (attrs.units.is_int()) attrs.units = columns;
    return EmitCallWith(call.to, "nn.dense"_op, attrs, {data, weight});
  });
}

auto LegalizeInt8BatchMatmul(const LegalizeCall& call) -> ExprId {
  const auto* attrs = call.attrs<BatchMatmulAttrs>();
  if (attrs == nullptr || attrs->transpose_a || !attrs->transpose_b) return {};
  return LegalizeProduct(call, true, [&](ExprId data, ExprId weight, int64_t) {
    return EmitCallWith(call.to, "nn.batch_matmul"_op, *attrs, {data, weight});
  });
}

}  // namespace relayopt
