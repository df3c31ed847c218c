// The order of the nodes of a graph.
#pragma once

#include "model_proto.h"

namespace relayopt::onnx {

// Moves the nodes of all graphs after those whose results they, or graphs inside of them, use; others stay in their
// order. ONNX wants this order, but some tools append what earlier nodes use, such as casts of inputs, and ONNX Runtime
// sorts nodes itself. Nodes in a cycle stay.
void OrderNodes(ModelProto& model);

}  // namespace relayopt::onnx
