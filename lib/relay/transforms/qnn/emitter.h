// Emits integer and float arithmetic and queries constants, for passes on quantized programs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "relayopt/relay/analysis/call_emitter.h"

namespace relayopt {

// The smallest and the largest integer of an element type, as the bounds of a clip.
struct QuantizedRange {
  double min = 0;
  double max = 0;
};
auto RangeOf(DataType dtype) -> QuantizedRange;

// The emitter of the lowering of quantized operators.
class QnnEmitter : public CallEmitter {
 public:
  using CallEmitter::CallEmitter;

  auto function() const -> const Function& { return to().function(); }

  // Returns the value clipped to the range of `dtype`, and cast to it.
  auto Narrow(ExprId data, DataType dtype) -> ExprId;
  auto Reshape(ExprId data, DimList shape) -> ExprId;
  // Returns a vector along `axis` (not negative) of a tensor of `rank` axes; a scalar stays as it is.
  auto AlongAxis(ExprId vector, size_t rank, int64_t axis) -> ExprId;

  // Constant vectors of int32 or int64, and of float32 or float64; values must fit, floats are rounded.
  auto Vector(std::span<const int64_t> values, DataType dtype) -> ExprId;
  auto Vector(std::span<const double> values, DataType dtype) -> ExprId;

  // Returns the constant that an expression is, or null.
  auto constant(ExprId id) const -> const Constant* { return ConstantOf(function(), id); }
  // Returns the integer that a constant of rank 0 is.
  auto ScalarInt(ExprId id) const -> std::optional<int64_t>;
  // Whether both are constants of rank 0 with one type and value.
  auto SameScalar(ExprId a, ExprId b) const -> bool;
  // Whether it is the int32 scalar constant `value`.
  auto IsInt(ExprId id, int64_t value) const -> bool;
  // Returns the elements of a constant of numbers.
  auto Values(ExprId id) const -> std::optional<std::vector<double>>;
};

}  // namespace relayopt
