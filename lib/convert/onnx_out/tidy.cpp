// Nodes that undo others, and nodes on numbers that are known.
//
// Reading a model spells operators out in Relay's way, writing it in ONNX's: what one adds the other has to take away,
// or a model would grow each time it is read and written. Each rule looks at a node and at those that made its inputs;
// a value that is another one all along is replaced where it is used, and what made it is swept out later.
#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/convert/onnx/tensor_data.h"
#include "model.h"

namespace relayopt::onnx::out {

namespace {

auto AttributeOf(const Node& node, std::string_view name) -> const Attribute* {
  const auto found = std::ranges::find(node.attributes, name, &Attribute::name);
  return found == node.attributes.end() ? nullptr : &*found;
}

auto IntOf(const Node& node, std::string_view name, int64_t missing) -> int64_t {
  const Attribute* attribute = AttributeOf(node, name);
  return attribute == nullptr ? missing : attribute->i;
}

class Tidying {
 public:
  explicit Tidying(Graph& main) : main_(main) {
    for (size_t i = 0; i < main.initializers.size(); ++i) {
      constants_[main.initializers[i].name] = i;
      if (IsSmall(main.initializers[i])) by_bytes_.emplace(KeyOf(main.initializers[i]), main.initializers[i].name);
    }
    NoteRanks(main.inputs);
  }

  // NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as the writer of graphs lets them.
  void Walk(Graph& graph) {
    NoteRanks(graph.values);
    absl::flat_hash_set<std::string> outputs;
    for (const ValueType& output : graph.outputs) outputs.insert(output.name);
    for (Node& node : graph.nodes) {
      for (std::string& input : node.inputs) {
        if (const auto same = same_.find(input); same != same_.end()) input = same->second;
      }
      for (Attribute& attribute : node.attributes) {
        if (attribute.graph != nullptr) Walk(*attribute.graph);
      }
      Simplify(node);
      for (const std::string& output : node.outputs) makers_[output] = &node;
      // What a graph gives out has to be made in it.
      if (node.outputs.size() != 1 || outputs.contains(node.outputs[0])) continue;
      if (const auto value = SameAs(node)) same_[node.outputs[0]] = *value;
    }
    // A cast says its type. Whether it was written as a call of its own or with another one is not seen later.
    std::erase_if(graph.values, [&](const ValueType& value) { return Maker(value.name, "Cast") != nullptr; });
  }

 private:
  void NoteRanks(const std::vector<ValueType>& values) {
    for (const ValueType& value : values) ranks_[value.name] = value.shape.size();
  }

  auto Maker(const std::string& value, std::string_view op_type) const -> const Node* {
    const auto found = makers_.find(value);
    return found == makers_.end() || found->second->op_type != op_type ? nullptr : found->second;
  }

  auto ConstantOf(const std::string& value) const -> const TensorData* {
    const auto found = constants_.find(value);
    return found == constants_.end() ? nullptr : &main_.initializers[found->second];
  }

  // The elements of a constant of 64 or 32 bits.
  auto NumbersOf(const std::string& value) const -> std::optional<std::vector<int64_t>> {
    const TensorData* tensor = ConstantOf(value);
    if (tensor == nullptr || !IsSmall(*tensor)) return std::nullopt;
    const auto read = [&]<typename T>(T) {
      const auto* elements = reinterpret_cast<const T*>(tensor->bytes->data());
      return std::vector<int64_t>(elements, elements + tensor->bytes->size() / sizeof(T));
    };
    if (tensor->element_type == kInt64) return read(int64_t());
    if (tensor->element_type == kInt32) return read(int32_t());
    return std::nullopt;
  }

  auto IsAll(const std::string& value, int64_t number) const -> bool {
    const auto numbers = NumbersOf(value);
    return numbers && std::ranges::all_of(*numbers, [&](int64_t element) { return element == number; });
  }

  static auto IsSmall(const TensorData& tensor) -> bool {
    constexpr size_t kSmallBytes = 4096;
    return tensor.bytes->size() <= kSmallBytes;
  }

  static auto KeyOf(const TensorData& tensor) -> std::string {
    std::string key = std::to_string(tensor.element_type);
    for (const int64_t extent : tensor.dims) key += "," + std::to_string(extent);
    key += ":";
    return key.append(reinterpret_cast<const char*>(tensor.bytes->data()), tensor.bytes->size());
  }

  // The initializer with these elements.
  auto AddConstant(TensorData tensor) -> std::string {
    const auto [known, is_new] = by_bytes_.emplace(KeyOf(tensor), "");
    if (!is_new) return known->second;
    do {
      tensor.name = "k" + std::to_string(next_++);
    } while (constants_.contains(tensor.name) || ranks_.contains(tensor.name));
    constants_[tensor.name] = main_.initializers.size();
    known->second = tensor.name;
    main_.initializers.push_back(std::move(tensor));
    return known->second;
  }

  // The same node on what it is really about.
  void Simplify(Node& node) {
    // reshape(reshape(x)) where the shape that is wanted says all extents.
    if (node.op_type == "Reshape") {
      const Node* before = Maker(node.inputs[0], "Reshape");
      const auto shape = NumbersOf(node.inputs[1]);
      const bool is_whole = shape && std::ranges::find(*shape, 0) == shape->end();
      if (before != nullptr && is_whole) node.inputs[0] = before->inputs[0];
    }
  }

  // The value that the node gives, where there is one already.
  auto SameAs(const Node& node) -> std::optional<std::string> {
    const std::string_view op = node.op_type;
    if (op == "Cast") return SameAsCast(node);
    if (op == "Reshape") return SameAsReshape(node);
    if (op == "Squeeze" || op == "Unsqueeze") return SameAsSqueeze(node);
    if (op == "Gather") return SameAsGather(node);
    if (op == "Concat") return SameAsConcat(node);
    if (op == "Slice") return SameAsSlice(node);
    return std::nullopt;
  }

  // Integers in another width.
  auto SameAsCast(const Node& node) -> std::optional<std::string> {
    const TensorData* tensor = ConstantOf(node.inputs[0]);
    const auto numbers = NumbersOf(node.inputs[0]);
    if (!numbers || !IsSmall(*tensor) || IntOf(node, "to", 0) != kInt64) return std::nullopt;
    TensorData wide{{}, kInt64, tensor->dims, {}};
    const auto bytes = std::as_bytes(std::span(*numbers));
    wide.bytes = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    return AddConstant(std::move(wide));
  }

  auto SameAsReshape(const Node& node) -> std::optional<std::string> {
    const TensorData* tensor = ConstantOf(node.inputs[0]);
    const auto shape = NumbersOf(node.inputs[1]);
    if (tensor == nullptr || !IsSmall(*tensor) || !shape) return std::nullopt;
    const bool is_plain = std::ranges::all_of(*shape, [](int64_t extent) { return extent > 0; });
    return is_plain ? std::optional(AddConstant({{}, tensor->element_type, *shape, tensor->bytes})) : std::nullopt;
  }

  // squeeze(unsqueeze(x)) and the other way round, over the same axes.
  auto SameAsSqueeze(const Node& node) const -> std::optional<std::string> {
    if (node.inputs.size() != 2) return std::nullopt;
    const Node* before = Maker(node.inputs[0], node.op_type == "Squeeze" ? "Unsqueeze" : "Squeeze");
    if (before == nullptr || before->inputs.size() != 2) return std::nullopt;
    const auto axes = NumbersOf(node.inputs[1]);
    return axes && axes == NumbersOf(before->inputs[1]) ? std::optional(before->inputs[0]) : std::nullopt;
  }

  // The one element of what was a number, or one of several that were stacked.
  auto SameAsGather(const Node& node) const -> std::optional<std::string> {
    const TensorData* place = ConstantOf(node.inputs[1]);
    const auto numbers = NumbersOf(node.inputs[1]);
    if (!numbers || !place->dims.empty()) return std::nullopt;
    const int64_t at = (*numbers)[0];
    const int64_t axis = IntOf(node, "axis", 0);
    if (const Node* reshape = Maker(node.inputs[0], "Reshape"); reshape != nullptr && at == 0) {
      const auto rank = ranks_.find(reshape->inputs[0]);
      const auto shape = NumbersOf(reshape->inputs[1]);
      if (rank != ranks_.end() && rank->second == 0 && shape && shape->size() == 1) return reshape->inputs[0];
    }
    const Node* stack = Maker(node.inputs[0], "Concat");
    if (stack == nullptr || IntOf(*stack, "axis", 0) != axis || at < 0) return std::nullopt;
    for (const std::string& part : stack->inputs) {
      const Node* wrapped = Maker(part, "Unsqueeze");
      if (wrapped == nullptr || NumbersOf(wrapped->inputs[1]) != std::vector{axis}) return std::nullopt;
    }
    if (at >= static_cast<int64_t>(stack->inputs.size())) return std::nullopt;
    return Maker(stack->inputs[static_cast<size_t>(at)], "Unsqueeze")->inputs[0];
  }

  // All parts of a split, in their order.
  auto SameAsConcat(const Node& node) const -> std::optional<std::string> {
    const Node* split = Maker(node.inputs[0], "Split");
    if (split == nullptr || split->outputs != node.inputs) return std::nullopt;
    return IntOf(*split, "axis", 0) == IntOf(node, "axis", 0) ? std::optional(split->inputs[0]) : std::nullopt;
  }

  // As many rows as there were before rows were added to have a number that is known:
  // slice(pad(x, [0, n - count]), [0], count) with count = shape(x)
  auto SameAsSlice(const Node& node) const -> std::optional<std::string> {
    const Node* pad = Maker(node.inputs[0], "Pad");
    if (pad == nullptr || node.inputs.size() != 5) return std::nullopt;
    const bool is_front =
        IsAll(node.inputs[1], 0) && IsAll(node.inputs[4], 1) && NumbersOf(node.inputs[3]) == std::vector<int64_t>{0};
    const Node* pads = Maker(pad->inputs[1], "Concat");
    const Node* count = Maker(node.inputs[2], "Shape");
    if (!is_front || pads == nullptr || count == nullptr || count->inputs[0] != pad->inputs[0]) return std::nullopt;
    const bool is_added = std::ranges::any_of(pads->inputs, [&](const std::string& part) {
      const Node* missing = Maker(part, "Sub");
      return missing != nullptr ? missing->inputs[1] == node.inputs[2] : !IsAll(part, 0);
    });
    const bool is_only = std::ranges::all_of(
        pads->inputs, [&](const std::string& part) { return Maker(part, "Sub") != nullptr || IsAll(part, 0); });
    return is_added && is_only ? std::optional(pad->inputs[0]) : std::nullopt;
  }

  Graph& main_;
  absl::flat_hash_map<std::string, size_t> constants_;
  absl::flat_hash_map<std::string, std::string> by_bytes_;
  absl::flat_hash_map<std::string, size_t> ranks_;
  absl::flat_hash_map<std::string, const Node*> makers_;
  absl::flat_hash_map<std::string, std::string> same_;
  size_t next_ = 0;
};

// -- names --

// Whether it is a name that the writer made: v and a number.
auto IsNumbered(const std::string& name) -> bool {
  return name.size() > 1 && name[0] == 'v' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Values and constants without names of their own are numbered in the order of the nodes, constants by their first use.
class Numbering {
 public:
  explicit Numbering(Graph& main) : main_(main) {
    for (const ValueType& input : main.inputs) kept_.insert(input.name);
    for (const ValueType& output : main.outputs) kept_.insert(output.name);
    for (size_t i = 0; i < main.initializers.size(); ++i) {
      const TensorData& tensor = main.initializers[i];
      constants_[tensor.name] = i;
      if (tensor.is_named) kept_.insert(tensor.name);
    }
  }

  void Run() {
    for (const Node& node : main_.nodes) Number(node);
    std::vector<TensorData> sorted;
    for (const size_t place : order_) sorted.push_back(std::move(main_.initializers[place]));
    main_.initializers = std::move(sorted);
    for (TensorData& tensor : main_.initializers) Rename(tensor.name);
    Rename(main_, true);
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion)
  void Number(const Node& node) {
    for (const std::string& input : node.inputs) {
      const auto constant = constants_.find(input);
      if (constant == constants_.end() || !used_.insert(input).second) continue;
      order_.push_back(constant->second);
      if (!main_.initializers[constant->second].is_named) Give(input, "c", next_constant_);
    }
    for (const Attribute& attribute : node.attributes) {
      if (attribute.graph == nullptr) continue;
      for (const ValueType& input : attribute.graph->inputs) Give(input.name, "v", next_value_);
      for (const Node& inner : attribute.graph->nodes) Number(inner);
    }
    for (const std::string& output : node.outputs) {
      if (IsNumbered(output) && !kept_.contains(output)) Give(output, "v", next_value_);
    }
  }

  void Give(const std::string& name, std::string_view letter, size_t& next) {
    std::string& now = names_[name];
    do {
      now = std::string(letter) + std::to_string(next++);
    } while (kept_.contains(now));
  }

  void Rename(std::string& name) const {
    if (const auto found = names_.find(name); found != names_.end()) name = found->second;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void Rename(Graph& graph, bool is_main) {
    if (!is_main) {
      for (ValueType& input : graph.inputs) Rename(input.name);
    }
    for (Node& node : graph.nodes) {
      for (std::string& input : node.inputs) Rename(input);
      for (std::string& output : node.outputs) Rename(output);
      for (Attribute& attribute : node.attributes) {
        if (attribute.graph != nullptr) Rename(*attribute.graph, false);
      }
    }
    for (ValueType& output : graph.outputs) Rename(output.name);
    for (ValueType& value : graph.values) Rename(value.name);
  }

  Graph& main_;
  absl::flat_hash_map<std::string, size_t> constants_;
  absl::flat_hash_set<std::string> kept_;
  absl::flat_hash_set<std::string> used_;
  std::vector<size_t> order_;
  absl::flat_hash_map<std::string, std::string> names_;
  size_t next_value_ = 0;
  size_t next_constant_ = 0;
};

}  // namespace

void Tidy(Graph& graph) {
  Tidying(graph).Walk(graph);
  RemoveUnused(graph);
  Numbering(graph).Run();
}

}  // namespace relayopt::onnx::out
