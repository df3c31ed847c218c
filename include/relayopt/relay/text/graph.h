// Modules as graphs, for pictures and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

enum class GraphFormat : uint8_t {
  kDot,      // for Graphviz
  kMermaid,  // a flowchart
  kJson,     // {"version": 1, "functions": [...], "nodes": [...], "edges": [...]}
};

// The boxes of a graph.
struct GraphFunction {
  static constexpr uint32_t kTop = UINT32_MAX;

  // `@main`, or what kind of function it is.
  std::string label;
  // The function around it; kTop for global functions.
  uint32_t parent = kTop;
  bool is_kernel = false;
};

struct GraphNode {
  enum class Kind : uint8_t { kParam, kConstant, kOperator, kCall, kData, kControl, kFunction, kResult };

  Kind kind;
  std::string label;
  // The type of its value as text; empty when unknown.
  std::string type;
  uint32_t function;
};

struct GraphEdge {
  uint32_t from;
  uint32_t to;
  // The position among the operands of `to`.
  uint32_t operand;
  // What the operand is for, where its position does not say: `then`.
  std::string_view role;
};

// Functions stand after those around them. Nodes stand in the order of the table they come from.
struct Graph {
  std::vector<GraphFunction> functions;
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
};

// The dataflow of a module: a node for each parameter, constant and computation, an edge for each use of a value with
// the shape of the value, a box for each global function and each function inside another. A let binding is no node:
// uses of its variable are uses of its value. Nor is a function that is called in one place, as kernels are: values
// flow right through its box.
auto MakeGraph(const Module& module) -> Graph;

void PrintGraph(const Graph& graph, GraphFormat format, TextSink& sink);

}  // namespace relayopt
