// Values of Relay programs.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "relayopt/core/tensor.h"
#include "relayopt/support/ids.h"

namespace relayopt {

// The kinds of values.
enum class ValueKind : uint8_t {
  kNone,         // not computed
  kTensor,       //
  kTuple,        // fields
  kClosure,      // a function literal with what it captures, or a global function
  kData,         // a constructor applied to its arguments
  kRef,          // a reference; one field, its content
  kConstructor,  // a constructor as a function
  kOp,           // an operator as a function
};

struct FunctionPlan;
struct ValueObject;

// A value. Copies share their content, which is immutable except for references.
class Value {
 public:
  Value() = default;
  Value(Tensor tensor) : state_(std::move(tensor)) {}
  explicit Value(std::shared_ptr<ValueObject> object) : state_(std::move(object)) {}
  static auto Tuple(std::vector<Value> fields) -> Value;

  auto kind() const -> ValueKind;
  auto is_tensor() const -> bool { return std::holds_alternative<Tensor>(state_); }
  // Only for kTensor.
  auto tensor() const -> const Tensor& { return std::get<Tensor>(state_); }
  // For all other kinds but kNone.
  auto object() const -> ValueObject& { return *std::get<std::shared_ptr<ValueObject>>(state_); }
  // Returns the fields of a kTuple or kData.
  auto fields() const -> std::span<const Value>;

 private:
  friend struct ValueObject;
  std::variant<std::monostate, Tensor, std::shared_ptr<ValueObject>> state_;
};

// The content of a value that is not a tensor.
struct ValueObject {
  ValueKind kind = ValueKind::kTuple;
  // The fields of a kTuple or kData, the content of a kRef, or the captured values of a kClosure.
  std::vector<Value> fields;
  // The constructor of a kData or kConstructor.
  CtorId ctor;
  // The operator of a kOp.
  OpInstanceId op;
  // The function literal of a kClosure; owned by the evaluator that made it.
  const FunctionPlan* plan = nullptr;
  uint32_t lambda = 0;

  explicit ValueObject(ValueKind k) : kind(k) {}
  ValueObject(const ValueObject&) = delete;
  auto operator=(const ValueObject&) -> ValueObject& = delete;
  // Not recursive, however deep the value is.
  ~ValueObject();
};

// Returns a copy with references of its own, so that a program that writes to them does not affect other holders of the
// value. Recurses on the depth of the value.
auto WithOwnReferences(const Value& value) -> Value;

// Appends the tensors of a value (fields of tuples from left to right) to `tensors`, without recursion. Returns false
// if it contains anything but tensors and tuples.
auto FlattenTensors(const Value& value, std::vector<Tensor>& tensors) -> bool;

}  // namespace relayopt
