// Forms of element-wise operators, reductions, and sorting.
#include "forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "python.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt::relax {

namespace {

auto WriteCast(const RelaxCall& call) -> Text { return AsResult(call, call.args[0]); }

// Numbers beyond the range of the type are no literals of it, and bound nothing.
auto WriteClipOfHalves(const RelaxCall& call, const ClipAttrs& attrs) -> Text {
  const double largest = LargestFinite(DataType::Float(16));
  if (attrs.a_min > largest || attrs.a_max < -largest) return std::nullopt;
  const bool is_bounded_below = attrs.a_min >= -largest;
  const bool is_bounded_above = attrs.a_max <= largest;
  if (is_bounded_below && is_bounded_above)
    return fmt::format("R.clip({}, {}, {})", call.args[0], PythonFloat(attrs.a_min), PythonFloat(attrs.a_max));
  if (!is_bounded_below && !is_bounded_above) return AsResult(call, call.args[0]);
  return fmt::format("R.{}({}, R.const({}, \"float16\"))", is_bounded_below ? "maximum" : "minimum", call.args[0],
                     PythonFloat(is_bounded_below ? attrs.a_min : attrs.a_max));
}

auto WriteClip(const RelaxCall& call, const ClipAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr) return std::nullopt;
  if (type->dtype == DataType::Float(16)) return WriteClipOfHalves(call, attrs);
  if (type->dtype.is_float()) {
    return fmt::format("R.clip({}, {}, {})", call.args[0], PythonFloat(attrs.a_min), PythonFloat(attrs.a_max));
  }
  // Bounds are numbers of the type of the data.
  const int bits = type->dtype.bits;
  const double low = type->dtype.is_uint() ? 0 : -std::ldexp(1.0, bits - 1);
  const double high = std::ldexp(1.0, type->dtype.is_uint() ? bits : bits - 1) - 1;
  if (bits > 32 && type->dtype.is_uint()) return std::nullopt;
  // The largest 64-bit integer is not representable as a double.
  const auto bound = [&](double value) {
    const double clamped = std::clamp(value, low, high);
    return clamped >= 0x1p63 ? INT64_MAX : static_cast<int64_t>(clamped);
  };
  return fmt::format("R.clip({}, {}, {})", call.args[0], bound(attrs.a_min), bound(attrs.a_max));
}

// Relax takes floats only. As TVM: the slope is a number of the type of the data.
auto WriteLeakyRelu(const RelaxCall& call, const LeakyReluAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr || type->dtype.is_bool()) return std::nullopt;
  if (type->dtype.is_float()) return call.Write();
  const double slope = std::trunc(attrs.alpha);
  if (std::abs(slope) > 127 || (slope < 0 && type->dtype.is_uint())) return std::nullopt;
  const auto number = [&](double value) {
    return fmt::format("R.const({}, {})", static_cast<int64_t>(value), DtypeText(type->dtype));
  };
  return fmt::format("R.where(R.greater({0}, {1}), {0}, R.multiply({0}, {2}))", call.args[0], number(0), number(slope));
}

// Relax takes floats only.
auto WritePRelu(const RelaxCall& call) -> Text {
  const Type* type = call.input(0);
  return type != nullptr && type->dtype.is_float() ? Text(call.Write()) : std::nullopt;
}

// Relax cannot exclude axes, and an empty list reduces over none; LowerFor lists the axes explicitly.
auto WriteReduction(const RelaxCall& call, const ReduceAttrs& attrs) -> Text {
  if (attrs.exclude || attrs.axis.null || attrs.axis.empty()) return std::nullopt;
  return call.Write();
}

// Relax has means of integers in 64 bits; LowerFor makes quotients of those whose count is known.
auto WriteMean(const RelaxCall& call, const ReduceAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr || !type->dtype.is_float()) return std::nullopt;
  return WriteReduction(call, attrs);
}

// TVM 0.27 leaves the extreme of nothing as the memory is: it is where the search starts.
auto WriteExtreme(const RelaxCall& call, const ReduceAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr || attrs.exclude || attrs.axis.null) return std::nullopt;
  const auto extents = KnownExtents(result->shape);
  const bool is_of_nothing = std::ranges::any_of(attrs.axis, [&](const Dim& axis) {
    const auto at = static_cast<size_t>(NormalizedAxis(axis.value(), type->rank()));
    return at < type->rank() && type->shape[at].is(0);
  });
  if (!is_of_nothing || !extents) return WriteReduction(call, attrs);
  const bool is_max = call.op() == "max"_op;
  const DataType dtype = type->dtype;
  std::string start;
  if (dtype.is_float()) {
    start = PythonFloat(is_max ? -LargestFinite(dtype) : LargestFinite(dtype));
  } else if (dtype.is_uint() && is_max) {
    start = "0";
  } else {
    const int bits = dtype.bits - (dtype.is_uint() ? 0 : 1);
    const uint64_t largest = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
    start = is_max ? fmt::format("-{}", largest + 1) : fmt::format("{}", largest);
  }
  // R.full takes the number for one of float32.
  return fmt::format("R.broadcast_to(R.const({}, {}), R.shape([{}]))", start, DtypeText(dtype),
                     fmt::join(*extents, ", "));
}

// Relax reduces along one axis and has its own result type; Relay allows any type.
auto WriteArgReduction(const RelaxCall& call, const ArgReduceAttrs& attrs) -> Text {
  if (attrs.axis.size() != 1 || attrs.select_last_index || attrs.exclude) return std::nullopt;
  return AsResult(call, fmt::format("R.{}({}, axis={}, keepdims={})", call.name(), call.args[0], attrs.axis[0].value(),
                                    attrs.keepdims ? "True" : "False"));
}

auto IsSortable(DataType dtype) -> bool { return dtype.is_float() || (!dtype.is_uint() && dtype.bits >= 32); }

// Returns the data in a type that TVM 0.27 sorts; it does not sort integers of 8 and 16 bits, and unsigned ones.
// Nothing if no such type holds all numbers.
auto AsSortable(const RelaxCall& call) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr || (type->dtype.is_uint() && type->dtype.bits == 64)) return std::nullopt;
  if (IsSortable(type->dtype)) return call.args[0];
  return fmt::format("R.astype({}, \"{}\")", call.args[0], type->dtype.bits == 32 ? "int64" : "int32");
}

auto WriteSort(const RelaxCall& call, const ArgsortAttrs& attrs) -> Text {
  const Text data = AsSortable(call);
  if (!data) return std::nullopt;
  return AsResult(
      call, fmt::format("R.sort({}, axis={}, descending={})", *data, attrs.axis, attrs.is_ascend ? "False" : "True"));
}

auto WriteArgsort(const RelaxCall& call, const ArgsortAttrs& attrs) -> Text {
  const Text data = AsSortable(call);
  if (!data || call.result() == nullptr) return std::nullopt;
  return AsResult(call, fmt::format("R.argsort({}, axis={}, descending={}, dtype=\"int32\")", *data, attrs.axis,
                                    attrs.is_ascend ? "False" : "True"));
}

auto WriteTopk(const RelaxCall& call, const TopkAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr || !attrs.k.is_int() || !IsSortable(type->dtype)) return std::nullopt;
  const Dim extent = type->shape[static_cast<size_t>(NormalizedAxis(attrs.axis, type->rank()))];
  const Dim k = attrs.k.value() < 1 ? extent : attrs.k;
  if (!k.is_int()) return std::nullopt;
  const DataType dtype = attrs.dtype.is_void() ? kInt32 : attrs.dtype;
  // Relax counts in integers, Relay in any type.
  const bool is_cast = dtype != kInt32 && dtype != kInt64;
  std::string found = fmt::format("R.topk({}, k={}, axis={}, ret_type={}, largest={}, dtype={})", call.args[0],
                                  k.value(), attrs.axis, PythonString(attrs.ret_type),
                                  attrs.is_ascend ? "False" : "True", DtypeText(is_cast ? kInt32 : dtype));
  if (!is_cast || attrs.ret_type == "values") return found;
  if (attrs.ret_type == "indices") return AsResult(call, found);
  const std::string both = call.lines().Bind(found);
  return fmt::format("({0}[0], R.astype({0}[1], {1}))", both, DtypeText(dtype));
}

auto WriteScan(const RelaxCall& call, const ScanopAttrs& attrs) -> Text {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  // Without an axis the data is one row.
  const std::string data = attrs.axis.is_int() ? call.args[0] : fmt::format("R.reshape({}, (-1,))", call.args[0]);
  const int64_t axis = attrs.axis.is_int() ? attrs.axis.value() : 0;
  const bool is_exclusive = attrs.exclusive.is_int() && attrs.exclusive.value() != 0;
  return fmt::format("R.{}({}, axis={}, dtype={}, exclusive={})", call.name(), data, axis, DtypeText(result->dtype),
                     is_exclusive ? "True" : "False");
}

auto WriteSearchsorted(const RelaxCall& call, const SearchSortedAttrs& attrs) -> Text {
  const Type* sorted = call.input(0);
  if (sorted == nullptr || sorted->rank() != 1) return std::nullopt;
  return AsResult(call, fmt::format("R.bucketize({}, {}, out_int32=False, right={})", call.args[1], call.args[0],
                                    attrs.right ? "True" : "False"));
}

auto WriteReinterpret(const RelaxCall& call) -> Text {
  const Text extents = ResultExtents(call);
  if (!extents) return std::nullopt;
  return fmt::format("R.memory.view({}, {}, {})", call.args[0], *extents, DtypeText(call.result()->dtype));
}

// Relax has operators of the same names, with the same operands and no attributes.
constexpr const OpDef* kNamesakes[] = {
    "abs"_op,          "acos"_op,        "acosh"_op,      "asin"_op,          "asinh"_op,       "atan"_op,
    "atanh"_op,        "bitwise_not"_op, "ceil"_op,       "cos"_op,           "cosh"_op,        "erf"_op,
    "exp"_op,          "floor"_op,       "isfinite"_op,   "isinf"_op,         "isnan"_op,       "log"_op,
    "logical_not"_op,  "negative"_op,    "nn.relu"_op,    "rsqrt"_op,         "sigmoid"_op,     "sign"_op,
    "sin"_op,          "sinh"_op,        "sqrt"_op,       "tan"_op,           "tanh"_op,        "trunc"_op,
    "add"_op,          "bitwise_and"_op, "bitwise_or"_op, "bitwise_xor"_op,   "divide"_op,      "equal"_op,
    "floor_divide"_op, "floor_mod"_op,   "greater"_op,    "greater_equal"_op, "left_shift"_op,  "less"_op,
    "less_equal"_op,   "logical_and"_op, "logical_or"_op, "logical_xor"_op,   "maximum"_op,     "minimum"_op,
    "mod"_op,          "multiply"_op,    "not_equal"_op,  "power"_op,         "right_shift"_op, "subtract"_op,
    "where"_op,        "zeros_like"_op,  "full_like"_op,  "ones_like"_op};

constexpr OpRule<RelaxForm> kElementForms[] = {
    // Element by element.
    {"cast"_op, {"astype", "", WriteCast}},
    {"clip"_op, {"clip", "", WithAttrs<WriteClip>}},
    {"nn.leaky_relu"_op, {"nn.leakyrelu", "alpha", WithAttrs<WriteLeakyRelu>}},
    {"nn.prelu"_op, {"nn.prelu", "axis", WritePRelu}},
    {"reinterpret"_op, {"memory.view", "", WriteReinterpret}},
    // Reductions and scans.
    {"argmax"_op, {"argmax", "", WithAttrs<WriteArgReduction>}},
    {"argmin"_op, {"argmin", "", WithAttrs<WriteArgReduction>}},
    {"cumprod"_op, {"cumprod", "", WithAttrs<WriteScan>}},
    {"cumsum"_op, {"cumsum", "", WithAttrs<WriteScan>}},
    {"max"_op, {"max", "axis keepdims", WithAttrs<WriteExtreme>}},
    {"mean"_op, {"mean", "axis keepdims", WithAttrs<WriteMean>}},
    {"min"_op, {"min", "axis keepdims", WithAttrs<WriteExtreme>}},
    {"prod"_op, {"prod", "axis keepdims", WithAttrs<WriteReduction>}},
    {"sum"_op, {"sum", "axis keepdims", WithAttrs<WriteReduction>}},
    // Order.
    {"argsort"_op, {"argsort", "", WithAttrs<WriteArgsort>}},
    {"searchsorted"_op, {"bucketize", "", WithAttrs<WriteSearchsorted>}},
    {"sort"_op, {"sort", "", WithAttrs<WriteSort>}},
    {"topk"_op, {"topk", "", WithAttrs<WriteTopk>}},
};

}  // namespace

auto Namesakes() -> std::span<const OpDef* const> { return kNamesakes; }

auto ElementForms() -> std::span<const OpRule<RelaxForm>> { return kElementForms; }

}  // namespace relayopt::relax
