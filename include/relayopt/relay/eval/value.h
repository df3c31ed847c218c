// Values of Relay programs.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "relayopt/core/tensor.h"
#include "relayopt/support/ids.h"

namespace relayopt {

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

// A value. Copies share what is inside; only references change.
class Value {
 public:
  Value() = default;
  Value(Tensor tensor) : state_(std::move(tensor)) {}
  explicit Value(std::shared_ptr<ValueObject> object) : state_(std::move(object)) {}
  static auto Tuple(std::vector<Value> fields) -> Value;

  auto kind() const -> ValueKind;
  auto is_tensor() const -> bool { return std::holds_alternative<Tensor>(state_); }
  // kTensor.
  auto tensor() const -> const Tensor& { return std::get<Tensor>(state_); }
  // Any other kind but kNone.
  auto object() const -> ValueObject& { return *std::get<std::shared_ptr<ValueObject>>(state_); }
  // kTuple, kData: the fields.
  auto fields() const -> std::span<const Value>;

 private:
  friend struct ValueObject;
  std::variant<std::monostate, Tensor, std::shared_ptr<ValueObject>> state_;
};

// What is behind a value that is no tensor.
struct ValueObject {
  ValueKind kind = ValueKind::kTuple;
  // kTuple, kData: fields; kRef: the content; kClosure: captured values.
  std::vector<Value> fields;
  // kData, kConstructor.
  CtorId ctor;
  // kOp.
  OpInstanceId op;
  // kClosure: the function literal; owned by the evaluator that made it.
  const FunctionPlan* plan = nullptr;
  uint32_t lambda = 0;

  explicit ValueObject(ValueKind k) : kind(k) {}
  ValueObject(const ValueObject&) = delete;
  auto operator=(const ValueObject&) -> ValueObject& = delete;
  // Does not recurse, however deep the value is.
  ~ValueObject();
};

// The value with references of its own, which running a program does not change for anybody else. Recurses on the depth
// of the value.
auto WithOwnReferences(const Value& value) -> Value;

// The tensors in a value, fields of tuples from left to right, without recursion; false when there is anything but
// tensors and tuples of them.
auto FlattenTensors(const Value& value, std::vector<Tensor>& tensors) -> bool;

}  // namespace relayopt
