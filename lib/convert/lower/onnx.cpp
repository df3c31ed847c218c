// Lowering rules of ONNX only: operators that other targets lack, and layouts, of which ONNX has one.
#include <string>
#include <type_traits>

#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/transform.h"
#include "rules.h"

namespace relayopt {

namespace {

auto KeepsAlways(LowerCall&) -> bool { return true; }

// Gather has no batch dimensions.
auto KeepsTake(LowerCall&, const TakeAttrs& attrs) -> bool { return attrs.batch_dims.is(0); }

// -- layouts: channels first --

// Returns the layout that ONNX uses for data with `rank` axes.
auto ChannelsFirst(size_t rank) -> std::string_view { return rank == 3 ? "NCW" : rank == 4 ? "NCHW" : "NCDHW"; }

auto IsConversionNeeded(std::string_view layout, std::string_view out_layout, std::string_view wanted) -> bool {
  return layout != wanted || (!out_layout.empty() && out_layout != wanted);
}

// Returns a convolution of plain data between conversions.
template <typename A>
auto LowerConv(LowerCall& call, const A& attrs) -> ExprId {
  const Type* result = call.result();
  if (result == nullptr) return {};
  const std::string_view key = A::kTypeKey;
  const size_t rank = key.find("1D") != std::string_view::npos ? 3 : key.find("2D") != std::string_view::npos ? 4 : 5;
  const std::string wanted(ChannelsFirst(rank));
  constexpr bool kIsTransposed = requires(A attrs) { attrs.output_padding; };
  const std::string weight_layout = (kIsTransposed ? "IO" : "OI") + wanted.substr(2);
  if (!IsConversionNeeded(attrs.data_layout, attrs.out_layout, wanted) && attrs.kernel_layout == weight_layout)
    return {};
  A plain = attrs;
  plain.data_layout = wanted;
  plain.kernel_layout = weight_layout;
  plain.out_layout = "";
  // Depthwise weights of HWOI have the multiplier where others have the input channels.
  const ExprId data = ConvertLayout(call, call.args[0], attrs.data_layout, wanted);
  const ExprId weight = ConvertLayout(call, call.args[1], attrs.kernel_layout, weight_layout);
  if (!data.has_value() || !weight.has_value()) return {};
  const OpDef* op = call.op();
  if (op == "nn.contrib_conv2d_NCHWc"_op || op == "nn.contrib_depthwise_conv2d_NCHWc"_op) op = "nn.conv2d"_op;
  const ExprId conv = call.CallWith(op, plain, {data, weight});
  return ConvertLayout(call, conv, wanted, attrs.out_layout.empty() ? attrs.data_layout : attrs.out_layout);
}

// Returns an operator with one operand and one layout, wrapped in conversions, or invalid if no conversion is needed.
template <typename A>
auto InChannelsFirst(LowerCall& call, const A& attrs) -> ExprId {
  if (call.input(0) == nullptr) return {};
  std::string out_layout = attrs.layout;
  if constexpr (requires { attrs.out_layout; }) {
    if (!attrs.out_layout.empty()) out_layout = attrs.out_layout;
  }
  const std::string wanted(ChannelsFirst(Unpacked(attrs.layout).size()));
  if (!IsConversionNeeded(attrs.layout, out_layout, wanted)) return {};
  A plain = attrs;
  plain.layout = wanted;
  if constexpr (requires { plain.out_layout; }) plain.out_layout = "";
  const ExprId moved = ConvertLayout(call, call.args[0], attrs.layout, wanted);
  if (!moved.has_value()) return {};
  return ConvertLayout(call, call.CallWith(call.op(), plain, {moved}), wanted, out_layout);
}

// -- pools --

auto KeepsGlobalPool(LowerCall& call, const GlobalPool2DAttrs& attrs) -> bool {
  const Type* data = call.input(0);
  return data != nullptr && attrs.layout == "NCHW" && data->dtype.is_float() && data->dtype.bits < 64;
}

// Windows that do not overlap are a pool; one window is the whole.
template <typename A, typename Pool>
auto LowerAdaptivePool(LowerCall& call, const OpDef* pool, const OpDef* reduce, const OpDef* global) -> ExprId {
  const auto* attrs = call.attrs<A>();
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (attrs == nullptr || type == nullptr || result == nullptr) return {};
  const auto from = KnownExtents(type->shape);
  const auto into = KnownExtents(result->shape);
  const bool is_float = type->dtype.is_float() && type->dtype.bits < 64;
  if (!from || !into || attrs->layout != ChannelsFirst(type->rank()) || type->rank() != result->rank()) return {};
  Pool written;
  DimList axes;
  bool is_whole = true;
  written.padding = written.strides = written.pool_size = written.dilation = DimList();
  for (size_t i = 2; i < from->size(); ++i) {
    const int64_t in = (*from)[i];
    const int64_t out = (*into)[i];
    if (out == 0 || in % out != 0) return {};
    is_whole &= out == 1;
    axes.values.emplace_back(static_cast<int64_t>(i));
    written.pool_size.values.emplace_back(in / out);
    written.strides.values.emplace_back(in / out);
    written.dilation.values.emplace_back(1);
    written.padding.values.emplace_back(0);
    written.padding.values.emplace_back(0);
  }
  if (is_whole && global != nullptr && is_float) return call.CallWith(global, GlobalPool2DAttrs{}, {call.args[0]});
  if (is_whole) return call.CallWith(reduce, ReduceAttrs{.axis = axes, .keepdims = true}, {call.args[0]});
  if (!is_float) return {};
  written.layout = attrs->layout;
  return call.CallWith(pool, written, {call.args[0]});
}
auto LowerAdaptiveAvg1d(LowerCall& call) -> ExprId {
  return LowerAdaptivePool<AdaptivePool1DAttrs, AvgPool1DAttrs>(call, "nn.avg_pool1d"_op, "mean"_op, nullptr);
}
auto LowerAdaptiveAvg2d(LowerCall& call) -> ExprId {
  return LowerAdaptivePool<AdaptivePool2DAttrs, AvgPool2DAttrs>(call, "nn.avg_pool2d"_op, "mean"_op,
                                                                "nn.global_avg_pool2d"_op);
}
auto LowerAdaptiveAvg3d(LowerCall& call) -> ExprId {
  return LowerAdaptivePool<AdaptivePool3DAttrs, AvgPool3DAttrs>(call, "nn.avg_pool3d"_op, "mean"_op, nullptr);
}
auto LowerAdaptiveMax1d(LowerCall& call) -> ExprId {
  return LowerAdaptivePool<AdaptivePool1DAttrs, MaxPool1DAttrs>(call, "nn.max_pool1d"_op, "max"_op, nullptr);
}
auto LowerAdaptiveMax2d(LowerCall& call) -> ExprId {
  return LowerAdaptivePool<AdaptivePool2DAttrs, MaxPool2DAttrs>(call, "nn.max_pool2d"_op, "max"_op,
                                                                "nn.global_max_pool2d"_op);
}
auto LowerAdaptiveMax3d(LowerCall& call) -> ExprId {
  return LowerAdaptivePool<AdaptivePool3DAttrs, MaxPool3DAttrs>(call, "nn.max_pool3d"_op, "max"_op, nullptr);
}

// -- products --

// Returns the operand of a call that exchanges the last two axes, or invalid for other calls.
auto MatrixBefore(LowerCall& call, ExprId made) -> ExprId {
  const Function& function = call.to().function();
  if (function.kind(made) != ExprKind::kOpCall || function.op(made) != "transpose"_op) return {};
  const auto* attrs = call.context().As<TransposeAttrs>(function.attrs(made));
  const Type* type = call.tensor(made);
  if (attrs == nullptr || type == nullptr || type->rank() < 2) return {};
  const size_t rank = type->rank();
  if (attrs->axes.null || attrs->axes.empty()) return rank == 2 ? function.operand(made, 0) : ExprId();
  for (size_t i = 0; i < rank; ++i) {
    const size_t wanted = i + 2 < rank ? i : i + 2 == rank ? rank - 1 : rank - 2;
    if (!attrs->axes[i].is_int() || NormalizedAxis(attrs->axes[i].value(), rank) != static_cast<int64_t>(wanted))
      return {};
  }
  return function.operand(made, 0);
}

// Returns a product with a transposed matrix that was transposed before is one with the matrix.
auto LowerTransposedDense(LowerCall& call, const DenseAttrs& attrs) -> ExprId {
  const ExprId matrix = MatrixBefore(call, call.args[1]);
  if (!matrix.has_value()) return {};
  return call.CallWith("nn.matmul"_op, MatmulAttrs{.out_dtype = attrs.out_dtype}, {call.args[0], matrix});
}

auto LowerTransposedBatch(LowerCall& call, const BatchMatmulAttrs& attrs) -> ExprId {
  if (!attrs.transpose_b) return {};
  const ExprId matrix = MatrixBefore(call, call.args[1]);
  if (!matrix.has_value()) return {};
  BatchMatmulAttrs plain = attrs;
  plain.transpose_b = false;
  return call.CallWith("nn.batch_matmul"_op, plain, {call.args[0], matrix});
}

// Returns the matrix with its last two axes exchanged, which is the one from before a transpose.
auto ExchangedMatrix(LowerCall& call, ExprId matrix, size_t rank) -> ExprId {
  const ExprId before = MatrixBefore(call, matrix);
  return before.has_value() ? before : TransposeMatrix(call, matrix, rank);
}

auto AreBytes(const Type* type) -> bool { return type != nullptr && type->dtype.bits == 8 && !type->dtype.is_float(); }

// Whether a zero point of 32 bits is a number of this type, which ONNX wants it to be.
auto IsPointOf(LowerCall& call, ExprId point, DataType dtype) -> bool {
  const Function& function = call.to().function();
  const Type* type = call.tensor(point);
  if (type == nullptr || type->rank() != 0) return false;
  if (function.kind(point) == ExprKind::kConstant) {
    const auto number = function.constant(point).ScalarAsDouble();
    return number && *number >= (dtype.is_uint() ? 0 : -128) && *number <= (dtype.is_uint() ? 255 : 127);
  }
  if (function.kind(point) != ExprKind::kOpCall || function.op(point) != "cast"_op) return false;
  const Type* before = call.tensor(function.operand(point, 0));
  return before != nullptr && before->dtype == dtype;
}

auto IsReshape(LowerCall& call, ExprId made) -> bool {
  const Function& function = call.to().function();
  return function.kind(made) == ExprKind::kOpCall && function.op(made) == "reshape"_op;
}

// Bytes less their zero point in 32 bits; `is_moved` when they are reshaped after that.
auto WidenedBytes(LowerCall& call, ExprId bytes, ExprId point, bool is_moved) -> ExprId {
  const Function& function = call.to().function();
  const ExprId wide = call.Cast(is_moved ? function.operand(bytes, 0) : bytes, DataType::Int(32));
  const bool is_zero = function.kind(point) == ExprKind::kConstant && function.constant(point).ScalarAsDouble() == 0.0;
  const ExprId shifted = is_zero ? wide : call.Subtract(wide, point);
  const ExprId operands[] = {shifted};
  return is_moved ? EmitCall(call.to(), "reshape"_op, operands, function.attrs(bytes)) : shifted;
}

// Keeps a quantized product that can be written as MatMulInteger. qnn.CanonicalizeOps would split it into a product
// without zero points and correction terms.
template <typename A>
auto LowerQuantizedProduct(LowerCall& call, const A& attrs) -> ExprId {
  constexpr bool kIsDense = std::is_same_v<A, DenseAttrs>;
  const Type* a = call.input(0);
  const Type* b = call.input(1);
  const Type* result = call.result();
  if (result == nullptr || result->dtype != DataType::Int(32) || !AreBytes(a) || !AreBytes(b)) {
    return {};
  }
  bool is_transposed = kIsDense;
  if constexpr (!kIsDense) {
    if (attrs.transpose_a) return {};
    is_transposed = attrs.transpose_b;
  }
  if (!IsPointOf(call, call.args[2], a->dtype) || !IsPointOf(call, call.args[3], b->dtype)) return {};
  const ExprId matrix = is_transposed ? ExchangedMatrix(call, call.args[1], b->rank()) : call.args[1];
  // Reshaped factors of a product that MatMul may take as they were before.
  const bool is_moved = IsReshape(call, call.args[0]) && (kIsDense || IsReshape(call, matrix));
  const ExprId left = WidenedBytes(call, call.args[0], call.args[2], is_moved);
  const ExprId right = WidenedBytes(call, matrix, call.args[3], is_moved && !kIsDense);
  if constexpr (kIsDense) {
    return call.CallWith("nn.matmul"_op, MatmulAttrs{.out_dtype = attrs.out_dtype}, {left, right});
  } else {
    return call.CallWith("nn.batch_matmul"_op, BatchMatmulAttrs{.out_dtype = attrs.out_dtype, .transpose_b = false},
                         {left, right});
  }
}

auto KeepsArgReduction(LowerCall&, const ArgReduceAttrs& attrs) -> bool {
  return attrs.axis.size() == 1 && !attrs.axis.null && !attrs.exclude;
}

// Gemm transposes by itself. Data that was flattened to a matrix is multiplied by the transposed constant, so that
// MatMul can take the data as it was.
auto KeepsDense(LowerCall& call) -> bool {
  const Function& function = call.to().function();
  const ExprId data_from = call.args[0];
  const bool is_reshaped = function.kind(data_from) == ExprKind::kOpCall && function.op(data_from) == "reshape"_op;
  if (is_reshaped && function.kind(call.args[1]) == ExprKind::kConstant) {
    const Type* from = call.tensor(function.operand(data_from, 0));
    const Type* data = call.tensor(data_from);
    const bool keeps_rows = from != nullptr && data != nullptr && from->rank() > 2 && data->rank() == 2 &&
                            SameExtent(from->shape.back(), data->shape[1]);
    if (keeps_rows) return false;
  }
  if (MatrixBefore(call, call.args[1]).has_value()) return false;
  const Type* data = call.input(0);
  const Type* weight = call.input(1);
  const Type* result = call.result();
  return data != nullptr && weight != nullptr && result != nullptr && data->rank() == 2 && data->dtype.is_float() &&
         weight->dtype == data->dtype && result->dtype == data->dtype;
}

// -- space --

auto KeepsLrn(LowerCall& call, const LRNAttrs& attrs) -> bool {
  const Type* type = call.input(0);
  // onnxruntime takes four axes, and no factor that is 0.
  const bool is_usual = attrs.size % 2 == 1 && attrs.alpha > 0 && attrs.beta > 0;
  return type != nullptr && type->rank() == 4 && NormalizedAxis(attrs.axis, 4) == 1 && is_usual &&
         type->dtype.bits <= 32;
}

auto KeepsSubPixel(LowerCall& call, const SubPixelAttrs& attrs) -> bool {
  const Type* type = call.input(0);
  return type != nullptr && attrs.layout == "NCHW" && type->dtype.is_float() && type->dtype.bits >= 32;
}

auto LowerReflection(LowerCall& call, const MirrorPadAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr || attrs.mode != "REFLECT") return {};
  const PadAttrs pad{.pad_width = attrs.pad_width, .pad_mode = "reflect"};
  return call.CallWith("nn.pad"_op, pad, {call.args[0], call.Real(0, type->dtype)});
}

// Nearest neighbour by a factor of 2, 4, ..., where no position is halfway between elements or close to it.
template <typename A>
auto KeepsResize(LowerCall& call, const A& attrs) -> bool {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr || !attrs.layout.starts_with("NC")) return false;
  if (attrs.method != "nearest_neighbor") return attrs.coordinate_transformation_mode != "tf_crop_and_resize";
  const auto from = KnownExtents(type->shape);
  const auto into = KnownExtents(result->shape);
  if (!from || !into) return true;
  const std::string& mode = attrs.coordinate_transformation_mode;
  if (mode != "asymmetric" && mode != "half_pixel") return false;
  // As TVM: whole factors of "asymmetric" round down, whatever the method says.
  if (mode == "asymmetric" && attrs.rounding_method != "floor") return false;
  for (size_t i = 0; i < from->size(); ++i) {
    if ((*from)[i] == 0 || (*into)[i] % (*from)[i] != 0) return false;
    const int64_t factor = (*into)[i] / (*from)[i];
    if ((factor & (factor - 1)) != 0) return false;
  }
  return true;
}

// Nearest neighbours are taken in any layout.
template <typename A>
auto LowerResizeLayout(LowerCall& call, const A& attrs) -> ExprId {
  return attrs.method == "nearest_neighbor" ? ExprId() : InChannelsFirst<A>(call, attrs);
}

// x * rsqrt(y) is x / sqrt(y): ONNX has no rsqrt.
auto LowerTimesRsqrt(LowerCall& call) -> ExprId {
  const Function& made = call.to().function();
  for (const size_t i : {size_t{1}, size_t{0}}) {
    const ExprId factor = call.args[i];
    if (made.kind(factor) != ExprKind::kOpCall || made.op(factor) != "rsqrt"_op) continue;
    const ExprId root = call.Call("sqrt"_op, {made.operand(factor, 0)});
    call.to().SetSpan(root, made.span(factor));
    return call.Divide(call.args[1 - i], root);
  }
  return {};
}

constexpr OpRule<LowerRule> kOnnxRules[] = {
    {"argmax"_op, WithAttrs<KeepsArgReduction>},
    {"argmin"_op, WithAttrs<KeepsArgReduction>},
    {"image.resize1d"_op, {WithAttrs<LowerResizeLayout<Resize1DAttrs>>, WithAttrs<KeepsResize<Resize1DAttrs>>}},
    {"image.resize2d"_op, {WithAttrs<LowerResizeLayout<Resize2DAttrs>>, WithAttrs<KeepsResize<Resize2DAttrs>>}},
    {"image.resize3d"_op, {WithAttrs<LowerResizeLayout<Resize3DAttrs>>, WithAttrs<KeepsResize<Resize3DAttrs>>}},
    {"invert_permutation"_op, KeepsAlways},
    {"multiply"_op, LowerTimesRsqrt},
    {"nn.adaptive_avg_pool1d"_op, LowerAdaptiveAvg1d},
    {"nn.adaptive_avg_pool2d"_op, LowerAdaptiveAvg2d},
    {"nn.adaptive_avg_pool3d"_op, LowerAdaptiveAvg3d},
    {"nn.adaptive_max_pool1d"_op, LowerAdaptiveMax1d},
    {"nn.adaptive_max_pool2d"_op, LowerAdaptiveMax2d},
    {"nn.adaptive_max_pool3d"_op, LowerAdaptiveMax3d},
    {"nn.avg_pool1d"_op, WithAttrs<InChannelsFirst<AvgPool1DAttrs>>},
    {"nn.avg_pool2d"_op, WithAttrs<InChannelsFirst<AvgPool2DAttrs>>},
    {"nn.avg_pool3d"_op, WithAttrs<InChannelsFirst<AvgPool3DAttrs>>},
    {"nn.batch_matmul"_op, WithAttrs<LowerTransposedBatch>},
    {"nn.bias_add"_op, KeepsAlways},
    {"nn.contrib_conv2d_NCHWc"_op, WithAttrs<LowerConv<Conv2DAttrs>>},
    {"nn.contrib_depthwise_conv2d_NCHWc"_op, WithAttrs<LowerConv<Conv2DAttrs>>},
    {"nn.conv1d"_op, WithAttrs<LowerConv<Conv1DAttrs>>},
    {"nn.conv1d_transpose"_op, WithAttrs<LowerConv<Conv1DTransposeAttrs>>},
    {"nn.conv2d"_op, WithAttrs<LowerConv<Conv2DAttrs>>},
    {"nn.conv2d_transpose"_op, WithAttrs<LowerConv<Conv2DTransposeAttrs>>},
    {"nn.conv3d"_op, WithAttrs<LowerConv<Conv3DAttrs>>},
    {"nn.conv3d_transpose"_op, WithAttrs<LowerConv<Conv3DTransposeAttrs>>},
    {"nn.deformable_conv2d"_op, {WithAttrs<LowerDeformableConv>, WithAttrs<KeepsDeformableConv>}},
    {"nn.dense"_op, {WithAttrs<LowerTransposedDense>, KeepsDense}},
    {"nn.depth_to_space"_op, WithAttrs<KeepsSubPixel>},
    {"nn.global_avg_pool2d"_op, WithAttrs<KeepsGlobalPool>},
    {"nn.global_max_pool2d"_op, WithAttrs<KeepsGlobalPool>},
    {"nn.lrn"_op, WithAttrs<KeepsLrn>},
    {"nn.max_pool1d"_op, WithAttrs<InChannelsFirst<MaxPool1DAttrs>>},
    {"nn.max_pool2d"_op, WithAttrs<InChannelsFirst<MaxPool2DAttrs>>},
    {"nn.max_pool3d"_op, WithAttrs<InChannelsFirst<MaxPool3DAttrs>>},
    {"nn.mirror_pad"_op, WithAttrs<LowerReflection>},
    {"nn.pad"_op, KeepsAlways},
    {"nn.space_to_depth"_op, WithAttrs<KeepsSubPixel>},
    {"qnn.batch_matmul"_op, WithAttrs<LowerQuantizedProduct<BatchMatmulAttrs>>},
    {"qnn.dense"_op, WithAttrs<LowerQuantizedProduct<DenseAttrs>>},
    {"reverse_sequence"_op, KeepsAlways},
    {"take"_op, WithAttrs<KeepsTake>},
    {"trunc"_op, {{.floats = "whole = floor(abs(x)); sign(x) * whole"_formula}}},
};

}  // namespace

auto LowerOnnxRules() -> std::span<const OpRule<LowerRule>> { return kOnnxRules; }

}  // namespace relayopt
