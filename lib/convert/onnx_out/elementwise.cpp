// Forms of element-wise operators, and of reductions.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "forms.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt::onnx::out {

namespace {

auto WriteCast(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr || ElementTypeOf(result->dtype) == kUndefined) return std::nullopt;
  const DataType from = call.input(0)->dtype;
  const DataType to = result->dtype;
  if (from == to) return One(call.arg(0));
  const Name cast = call.Cast(call.arg(0), to);
  const bool are_integers = !from.is_float() && !to.is_float() && !from.is_bool();
  const bool is_wider = are_integers && (from.is_uint() == to.is_uint() || to.is_int()) && to.bits > from.bits;
  if (is_wider) call.model().NoteCast(cast, call.arg(0), ElementTypeOf(from));
  return One(cast);
}

auto WriteClip(OnnxCall& call, const ClipAttrs& attrs) -> CallOutputs {
  double low = attrs.a_min;
  double high = attrs.a_max;
  const DataType dtype = call.dtype();
  if (!dtype.is_float()) {
    // Bounds are numbers of the type of the data.
    const DataType narrow = call.input(0)->dtype;
    const double least = narrow.is_uint() ? 0 : -std::ldexp(1.0, narrow.bits - 1);
    const double most = std::ldexp(1.0, narrow.is_uint() ? narrow.bits : narrow.bits - 1) - 1;
    if (narrow.bits > 32 && (low < -9e15 || high > 9e15)) return std::nullopt;
    low = std::clamp(std::trunc(low), least, most);
    high = std::clamp(std::trunc(high), least, most);
  }
  // Of bounds in the wrong order Relay takes the lower one, ONNX the upper one.
  return One(call.Add("Clip", {call.arg(0), call.Number(low), call.Number(std::max(low, high))}));
}

auto WriteNotEqual(OnnxCall& call) -> CallOutputs {
  return One(call.Add("Not", {call.Add("Equal", {call.arg(0), call.arg(1)})}));
}

auto WriteRsqrt(OnnxCall& call) -> CallOutputs {
  return One(call.Add("Reciprocal", {call.Add("Sqrt", {call.arg(0)})}));
}

auto WriteIsFinite(OnnxCall& call) -> CallOutputs {
  const Name infinite = call.Add("IsInf", {call.arg(0)});
  return One(call.Add("Not", {call.Add("Or", {infinite, call.Add("IsNaN", {call.arg(0)})})}));
}

// Unsigned numbers are subtracted from 0.
auto WriteNegative(OnnxCall& call) -> CallOutputs {
  if (!call.dtype().is_uint()) return One(call.Add("Neg", {call.arg(0)}));
  return One(call.Add("Sub", {call.Number(0), call.arg(0)}));
}

auto WriteRelu(OnnxCall& call) -> CallOutputs {
  return call.input(0)->dtype.is_uint() ? One(call.arg(0)) : One(call.Add("Relu", {call.arg(0)}));
}

auto WriteLeakyRelu(OnnxCall& call, const LeakyReluAttrs& attrs) -> CallOutputs {
  // The slope of integers is a whole number.
  const Type* data = call.input(0);
  if (data == nullptr || !data->dtype.is_float()) return std::nullopt;
  return One(call.Add("LeakyRelu", {call.arg(0)}, {Float("alpha", attrs.alpha)}));
}

// The slope is a vector along one axis.
auto WritePRelu(OnnxCall& call, const PReluAttrs& attrs) -> CallOutputs {
  const Type* slope = call.input(1);
  if (slope == nullptr) return std::nullopt;
  const size_t rank = call.input(0)->rank();
  const size_t behind = rank - 1 - static_cast<size_t>(NormalizedAxis(attrs.axis, rank));
  if (slope->rank() != 1) return std::nullopt;
  return One(call.Add("PRelu", {call.arg(0), call.AsColumn(call.arg(1), behind)}));
}

// Rounds towards minus infinity; ONNX divides integers towards zero, and its Mod has the sign of the divisor.
auto WriteFloorDivide(OnnxCall& call) -> CallOutputs {
  if (call.dtype().is_float()) return One(call.Add("Floor", {call.Add("Div", {call.arg(0), call.arg(1)})}));
  const Name rest = call.Add("Mod", {call.arg(0), call.arg(1)});
  return One(call.Add("Div", {call.Add("Sub", {call.arg(0), rest}), call.arg(1)}));
}

auto WriteFloorMod(OnnxCall& call) -> CallOutputs {
  if (!call.dtype().is_float()) return One(call.Add("Mod", {call.arg(0), call.arg(1)}));
  const Name whole = call.Add("Floor", {call.Add("Div", {call.arg(0), call.arg(1)})});
  return One(call.Add("Sub", {call.arg(0), call.Add("Mul", {whole, call.arg(1)})}));
}

// Returns the sign of the dividend.
auto WriteMod(OnnxCall& call) -> CallOutputs {
  return One(call.Add("Mod", {call.arg(0), call.arg(1)}, {Int("fmod", 1)}));
}

auto WriteShift(OnnxCall& call) -> CallOutputs {
  const bool left = call.op() == "left_shift"_op;
  const DataType dtype = call.dtype();
  if (dtype.is_uint()) {
    return One(call.Add("BitShift", {call.arg(0), call.arg(1)}, {String("direction", left ? "LEFT" : "RIGHT")}));
  }
  // 2^y: integers above 2^53 are not all doubles, but powers of two are.
  const DataType wide = DataType::Float(64);
  const Name power = call.Cast(call.Add("Pow", {call.Number(2, wide), call.Cast(call.arg(1), wide)}), kIndexType);
  const Name data = call.Cast(call.arg(0), kIndexType);
  if (left) return One(call.Cast(call.Add("Mul", {data, power}), dtype));
  const Name rest = call.Add("Mod", {data, power});
  return One(call.Cast(call.Add("Div", {call.Add("Sub", {data, rest}), power}), dtype));
}

auto WriteBitwise(OnnxCall& call) -> CallOutputs {
  // ONNX does not treat booleans as integers: of those it is And, not BitwiseAnd.
  constexpr std::string_view kBitwise = "Bitwise";
  const bool is_bool = call.input(0)->dtype.is_bool();
  Names inputs;
  for (size_t i = 0; i < call.num_args(); ++i) inputs.push_back(call.arg(i));
  if (!is_bool) call.model().Raise(18);
  return One(call.Add(call.name().substr(is_bool ? kBitwise.size() : 0), std::move(inputs)));
}

// -- reductions --

// LowerFor has listed the axes explicitly.
auto WriteReduction(OnnxCall& call, const ReduceAttrs& attrs) -> CallOutputs {
  if (attrs.exclude) return std::nullopt;
  const auto axes = KnownExtents(attrs.axis.values);
  if (!axes || axes->empty()) return std::nullopt;
  const Attribute keeps = Int("keepdims", attrs.keepdims ? 1 : 0);
  const bool takes_input = call.opset() >= 18 || call.name() == "ReduceSum";
  if (!takes_input) return One(call.Add(call.name(), {call.arg(0)}, {Ints("axes", *axes), keeps}));
  return One(call.Add(call.name(), {call.arg(0), call.List(*axes)}, {keeps}));
}

// Sums of small integers overflow, and those of ReduceMean do not; LowerFor makes quotients of those whose count is
// known.
auto WriteMean(OnnxCall& call, const ReduceAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || (!data->dtype.is_float() && data->dtype.bits < 32)) return std::nullopt;
  return WriteReduction(call, attrs);
}

auto WriteArgReduction(OnnxCall& call, const ArgReduceAttrs& attrs) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr || attrs.axis.size() != 1 || !attrs.axis[0].is_int()) return std::nullopt;
  if (attrs.exclude) return std::nullopt;
  Attributes attributes = {Int("axis", NormalizedAxis(attrs.axis[0].value(), call.input(0)->rank())),
                           Int("keepdims", attrs.keepdims ? 1 : 0)};
  if (attrs.select_last_index) attributes.push_back(Int("select_last_index", 1));
  const Name index = call.Add(call.name(), {call.arg(0)}, std::move(attributes));
  return One(result->dtype == kIndexType ? index : call.Cast(index, result->dtype));
}

// Without an axis the data is one row.
auto WriteCumsum(OnnxCall& call, const ScanopAttrs& attrs) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  Name data = attrs.axis.is_int() ? call.arg(0) : call.Reshape(call.arg(0), std::vector<int64_t>{-1});
  const int64_t axis = attrs.axis.is_int() ? attrs.axis.value() : 0;
  const bool is_exclusive = attrs.exclusive.is_int() && attrs.exclusive.value() != 0;
  constexpr Types kKernels = kF32 | kF64 | kI32 | kI64;
  const bool has_kernel = (SetOf(result->dtype) & kKernels) != 0;
  const DataType dtype = has_kernel ? result->dtype : result->dtype.is_float() ? DataType::Float(32) : kIndexType;
  if (call.input(0)->dtype != dtype) data = call.Cast(data, dtype);
  const Name sums =
      call.Add("CumSum", {data, call.Index(axis)}, is_exclusive ? Attributes{Int("exclusive", 1)} : Attributes());
  return One(dtype == result->dtype ? sums : call.Cast(sums, result->dtype));
}

// Writes a cumulative product as one product for each prefix of a row.
auto WriteCumprod(OnnxCall& call, const ScanopAttrs& attrs) -> CallOutputs {
  const Type* type = call.input(0);
  const Type* result = call.result();
  constexpr int64_t kMost = 64;
  if (result == nullptr || !attrs.axis.is_int()) return std::nullopt;
  const int64_t axis = NormalizedAxis(attrs.axis.value(), type->rank());
  const Dim extent = type->shape[static_cast<size_t>(axis)];
  if (!extent.is_int() || extent.value() > kMost || extent.value() == 0) return std::nullopt;
  const bool is_exclusive = attrs.exclusive.is_int() && attrs.exclusive.value() != 0;
  auto slice = KnownExtents(type->shape);
  if (is_exclusive && !slice) return std::nullopt;
  const bool is_small = !result->dtype.is_float() && result->dtype.bits < 32;
  const DataType dtype = is_small ? DataType::Int(32) : result->dtype;
  const Name data = call.As(0, dtype);
  Names parts;
  if (is_exclusive) {
    (*slice)[static_cast<size_t>(axis)] = 1;
    parts.push_back(call.Add("Expand", {call.Number(1, dtype), call.List(*slice)}));
  }
  for (int64_t i = 0; i < extent.value() - (is_exclusive ? 1 : 0); ++i) {
    const Name part = call.Add("Slice", {data, call.List({i}), call.List({i + 1}), call.List({axis}), call.List({1})});
    parts.push_back(parts.empty() ? part : call.Add("Mul", {parts.back(), part}));
  }
  const Name products = call.Add("Concat", std::move(parts), {Int("axis", axis)});
  return One(dtype == result->dtype ? products : call.Cast(products, result->dtype));
}

auto WriteWhere(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  // onnxruntime has no kernel for booleans or small integers.
  constexpr Types kKernels = kSmallFloats | kF64 | kI32 | kI64 | kU8 | kI8;
  if ((SetOf(result->dtype) & kKernels) != 0) return One(call.Add("Where", {call.arg(0), call.arg(1), call.arg(2)}));
  const DataType wide = result->dtype.is_bool() ? DataType::UInt(8) : kIndexType;
  if (result->dtype.is_float()) return std::nullopt;
  const Name chosen = call.Add("Where", {call.arg(0), call.Cast(call.arg(1), wide), call.Cast(call.arg(2), wide)});
  return One(call.Cast(chosen, result->dtype));
}

constexpr OpRule<OnnxForm> kElementwiseForms[] = {
    // One tensor.
    {"bitwise_not"_op, {"BitwiseNot", kIntegers | kB, WriteBitwise}},
    {"cast"_op, {"Cast", kAll, WriteCast}},
    {"clip"_op, {"Clip", kF16 | kF32 | kF64 | kI8 | kU8 | kI32 | kI64 | kU32 | kU64, WithAttrs<WriteClip>}},
    {"isfinite"_op, {"Not, Or, IsInf, IsNaN", kF32 | kF64, WriteIsFinite}},
    {"negative"_op, {"Neg", kReals | kI8 | kI32 | kI64 | kU32 | kU64, WriteNegative}},
    {"nn.leaky_relu"_op, {"LeakyRelu", kSmallFloats, WithAttrs<WriteLeakyRelu>}},
    {"nn.prelu"_op, {"PRelu", kReals, WithAttrs<WritePRelu>}},
    {"nn.relu"_op, {"Relu", kReals | kI8 | kI32 | kI64 | kU8 | kU16 | kU32 | kU64, WriteRelu}},
    {"rsqrt"_op, {"Reciprocal, Sqrt", kReals, WriteRsqrt}},
    // Two tensors that broadcast.
    {"bitwise_and"_op, {"BitwiseAnd", kIntegers | kB, WriteBitwise}},
    {"bitwise_or"_op, {"BitwiseOr", kIntegers | kB, WriteBitwise}},
    {"bitwise_xor"_op, {"BitwiseXor", kIntegers | kB, WriteBitwise}},
    {"floor_divide"_op, {"Div, Floor or Mod", kReals | kI32 | kI64 | kU32 | kU64, WriteFloorDivide}},
    {"floor_mod"_op, {"Mod, or Div, Floor", kReals | kIntegers, WriteFloorMod}},
    {"left_shift"_op, {"BitShift, or Mul", kI32 | kI64 | kU8 | kU32 | kU64, WriteShift}},
    {"mod"_op, {"Mod", kReals | kIntegers, WriteMod}},
    {"not_equal"_op, {"Not, Equal", kReals | kB | kI8 | kI32 | kI64 | kU8, WriteNotEqual}},
    {"right_shift"_op, {"BitShift, or Div", kI32 | kI64 | kU8 | kU32 | kU64, WriteShift}},
    {"where"_op, {"Where", kAll, WriteWhere}},
    // Reductions and scans.
    {"argmax"_op, {"ArgMax", kReals | kI8 | kU8 | kI32 | kI64, WithAttrs<WriteArgReduction>}},
    {"argmin"_op, {"ArgMin", kReals | kI8 | kU8 | kI32 | kI64, WithAttrs<WriteArgReduction>}},
    {"cumprod"_op, {"Slice, Mul, Concat", kAll, WithAttrs<WriteCumprod>}},
    {"cumsum"_op, {"CumSum", kAll, WithAttrs<WriteCumsum>}},
    {"max"_op, {"ReduceMax", kReals | kI8 | kU8 | kI32 | kI64, WithAttrs<WriteReduction>}},
    {"mean"_op, {"ReduceMean", kReals | kI32, WithAttrs<WriteMean>}},
    {"min"_op, {"ReduceMin", kReals | kI8 | kU8 | kI32 | kI64, WithAttrs<WriteReduction>}},
    {"prod"_op, {"ReduceProd", kF16 | kF32 | kI32 | kI64, WithAttrs<WriteReduction>}},
    {"sum"_op, {"ReduceSum", kReals | kI32 | kI64, WithAttrs<WriteReduction>}},
};

}  // namespace

auto ElementwiseForms() -> std::span<const OpRule<OnnxForm>> { return kElementwiseForms; }

}  // namespace relayopt::onnx::out
