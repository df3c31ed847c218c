// Of the nodes whose operands are there, the first one in the file comes next.
//
//   z = Relu(y)         waits for the second node        y = Cast(x)
//   y = Cast(x)                                    =>     z = Relu(y)
#include "node_order.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace relayopt::onnx {

namespace {

// The names that a node uses: its inputs, and whatever graphs inside of it mention.
auto NamesUsedBy(const NodeProto& node) -> std::vector<std::string_view> {
  std::vector<std::string_view> names = node.inputs;
  std::vector<const GraphProto*> graphs;
  const auto add_graphs = [&](const NodeProto& owner) {
    for (const AttributeProto& attribute : owner.attributes) {
      if (attribute.graph != nullptr) graphs.push_back(attribute.graph);
    }
  };
  add_graphs(node);
  for (size_t i = 0; i < graphs.size(); ++i) {
    const GraphProto* graph = graphs[i];
    for (const NodeProto& inner : graph->nodes) {
      names.insert(names.end(), inner.inputs.begin(), inner.inputs.end());
      add_graphs(inner);
    }
    for (const ValueInfo& output : graph->outputs) names.push_back(output.name);
  }
  return names;
}

// Whether no node takes what a later one makes.
auto IsOrdered(const GraphProto& graph, bool with_inner) -> bool {
  absl::flat_hash_set<std::string_view> made;
  absl::flat_hash_set<std::string_view> missing;
  for (const NodeProto& node : graph.nodes) {
    const auto use = [&](std::string_view name) {
      if (!name.empty() && !made.contains(name)) missing.insert(name);
    };
    if (with_inner && !node.attributes.empty()) {
      std::ranges::for_each(NamesUsedBy(node), use);
    } else {
      std::ranges::for_each(node.inputs, use);
    }
    for (const std::string_view output : node.outputs) {
      if (missing.contains(output)) return false;
      made.insert(output);
    }
  }
  return true;
}

}  // namespace

void OrderNodes(GraphProto& graph, bool with_inner) {
  if (IsOrdered(graph, with_inner)) return;
  const size_t count = graph.nodes.size();
  absl::flat_hash_map<std::string_view, size_t> makers;
  for (size_t i = 0; i < count; ++i) {
    for (const std::string_view output : graph.nodes[i].outputs) {
      if (!output.empty()) makers.try_emplace(output, i);
    }
  }
  std::vector<size_t> missing(count);
  std::vector<std::vector<size_t>> users(count);
  for (size_t i = 0; i < count; ++i) {
    for (const std::string_view name : NamesUsedBy(graph.nodes[i])) {
      const auto maker = makers.find(name);
      if (maker == makers.end() || maker->second == i) continue;
      users[maker->second].push_back(i);
      ++missing[i];
    }
  }
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < count; ++i) {
    if (missing[i] == 0) ready.push(i);
  }
  std::vector<size_t> order;
  while (!ready.empty()) {
    const size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const size_t user : users[next]) {
      if (--missing[user] == 0) ready.push(user);
    }
  }
  if (order.size() < count) return;
  std::vector<NodeProto> sorted;
  for (const size_t i : order) {
    sorted.push_back(std::move(graph.nodes[i]));
    // Writers keep the order of offsets.
    sorted.back().offset = sorted.size();
  }
  graph.nodes = std::move(sorted);
}

}  // namespace relayopt::onnx
