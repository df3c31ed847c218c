// Emits integer and float arithmetic and queries constants, for passes on quantized programs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

// The smallest and the largest integer of an element type, as the bounds of a clip.
struct QuantizedRange {
  double min = 0;
  double max = 0;
};
auto RangeOf(DataType dtype) -> QuantizedRange;

// Emits typed calls into `to`, which must outlive it.
class QnnEmitter {
 public:
  explicit QnnEmitter(FunctionBuilder& to) : to_(to) {}

  auto to() -> FunctionBuilder& { return to_; }
  auto function() const -> const Function& { return to_.function(); }
  // Returns the type of an expression when it is a tensor, else null.
  auto tensor(ExprId id) const -> const Type* { return TensorType(function(), id); }

  auto Call(const OpDef* op, std::initializer_list<ExprId> args) -> ExprId { return EmitCall(to_, op, args); }
  template <typename A>
  auto CallWith(const OpDef* op, const A& attrs, std::initializer_list<ExprId> args) -> ExprId {
    return EmitCallWith(to_, op, attrs, args);
  }
  auto Add(ExprId a, ExprId b) -> ExprId { return Call("add"_op, {a, b}); }
  auto Subtract(ExprId a, ExprId b) -> ExprId { return Call("subtract"_op, {a, b}); }
  auto Multiply(ExprId a, ExprId b) -> ExprId { return Call("multiply"_op, {a, b}); }
  auto Divide(ExprId a, ExprId b) -> ExprId { return Call("divide"_op, {a, b}); }
  auto Cast(ExprId data, DataType dtype) -> ExprId;
  auto Clip(ExprId data, double min, double max) -> ExprId;
  // Returns the value clipped to the range of `dtype`, and cast to it.
  auto Narrow(ExprId data, DataType dtype) -> ExprId;
  auto Reshape(ExprId data, DimList shape) -> ExprId;
  auto Sum(ExprId data, DimList axes, bool keepdims) -> ExprId;
  // Returns a vector along `axis` (not negative) of a tensor of `rank` axes; a scalar stays as it is.
  auto AlongAxis(ExprId vector, size_t rank, int64_t axis) -> ExprId;

  // Scalar constants.
  auto Int(int64_t value, DataType dtype = DataType::Int(32)) -> ExprId { return EmitScalar(to_, dtype, value); }
  auto Real(double value, DataType dtype = DataType::Float(32)) -> ExprId { return EmitScalar(to_, dtype, value); }
  // Constant vectors of int32 or int64, and of float32 or float64; values must fit, floats are rounded.
  auto Vector(std::span<const int64_t> values, DataType dtype) -> ExprId;
  auto Vector(std::span<const double> values, DataType dtype) -> ExprId;

  // Returns a constant tensor.
  auto EmitConstant(Constant constant) -> ExprId;

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

 private:
  FunctionBuilder& to_;
};

}  // namespace relayopt
