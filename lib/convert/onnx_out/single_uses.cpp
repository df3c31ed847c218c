// Nodes that are only there for a single other one.
//
//   y = Unsqueeze<axes=[a]>(Gather<axis=a>(x, 2))   =>   y = Gather<axis=a>(x, [2])
//   z = Identity(y), where z is an output           =>   the node that computes y computes z
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "known_values.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

namespace {

// Whether a node only gives another name to its operand.
auto IsRenaming(const Node& node) -> bool {
  return node.domain.empty() && node.inputs.size() == 1 && node.outputs.size() == 1 &&
         (node.op_type == "Identity" || node.op_type == "Concat");
}

// Whether there is a node that may be joined with another one.
// NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as the writer of graphs lets them.
auto HasJoinable(const Graph& graph) -> bool {
  return std::ranges::any_of(graph.nodes, [](const Node& node) {
    return (node.op_type == "Unsqueeze" && !node.is_foreign) || IsRenaming(node) ||
           std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
             return attribute.graph != nullptr && HasJoinable(*attribute.graph);
           });
  });
}

class SingleUses {
 public:
  SingleUses(Graph& main, NameTable& names, int64_t opset) : known_(main, names, opset), uses_(names.size()) {
    Count(main);
  }

  // NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as the writer of graphs lets them.
  void Join(Graph& graph) {
    // The nodes that compute the values of this graph.
    Makers makers;
    known_.NoteTypes(graph.values);
    for (Node& node : graph.nodes) {
      for (Attribute& attribute : node.attributes) {
        if (attribute.graph != nullptr) Join(*attribute.graph);
      }
      if (node.op_type == "Unsqueeze" && !node.is_foreign) JoinGather(node, makers);
      if (!node.is_foreign) known_.NoteNode(node);
      for (const Name output : node.outputs) makers[output] = &node;
    }
    absl::flat_hash_set<const Node*> joined;
    GraphNameSet renamed;
    for (const ValueType& output : graph.outputs) {
      // Each turn removes a node.
      for (const Node* copy = CopyOf(output.name, makers); copy != nullptr; copy = CopyOf(output.name, makers)) {
        const Name source = copy->inputs[0];
        Node* const maker = makers.at(source);
        std::ranges::replace(maker->outputs, source, output.name);
        makers[output.name] = maker;
        joined.insert(copy);
        renamed.insert(source);
      }
    }
    std::erase_if(graph.nodes, [&](const Node& node) { return joined.contains(&node); });
    std::erase_if(graph.values, [&](const ValueType& value) { return renamed.contains(value.name); });
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion)
  void Count(const Graph& graph) {
    for (const Node& node : graph.nodes) {
      for (const Name input : node.inputs) ++uses_[input];
      for (const Name capture : node.captures) ++uses_[capture];
      for (const Attribute& attribute : node.attributes) {
        if (attribute.graph != nullptr) Count(*attribute.graph);
      }
    }
    for (const ValueType& output : graph.outputs) ++uses_[output.name];
  }

  using Makers = GraphNameMap<Node*>;

  // Returns the node that only gives another name to a result of a node of the graph that nothing else uses; null if
  // the value is computed by another node.
  auto CopyOf(Name value, const Makers& makers) const -> const Node* {
    const auto found = makers.find(value);
    const Node* node = found == makers.end() ? nullptr : found->second;
    const bool is_copy = node != nullptr && IsRenaming(*node) && uses_[node->inputs[0]] == 1;
    return is_copy && makers.contains(node->inputs[0]) ? node : nullptr;
  }

  // An index that is a list keeps the axis that a number removes.
  void JoinGather(Node& node, const Makers& makers) {
    const auto maker = makers.find(node.inputs[0]);
    if (maker == makers.end() || node.inputs.size() != 2 || uses_[node.inputs[0]] != 1) return;
    const Node& gather = *maker->second;
    if (gather.op_type != "Gather" || !gather.domain.empty()) return;
    const TensorData* index = known_.ConstantOf(gather.inputs[1]);
    const auto numbers = known_.NumbersOf(gather.inputs[1]);
    const int64_t axis = IntOf(gather, "axis", 0);
    if (!numbers || !index->dims.empty() || known_.NumbersOf(node.inputs[1]) != std::vector{axis}) return;
    node.op_type = "Gather";
    node.inputs = {gather.inputs[0], known_.AddList(*numbers)};
    node.attributes = {Int("axis", axis)};
    SimplifySlice(node, known_);
  }

  KnownValues known_;
  // How many nodes, graphs in them and outputs use each value.
  NameMap<size_t> uses_;
};

}  // namespace

auto JoinSingleUses(Graph& main, NameTable& names, int64_t opset) -> bool {
  if (!HasJoinable(main)) return false;
  SingleUses(main, names, opset).Join(main);
  return true;
}

}  // namespace relayopt::onnx::out
