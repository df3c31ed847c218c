// Common parts of the rules.
#include "rules.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/qnn.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

auto FakeQuantizedCall::data() const -> const AffineType* {
  if (args.empty() || !args[0].type || !args[0].type->fields.empty()) return nullptr;
  return &*args[0].type;
}

auto FakeQuantizedCall::rank(size_t i) const -> std::optional<size_t> {
  const Type* type = input(i);
  return type == nullptr ? std::nullopt : std::optional(type->rank());
}

auto FakeQuantizedCall::Same() -> ExprId {
  const auto operands = MapToVector<ExprId>(args, &AffineOperand::expr);
  return EmitCall(emit.to(), op(), operands, function().attrs(id()));
}

auto FindFakeQuantizationRule(const OpDef* op) -> const FakeQuantizationRule* {
  static const OpRules<FakeQuantizationRule> rules = {ShapeFakeQuantizationRules(), PoolingFakeQuantizationRules(),
                                                      ArithmeticFakeQuantizationRules(),
                                                      ProductFakeQuantizationRules()};
  return rules.Find(op);
}

auto IsPerChannel(const QnnEmitter& emit, const AffineType& type) -> bool {
  for (const ExprId param : {type.scale, type.zero_point}) {
    const Type* tensor = emit.tensor(param);
    if (tensor == nullptr) return true;
    for (const Dim& extent : tensor->shape) {
      if (!extent.is(1)) return true;
    }
  }
  return false;
}

auto RangeOf(const QnnEmitter& emit, const AffineType& type) -> std::optional<RealRange> {
  const auto scales = emit.Values(type.scale);
  const auto zero_points = emit.Values(type.zero_point);
  if (!scales || !zero_points || scales->empty() || zero_points->empty()) return std::nullopt;
  const QuantizedRange integers = RangeOf(type.dtype);
  const auto [least, greatest] = std::ranges::minmax(*zero_points);
  const double scale = std::ranges::max(*scales);
  return RealRange{scale * (integers.min - greatest), scale * (integers.max - least)};
}

auto RangeOf(const QnnEmitter& emit, const AffineOperand& operand) -> std::optional<RealRange> {
  if (operand.type) return operand.type->fields.empty() ? RangeOf(emit, *operand.type) : std::nullopt;
  const auto values = emit.Values(operand.expr);
  if (!values || values->empty()) return std::nullopt;
  const auto [min, max] = std::ranges::minmax(*values);
  return RealRange{min, max};
}

auto Represents(const QnnEmitter& emit, const AffineType& type, const RealRange& range) -> bool {
  const auto scales = emit.Values(type.scale);
  const auto zero_points = emit.Values(type.zero_point);
  if (!scales || !zero_points || scales->empty() || zero_points->empty()) return false;
  const QuantizedRange integers = RangeOf(type.dtype);
  const auto [least, greatest] = std::ranges::minmax(*zero_points);
  const double scale = std::ranges::min(*scales);
  // Integers are rounded, so a number may be half a step outside.
  return scale > 0 && range.min >= scale * (integers.min - least - 0.5) &&
         range.max <= scale * (integers.max - greatest + 0.5);
}

auto AreClose(const QnnEmitter& emit, ExprId a, ExprId b) -> bool {
  if (a == b) return true;
  const auto left = emit.Values(a);
  const auto right = emit.Values(b);
  if (!left || !right || left->empty() || right->empty()) return false;
  const size_t count = std::max(left->size(), right->size());
  if ((left->size() != 1 && left->size() != count) || (right->size() != 1 && right->size() != count)) return false;
  constexpr double kAbsolute = 1e-8;
  constexpr double kRelative = 1e-5;
  for (size_t i = 0; i < count; ++i) {
    const double x = (*left)[left->size() == 1 ? 0 : i];
    const double y = (*right)[right->size() == 1 ? 0 : i];
    if (!(std::fabs(x - y) <= kAbsolute + kRelative * std::fabs(y))) return false;
  }
  return true;
}

auto AreClose(const QnnEmitter& emit, const AffineType& a, const AffineType& b) -> bool {
  return a.dtype == b.dtype && AreClose(emit, a.scale, b.scale) && AreClose(emit, a.zero_point, b.zero_point);
}

namespace {

auto IsSameConstant(const QnnEmitter& emit, ExprId a, ExprId b) -> bool {
  if (a == b) return true;
  const Constant* left = emit.constant(a);
  const Constant* right = emit.constant(b);
  if (left == nullptr || right == nullptr || left->dtype() != right->dtype()) return false;
  return std::ranges::equal(left->shape(), right->shape()) && left->Elements() == right->Elements();
}

template <typename T>
void Store(std::vector<std::byte>& bytes, size_t i, double value) {
  const T element = static_cast<T>(value);
  std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
}

void StoreAs(DataType dtype, std::vector<std::byte>& bytes, size_t i, double value) {
  if (dtype.is_float()) return Store<float>(bytes, i, value);
  switch (dtype.bytes()) {
    case 1: return dtype.is_int() ? Store<int8_t>(bytes, i, value) : Store<uint8_t>(bytes, i, value);
    case 2: return dtype.is_int() ? Store<int16_t>(bytes, i, value) : Store<uint16_t>(bytes, i, value);
    default: return Store<int32_t>(bytes, i, value);
  }
}

}  // namespace

auto AreEqual(const QnnEmitter& emit, const AffineType& a, const AffineType& b) -> bool {
  return a.dtype == b.dtype && a.axis == b.axis && IsSameConstant(emit, a.scale, b.scale) &&
         IsSameConstant(emit, a.zero_point, b.zero_point);
}

auto WithScalars(QnnEmitter& emit, AffineType type) -> AffineType {
  for (ExprId* param : {&type.scale, &type.zero_point}) {
    const Constant* value = emit.constant(*param);
    if (value == nullptr || value->is_scalar() || value->num_elements() != 1) continue;
    const double number = emit.Values(*param)->front();
    *param = param == &type.scale ? emit.Real(number) : emit.Int(static_cast<int64_t>(number));
  }
  return type;
}

auto EmitScaleProduct(QnnEmitter& emit, ExprId a, ExprId b) -> ExprId {
  const auto left = emit.Values(a);
  const auto right = emit.Values(b);
  if (!left || !right || left->empty() || right->empty()) return emit.Multiply(a, b);
  const bool is_scalar = emit.constant(a)->is_scalar() && emit.constant(b)->is_scalar();
  const size_t count = std::max(left->size(), right->size());
  if ((left->size() != 1 && left->size() != count) || (right->size() != 1 && right->size() != count)) return {};
  std::vector<double> product(count);
  for (size_t i = 0; i < count; ++i) {
    const auto x = static_cast<float>((*left)[left->size() == 1 ? 0 : i]);
    const auto y = static_cast<float>((*right)[right->size() == 1 ? 0 : i]);
    product[i] = x * y;
  }
  if (is_scalar) return emit.Real(product.front());
  return emit.Vector(std::span<const double>(product), DataType::Float(32));
}

auto EmitZeroPoints(QnnEmitter& emit, ExprId scale) -> ExprId {
  const Constant* known = emit.constant(scale);
  if (known == nullptr) return emit.Cast(emit.Call("zeros_like"_op, {scale}), DataType::Int(32));
  if (known->is_scalar()) return emit.Int(0);
  const std::vector<int64_t> zeros(known->num_elements(), 0);
  return emit.Vector(std::span<const int64_t>(zeros), DataType::Int(32));
}

auto EmitRequantizeCall(QnnEmitter& emit, ExprId data, const AffineType& from, const AffineType& to, DataType out_dtype,
                        int64_t axis) -> ExprId {
  const RequantizeAttrs attrs{.axis = axis, .out_dtype = out_dtype};
  return emit.CallWith("qnn.requantize"_op, attrs, {data, from.scale, from.zero_point, to.scale, to.zero_point});
}

auto EmitQuantizeCall(QnnEmitter& emit, ExprId data, const AffineType& to, int64_t axis) -> ExprId {
  return emit.CallWith("qnn.quantize"_op, QuantizeAttrs{.out_dtype = to.dtype, .axis = axis},
                       {data, to.scale, to.zero_point});
}

auto EmitAlongAxis(QnnEmitter& emit, std::span<const double> values, DataType dtype, size_t rank, int64_t axis)
    -> ExprId {
  std::vector<int64_t> shape(rank, 1);
  shape[static_cast<size_t>(NormalizedAxis(axis, rank))] = static_cast<int64_t>(values.size());
  std::vector<std::byte> bytes(values.size() * dtype.bytes());
  for (size_t i = 0; i < values.size(); ++i) StoreAs(dtype, bytes, i, values[i]);
  return emit.EmitConstant(Constant(dtype, std::move(shape), std::move(bytes)));
}

}  // namespace relayopt
