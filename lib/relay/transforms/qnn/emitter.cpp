// Emits integer and float arithmetic, and queries constants.
#include "emitter.h"

#include <cmath>
#include <cstring>

#include "lib/relay/transforms/expand_bias.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/support/check.h"

namespace relayopt {

namespace {

// Returns a constant vector of `dtype`, whose elements are T.
template <typename T, typename From>
auto VectorOf(std::span<const From> values, DataType dtype) -> Constant {
  RELAYOPT_CHECK(dtype.bytes() == sizeof(T), "vectors are of 32 or 64 bits");
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    const T element = static_cast<T>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return {dtype, {static_cast<int64_t>(values.size())}, std::move(bytes)};
}

}  // namespace

auto RangeOf(DataType dtype) -> QuantizedRange {
  if (dtype.is_uint()) return {0, std::ldexp(1.0, dtype.bits) - 1};
  const double half = std::ldexp(1.0, dtype.bits - 1);
  return {-half, half - 1};
}

auto QnnEmitter::Narrow(ExprId data, DataType dtype) -> ExprId {
  const QuantizedRange range = RangeOf(dtype);
  return Cast(Clip(data, range.min, range.max), dtype);
}

auto QnnEmitter::Reshape(ExprId data, DimList shape) -> ExprId {
  return CallWith("reshape"_op, ReshapeAttrs{.newshape = std::move(shape)}, {data});
}

auto QnnEmitter::AlongAxis(ExprId vector, size_t rank, int64_t axis) -> ExprId {
  const Type* type = tensor(vector);
  return type != nullptr && type->is_scalar() ? vector : ExpandBias(to(), vector, rank, axis);
}

auto QnnEmitter::Vector(std::span<const int64_t> values, DataType dtype) -> ExprId {
  return EmitConstant(dtype == DataType::Int(32) ? VectorOf<int32_t>(values, dtype) : VectorOf<int64_t>(values, dtype));
}

auto QnnEmitter::Vector(std::span<const double> values, DataType dtype) -> ExprId {
  return EmitConstant(dtype == DataType::Float(32) ? VectorOf<float>(values, dtype) : VectorOf<double>(values, dtype));
}

auto QnnEmitter::ScalarInt(ExprId id) const -> std::optional<int64_t> {
  const Constant* value = constant(id);
  if (value == nullptr || !value->is_scalar()) return std::nullopt;
  return value->ScalarAsInt();
}

auto QnnEmitter::SameScalar(ExprId a, ExprId b) const -> bool {
  const Constant* left = constant(a);
  const Constant* right = constant(b);
  if (left == nullptr || right == nullptr || !left->is_scalar() || !right->is_scalar()) return false;
  return left->dtype() == right->dtype() && left->Elements() == right->Elements();
}

auto QnnEmitter::IsInt(ExprId id, int64_t value) const -> bool {
  const auto scalar = ScalarInt(id);
  return scalar && *scalar == value && constant(id)->dtype() == DataType::Int(32);
}

auto QnnEmitter::Values(ExprId id) const -> std::optional<std::vector<double>> {
  const Constant* value = constant(id);
  if (value == nullptr) return std::nullopt;
  const auto bytes = value->Bytes();
  const size_t width = value->dtype().bytes();
  std::vector<double> values;
  values.reserve(value->num_elements());
  for (size_t i = 0; i < value->num_elements(); ++i) {
    const auto from = bytes->begin() + static_cast<ptrdiff_t>(i * width);
    const Constant element(value->dtype(), {}, std::vector<std::byte>(from, from + static_cast<ptrdiff_t>(width)));
    const auto number = element.ScalarAsDouble();
    if (!number) return std::nullopt;
    values.push_back(*number);
  }
  return values;
}

}  // namespace relayopt
