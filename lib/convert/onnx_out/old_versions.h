// Rewrites nodes for older versions of the operators.
#pragma once

#include "model.h"

namespace relayopt::onnx::out {

// Rewrites the nodes of a graph, which are those of version 17, for `opset`, which is older: operands that were
// attributes become attributes again. Returns the operator of a node that cannot be expressed, with which
// the graph is invalid, or an empty text. Foreign nodes are skipped.
auto ToOldVersion(Graph& graph, int64_t opset) -> std::string;

}  // namespace relayopt::onnx::out
