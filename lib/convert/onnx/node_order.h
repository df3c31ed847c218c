// The order of the nodes of a graph.
#pragma once

#include "model_proto.h"

namespace relayopt::onnx {

// Moves nodes behind those whose results they use; others stay in their order. ONNX wants this order, but some tools
// append what earlier nodes use, such as casts of inputs, and ONNX Runtime sorts nodes itself. Nodes in a cycle stay.
// Without `with_inner`, what graphs inside of nodes use counts only where other nodes are out of order.
void OrderNodes(GraphProto& graph, bool with_inner);

}  // namespace relayopt::onnx
