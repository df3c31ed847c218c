// Makes a graph small enough to look at.
//
//   %data -> [kernel: conv2d -> add -> relu] -> result      %data -> (conv2d+add+relu 3x3) -> result
//   weight -> conv2d, constant -> add
//
// Nodes inside of a kernel stand for the kernel; what is computed from constants and weights alone is left out.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/text/graph.h"

namespace relayopt {

namespace {

class Condenser {
 public:
  explicit Condenser(const Graph& graph) : graph_(graph), node_(graph.nodes.size(), kNone) {}

  auto Run() -> Graph {
    FindKernels();
    FindUnused();
    AddFunctions();
    AddNodes();
    AddEdges();
    return std::move(result_);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // For each function, the outermost kernel that it is or that contains it.
  void FindKernels() {
    kernel_.assign(graph_.functions.size(), kNone);
    for (uint32_t i = 0; i < graph_.functions.size(); ++i) {
      const GraphFunction& function = graph_.functions[i];
      const bool is_inner = function.parent != GraphFunction::kTop;
      const uint32_t around = is_inner ? kernel_[function.parent] : kNone;
      // A kernel that is a global function or a value is shown with what is in it.
      kernel_[i] = around != kNone ? around : function.is_kernel && is_inner && function.call ? i : kNone;
    }
  }

  // Constants, weights, and what is computed from them alone. Operands have smaller numbers than their users, except
  // for those of kernels.
  void FindUnused() {
    is_unused_.assign(graph_.nodes.size(), false);
    std::vector<std::vector<uint32_t>> operands(graph_.nodes.size());
    std::vector<bool> is_result(graph_.nodes.size(), false);
    for (const GraphEdge& edge : graph_.edges) {
      operands[edge.to].push_back(edge.from);
      if (graph_.nodes[edge.to].kind == GraphNode::Kind::kResult) is_result[edge.from] = true;
    }
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      const bool computes = node.kind == GraphNode::Kind::kOperator || node.kind == GraphNode::Kind::kData;
      is_unused_[i] = node.kind == GraphNode::Kind::kConstant ||
                      (node.kind == GraphNode::Kind::kParam && node.is_weight) ||
                      (computes && !is_result[i] && !operands[i].empty() && KernelOf(i) == kNone &&
                       std::ranges::all_of(operands[i], [&](uint32_t operand) { return is_unused_[operand]; }));
    }
  }

  void AddFunctions() {
    function_.assign(graph_.functions.size(), kNone);
    for (uint32_t i = 0; i < graph_.functions.size(); ++i) {
      if (kernel_[i] != kNone) continue;
      GraphFunction function = graph_.functions[i];
      if (function.parent != GraphFunction::kTop) function.parent = function_[function.parent];
      function_[i] = static_cast<uint32_t>(result_.functions.size());
      result_.functions.push_back(std::move(function));
    }
  }

  auto KernelOf(uint32_t node) const -> uint32_t { return kernel_[graph_.nodes[node].function]; }

  void AddNodes() {
    std::vector<uint32_t> node_of_kernel(graph_.functions.size(), kNone);
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (is_unused_[i]) continue;
      GraphNode node = graph_.nodes[i];
      const uint32_t kernel = KernelOf(i);
      if (kernel == kNone) {
        node.function = function_[node.function];
        if (!node.short_label.empty()) node.label = node.short_label;
        node_[i] = static_cast<uint32_t>(result_.nodes.size());
        result_.nodes.push_back(std::move(node));
        continue;
      }
      if (node_of_kernel[kernel] == kNone) {
        const GraphFunction& function = graph_.functions[kernel];
        node_of_kernel[kernel] = static_cast<uint32_t>(result_.nodes.size());
        result_.nodes.push_back(
            {GraphNode::Kind::kCall, function.label, "", function_[function.parent], function.expr});
      }
      node_[i] = node_of_kernel[kernel];
      // The last one is the result.
      result_.nodes[node_[i]].type = node.type;
      result_.nodes[node_[i]].macs += node.macs;
    }
  }

  void AddEdges() {
    absl::flat_hash_set<std::pair<uint32_t, uint32_t>> seen;
    for (const GraphEdge& edge : graph_.edges) {
      const uint32_t from = node_[edge.from];
      const uint32_t to = node_[edge.to];
      if (from == kNone || to == kNone || from == to || !seen.insert({from, to}).second) continue;
      result_.edges.push_back({from, to, edge.operand, edge.role});
    }
  }

  const Graph& graph_;
  Graph result_;
  std::vector<uint32_t> kernel_;
  std::vector<bool> is_unused_;
  // The new functions and nodes of the old ones; kNone for removed ones.
  std::vector<uint32_t> function_;
  std::vector<uint32_t> node_;
};

}  // namespace

auto CondenseGraph(const Graph& graph) -> Graph { return Condenser(graph).Run(); }

}  // namespace relayopt
