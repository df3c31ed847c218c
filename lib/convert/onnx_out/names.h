// Names of nodes, tensors and initializers.
#pragma once

#include "model.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/core/context.h"

namespace relayopt::onnx::out {

// Names the nodes of a tidied graph. Each call has the span of the node that it was read from, and the last of the
// nodes that have one span is the one that gives the result: it gets the name, the texts and the names of outputs of
// that node. Other nodes of the span are called `name/op_type`. Constants that have changed get the name of the
// initializer that they replace. Names of inputs, outputs and named initializers stay. All names are unique. Returns
// whether a node has fewer inputs than before, so that something may be unused.
//
//   bn1 folded into conv1:   conv1: Conv(x, conv1.weight, c2) -> v4      =>   conv1: Conv(x, conv1.weight, conv1.bias)
//   -> y
auto NameNodes(Graph& graph, NameTable& names, const Context& context, const OnnxInterface& interface) -> bool;

// Sorts nodes into the order of the original model, as far as each stays after the nodes that it uses.
void SortNodes(Graph& graph, const OnnxInterface& interface);

}  // namespace relayopt::onnx::out
