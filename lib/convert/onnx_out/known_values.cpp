#include "known_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/convert/onnx/tensor_data.h"

namespace relayopt::onnx::out {

auto AttributeOf(const Node& node, std::string_view name) -> const Attribute* {
  const auto found = std::ranges::find(node.attributes, name, &Attribute::name);
  return found == node.attributes.end() ? nullptr : &*found;
}

auto IntOf(const Node& node, std::string_view name, int64_t missing) -> int64_t {
  const Attribute* attribute = AttributeOf(node, name);
  return attribute == nullptr ? missing : attribute->i;
}

KnownValues::KnownValues(Graph& main, NameTable& names, int64_t opset)
    : main_(main), names_(names), opset_(opset), values_(names.size()) {
  for (size_t i = 0; i < main.initializers.size(); ++i) {
    const TensorData& tensor = main.initializers[i];
    NoteConstant(i);
    if (IsSmall(tensor)) by_bytes_.emplace(KeyOf(tensor), tensor.name);
  }
  NoteTypes(main.inputs);
}

void KnownValues::NoteConstant(size_t initializer) {
  const TensorData& tensor = main_.initializers[initializer];
  Known& value = values_[tensor.name];
  value.constant = initializer;
  value.extents.emplace(tensor.dims.begin(), tensor.dims.end());
  value.element_type = tensor.element_type;
}

void KnownValues::NoteTypes(const std::vector<ValueType>& values) {
  for (const ValueType& value : values) {
    Known& known = values_[value.name];
    known.element_type = value.element_type;
    Extents& extents = known.extents.emplace();
    extents.reserve(value.shape.size());
    for (const Extent& extent : value.shape) extents.push_back(extent.value);
  }
}

void KnownValues::NoteNode(const Node& node) {
  for (const Name output : node.outputs) values_[output].maker = &node;
  if (node.op_type == "TopK") NoteTopK(node);
  const Extents* known = ExtentsOf(node.outputs[0]);
  const auto is_known = [](const std::optional<int64_t>& extent) { return extent.has_value(); };
  if (known != nullptr && std::ranges::all_of(*known, is_known)) return;
  if (const auto extents = InferExtents(node)) NoteExtents(node.outputs[0], *extents);
}

void KnownValues::NoteExtents(Name value, const Extents& extents) {
  std::optional<Extents>& known = values_[value].extents;
  if (!known) known = extents;
  if (known->size() != extents.size()) return;
  // Types contain some of the extents.
  for (size_t i = 0; i < extents.size(); ++i) {
    if (!(*known)[i]) (*known)[i] = extents[i];
  }
}

auto KnownValues::ElementTypeOf(Name value) const -> int32_t {
  if (const Node* cast = Maker(value, "Cast")) return static_cast<int32_t>(IntOf(*cast, "to", kUndefined));
  return values_[value].element_type;
}

auto KnownValues::Maker(Name value, std::string_view op_type) const -> const Node* {
  const Node* maker = values_[value].maker;
  return maker != nullptr && maker->op_type == op_type ? maker : nullptr;
}

// -- constants --

auto KnownValues::ConstantOf(Name value) const -> const TensorData* {
  const auto& constant = values_[value].constant;
  return constant ? &main_.initializers[*constant] : nullptr;
}

auto KnownValues::NumbersOf(Name value) const -> std::optional<std::vector<int64_t>> {
  const TensorData* tensor = ConstantOf(value);
  if (tensor == nullptr || !IsSmall(*tensor)) return std::nullopt;
  const auto read = [&]<typename T>(T) {
    const auto numbers = tensor->bytes.ToVector<T>();
    return std::vector<int64_t>(numbers.begin(), numbers.end());
  };
  if (tensor->element_type == kInt64) return read(int64_t());
  if (tensor->element_type == kInt32) return read(int32_t());
  if (tensor->element_type == kBool) return read(uint8_t());
  return std::nullopt;
}

auto KnownValues::IsAll(Name value, int64_t number) const -> bool {
  const auto numbers = NumbersOf(value);
  return numbers && std::ranges::all_of(*numbers, [&](int64_t element) { return element == number; });
}

auto KnownValues::IsZero(Name value) const -> bool {
  const TensorData* tensor = ConstantOf(value);
  return tensor != nullptr && IsSmall(*tensor) &&
         std::ranges::all_of(tensor->bytes, [](std::byte byte) { return byte == std::byte(); });
}

auto KnownValues::IsSmall(const TensorData& tensor) -> bool {
  constexpr size_t kSmallBytes = 4096;
  return tensor.bytes.size() <= kSmallBytes;
}

auto KnownValues::KeyOf(const TensorData& tensor) -> std::string {
  std::string key = std::to_string(tensor.element_type);
  for (const int64_t extent : tensor.dims) key += "," + std::to_string(extent);
  key += ':';
  return key.append(tensor.bytes.text());
}

auto KnownValues::AddConstant(TensorData tensor) -> Name {
  const auto [known, is_new] = by_bytes_.emplace(KeyOf(tensor), Name());
  if (!is_new) return known->second;
  tensor.name = NewName("k", next_constant_);
  known->second = tensor.name;
  main_.initializers.push_back(std::move(tensor));
  NoteConstant(main_.initializers.size() - 1);
  return known->second;
}

auto KnownValues::AddList(std::span<const int64_t> numbers) -> Name {
  const auto bytes = std::as_bytes(numbers);
  TensorData list{{}, kInt64, {static_cast<int64_t>(numbers.size())}, {}};
  list.bytes = std::vector(bytes.begin(), bytes.end());
  return AddConstant(std::move(list));
}

auto KnownValues::NewName(std::string_view letter, uint64_t& next) -> Name {
  Name name;
  do {
    name = names_.Intern(fmt::format("{}{}", letter, next++));
  } while (!values_[name].is_empty());
  return name;
}

// -- nodes that compute the same --

auto KnownValues::KeyOf(const Node& node) -> std::string {
  std::string key(node.op_type);
  key += '(';
  for (const Name input : node.inputs) key.append(input.text()).append(",");
  for (const Attribute& attribute : node.attributes) {
    key += ";" + attribute.name + "=" + std::to_string(attribute.i) + "," + std::to_string(attribute.f) + attribute.s;
    for (const int64_t number : attribute.ints) key += "," + std::to_string(number);
  }
  return key;
}

auto KnownValues::FirstOf(const Node& node) -> const Names& {
  std::string key = KeyOf(node);
  const auto [first, is_new] = first_.emplace(key, node.outputs);
  if (is_new) made_.push_back(std::move(key));
  return first->second;
}

auto KnownValues::Find(const Node& node) const -> std::optional<Name> {
  const auto found = first_.find(KeyOf(node));
  return found == first_.end() ? std::nullopt : std::optional(found->second[0]);
}

void KnownValues::Leave() {
  for (size_t i = scopes_.back(); i < made_.size(); ++i) first_.erase(made_[i]);
  made_.resize(scopes_.back());
  scopes_.pop_back();
}

// -- extents --

auto KnownValues::ExtentsOf(Name value) const -> const Extents* {
  const auto& extents = values_[value].extents;
  return extents ? &*extents : nullptr;
}

auto KnownValues::ShapeOf(Name value) const -> std::optional<std::vector<int64_t>> {
  const Extents* extents = ExtentsOf(value);
  if (extents == nullptr) return std::nullopt;
  std::vector<int64_t> shape;
  for (const auto& extent : *extents) {
    if (!extent) return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

auto KnownValues::RankOf(Name value) const -> std::optional<size_t> {
  const Extents* extents = ExtentsOf(value);
  return extents == nullptr ? std::nullopt : std::optional(extents->size());
}

// Both outputs, values and positions, have the same extents.
void KnownValues::NoteTopK(const Node& node) {
  const Extents* data = ExtentsOf(node.inputs[0]);
  const int64_t axis = IntOf(node, "axis", -1);
  if (data == nullptr || axis < 0) return;
  Extents extents = *data;
  const auto count = NumbersOf(node.inputs[1]);
  extents[static_cast<size_t>(axis)] = count ? std::optional(count->front()) : std::nullopt;
  for (const Name output : node.outputs) {
    if (std::optional<Extents>& known = values_[output].extents; !known) known = extents;
  }
}

// Infers extents that types do not provide: those of auxiliary nodes that forms add.
auto KnownValues::InferExtents(const Node& node) const -> std::optional<Extents> {
  constexpr std::string_view kSame[] = {"Cast", "Clip", "Identity", "ScatterElements"};
  constexpr std::string_view kBroadcast[] = {
      "Add",         "Sub",  "Mul", "Div", "Max", "Min", "Mod", "Less", "Equal", "Greater", "GreaterOrEqual",
      "LessOrEqual", "Where"};
  if (node.inputs.empty()) return std::nullopt;
  if (node.op_type == "ConstantOfShape") return ListedExtents(node.inputs[0], true);
  const Extents* first = ExtentsOf(node.inputs[0]);
  if (std::ranges::find(kSame, node.op_type) != std::end(kSame)) {
    return first == nullptr ? std::nullopt : std::optional(*first);
  }
  if (std::ranges::find(kBroadcast, node.op_type) != std::end(kBroadcast)) return BroadcastExtents(node);
  return MovedExtents(node);
}

// Broadcasts the extents of a result with those of another operand.
void KnownValues::Broadcast(const Extents& shape, Extents& result) {
  if (shape.size() > result.size()) result.insert(result.begin(), shape.size() - result.size(), 1);
  const size_t front = result.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    std::optional<int64_t>& extent = result[front + i];
    // A known extent other than 1 is that of the result.
    if (extent == 1 || (!extent && shape[i] != 1)) extent = shape[i];
  }
}

// The extents of the products of matrices, of which each tensor has several.
auto KnownValues::ProductExtents(const Extents& left, const Extents& right) -> Extents {
  Extents result(left.begin(), left.end() - 2);
  Broadcast(Extents(right.begin(), right.end() - 2), result);
  result.push_back(left[left.size() - 2]);
  result.push_back(right.back());
  return result;
}

auto KnownValues::BroadcastExtents(const Node& node) const -> std::optional<Extents> {
  Extents result;
  for (const Name input : node.inputs) {
    const Extents* shape = ExtentsOf(input);
    if (shape == nullptr) return std::nullopt;
    Broadcast(*shape, result);
  }
  return result;
}

// The extents that a Shape lists.
auto KnownValues::ExtentsInShape(Name value) const -> std::optional<Extents> {
  const Node* node = Maker(value, "Shape");
  const Extents* data = node == nullptr ? nullptr : ExtentsOf(node->inputs[0]);
  if (data == nullptr) return std::nullopt;
  const auto rank = static_cast<int64_t>(data->size());
  const auto bound = [&](std::string_view name, int64_t otherwise) {
    const int64_t given = IntOf(*node, name, otherwise);
    return std::clamp<int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  const int64_t begin = bound("start", 0);
  return Extents(data->begin() + begin, data->begin() + std::max(begin, bound("end", rank)));
}

// The extents that a value lists: a constant, a Concat of constants, shapes and others, maybe made of 32 bits.
auto KnownValues::ListedExtents(Name shape, bool zero_is_extent) const -> std::optional<Extents> {
  const Node* cast = Maker(shape, "Cast");
  const bool widens = cast != nullptr && IntOf(*cast, "to", 0) == kInt64 && ElementTypeOf(cast->inputs[0]) == kInt32;
  const Node* list = Maker(widens ? cast->inputs[0] : shape, "Concat");
  if (list == nullptr && !NumbersOf(shape) && Maker(shape, "Shape") == nullptr) return std::nullopt;
  Extents extents;
  for (const Name part : list == nullptr ? Names{shape} : list->inputs) {
    const auto numbers = NumbersOf(part);
    const Extents* length = ExtentsOf(part);
    if (length == nullptr || length->size() != 1 || !(*length)[0]) return std::nullopt;
    const auto known = numbers ? std::nullopt : ExtentsInShape(part);
    for (int64_t i = 0; i < *(*length)[0]; ++i) {
      const auto at = static_cast<size_t>(i);
      const int64_t number = numbers ? (*numbers)[at] : known && at < known->size() ? (*known)[at].value_or(-1) : -1;
      const bool is_extent = number > 0 || (number == 0 && zero_is_extent);
      extents.push_back(is_extent ? std::optional(number) : std::nullopt);
    }
  }
  return extents;
}

void KnownValues::NoteForeign(const Node& node) {
  if (!node.domain.empty() || node.op_type != "ConstantOfShape" || node.inputs.size() != 1) return;
  if (const auto extents = ListedExtents(node.inputs[0], true)) NoteExtents(node.outputs[0], *extents);
}

auto KnownValues::MovedExtents(const Node& node) const -> std::optional<Extents> {
  const Extents* data = ExtentsOf(node.inputs[0]);
  const auto numbers = node.inputs.size() > 1 ? NumbersOf(node.inputs[1]) : std::nullopt;
  if (node.op_type == "Reshape") return ListedExtents(node.inputs[1], false);
  if (data == nullptr) return std::nullopt;
  const auto rank = static_cast<int64_t>(data->size());
  if (node.op_type == "MatMul") {
    const Extents* matrix = ExtentsOf(node.inputs[1]);
    if (matrix == nullptr || matrix->size() < 2 || data->empty()) return std::nullopt;
    if (matrix->size() > 2) return data->size() < 2 ? std::nullopt : std::optional(ProductExtents(*data, *matrix));
    Extents shape = *data;
    shape.back() = matrix->back();
    return shape;
  }
  if (node.op_type == "Shape") {
    return Extents{std::max<int64_t>(0, IntOf(node, "end", rank) - IntOf(node, "start", 0))};
  }
  if (node.op_type == "Gather" && ExtentsOf(node.inputs[1]) != nullptr) {
    Extents shape = *data;
    const int64_t axis = IntOf(node, "axis", 0);
    const auto place = shape.erase(shape.begin() + (axis < 0 ? axis + rank : axis));
    const Extents& indices = *ExtentsOf(node.inputs[1]);
    shape.insert(place, indices.begin(), indices.end());
    return shape;
  }
  if (node.op_type == "Concat") {
    Extents shape = *data;
    const int64_t axis = IntOf(node, "axis", 0);
    std::optional<int64_t>& sum = shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
    sum = 0;
    for (const Name input : node.inputs) {
      const Extents* part = ExtentsOf(input);
      const auto extent = part == nullptr ? std::nullopt : (*part)[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
      sum = sum && extent ? std::optional(*sum + *extent) : std::nullopt;
    }
    return shape;
  }
  if (node.op_type == "Unsqueeze" && numbers) {
    Extents shape = *data;
    std::vector<int64_t> axes = *numbers;
    for (int64_t& axis : axes) axis += axis < 0 ? rank + static_cast<int64_t>(axes.size()) : 0;
    std::ranges::sort(axes);
    for (const int64_t axis : axes) {
      if (axis > static_cast<int64_t>(shape.size())) return std::nullopt;
      shape.insert(shape.begin() + axis, 1);
    }
    return shape;
  }
  // Complex numbers stay complex numbers.
  if (node.op_type == "DFT" && !data->empty() && data->back() == 2) {
    Extents shape(data->size());
    shape.back() = 2;
    return shape;
  }
  return std::nullopt;
}

}  // namespace relayopt::onnx::out
