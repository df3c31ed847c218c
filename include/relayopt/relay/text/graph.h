// Modules as graphs, for pictures and for programs.
#pragma once

#include <cstdint>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

enum class GraphFormat : uint8_t {
  kDot,      // for Graphviz
  kMermaid,  // a flowchart
  kJson,     // {"version": 1, "functions": [...], "nodes": [...], "edges": [...]}
};

// The dataflow of a module: a node for each parameter, constant and computation, an edge for each use of a value with
// the shape of the value, a box for each global function and each function inside another. A let binding is no node:
// uses of its variable are uses of its value. Nor is a function that is called in one place, as kernels are: values
// flow right through its box.
void PrintGraph(const Module& module, GraphFormat format, TextSink& sink);

}  // namespace relayopt
