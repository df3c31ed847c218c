// Lowering of element-wise operators, reductions and what is built from them.
#include <cmath>
#include <numeric>

#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/transform.h"
#include "rules.h"

namespace relayopt {

namespace {

// Half away from zero: both systems round halves to even. Adding a half first would round on its own.
auto LowerRound(LowerCall& call) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr) return {};
  if (call.HasIntegers()) return call.args[0];
  const ExprId size = call.Call("abs"_op, {call.args[0]});
  const ExprId floor = call.Call("floor"_op, {size});
  const ExprId rest = call.Subtract(size, floor);
  const ExprId is_up = call.Call("greater_equal"_op, {rest, call.Real(0.5, type->dtype)});
  const ExprId rounded = call.Add(floor, call.Cast(is_up, type->dtype));
  return call.Call("multiply"_op, {call.Call("sign"_op, {call.args[0]}), rounded});
}

// Emits `all` as the minimum, and `any` as the maximum, of the truth values as numbers. Of none, these are the ends of
// int32, which are on the right side of 0.
auto ReduceBools(LowerCall& call, const ReduceAttrs& attrs) -> ExprId {
  if (call.input(0) == nullptr) return {};
  const ExprId numbers = call.Cast(call.args[0], kInt32);
  const OpDef* reduce = call.op() == "all"_op ? "min"_op : "max"_op;
  return call.Call("greater"_op, {call.CallWith(reduce, attrs, {numbers}), call.Int(0)});
}

auto LowerCastLike(LowerCall& call) -> ExprId {
  const Type* result = call.result();
  return result == nullptr ? ExprId() : call.Cast(call.args[0], result->dtype);
}

// Any number is a condition in Relay.
auto LowerWhere(LowerCall& call) -> ExprId {
  const Type* condition = call.input(0);
  if (condition == nullptr || condition->dtype.is_bool()) return {};
  return call.Where(call.Cast(call.args[0], kBool), call.args[1], call.args[2]);
}

// Integers times a fixed-point number of 31 bits after the point: (x << left) * m + half >> right, in 64 bits, of which
// 32 are the result.
auto LowerFixedPointMultiply(LowerCall& call, const FixedPointMultiplyAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr || attrs.shift > 30 || attrs.shift < -30) return {};
  const int64_t left = std::max<int64_t>(attrs.shift, 0);
  const int64_t right = 31 - std::min<int64_t>(attrs.shift, 0);
  const auto number = [&](int64_t value) { return call.Int(value, kInt64); };
  ExprId wide = call.Cast(call.args[0], kInt64);
  if (left > 0) wide = call.Call("left_shift"_op, {wide, number(left)});
  const ExprId product = call.Multiply(wide, number(attrs.multiplier));
  const ExprId rounded = call.Call("add"_op, {product, number(int64_t{1} << (right - 1))});
  return call.Cast(call.Cast(call.Call("right_shift"_op, {rounded, number(right)}), kInt32), type->dtype);
}

// The same with separate parameters along axes.
auto LowerFixedPointMultiplyPerAxis(LowerCall& call, const FixedPointMultiplyPerAxisAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr || type->dtype != kInt32) return {};
  std::vector<int64_t> along(type->rank(), 1);
  int64_t last = -1;
  for (const Dim& dim : attrs.axes) {
    const int64_t axis = dim.is_int() ? NormalizedAxis(dim.value(), type->rank()) : -1;
    if (axis <= last || axis >= static_cast<int64_t>(type->rank())) return {};
    const Dim extent = type->shape[static_cast<size_t>(axis)];
    if (!extent.is_int()) return {};
    along[static_cast<size_t>(axis)] = extent.value();
    last = axis;
  }
  const auto number = [&](int64_t value) { return call.Int(value, kInt64); };
  const auto numbers = [&](size_t i) { return call.Reshape(call.Cast(call.args[i], kInt64), along); };
  ExprId wide = call.Cast(call.args[0], kInt64);
  if (attrs.is_lshift_required) wide = call.Call("left_shift"_op, {wide, numbers(2)});
  const ExprId product = call.Multiply(wide, numbers(1));
  const ExprId right = numbers(3);
  const ExprId half = call.Call("left_shift"_op, {number(1), call.Add(right, number(30))});
  const ExprId shift = call.Add(right, number(31));
  return call.Cast(call.Call("right_shift"_op, {call.Add(product, half), shift}), kInt32);
}

// Returns the axes that a reduction goes over, in order, or nothing if that is unknown.
auto AxesOf(const DimList& axis, bool exclude, size_t rank) -> std::optional<std::vector<int64_t>> {
  // Without axes there are all of them, whatever is excluded.
  const bool is_all = axis.null || axis.empty();
  std::vector<bool> named(rank, is_all);
  if (!is_all) {
    for (const Dim& dim : axis) {
      if (!dim.is_int()) return std::nullopt;
      const int64_t at = NormalizedAxis(dim.value(), rank);
      if (at < 0 || at >= static_cast<int64_t>(rank)) return std::nullopt;
      named[static_cast<size_t>(at)] = true;
    }
  }
  std::vector<int64_t> axes;
  for (size_t i = 0; i < rank; ++i) {
    if (named[i] != (exclude && !is_all)) axes.push_back(static_cast<int64_t>(i));
  }
  return axes;
}

auto AsList(std::span<const int64_t> values) -> DimList {
  return DimList(std::vector<Dim>(values.begin(), values.end()));
}

// Axes written out in order, none of them excluded.
auto LowerReduction(LowerCall& call, const ReduceAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr) return {};
  const auto axes = AxesOf(attrs.axis, attrs.exclude, type->rank());
  if (!axes) return {};
  if (axes->empty()) return Bounded(call, call.op(), call.args[0]);
  const ReduceAttrs written{.axis = AsList(*axes), .keepdims = attrs.keepdims};
  return written.axis == attrs.axis && !attrs.exclude ? ExprId() : call.With(written);
}

// Extremes of truth values, of which TVM 0.27 has none, are those of numbers.
auto LowerExtreme(LowerCall& call, const ReduceAttrs& attrs) -> ExprId {
  const bool is_lowered = call.target == LowerTarget::kRelax && call.HasBools();
  const auto axes = is_lowered ? AxesOf(attrs.axis, attrs.exclude, call.input(0)->rank()) : std::nullopt;
  if (!axes || axes->empty()) return LowerReduction(call, attrs);
  const ReduceAttrs along{.axis = AsList(*axes), .keepdims = attrs.keepdims};
  const ExprId numbers = call.Cast(call.args[0], DataType::UInt(8));
  return call.Cast(call.CallWith(call.op(), along, {numbers}), call.input(0)->dtype);
}

// Returns how many elements a reduction along the axes takes, or nothing if that is not known.
auto CountAlong(const Type& type, std::span<const int64_t> axes) -> std::optional<int64_t> {
  std::vector<int64_t> extents;
  extents.reserve(axes.size());
  for (const int64_t axis : axes) {
    const Dim extent = type.shape[static_cast<size_t>(axis)];
    if (!extent.is_int()) return std::nullopt;
    extents.push_back(extent.value());
  }
  return Product(extents);
}

// Returns the sum along axes divided by a positive number, in the type of the data. Relay divides integers of any width
// by int64.
auto DividedSum(LowerCall& call, ExprId data, const ReduceAttrs& along, int64_t divisor) -> ExprId {
  const DataType dtype = call.input(0)->dtype;
  const ExprId sum = call.CallWith("sum"_op, along, {data});
  if (dtype.is_float()) return call.Divide(sum, call.Real(static_cast<double>(divisor), dtype));
  const bool fits = divisor >> (std::min<int>(dtype.bits, 32) - 1) == 0;
  if (fits) return call.Divide(sum, call.Int(divisor, dtype));
  const DataType wide = DataType::Int(64);
  return call.Cast(call.Divide(call.Cast(sum, wide), call.Int(divisor, wide)), dtype);
}

// Means of integers, which the systems compute in wider types, are quotients of sums in the type of the data. ONNX has
// those of int32.
auto LowerMean(LowerCall& call, const ReduceAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  const auto axes = type == nullptr ? std::nullopt : AxesOf(attrs.axis, attrs.exclude, type->rank());
  if (!axes || axes->empty() || !call.HasIntegers() || type->dtype.is_bool()) return LowerReduction(call, attrs);
  if (call.target == LowerTarget::kOnnx && type->dtype == DataType::Int(32)) return LowerReduction(call, attrs);
  const auto count = CountAlong(*type, *axes);
  if (!count || *count < 1) return LowerReduction(call, attrs);
  return DividedSum(call, call.args[0], {.axis = AsList(*axes), .keepdims = attrs.keepdims}, *count);
}

// Several axes as one after the others; returns none if the extents are not known.
auto JoinAxes(LowerCall& call, std::span<const int64_t> axes) -> ExprId {
  const auto shape = KnownExtents(call.input(0)->shape);
  if (!shape) return {};
  std::vector<int64_t> order;
  std::vector<int64_t> joined;
  for (size_t i = 0; i < shape->size(); ++i) {
    if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end()) continue;
    order.push_back(static_cast<int64_t>(i));
    joined.push_back((*shape)[i]);
  }
  int64_t extent = 1;
  for (const int64_t i : axes) {
    order.push_back(i);
    extent *= (*shape)[static_cast<size_t>(i)];
  }
  joined.push_back(extent);
  return call.Reshape(call.Transpose(call.args[0], order), joined);
}

// Returns the index of the last of several largest (or smallest) elements: the first element in reverse order that
// equals the maximum. NaN is not a maximum unless it comes last, and a row of infinities with the wrong sign has none,
// which gives -1.
auto LastPlace(LowerCall& call, ExprId data, int64_t axis, int64_t extent, bool keepdims) -> ExprId {
  const DataType dtype = call.tensor(data)->dtype;
  const OpDef* extreme = call.op() == "argmax"_op ? "max"_op : "min"_op;
  const ReduceAttrs reduce{.axis = {axis}, .keepdims = keepdims};
  const ExprId best = call.CallWith(extreme, ReduceAttrs{.axis = {axis}, .keepdims = true}, {data});
  const ExprId hits = call.Cast(call.Call("equal"_op, {data, best}), kInt32);
  const ExprId reversed = call.CallWith("reverse"_op, ReverseAttrs{.axis = axis}, {hits});
  const DataType wanted = call.result()->dtype;
  const ArgReduceAttrs first{.axis = {axis}, .keepdims = keepdims};
  const ExprId behind = call.CallWith("argmax"_op, first, {reversed});
  const ExprId place = call.Subtract(call.Int(extent - 1, kInt32), call.Cast(behind, kInt32));
  if (!dtype.is_float()) return call.Cast(place, wanted);
  const ExprId last = call.Slice(data, axis, extent - 1, extent);
  const ExprId ends = call.Call("isnan"_op, {last});
  const ExprId is_nan = keepdims ? ends : call.CallWith("squeeze"_op, SqueezeAttrs{.axis = {axis}}, {ends});
  const ExprId is_hit = call.Cast(call.CallWith("max"_op, reduce, {hits}), kBool);
  const ExprId exists = call.Call("logical_or"_op, {is_hit, is_nan});
  return call.Cast(call.Where(exists, place, call.Int(-1, kInt32)), wanted);
}

// One axis: several at the end of the data become one.
auto LowerArgReduction(LowerCall& call, const ArgReduceAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr) return {};
  const auto axes = AxesOf(attrs.axis, attrs.exclude, type->rank());
  if (!axes || axes->empty()) return {};
  const bool is_plain = !attrs.select_last_index && !attrs.exclude && !attrs.axis.null && attrs.axis.size() == 1;
  if (is_plain && attrs.axis[0].is((*axes)[0])) return {};
  const bool is_joined = axes->size() > 1;
  const ExprId data = is_joined ? JoinAxes(call, *axes) : call.args[0];
  const Type* reduced = data.has_value() ? call.tensor(data) : nullptr;
  if (reduced == nullptr) return {};
  const auto axis = is_joined ? static_cast<int64_t>(reduced->rank()) - 1 : (*axes)[0];
  const bool keeps = attrs.keepdims && !is_joined;
  ExprId index;
  if (attrs.select_last_index) {
    const Dim extent = reduced->shape[static_cast<size_t>(axis)];
    if (!extent.is_int() || extent.value() == 0 || extent.value() > INT32_MAX) return {};
    index = LastPlace(call, data, axis, extent.value(), keeps);
  } else {
    index = call.CallWith(call.op(), ArgReduceAttrs{.axis = {axis}, .keepdims = keeps}, {data});
  }
  return attrs.keepdims && is_joined ? call.Reshape(index, result->shape) : index;
}

// Returns the mean square of the data after subtracting the given mean.
auto LowerVariance(LowerCall& call, const VarianceAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr) return {};
  const auto axes = AxesOf(attrs.axis, attrs.exclude, type->rank());
  if (!axes || axes->empty()) return {};
  const auto count = CountAlong(*type, *axes);
  const int64_t divisor = count.value_or(0) - (attrs.unbiased ? 1 : 0);
  if (!count ? attrs.unbiased : divisor < 1 && !type->dtype.is_float()) return {};
  const ExprId difference = call.Subtract(call.args[0], call.args[1]);
  const ExprId squares = call.Multiply(difference, difference);
  const ReduceAttrs reduce{.axis = AsList(*axes), .keepdims = attrs.keepdims};
  if (!count) return call.CallWith("mean"_op, reduce, {squares});
  return DividedSum(call, squares, reduce, divisor);
}

auto LowerL2Normalize(LowerCall& call, const L2NormalizeAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr) return {};
  const auto axes = AxesOf(attrs.axis, false, type->rank());
  if (!axes || axes->empty()) return {};
  const ExprId squares = call.Multiply(call.args[0], call.args[0]);
  const ExprId sum = call.CallWith("sum"_op, ReduceAttrs{.axis = AsList(*axes), .keepdims = true}, {squares});
  const ExprId bounded = call.Call("maximum"_op, {sum, call.Real(attrs.eps, type->dtype)});
  return call.Call("divide"_op, {call.args[0], call.Call("sqrt"_op, {bounded})});
}

// -sum(log p * y) / n over all elements, n the extent of the first axis.
auto LowerCrossEntropy(LowerCall& call) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr || type->rank() == 0 || !type->shape[0].is_int()) return {};
  std::vector<int64_t> axes(type->rank());
  std::iota(axes.begin(), axes.end(), 0);
  const bool is_logarithm = call.op() == "nn.cross_entropy_with_logits"_op;
  const ExprId logarithms = is_logarithm ? call.args[0] : call.Call("log"_op, {call.args[0]});
  const ExprId product = call.Multiply(logarithms, call.args[1]);
  const ExprId sum = call.CallWith("sum"_op, ReduceAttrs{.axis = AsList(axes)}, {product});
  const double count = static_cast<double>(type->shape[0].value());
  return call.Divide(call.Negative(sum), call.Real(count, type->dtype));
}

// Positions 0, 1, ... along `axis` of a tensor of `rank` axes, 1 along the others.
auto Places(LowerCall& call, int64_t count, size_t rank, int64_t axis, DataType dtype) -> ExprId {
  std::vector<int64_t> places(static_cast<size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  std::vector<int64_t> shape(rank, 1);
  shape[static_cast<size_t>(axis)] = count;
  return call.Cast(call.Indices(places, std::move(shape)), dtype);
}

// where(equal(index, 0 .. depth-1), on, off)
auto LowerOneHot(LowerCall& call, const OneHotAttrs& attrs) -> ExprId {
  const Type* indices = call.input(0);
  const Type* result = call.result();
  if (indices == nullptr || result == nullptr || indices->dtype.is_float()) return {};
  const int64_t axis = NormalizedAxis(attrs.axis, result->rank());
  // A narrow type may not hold all places.
  const DataType dtype = indices->dtype.bits < 32 ? DataType::Int(32) : indices->dtype;
  const ExprId expanded = call.CallWith("expand_dims"_op, ExpandDimsAttrs{.axis = axis, .num_newaxis = 1},
                                        {call.Cast(call.args[0], dtype)});
  const ExprId places = Places(call, attrs.depth, result->rank(), axis, dtype);
  const ExprId hits = call.Call("equal"_op, {expanded, places});
  return call.Where(hits, call.Cast(call.args[1], result->dtype), call.Cast(call.args[2], result->dtype));
}

// where(place < length, data, value); the data is (time, batch, ...) or (batch, time, ...).
auto LowerSequenceMask(LowerCall& call, const SequenceMaskAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  const Type* lengths = call.input(1);
  if (type == nullptr || lengths == nullptr || type->rank() < 2) return {};
  const Dim extent = type->shape[static_cast<size_t>(attrs.axis)];
  if (!extent.is_int() || !lengths->shape[0].is_int()) return {};
  std::vector<int64_t> shape(type->rank(), 1);
  shape[static_cast<size_t>(1 - attrs.axis)] = lengths->shape[0].value();
  const ExprId places = Places(call, extent.value(), type->rank(), attrs.axis, lengths->dtype);
  const ExprId is_inside = call.Call("less"_op, {places, call.Reshape(call.args[1], shape)});
  return call.Where(is_inside, call.args[0], call.Real(attrs.mask_value, type->dtype));
}

// Sorts p with p[i] = j, so that i is at position j.
auto LowerInvertPermutation(LowerCall& call) -> ExprId {
  const Type* type = call.result();
  if (type == nullptr) return {};
  return call.CallWith("argsort"_op, ArgsortAttrs{.axis = 0, .is_ascend = true, .dtype = type->dtype}, {call.args[0]});
}

// The shape of a known type is a constant.
auto LowerShapeOf(LowerCall& call) -> ExprId {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr) return {};
  const auto shape = KnownExtents(type->shape);
  return shape ? call.Cast(call.Indices(*shape), result->dtype) : ExprId();
}

auto LowerNdarraySize(LowerCall& call) -> ExprId {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr) return {};
  const auto shape = KnownExtents(type->shape);
  return shape ? EmitScalar(call.to(), result->dtype, Product(*shape)) : ExprId();
}

constexpr OpRule<LowerRule> kArithmeticRules[] = {
    {"ceil"_op, {{.integers = "x"_formula}}},
    {"floor"_op, {{.integers = "x"_formula}}},
    {"round"_op, LowerRound},
    {"trunc"_op, {{.integers = "x"_formula}}},
    {"fast_exp"_op, "exp"_op},
    {"fast_tanh"_op, "tanh"_op},
    {"fast_erf"_op, "erf"_op},
    {"log2"_op, {{.floats = "log(x) / 0.69314718055994530942"_formula}}},
    {"log10"_op, {{.floats = "log(x) / 2.30258509299404568402"_formula}}},
    {"trunc_divide"_op,
     {{.floats = "quotient = x / y; whole = floor(abs(quotient)); sign(quotient) * whole"_formula,
       .integers = "x / y"_formula}}},
    {"trunc_mod"_op, "mod"_op},
    // Arithmetic of truth values is that of one bit, so that true and true add up to false.
    {"add"_op, {{.bools = "logical_xor(x, y)"_formula}}},
    {"maximum"_op, {{.bools = "logical_or(x, y)"_formula}}},
    {"multiply"_op, {{.bools = "logical_and(x, y)"_formula}}},
    {"minimum"_op, {{.bools = "logical_and(x, y)"_formula}}},
    {"subtract"_op, {{.bools = "logical_xor(x, y)"_formula}}},
    {"all"_op, WithAttrs<ReduceBools>},
    {"any"_op, WithAttrs<ReduceBools>},
    {"cast_like"_op, LowerCastLike},
    {"where"_op, LowerWhere},
    {"fixed_point_multiply"_op, WithAttrs<LowerFixedPointMultiply>},
    {"fixed_point_multiply_per_axis"_op, WithAttrs<LowerFixedPointMultiplyPerAxis>},
    {"sum"_op, WithAttrs<LowerReduction>},
    {"mean"_op, WithAttrs<LowerMean>},
    {"prod"_op, WithAttrs<LowerReduction>},
    {"max"_op, WithAttrs<LowerExtreme>},
    {"min"_op, WithAttrs<LowerExtreme>},
    {"argmax"_op, WithAttrs<LowerArgReduction>},
    {"argmin"_op, WithAttrs<LowerArgReduction>},
    {"variance"_op, WithAttrs<LowerVariance>},
    {"nn.l2_normalize"_op, WithAttrs<LowerL2Normalize>},
    {"nn.cross_entropy"_op, LowerCrossEntropy},
    {"nn.cross_entropy_with_logits"_op, LowerCrossEntropy},
    {"one_hot"_op, WithAttrs<LowerOneHot>},
    {"sequence_mask"_op, WithAttrs<LowerSequenceMask>},
    {"invert_permutation"_op, LowerInvertPermutation},
    {"shape_of"_op, LowerShapeOf},
    {"vm.shape_of"_op, LowerShapeOf},
    {"ndarray_size"_op, LowerNdarraySize},
};

}  // namespace

auto LowerArithmeticRules() -> std::span<const OpRule<LowerRule>> { return kArithmeticRules; }

}  // namespace relayopt
