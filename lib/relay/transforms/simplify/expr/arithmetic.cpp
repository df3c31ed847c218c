// Rules of SimplifyExpr for neutral elements, scalars in place of filled tensors, and constants that can be combined.
#include <algorithm>
#include <cmath>

#include "relayopt/relay/eval/run_kernel.h"
#include "rules.h"

namespace relayopt {

auto simplify_rules::SimplifyAdd(Simplifier& to, const CallSite& call) -> ExprId {
  const Type* type = to.TensorType(call.type);
  if (type == nullptr || call.args[0] != call.args[1]) return {};
  // bool has no 2.
  if (!HasScalars(type->dtype) || type->dtype.is_bool()) return {};
  const ExprId x = call.args[0];
  to.Commit(call);
  return to.Emit("multiply"_op, {x, to.Scalar(type->dtype, 2)});
}

auto simplify_rules::SimplifyRSqrt(Simplifier& to, const CallSite& call) -> ExprId {
  const ExprId root = call.args[1];
  if (!to.IsCallOf(root, "sqrt"_op) || !to.IsInner(root)) return {};
  const ExprId x = to.made().operand(root, 0);
  to.Commit(call, {root});
  const ExprId reciprocal = to.Emit("rsqrt"_op, {x});
  to.StandFor(reciprocal, root);
  return to.Emit("multiply"_op, {call.args[0], reciprocal});
}

namespace {

// Whether a tensor filled with one value and of type `filler` cannot make `x` larger when it is combined with it. Types
// alone do not tell where both extents are unknown: one of them may be 1.
auto NeverEnlarges(const Simplifier& to, ExprId filler, ExprId x) -> bool {
  const Type* large = to.TensorTypeOf(x);
  const Type* small = to.TensorTypeOf(filler);
  if (large == nullptr || small == nullptr || small->rank() > large->rank()) return false;
  // zeros_like(x)
  if (to.made().kind(filler) == ExprKind::kOpCall &&
      std::ranges::find(to.made().operands(filler), x) != to.made().operands(filler).end()) {
    return true;
  }
  for (size_t i = 0; i < small->rank(); ++i) {
    const Dim& extent = small->shape[small->rank() - 1 - i];
    if (!extent.is_int()) return false;
  }
  return true;
}

// zeros or zeros_like; ones or ones_like.
auto IsFilledWith(const Simplifier& to, ExprId id, bool ones) -> bool {
  return ones ? to.IsCallOf(id, "ones"_op) || to.IsCallOf(id, "ones_like"_op)
              : to.IsCallOf(id, "zeros"_op) || to.IsCallOf(id, "zeros_like"_op);
}

// Whether -0 stays -0 when this zero is added to it or taken from it.
auto KeepsNegativeZero(const OpDef* op, double zero) -> bool { return std::signbit(zero) == (op == "add"_op); }

}  // namespace

auto simplify_rules::EliminateIdentity(Simplifier& to, const CallSite& call) -> ExprId {
  const bool ones = call.op == "multiply"_op || call.op == "divide"_op;
  const bool commutes = call.op == "add"_op || call.op == "multiply"_op;
  const auto may_be_neutral = [&](ExprId id) { return IsFilledWith(to, id, ones) || to.IsConstant(id); };
  // The right argument comes first, and no other is tried when it turns out not to be neutral.
  size_t i = 1;
  if (!may_be_neutral(call.args[1])) {
    if (!commutes || !may_be_neutral(call.args[0])) return {};
    i = 0;
  }
  const ExprId neutral = call.args[i];
  const ExprId x = call.args[1 - i];
  if (!call.type || to.type(x) != call.type || !NeverEnlarges(to, neutral, x)) return {};
  if (to.IsConstant(neutral)) {
    const auto value = to.made().constant(neutral).ScalarAsDouble();
    if (value != (ones ? 1.0 : 0.0)) return {};
    if (!ones && to.IsStrict(to.TensorType(call.type)) && !KeepsNegativeZero(call.op, *value)) return {};
  } else if (!to.IsInner(neutral) || !to.MayDrop({neutral})) {
    return {};
  } else if (!ones && to.IsStrict(to.TensorType(call.type)) && !KeepsNegativeZero(call.op, 0.0)) {
    return {};
  }
  to.Commit(call, {neutral});
  return x;
}

namespace {

// The value that a tensor is filled with, if `id` is such a tensor: emitted on demand.
struct Filler {
  // The operand that holds it.
  ExprId value;
  double number = 0;
};

auto FillerOf(const Simplifier& to, ExprId id) -> std::optional<Filler> {
  if (to.made().kind(id) != ExprKind::kOpCall) return std::nullopt;
  const auto operands = to.made().operands(id);
  if (to.IsCallOf(id, "full"_op) || to.IsCallOf(id, "full_like"_op)) {
    const ExprId value = operands.back();
    if (!to.IsConstant(value) || !to.made().constant(value).is_scalar()) return std::nullopt;
    return Filler{value, 0};
  }
  if (IsFilledWith(to, id, true)) return Filler{{}, 1};
  if (IsFilledWith(to, id, false)) return Filler{{}, 0};
  return std::nullopt;
}

}  // namespace

auto simplify_rules::FullElementwise(Simplifier& to, const CallSite& call) -> ExprId {
  auto filler = FillerOf(to, call.args[0]);
  const size_t i = filler ? 0 : 1;
  if (!filler) filler = FillerOf(to, call.args[1]);
  if (!filler) return {};
  const ExprId full = call.args[i];
  const ExprId x = call.args[1 - i];
  const Type* type = to.TensorType(call.type);
  if (type == nullptr || to.type(x) != call.type || !HasScalars(type->dtype) || !NeverEnlarges(to, full, x)) return {};
  // The operator must accept a scalar argument: nn.bias_add, for example, requires a vector.
  const TypeId scalar = filler->value ? to.type(filler->value) : to.context().Scalar(type->dtype);
  TypeId inputs[] = {to.type(x), to.type(x)};
  inputs[i] = scalar;
  if (TypeOfCall(to.context(), *call.op, call.attrs, inputs) != call.type) return {};
  if (!to.IsInner(full) || !to.MayDrop({full})) return {};
  to.Commit(call, {full});
  const ExprId value = filler->value ? filler->value : to.Scalar(type->dtype, filler->number);
  return i == 0 ? to.Emit(call.op, {value, x}, call.attrs) : to.Emit(call.op, {x, value}, call.attrs);
}

namespace {

// op(x, c) in either order, x not a constant.
struct WithConstant {
  ExprId x;
  ExprId constant;
};

auto SplitConstant(const Simplifier& to, std::span<const ExprId> args) -> std::optional<WithConstant> {
  if (to.IsConstant(args[0]) == to.IsConstant(args[1])) return std::nullopt;
  return to.IsConstant(args[1]) ? WithConstant{args[0], args[1]} : WithConstant{args[1], args[0]};
}

// Properties of the elements of a float tensor.
struct FloatFacts {
  bool has_zero = false;
  bool has_subnormal = false;
  bool has_infinite = false;
};

template <typename T>
auto FactsOf(const Tensor& tensor, double smallest) -> FloatFacts {
  FloatFacts facts;
  for (const T element : tensor.elements<T>()) {
    const auto value = static_cast<double>(element);
    if (value == 0)
      facts.has_zero = true;
    else if (!std::isfinite(value))
      facts.has_infinite = true;
    else if (std::fabs(value) < smallest)
      facts.has_subnormal = true;
  }
  return facts;
}

auto FactsOf(const Tensor& tensor) -> FloatFacts {
  const DataType dtype = tensor.dtype();
  if (dtype == DataType::Float(64)) return FactsOf<double>(tensor, 0x1p-1022);
  if (dtype == DataType::Float(32)) return FactsOf<float>(tensor, 0x1p-126);
  if (dtype == DataType::Float(16)) return FactsOf<Half>(tensor, 0x1p-14);
  if (dtype == DataType::BFloat(16)) return FactsOf<BFloat>(tensor, 0x1p-126);
  return {};
}

// Whether rounding lost more than it usually does.
auto LeavesRange(const FloatFacts& result, const FloatFacts& a, const FloatFacts& b, bool multiplies) -> bool {
  if (result.has_infinite && !a.has_infinite && !b.has_infinite) return true;
  // A sum that comes out small is exact.
  return multiplies && (result.has_subnormal || (result.has_zero && !a.has_zero && !b.has_zero));
}

// Returns the sum or product of two constants, or nothing if it overflows or underflows.
auto FoldConstants(const Simplifier& to, const OpDef* op, ExprId a, ExprId b) -> std::optional<Constant> {
  const Tensor tensors[] = {Tensor(to.made().constant(a)), Tensor(to.made().constant(b))};
  const KernelInput inputs[] = {{.tensors = {&tensors[0], 1}}, {.tensors = {&tensors[1], 1}}};
  const auto result = RunKernel(to.context(), {op, {}}, inputs, {});
  if (!result || !result->undefined.empty()) return std::nullopt;
  const Tensor& folded = result->tensors[0];
  if (LeavesRange(FactsOf(folded), FactsOf(tensors[0]), FactsOf(tensors[1]), op == "multiply"_op)) return std::nullopt;
  return folded.ToConstant();
}

}  // namespace

auto simplify_rules::SwitchAddMultiply(Simplifier& to, const CallSite& call) -> ExprId {
  const auto outer = SplitConstant(to, call.args);
  if (!outer || !to.IsCallOf(outer->x, "add"_op)) return {};
  const auto inner = SplitConstant(to, to.made().operands(outer->x));
  if (!inner || !to.IsInner(outer->x)) return {};
  auto product = FoldConstants(to, "multiply"_op, inner->constant, outer->constant);
  if (!product) return {};
  to.Commit(call, {outer->x});
  const ExprId scaled = to.Emit("multiply"_op, {inner->x, outer->constant});
  return to.Emit("add"_op, {scaled, to.Constant(*std::move(product))});
}

auto simplify_rules::SimplifyAdjacentMultiplyOrAdd(Simplifier& to, const CallSite& call) -> ExprId {
  const auto outer = SplitConstant(to, call.args);
  if (!outer || !to.IsCallOf(outer->x, call.op)) return {};
  const auto inner = SplitConstant(to, to.made().operands(outer->x));
  if (!inner || !to.IsInner(outer->x)) return {};
  auto folded = FoldConstants(to, call.op, inner->constant, outer->constant);
  if (!folded) return {};
  to.Commit(call, {outer->x});
  return to.Emit(call.op, {inner->x, to.Constant(*std::move(folded))});
}

namespace {

// Whether dequantizing is strictly increasing: there is one positive scale for all elements, and float32 represents the
// integers exactly.
auto KeepsOrder(Simplifier& to, ExprId dequantize) -> bool {
  const auto operands = to.made().operands(dequantize);
  const Type* data = to.TensorTypeOf(operands[0]);
  const Type* scale = to.TensorTypeOf(operands[1]);
  const Type* zero_point = to.TensorTypeOf(operands[2]);
  const Type* result = to.TensorTypeOf(dequantize);
  if (data == nullptr || scale == nullptr || zero_point == nullptr || result == nullptr) return false;
  const auto is_one = [](const Type& type) {
    return std::ranges::all_of(type.shape, [](const Dim& extent) { return extent.is(1); });
  };
  if (!is_one(*scale) || !is_one(*zero_point) || data->dtype.bits > 16) return false;
  if (result->dtype != DataType::Float(32)) return false;
  constexpr double kExact = 1 << 23;
  if (to.IsConstant(operands[1])) {
    const auto value = to.made().constant(operands[1]).ScalarAsDouble();
    // Products stay normal and finite.
    if (!value || !(*value > 1e-30) || !(*value < 1e30)) return false;
  }
  if (to.IsConstant(operands[2])) {
    const auto value = to.made().constant(operands[2]).ScalarAsDouble();
    if (!value || !(-kExact < *value && *value < kExact)) return false;
  }
  return to.MayDrop({operands[1], operands[2]});
}

}  // namespace

auto simplify_rules::SimplifyDQArg(Simplifier& to, const CallSite& call) -> ExprId {
  const ExprId dequantize = call.args[0];
  if (!to.IsCallOf(dequantize, "qnn.dequantize"_op) || !KeepsOrder(to, dequantize)) return {};
  if (!to.IsInner(dequantize)) return {};
  const ExprId data = to.made().operand(dequantize, 0);
  to.Commit(call, {dequantize});
  return to.Emit(call.op, {data}, call.attrs);
}

}  // namespace relayopt
