// Rewrites nodes for older versions of the operators.
#pragma once

#include "model.h"

namespace relayopt::onnx::out {

// Rewrites the nodes of a graph, which are those of version 17, for `opset`, which is older: operands that were
// attributes become attributes again. Returns false if a node cannot be expressed; the graph is then invalid. Foreign
// nodes are skipped.
auto ToOldVersion(Graph& graph, int64_t opset) -> bool;

}  // namespace relayopt::onnx::out
