// External data inside of nodes.
#pragma once

#include <string>
#include <string_view>

#include "tensor_data.h"

namespace relayopt::onnx {

// Returns a model whose attributes, inner graphs and functions hold their external data themselves. Nodes that are kept
// hold these as bytes, and what is written from them lies in another folder than the files. Initializers of the graph
// stay as they are.
auto WithInnerData(std::string_view model, ExternalFiles& files) -> Result<std::string>;

}  // namespace relayopt::onnx
