// Nodes that undo others, and nodes on numbers that are known.
//
// Reading a model spells operators out in Relay's way, writing it in ONNX's: what one adds the other has to take away,
// or a model would grow each time it is read and written. Each rule looks at a node and at those that made its inputs;
// a value that is another one all along is replaced where it is used, and what made it is swept out later. Rules about
// places, axes and extents are in index_rules.cpp and slice_rules.cpp, those about quantized tensors in
// quantized_rules.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "known_values.h"
#include "lib/convert/onnx/tensor_data.h"
#include "model.h"

namespace relayopt::onnx::out {

namespace {

// Operators whose repeated nodes are merged: they are cheap, and reading a model creates them wherever they are needed.
constexpr std::string_view kRepeated[] = {"Reshape", "Shape", "TopK"};

class Tidying {
 public:
  Tidying(Graph& main, NameTable& names, int64_t opset) : known_(main, names, opset), same_(names.size()) {}

  // NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as the writer of graphs lets them.
  void Walk(Graph& graph) {
    known_.NoteTypes(graph.values);
    GraphNameSet given;
    for (const ValueType& output : graph.outputs) given.insert(output.name);
    // The nodes of this graph by what they compute, up to `noted`: most graphs do without.
    GraphNameMap<Node*> here;
    size_t noted = 0;
    const auto find_here = [&](Name value, const Node& last) -> Node* {
      for (; noted < graph.nodes.size() && &graph.nodes[noted] <= &last; ++noted) {
        if (!graph.nodes[noted].is_foreign) here[graph.nodes[noted].outputs[0]] = &graph.nodes[noted];
      }
      const auto found = here.find(value);
      return found == here.end() ? nullptr : found->second;
    };
    for (Node& node : graph.nodes) {
      std::ranges::for_each(node.inputs, [this](Name& input) { ReplaceBySame(input); });
      std::ranges::for_each(node.captures, [this](Name& capture) { ReplaceBySame(capture); });
      const bool is_gather = node.is_foreign && node.domain.empty() && node.op_type == "Gather";
      if (is_gather && node.inputs.size() == 2) SimplifySlice(node, known_);
      // Foreign nodes are written as the model has them, whatever their version.
      if (node.is_foreign) {
        known_.NoteForeign(node);
        if (!node.domain.empty() || node.op_type != "Concat") continue;
        DropEmptyParts(node);
        if (node.inputs.size() == 1) NoteSame(node, given);
        continue;
      }
      for (Attribute& attribute : node.attributes) {
        if (attribute.graph == nullptr) continue;
        known_.Enter();
        Walk(*attribute.graph);
        known_.Leave();
      }
      Simplify(node);
      known_.NoteNode(node);
      if (node.op_type == "QuantizeLinear" && node.inputs.size() == 3) {
        Node* const scale = find_here(node.inputs[1], node);
        Node* const point = find_here(node.inputs[2], node);
        if (scale != nullptr && point != nullptr) RestoreDynamicQuantization(node, *scale, *point, known_);
      }
      NoteSame(node, given);
      // One of several equal nodes stays, with the name of any of them.
      const Name first = same_[node.outputs[0]];
      Node* const stays = first.empty() ? nullptr : find_here(first, node);
      const bool is_equal = stays != nullptr && stays->op_type == node.op_type && stays->inputs == node.inputs;
      if (is_equal && !stays->source) stays->source = node.source;
    }
    // A cast contains its type, so the types of its results need not be written.
    std::erase_if(graph.values, [&](const ValueType& value) { return known_.Maker(value.name, "Cast") != nullptr; });
  }

 private:
  void ReplaceBySame(Name& value) const {
    if (const Name same = same_[value]; !same.empty()) value = same;
  }

  // Simplifies the operands of a node.
  void Simplify(Node& node) {
    SimplifySlice(node, known_);
    SimplifyIndices(node, known_);
    SimplifyProduct(node, known_);
    if (node.op_type == "Reshape") {
      // reshape(reshape(x)): the first is redundant if the second gives all extents, or keeps those that both keep.
      const auto shape = known_.NumbersOf(node.inputs[1]);
      if (!shape) return;
      if (std::ranges::find(*shape, 0) != shape->end()) {
        const Node* before = known_.Maker(node.inputs[0], "Reshape");
        if (before != nullptr && SameAsReshape(node) == node.inputs[0]) {
          // Its result may be an output of the graph, which must be computed here.
          node.inputs = before->inputs;
          node.attributes = before->attributes;
        } else if (before != nullptr && KeepsZeros(*before, *shape)) {
          node.inputs[0] = before->inputs[0];
        }
        return;
      }
      // Each turn goes to an earlier node.
      while (const Node* before = MoverOf(node.inputs[0])) node.inputs[0] = before->inputs[0];
    } else if (node.op_type == "Unsqueeze") {
      JoinAxes(node);
    } else if (node.op_type == "Concat") {
      DropEmptyParts(node);
    } else if (node.op_type == "Cast") {
      SimplifyCast(node);
    } else if (node.op_type == "Shape") {
      DropLastEnd(node);
    }
  }

  // Returns the node that only gives another shape to its operand and computes this value, or null.
  auto MoverOf(Name value) const -> const Node* {
    for (const std::string_view op : {"Reshape", "Squeeze", "Unsqueeze"}) {
      if (const Node* mover = known_.Maker(value, op)) return mover;
    }
    return nullptr;
  }

  // A Shape ends at the last axis by itself.
  void DropLastEnd(Node& node) const {
    const auto rank = known_.RankOf(node.inputs[0]);
    if (!rank || IntOf(node, "end", -1) != static_cast<int64_t>(*rank)) return;
    std::erase_if(node.attributes, [](const auto& attribute) { return attribute.name == "end"; });
  }

  // Parts without elements add nothing to the others.
  void DropEmptyParts(Node& node) const {
    const int64_t axis = IntOf(node, "axis", 0);
    const auto is_empty = [&](Name part) {
      const auto* extents = known_.ExtentsOf(part);
      if (extents == nullptr) return false;
      const auto rank = static_cast<int64_t>(extents->size());
      const int64_t at = axis < 0 ? axis + rank : axis;
      return at >= 0 && at < rank && (*extents)[static_cast<size_t>(at)] == 0;
    };
    if (std::ranges::all_of(node.inputs, is_empty) || std::ranges::none_of(node.inputs, is_empty)) return;
    node.inputs.erase(std::ranges::remove_if(node.inputs, is_empty).begin(), node.inputs.end());
    if (node.inputs.size() != 1) return;
    node.op_type = "Identity";
    node.attributes.clear();
  }

  // Whether 0 in the shape of a reshape is an extent.
  static auto TakesZeros(const Node& reshape, const std::vector<int64_t>& shape) -> bool {
    return IntOf(reshape, "allowzero", 0) != 0 && std::ranges::find(shape, 0) != shape.end();
  }

  // Whether a reshape keeps the extents that `shape`, a reshape of its result, keeps.
  auto KeepsZeros(const Node& before, const std::vector<int64_t>& shape) const -> bool {
    const auto inner = known_.NumbersOf(before.inputs[1]);
    if (!inner || TakesZeros(before, *inner)) return false;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 0 && (i >= inner->size() || (*inner)[i] != 0)) return false;
    }
    return true;
  }

  void SimplifyCast(Node& node) {
    const int64_t type = IntOf(node, "to", 0);
    const Node* before = known_.Maker(node.inputs[0], "Cast");
    if (before == nullptr) return;
    // cast(cast(x)) to the same type.
    if (IntOf(*before, "to", 0) == type) {
      node.inputs[0] = before->inputs[0];
      return;
    }
    // 8-bit floats are held in wider ones and back: their producer determines how.
    const Node* narrow = known_.Maker(before->inputs[0], "Cast");
    if (narrow == nullptr || !IsFloat8(static_cast<int32_t>(type)) || IntOf(*narrow, "to", 0) != type) return;
    if (IntOf(*before, "to", 0) != kFloat) return;
    node.inputs = narrow->inputs;
    node.attributes = narrow->attributes;
  }

  // unsqueeze(unsqueeze(x)) adds all axes at once.
  void JoinAxes(Node& node) {
    const Node* before = known_.Maker(node.inputs[0], "Unsqueeze");
    const auto axes = known_.NumbersOf(node.inputs[1]);
    const auto inner = before == nullptr ? std::nullopt : known_.NumbersOf(before->inputs[1]);
    if (!axes || !inner) return;
    const auto is_negative = [](int64_t axis) { return axis < 0; };
    if (std::ranges::any_of(*axes, is_negative) || std::ranges::any_of(*inner, is_negative)) return;
    std::vector<int64_t> joined = *axes;
    std::ranges::sort(joined);
    std::vector<int64_t> moved = *inner;
    std::ranges::sort(moved);
    // Each of the first axes comes after the second axes that precede it.
    std::vector<int64_t> all = joined;
    for (int64_t axis : moved) {
      for (const int64_t added : joined) axis += added <= axis ? 1 : 0;
      all.push_back(axis);
    }
    std::ranges::sort(all);
    node.inputs = {before->inputs[0], known_.AddList(all)};
  }

  // Records values that equal an existing value. Outputs of a graph must be computed in it.
  void NoteSame(const Node& node, const GraphNameSet& given) {
    if (std::ranges::find(kRepeated, node.op_type) != std::end(kRepeated)) {
      const Names& first = known_.FirstOf(node);
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (first[i] != node.outputs[i] && !given.contains(node.outputs[i])) same_[node.outputs[i]] = first[i];
      }
    }
    if (given.contains(node.outputs[0])) return;
    if (const auto value = SameAs(node)) same_[node.outputs[0]] = *value;
  }

  // Returns an existing value that equals the first output of the node, or nothing if there is none.
  auto SameAs(const Node& node) -> std::optional<Name> {
    const std::string_view op = node.op_type;
    if (op == "TopK") return SameAsTopK(node);
    if (node.outputs.size() != 1) return std::nullopt;
    if (op == "Reshape") return SameAsReshape(node);
    if (op == "Squeeze" || op == "Unsqueeze") return SameAsSqueeze(node);
    if (op == "Gather") return SameAsGather(node);
    if (op == "Identity") return node.inputs[0];
    if (op == "Concat") return SameAsConcat(node);
    if (op == "Slice") return SameAsSlice(node, known_);
    if (op == "Cast") {
      if (auto value = SameAsCast(node)) return value;
    }
    return SameIndices(node, known_);
  }

  // Returns the elements of a constant in 64 bits.
  auto SameAsCast(const Node& node) -> std::optional<Name> {
    const TensorData* tensor = known_.ConstantOf(node.inputs[0]);
    const auto numbers = known_.NumbersOf(node.inputs[0]);
    if (!numbers || IntOf(node, "to", 0) != kInt64) return std::nullopt;
    TensorData wide{{}, kInt64, tensor->dims, {}};
    const auto bytes = std::as_bytes(std::span(*numbers));
    wide.bytes = std::vector(bytes.begin(), bytes.end());
    return known_.AddConstant(std::move(wide));
  }

  // Returns a small constant in the new shape, or the operand if it has this shape already.
  auto SameAsReshape(const Node& node) -> std::optional<Name> {
    const auto shape = known_.NumbersOf(node.inputs[1]);
    if (!shape) return std::nullopt;
    const bool is_plain = std::ranges::all_of(*shape, [](int64_t extent) { return extent > 0; });
    const bool is_list = *shape == std::vector<int64_t>{-1} && known_.RankOf(node.inputs[0]) == 1;
    if (is_list || (is_plain && known_.ShapeOf(node.inputs[0]) == shape)) return node.inputs[0];
    const auto* extents = known_.ExtentsOf(node.inputs[0]);
    // Extents are kept, or are known to equal the numbers.
    const bool is_kept =
        extents != nullptr && std::ranges::equal(*extents, *shape, [](const auto& extent, int64_t number) {
          return number == 0 || (number > 0 && extent == number);
        });
    if (is_kept && !TakesZeros(node, *shape)) return node.inputs[0];
    const TensorData* tensor = known_.ConstantOf(node.inputs[0]);
    if (tensor == nullptr || !KnownValues::IsSmall(*tensor) || !is_plain) return std::nullopt;
    return known_.AddConstant({{}, tensor->element_type, *shape, tensor->bytes});
  }

  // squeeze(unsqueeze(x)) and the other way round, over the same axes.
  auto SameAsSqueeze(const Node& node) const -> std::optional<Name> {
    if (node.inputs.size() != 2) return std::nullopt;
    const Node* before = known_.Maker(node.inputs[0], node.op_type == "Squeeze" ? "Unsqueeze" : "Squeeze");
    if (before == nullptr || before->inputs.size() != 2) return std::nullopt;
    const auto axes = known_.NumbersOf(node.inputs[1]);
    return axes && axes == known_.NumbersOf(before->inputs[1]) ? std::optional(before->inputs[0]) : std::nullopt;
  }

  // Returns the element of a scalar, or of a stack of scalars.
  auto SameAsGather(const Node& node) -> std::optional<Name> {
    const TensorData* place = known_.ConstantOf(node.inputs[1]);
    const auto numbers = known_.NumbersOf(node.inputs[1]);
    if (!numbers || !place->dims.empty()) return std::nullopt;
    const int64_t at = (*numbers)[0];
    const int64_t axis = IntOf(node, "axis", 0);
    if (const Node* reshape = known_.Maker(node.inputs[0], "Reshape"); reshape != nullptr && at == 0) {
      const auto shape = known_.NumbersOf(reshape->inputs[1]);
      if (known_.RankOf(reshape->inputs[0]) == 0 && shape && shape->size() == 1) return reshape->inputs[0];
    }
    const Node* stack = known_.Maker(node.inputs[0], "Concat");
    if (stack == nullptr || IntOf(*stack, "axis", 0) != axis || at < 0) return std::nullopt;
    if (at >= static_cast<int64_t>(stack->inputs.size()) || !IsStack(*stack)) return std::nullopt;
    return known_.Maker(stack->inputs[static_cast<size_t>(at)], "Unsqueeze")->inputs[0];
  }

  // Whether all parts of a Concat have one element along its axis. The result is cached for each Concat.
  auto IsStack(const Node& concat) -> bool {
    const auto [known, is_new] = stacks_.try_emplace(concat.outputs[0], true);
    const int64_t axis = IntOf(concat, "axis", 0);
    for (size_t i = 0; is_new && known->second && i < concat.inputs.size(); ++i) {
      const Node* wrapped = known_.Maker(concat.inputs[i], "Unsqueeze");
      known->second = wrapped != nullptr && known_.NumbersOf(wrapped->inputs[1]) == std::vector{axis};
    }
    return known->second;
  }

  // Returns the only part, or all parts in their order.
  auto SameAsConcat(const Node& node) const -> std::optional<Name> {
    if (node.inputs.size() == 1) return node.inputs[0];
    const auto stacked = SameAsStack(node);
    if (stacked) return stacked;
    const Node* split = known_.Maker(node.inputs[0], "Split");
    if (split == nullptr || split->outputs != node.inputs) return std::nullopt;
    return IntOf(*split, "axis", 0) == IntOf(node, "axis", 0) ? std::optional(split->inputs[0]) : std::nullopt;
  }

  // concat(unsqueeze(gather(x, 0)), unsqueeze(gather(x, 1)), ...) of all that there are.
  auto SameAsStack(const Node& node) const -> std::optional<Name> {
    const int64_t axis = IntOf(node, "axis", 0);
    Name source;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Node* wrapped = known_.Maker(node.inputs[i], "Unsqueeze");
      const Node* taken = wrapped == nullptr ? nullptr : known_.Maker(wrapped->inputs[0], "Gather");
      if (taken == nullptr || known_.NumbersOf(wrapped->inputs[1]) != std::vector{axis}) return std::nullopt;
      const bool is_next = IntOf(*taken, "axis", 0) == axis && known_.RankOf(taken->inputs[1]) == 0 &&
                           known_.IsAll(taken->inputs[1], static_cast<int64_t>(i));
      if (!is_next || (i > 0 && taken->inputs[0] != source)) return std::nullopt;
      source = taken->inputs[0];
    }
    const auto* extents = known_.ExtentsOf(source);
    if (extents == nullptr || axis < 0 || axis >= static_cast<int64_t>(extents->size())) return std::nullopt;
    const bool is_whole = (*extents)[static_cast<size_t>(axis)] == static_cast<int64_t>(node.inputs.size());
    return is_whole ? std::optional(source) : std::nullopt;
  }

  // The elements must be taken in order.
  auto SameAsTopK(const Node& node) const -> std::optional<Name> {
    const auto* extents = known_.ExtentsOf(node.inputs[0]);
    const int64_t axis = IntOf(node, "axis", -1);
    if (extents == nullptr || axis < 0 || !known_.IsAll(node.inputs[1], 1)) return std::nullopt;
    return (*extents)[static_cast<size_t>(axis)] == 1 ? std::optional(node.inputs[0]) : std::nullopt;
  }

  KnownValues known_;
  // The values that others equal.
  NameMap<Name> same_;
  // Keyed by the output of a Concat.
  absl::flat_hash_map<Name, bool> stacks_;
};

// -- names --

// Values and constants without names of their own are numbered in the order of the nodes, constants by their first use.
class Numbering {
 public:
  Numbering(Graph& main, NameTable& names)
      : main_(main), names_(names), constants_(names.size()), kept_(names.size()), now_(names.size()) {
    for (const ValueType& input : main.inputs) kept_.insert(input.name);
    for (const ValueType& output : main.outputs) kept_.insert(output.name);
    for (TensorData& tensor : main.initializers) {
      constants_[tensor.name] = &tensor;
      if (tensor.is_named) kept_.insert(tensor.name);
    }
  }

  void Run() {
    for (const Node& node : main_.nodes) Number(node);
    for (const ValueType& output : main_.outputs) Use(output.name);
    main_.initializers = std::move(sorted_);
    for (TensorData& tensor : main_.initializers) Rename(tensor.name);
    Rename(main_, true);
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion)
  void Number(const Node& node) {
    for (const Name input : node.inputs) Use(input);
    for (const Name capture : node.captures) Use(capture);
    for (const Attribute& attribute : node.attributes) {
      if (attribute.graph == nullptr) continue;
      for (const ValueType& input : attribute.graph->inputs) GiveNumber(input.name);
      for (const Node& inner : attribute.graph->nodes) Number(inner);
    }
    for (const Name output : node.outputs) {
      if (output.is_numbered() && !kept_.contains(output)) GiveNumber(output);
    }
  }

  void Use(Name input) {
    TensorData* const constant = std::exchange(constants_[input], nullptr);
    if (constant == nullptr) return;
    sorted_.push_back(std::move(*constant));
    if (sorted_.back().is_named) return;
    Name& now = now_[input];
    do {
      now = names_.Intern(fmt::format("c{}", next_constant_++));
    } while (kept_.contains(now));
  }

  void GiveNumber(Name name) {
    Name& now = now_[name];
    do {
      now = names_.Numbered(next_value_++);
    } while (kept_.contains(now));
  }

  void Rename(Name& name) const {
    if (const Name now = now_[name]; !now.empty()) name = now;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void Rename(Graph& graph, bool is_main) {
    if (!is_main) {
      for (ValueType& input : graph.inputs) Rename(input.name);
    }
    for (Node& node : graph.nodes) {
      for (Name& input : node.inputs) Rename(input);
      for (Name& capture : node.captures) Rename(capture);
      for (Name& output : node.outputs) Rename(output);
      for (Attribute& attribute : node.attributes) {
        if (attribute.graph != nullptr) Rename(*attribute.graph, false);
      }
    }
    for (ValueType& output : graph.outputs) Rename(output.name);
    for (ValueType& value : graph.values) Rename(value.name);
  }

  Graph& main_;
  NameTable& names_;
  // The initializers that no node used so far, and the others in their order.
  NameMap<TensorData*> constants_;
  std::vector<TensorData> sorted_;
  NameSet kept_;
  // The new names of values.
  NameMap<Name> now_;
  size_t next_value_ = 0;
  size_t next_constant_ = 0;
};

}  // namespace

void Tidy(Graph& graph, NameTable& names, int64_t opset) {
  Tidying(graph, names, opset).Walk(graph);
  RemoveUnused(graph);
  if (JoinSingleUses(graph, names, opset)) RemoveUnused(graph);
  Numbering(graph, names).Run();
}

}  // namespace relayopt::onnx::out
