// Each law looks at a call and at what made its operands:
//
//   %0 = logical_not(%m)
//   where(%0, %a, %b)        =>    where(%m, %b, %a)
#include "laws.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "lib/convert/onnx/foreign.h"
#include "relayopt/core/tensor.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/op_table.h"
#include "zeros.h"

namespace relayopt {

namespace {

// Operators that leave their own results as they are.
auto IsIdempotent(const OpDef* op) -> bool {
  return op == "nn.relu"_op || op == "abs"_op || op == "ceil"_op || op == "floor"_op || op == "sign"_op;
}

// Returns the comparison that holds where this one does not; null for other operators.
auto Opposite(const OpDef* op) -> const OpDef* {
  if (op == "less"_op) return "greater_equal"_op;
  if (op == "less_equal"_op) return "greater"_op;
  if (op == "greater"_op) return "less_equal"_op;
  return op == "greater_equal"_op ? "less"_op : nullptr;
}

struct Interval {
  double least;
  double most;
};

// The bounds between which a call holds its operand; nothing for other calls, and where they exclude each other.
auto IntervalOf(const Function& function, ExprId id) -> std::optional<Interval> {
  if (function.kind(id) != ExprKind::kOpCall) return std::nullopt;
  if (function.op(id) == "nn.relu"_op) return Interval{0, std::numeric_limits<double>::infinity()};
  if (function.op(id) != "clip"_op) return std::nullopt;
  const auto* attrs = function.context().As<ClipAttrs>(function.attrs(id));
  if (attrs == nullptr || !(attrs->a_min <= attrs->a_max)) return std::nullopt;
  return Interval{attrs->a_min, attrs->a_max};
}

}  // namespace

auto Laws::Apply(ExprId id) -> ExprId {
  const OpDef* op = function_.op(id);
  if (IsIdempotent(op)) {
    const ExprId data = Repeated(id, op);
    return data || op != "nn.relu"_op ? data : Bounds(id);
  }
  if (op == "negative"_op) return Reverted(id, op);
  if (op == "logical_not"_op) {
    const ExprId data = Reverted(id, op);
    return data ? data : NotOfComparison(id);
  }
  if (op == "logical_and"_op || op == "logical_or"_op || op == "logical_xor"_op || op == "equal"_op)
    return WithTruth(id, op);
  if (op == "clip"_op) return Bounds(id);
  if (op == "power"_op) return FirstPower(id);
  if (op == "maximum"_op || op == "minimum"_op) return OfOne(id, 0, 1);
  return op == "where"_op ? Choice(id) : ExprId();
}

auto Laws::DataOfDropout(ExprId result) -> ExprId {
  const bool is_part = function_.kind(result) == ExprKind::kTupleGetItem;
  const ExprId call = is_part ? function_.operand(result, 0) : result;
  const onnx::OpRow* row = onnx::RowOfOp(function_.op(call));
  if (row == nullptr || !row->domain.empty() || row->name != "Dropout") return {};
  if (is_part && function_.index(result) != 0) return {};
  const size_t operands = function_.operands(call).size();
  const bool is_plain = operands < 3 || IsZeros(function_, function_.operand(call, 2));
  return is_plain ? Instead(result, rebuild_.New(function_.operand(call, 0))) : ExprId();
}

auto Laws::Instead(ExprId id, ExprId data) -> ExprId {
  return made().type(data) == function_.type(id) ? data : ExprId();
}

auto Laws::Skipped(ExprId id, size_t operand, const OpDef* op) -> ExprId {
  const ExprId old = function_.operand(id, operand);
  const ExprId data = rebuild_.New(old);
  return users_[old] == 1 && IsCallOf(made(), data, op) ? made().operand(data, 0) : ExprId();
}

auto Laws::TruthOf(ExprId constant) -> std::optional<bool> {
  if (function_.kind(constant) != ExprKind::kConstant || function_.constant(constant).dtype() != kBool)
    return std::nullopt;
  const auto [known, is_new] = truths_.try_emplace(constant);
  if (is_new) {
    const Tensor value(function_.constant(constant));
    const auto elements = value.elements<bool>();
    const bool differ = std::ranges::adjacent_find(elements, std::not_equal_to<>()) != elements.end();
    if (!elements.empty() && !differ) known->second = elements.front();
  }
  return known->second;
}

auto Laws::TruthOf(ExprId constant, ExprId data) -> std::optional<bool> {
  const auto truth = TruthOf(constant);
  return truth && GivesNoExtent(constant, data) ? truth : std::nullopt;
}

auto Laws::GivesNoExtent(ExprId id, ExprId data) -> bool {
  const Type* given = TensorType(function_, id);
  const Type* type = TensorType(function_, data);
  if (given == nullptr || type == nullptr || given->rank() > type->rank()) return false;
  for (size_t i = 0; i < given->rank(); ++i) {
    const Dim& extent = given->shape[i];
    if (!extent.is_int()) return false;
    if (extent.value() != 1 && !type->shape[type->rank() - given->rank() + i].is(extent.value())) return false;
  }
  return true;
}

// f(f(x)) is f(x).
auto Laws::Repeated(ExprId id, const OpDef* op) -> ExprId {
  const ExprId data = rebuild_.New(function_.operand(id, 0));
  return IsCallOf(made(), data, op) ? Instead(id, data) : ExprId();
}

// f(f(x)) is x.
auto Laws::Reverted(ExprId id, const OpDef* op) -> ExprId {
  const ExprId data = rebuild_.New(function_.operand(id, 0));
  return IsCallOf(made(), data, op) ? Instead(id, made().operand(data, 0)) : ExprId();
}

// Of two operands that are the same, one.
auto Laws::OfOne(ExprId id, size_t a, size_t b) -> ExprId {
  const ExprId one = rebuild_.New(function_.operand(id, a));
  return one == rebuild_.New(function_.operand(id, b)) ? Instead(id, one) : ExprId();
}

// Of integers; no comparison of a NaN holds.
auto Laws::NotOfComparison(ExprId id) -> ExprId {
  const ExprId old = function_.operand(id, 0);
  const ExprId comparison = rebuild_.New(old);
  if (users_[old] != 1 || made().kind(comparison) != ExprKind::kOpCall) return {};
  const OpDef* opposite = Opposite(made().op(comparison));
  if (opposite == nullptr) return {};
  const ExprId left = made().operand(comparison, 0);
  const Type* type = TensorType(made(), left);
  if (type == nullptr || !(type->dtype.is_int() || type->dtype.is_uint())) return {};
  return EmitCall(to(), opposite, {left, made().operand(comparison, 1)});
}

// x and true, x or false, x xor false, x = true, and x with itself are x; x xor true, and x = false are the contrary.
auto Laws::WithTruth(ExprId id, const OpDef* op) -> ExprId {
  const ExprId left = function_.operand(id, 0);
  const ExprId right = function_.operand(id, 1);
  const bool joins = op == "logical_and"_op || op == "logical_or"_op;
  if (const ExprId one = joins ? OfOne(id, 0, 1) : ExprId()) return one;
  for (const auto& [constant, data] : {std::pair(right, left), std::pair(left, right)}) {
    const auto truth = TruthOf(constant, data);
    const Type* type = TensorType(function_, data);
    if (!truth || type->dtype != kBool) continue;
    const bool neutral = op == "logical_and"_op || op == "equal"_op;
    if (*truth == neutral) return Instead(id, rebuild_.New(data));
    if (!joins && function_.type(data) == function_.type(id))
      return EmitCall(to(), "logical_not"_op, {rebuild_.New(data)});
  }
  return {};
}

// A choice that is the same for all elements, of an operand as large as the result, is this operand; so is one between
// the same values. That between true and false is the condition, and one by a contrary is the other way round.
auto Laws::Choice(ExprId id) -> ExprId {
  const ExprId condition = function_.operand(id, 0);
  if (const auto always = TruthOf(condition)) {
    const ExprId chosen = function_.operand(id, *always ? 1 : 2);
    return function_.type(chosen) == function_.type(id) ? rebuild_.New(chosen) : ExprId();
  }
  if (GivesNoExtent(condition, function_.operand(id, 1))) {
    if (const ExprId one = OfOne(id, 1, 2)) return one;
  }
  const auto yes = TruthOf(function_.operand(id, 1), condition);
  const auto no = TruthOf(function_.operand(id, 2), condition);
  if (yes && no && *yes != *no && function_.type(condition) == function_.type(id)) {
    const ExprId data = rebuild_.New(condition);
    return *yes ? data : EmitCall(to(), "logical_not"_op, {data});
  }
  const ExprId contrary = Skipped(id, 0, "logical_not"_op);
  if (!contrary) return {};
  const auto operands = rebuild_.NewOperands(id);
  return to().Copy(function_, id, std::vector{contrary, operands[2], operands[1]});
}

auto Laws::FirstPower(ExprId id) -> ExprId {
  const ExprId exponent = function_.operand(id, 1);
  if (function_.kind(exponent) != ExprKind::kConstant) return {};
  const Constant& number = function_.constant(exponent);
  return number.ScalarAsDouble() == 1.0 ? Instead(id, rebuild_.New(function_.operand(id, 0))) : ExprId();
}

// Bounds of what has bounds.
auto Laws::Bounds(ExprId id) -> ExprId {
  const ExprId old = function_.operand(id, 0);
  const ExprId data = rebuild_.New(old);
  const auto outer = IntervalOf(function_, id);
  if (!outer || users_[old] != 1) return {};
  const auto inner = IntervalOf(made(), data);
  const ExprId whole = inner ? made().operand(data, 0) : ExprId();
  if (!inner || made().type(whole) != function_.type(id)) return {};
  ClipAttrs attrs;
  attrs.a_min = std::clamp(inner->least, outer->least, outer->most);
  attrs.a_max = std::clamp(inner->most, outer->least, outer->most);
  return EmitCallWith(to(), "clip"_op, attrs, {whole});
}

}  // namespace relayopt
