// Values of Relay programs.
#include "relayopt/relay/eval/value.h"

namespace relayopt {

auto Value::Tuple(std::vector<Value> fields) -> Value {
  auto object = std::make_shared<ValueObject>(ValueKind::kTuple);
  object->fields = std::move(fields);
  return Value(std::move(object));
}

auto Value::kind() const -> ValueKind {
  if (is_tensor()) return ValueKind::kTensor;
  const auto* object = std::get_if<std::shared_ptr<ValueObject>>(&state_);
  return object == nullptr ? ValueKind::kNone : (*object)->kind;
}

auto Value::fields() const -> std::span<const Value> { return object().fields; }

ValueObject::~ValueObject() {
  // The outermost destructor on this thread frees what the inner ones defer.
  static thread_local std::vector<Value>* pending = nullptr;
  if (pending != nullptr) {
    for (Value& field : fields) {
      if (std::holds_alternative<std::shared_ptr<ValueObject>>(field.state_)) pending->push_back(std::move(field));
    }
    return;
  }
  std::vector<Value> queue = std::move(fields);
  pending = &queue;
  while (!queue.empty()) {
    const Value last = std::move(queue.back());
    queue.pop_back();
  }
  pending = nullptr;
}

auto WithOwnReferences(const Value& value) -> Value {
  if (value.kind() != ValueKind::kRef && value.kind() != ValueKind::kTuple) return value;
  auto object = std::make_shared<ValueObject>(value.kind());
  for (const Value& field : value.fields()) object->fields.push_back(WithOwnReferences(field));
  return Value(std::move(object));
}

auto FlattenTensors(const Value& value, std::vector<Tensor>& tensors) -> bool {
  std::vector<const Value*> pending = {&value};
  while (!pending.empty()) {
    const Value& next = *pending.back();
    pending.pop_back();
    if (next.is_tensor()) {
      tensors.push_back(next.tensor());
    } else if (next.kind() == ValueKind::kTuple) {
      const auto fields = next.fields();
      for (size_t i = fields.size(); i-- > 0;) pending.push_back(&fields[i]);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace relayopt
