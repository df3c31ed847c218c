// Graphs of modules, for pictures and for other programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

// The formats in which a graph can be printed.
enum class GraphFormat : uint8_t {
  kDot,      // for Graphviz
  kMermaid,  // a flowchart
  kJson,     // {"version": 1, "functions": [...], "nodes": [...], "edges": [...]}
  kSvg,      // a picture, laid out here
};

// A function, drawn as a box around its nodes.
struct GraphFunction {
  static constexpr uint32_t kTop = UINT32_MAX;

  // `@main`, or what a kernel computes (KernelName), or the kind of function.
  std::string label;
  // The index of the enclosing function; kTop for global functions.
  uint32_t parent = kTop;
  bool is_kernel = false;
  // The global function that it is (in), its expression there, and the only call of it; invalid when there is none, or
  // when it is not a function of Relay.
  GlobalId global = {};
  ExprId expr = {};
  ExprId call = {};
};

// A node: a parameter, a constant, a computation or a result.
struct GraphNode {
  enum class Kind : uint8_t { kParam, kConstant, kOperator, kCall, kData, kControl, kFunction, kResult };

  Kind kind;
  std::string label;
  // The type of the value as text; empty if unknown.
  std::string type;
  uint32_t function;
  // The expression in the global function of the box; invalid for results, and outside of Relay.
  ExprId expr = {};
  // Multiply-accumulate operations (CallMacs).
  uint64_t macs = 0;
  // Whether it is a parameter that operators use as a weight.
  bool is_weight = false;
  // The name of an operator in ComputationName.
  std::string short_label = {};
};

// A use of a value: node `to` uses the value of node `from`.
struct GraphEdge {
  uint32_t from;
  uint32_t to;
  // The position among the operands of `to`.
  uint32_t operand;
  // The role of the operand, such as `then`, if its position does not show it.
  std::string_view role;
};

// A graph. Functions follow the functions that enclose them; nodes are in the order of their table.
struct Graph {
  std::vector<GraphFunction> functions;
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
};

// Returns the dataflow graph of a module. It has a node for each parameter, constant and computation; an edge for each
// use of a value, labelled with its shape; and a box for each global function and each function inside another. Let
// bindings have no node: uses of the variable are uses of the value. Neither do functions that are called in a single
// place, as kernels are: edges lead into and out of their box.
auto MakeGraph(const Module& module) -> Graph;

// The same graph for people who want to see the whole: constants and weights are left out, each kernel is one node with
// the name of what it computes and the sum of its costs.
auto CondenseGraph(const Graph& graph) -> Graph;

// What the operators in an expression of a function compute, in a few words: `conv2d+add+relu 3x3 /2`. The expression
// is a call of an operator, or a function literal, which is `fn` if it is not a kernel.
auto ComputationName(const Function& function, ExprId id) -> std::string;

// `1x3x224x224 float32`; types that are neither tensors nor tuples of tensors in full. Empty when unknown.
auto ShortTypeText(const Context& context, TypeId type) -> std::string;

// Prints a graph in the format.
void PrintGraph(const Graph& graph, GraphFormat format, TextSink& sink);

}  // namespace relayopt
