// Sequences and optionals: known one by one while importing, so that they disappear in Relay.

#include "builders.h"
#include "families.h"
#include "importer.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/plural.h"
#include "shared.h"

namespace relayopt::onnx {

auto SequenceOf(Node& n, size_t i) -> const std::vector<Value>* {
  if (n.failed()) return nullptr;
  const Value value = n.value(i);
  if (value.is_sequence()) return value.items.get();
  n.Fail("{} is not a sequence with known elements", n.InputText(i));
  return nullptr;
}

namespace {

// Returns the position in input `i`, or the last one.
auto PositionOf(Node& n, size_t i, size_t size, size_t most) -> size_t {
  if (!n.has(i)) return most;
  const auto number = n.NeedInt(i);
  if (!number) return 0;
  const int64_t position = *number < 0 ? *number + static_cast<int64_t>(size) : *number;
  if (position < 0 || position > static_cast<int64_t>(most)) {
    n.Fail("position {} lies outside of a sequence of {}", *number, size);
    return 0;
  }
  return static_cast<size_t>(position);
}

// Returns input `i` as an element of a sequence, which is always a tensor: nothing nests.
auto ItemOf(Node& n, size_t i) -> Value {
  Value item = n.value(i);
  if (item.is_sequence()) n.Fail("{} is a sequence, and elements of a sequence are tensors", n.InputText(i));
  return item;
}

auto ConvertSequenceConstruct(Node& n) -> Results {
  std::vector<Value> items;
  items.reserve(n.num_inputs());
  for (size_t i = 0; i < n.num_inputs(); ++i) items.push_back(ItemOf(n, i));
  if (n.failed()) return {};
  return Value::Sequence(std::move(items));
}

auto ConvertSequenceEmpty(Node& n) -> Results {
  Value empty = Value::Sequence({});
  empty.element_type = n.Has("dtype") ? static_cast<int32_t>(n.Int("dtype")) : kFloat;
  return empty;
}

auto ConvertSequenceInsert(Node& n) -> Results {
  const auto* items = SequenceOf(n, 0);
  if (items == nullptr) return {};
  const size_t at = PositionOf(n, 2, items->size(), items->size());
  if (n.failed() || !n.em().CheckItems(items->size())) return {};
  std::vector<Value> result = *items;
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(at), ItemOf(n, 1));
  if (n.failed()) return {};
  return Value::Sequence(std::move(result));
}

auto ConvertSequenceErase(Node& n) -> Results {
  const auto* items = SequenceOf(n, 0);
  if (items == nullptr) return {};
  if (items->empty()) return n.Fail("the sequence is empty");
  const size_t at = PositionOf(n, 1, items->size(), items->size() - 1);
  if (n.failed() || !n.em().CheckItems(items->size())) return {};
  std::vector<Value> result = *items;
  result.erase(result.begin() + static_cast<std::ptrdiff_t>(at));
  return Value::Sequence(std::move(result));
}

// The item at a position that is not known, of tensors that have one type with known extents; none for others.
auto ItemAt(Node& n, const std::vector<Value>& items) -> ExprId {
  Emitter& em = n.em();
  if (em.IntsOf(n.Known(1))) return {};
  Exprs parts;
  for (const Value& item : items) {
    if (!em.StaticShape(item.expr) || em.TypeText(item.expr) != em.TypeText(items.front().expr)) return {};
    parts.push_back(item.expr);
  }
  const DataType dtype = em.dtype(n.in(1));
  const ExprId given = em.rank(n.in(1)) == 1 ? Squeeze(em, n.in(1), {0}) : n.in(1);
  const ExprId from_end = Add(em, given, em.Scalar(dtype, static_cast<int64_t>(items.size())));
  const ExprId position = Where(em, Less(em, given, em.Scalar(dtype, 0)), from_end, given);
  return Take(em, Stack(em, parts, 0), position, 0);
}

auto ConvertSequenceAt(Node& n) -> Results {
  const auto* items = SequenceOf(n, 0);
  if (items == nullptr) return {};
  if (items->empty()) return n.Fail("the sequence is empty");
  if (const ExprId computed = ItemAt(n, *items)) return computed;
  const size_t at = PositionOf(n, 1, items->size(), items->size() - 1);
  return n.failed() ? Value() : (*items)[at];
}

auto ConvertSequenceLength(Node& n) -> Results {
  const auto* items = SequenceOf(n, 0);
  if (items == nullptr) return {};
  return n.em().Scalar(DataType::Int(64), static_cast<int64_t>(items->size()));
}

auto ConvertConcatFromSequence(Node& n) -> Results {
  const auto* items = SequenceOf(n, 0);
  if (items == nullptr) return {};
  Exprs parts;
  for (const Value& item : *items) parts.push_back(item.expr);
  if (parts.empty()) return n.Fail("the sequence is empty");
  return n.Flag("new_axis") ? Stack(n.em(), parts, n.Int("axis")) : Concat(n.em(), parts, n.Int("axis"));
}

auto ConvertSplitToSequence(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t axis = n.Int("axis");
  const int64_t extent = n.NeedExtent(x, axis, "the data");
  if (n.failed()) return {};
  const auto sequence = [](const Exprs& parts) {
    return Value::Sequence(std::vector<Value>(parts.begin(), parts.end()));
  };
  if (!n.has(1)) {
    Exprs parts = Parts(em, Split(em, x, extent, axis), extent);
    if (!n.Flag("keepdims")) {
      for (ExprId& part : parts) part = Squeeze(em, part, {axis});
    }
    return sequence(parts);
  }
  const auto lengths = n.NeedInts(1);
  if (!lengths) return {};
  Ints parts = *lengths;
  if (em.rank(n.in(1)) == 0) {
    // One number is the length of all parts but the last.
    const int64_t length = lengths->front();
    if (length < 1) return n.Fail("parts have at least one element");
    if (!n.CheckIterations(extent / length)) return {};
    parts.assign(static_cast<size_t>(extent / length), length);
    if (extent % length != 0) parts.push_back(extent % length);
  }
  return sequence(parts.size() == 1 ? Exprs{x} : SplitBy(n, x, parts, axis, 32));
}

// Returns the body for each item.
auto ConvertSequenceMap(Node& n) -> Results {
  const auto* items = SequenceOf(n, 0);
  const GraphProto* body = n.Graph("body");
  if (items == nullptr || body == nullptr) return {};
  std::vector<std::vector<Value>> results(n.num_outputs());
  for (size_t k = 0; k < items->size(); ++k) {
    std::vector<Value> inputs = {(*items)[k]};
    for (size_t i = 1; i < n.num_inputs(); ++i) {
      const Value value = n.value(i);
      if (value.is_sequence() && k >= value.items->size())
        return n.Fail("{} has {}, the first sequence has {}", n.InputText(i), Counted(value.items->size(), "item"),
                      items->size());
      inputs.push_back(value.is_sequence() ? (*value.items)[k] : value);
    }
    const auto outputs = n.importer().ImportBody(n, *body, inputs);
    if (!outputs) return {};
    for (size_t i = 0; i < outputs->size() && i < results.size(); ++i) results[i].push_back((*outputs)[i]);
  }
  return MapToVector<Value>(results, [&](auto& result) { return Value::Sequence(std::move(result)); });
}

auto ConvertOptional(Node& n) -> Results {
  if (n.has(0)) return n.value(0);
  Value empty;
  empty.is_empty_optional = true;
  return empty;
}

auto ConvertOptionalGetElement(Node& n) -> Results {
  if (n.value(0).is_empty_optional) return n.Fail("{} is an empty optional", n.InputText(0));
  return n.value(0);
}

auto ConvertOptionalHasElement(Node& n) -> Results {
  return n.em().Scalar(DataType::Bool(), n.has(0) && !n.value(0).is_empty_optional ? 1 : 0);
}

constexpr OpRow kSequenceRows[] = {
    {"SequenceConstruct", "11", "inputs...", "", ConvertSequenceConstruct},
    {"SequenceEmpty", "11", "", "int dtype", ConvertSequenceEmpty},
    {"SequenceInsert", "11", "input_sequence, tensor, position?", "", ConvertSequenceInsert},
    {"SequenceErase", "11", "input_sequence, position?", "", ConvertSequenceErase},
    {"SequenceAt", "11", "input_sequence, position", "", ConvertSequenceAt},
    {"SequenceLength", "11", "input_sequence", "", ConvertSequenceLength},
    {"ConcatFromSequence", "11", "input_sequence", "int axis = 0; int new_axis = 0", ConvertConcatFromSequence},
    {"SplitToSequence", "11", "input, split?", "int axis = 0; int keepdims = 1", ConvertSplitToSequence},
    {"SequenceMap", "17", "input_sequence, additional_inputs...", "graph body", ConvertSequenceMap},
    {"Optional", "15", "input?", "any type", ConvertOptional},
    {"OptionalGetElement", "15 18", "input", "", ConvertOptionalGetElement},
    {"OptionalHasElement", "15 18", "input?", "", ConvertOptionalHasElement},
};

}  // namespace

auto SequenceRows() -> std::span<const OpRow> { return kSequenceRows; }

}  // namespace relayopt::onnx
