#include "number_laws.h"

#include <algorithm>
#include <cmath>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

template <typename T>
auto AreAllOf(const ElementBytes& elements, double number) -> bool {
  for (size_t i = 0; i < elements.size() / sizeof(T); ++i) {
    if (static_cast<double>(static_cast<float>(elements.At<T>(i))) != number) return false;
  }
  return true;
}

auto AreAll(const Constant& value, double number) -> bool {
  if (value.dtype() == DataType::Float(16)) return AreAllOf<Half>(value.Elements(), number);
  return value.dtype() == DataType::Float(32) && AreAllOf<float>(value.Elements(), number);
}

}  // namespace

auto NumberLaws::WithoutZeros(ExprId id) -> ExprId { return WithoutNeutral(id, 0); }

auto NumberLaws::Scale(ExprId id) -> ExprId {
  const ExprId data = WithoutNeutral(id, 1);
  return data ? data : JoinScales(id);
}

// Whether the number that stands for both is a normal one of the type. In float16 x * 200 / 0.001 is finite for small
// x, and 200 / 0.001 is not.
auto NumberLaws::IsNormal(const ScaleCall& inner, bool inner_divides, const ScaleCall& outer, bool divides,
                          DataType type) -> bool {
  const auto a = made().constant(inner.number).ScalarAsDouble();
  const auto b = made().constant(outer.number).ScalarAsDouble();
  if (!a || !b) return false;
  const double number = std::abs(divides == inner_divides ? *a * *b : divides ? *a / *b : *b / *a);
  const double largest = LargestFinite(type);
  // The smallest normal number is 4 / 2^e if the largest one is just below 2^e.
  return number <= largest && number >= 4 / largest;
}

// (x * a) / b and its like for numbers: one product or quotient.
auto NumberLaws::JoinScales(ExprId id) -> ExprId {
  const Type* type = TensorType(function_, id);
  if (strict_fp_ || type == nullptr || !type->dtype.is_float()) return {};
  const bool divides = function_.op(id) == "divide"_op;
  const auto outer = ScaleOf(rebuild_.NewOperands(id)[0], rebuild_.NewOperands(id)[1], divides);
  if (!outer || users_[function_.operand(id, outer->data_index)] != 1) return {};
  const ExprId data = outer->data;
  const bool is_scale = IsCallOf(made(), data, "multiply"_op) || IsCallOf(made(), data, "divide"_op);
  if (!is_scale) return {};
  const bool inner_divides = made().op(data) == "divide"_op;
  const auto inner = ScaleOf(made().operand(data, 0), made().operand(data, 1), inner_divides);
  if (!inner || made().type(inner->data) != function_.type(id)) return {};
  if (!IsNormal(*inner, inner_divides, *outer, divides, type->dtype)) return {};
  if (divides && inner_divides) {
    return EmitCall(to(), "divide"_op, {inner->data, EmitCall(to(), "multiply"_op, {inner->number, outer->number})});
  }
  const ExprId number = divides         ? EmitCall(to(), "divide"_op, {inner->number, outer->number})
                        : inner_divides ? EmitCall(to(), "divide"_op, {outer->number, inner->number})
                                        : EmitCall(to(), "multiply"_op, {inner->number, outer->number});
  return EmitCall(to(), "multiply"_op, {inner->data, number});
}

auto NumberLaws::ScaleOf(ExprId a, ExprId b, bool divides) -> std::optional<ScaleCall> {
  const auto is_number = [&](ExprId id) {
    return made().kind(id) == ExprKind::kConstant && made().constant(id).is_scalar();
  };
  if (is_number(b)) return ScaleCall{a, b, 0};
  if (is_number(a) && !divides) return ScaleCall{b, a, 1};
  return std::nullopt;
}

// A sum with zeros, or a product with ones, of which each meets an element.
auto NumberLaws::WithoutNeutral(ExprId id, double neutral) -> ExprId {
  const OpDef* op = function_.op(id);
  const bool commutes = op == "add"_op || op == "multiply"_op;
  const ExprId left = function_.operand(id, 0);
  const ExprId right = function_.operand(id, 1);
  if (strict_fp_) return {};
  if (IsNeutral(right, left, neutral)) return rebuild_.New(left);
  return commutes && IsNeutral(left, right, neutral) ? rebuild_.New(right) : ExprId();
}

// Whether the constant consists of this number and gives no extent to a result of it and `data`.
auto NumberLaws::IsNeutral(ExprId constant, ExprId data, double number) -> bool {
  if (function_.kind(constant) != ExprKind::kConstant || !ConsistsOf(function_.constant_id(constant), number))
    return false;
  const Type* type = TensorType(function_, data);
  const auto shape = function_.constant(constant).shape();
  const DataType dtype = function_.constant(constant).dtype();
  if (type == nullptr || type->dtype != dtype || shape.size() > type->rank()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1 && !type->shape[type->rank() - shape.size() + i].is(shape[i])) return false;
  }
  return true;
}

// Whether all elements of a constant are this float32, or float16.
auto NumberLaws::ConsistsOf(ConstantId id, double number) -> bool {
  // Neighbours often have the same constant.
  if (last_constant_ == id && last_number_ == number) return last_consists_;
  last_constant_ = id;
  last_number_ = number;
  return last_consists_ = AreAll(function_.context().constant(id), number);
}

}  // namespace relayopt
