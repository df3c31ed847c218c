// The graph of a module before it is written in one format or another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

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

auto MakeGraph(const Module& module) -> Graph;

auto Name(GraphNode::Kind kind) -> std::string_view;

}  // namespace relayopt
