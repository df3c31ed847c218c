// Rewrites nodes for older versions of the operators.
#pragma once

#include <cstdint>
#include <string>

#include "model.h"

namespace relayopt::onnx::out {

// The version in which nodes are made.
inline constexpr int64_t kLeastForms = 17;

// A node that cannot be expressed in a version.
struct Needs {
  // Empty if there is none.
  std::string op_type;
  // The first version in which it can.
  int64_t version = 0;
};

// Rewrites the nodes of a graph, which are those of version 17, for `opset`, which is older: operands that were
// attributes become attributes again. Returns the first node that cannot be expressed, with which the graph is
// invalid. Foreign nodes are skipped.
auto ToOldVersion(Graph& graph, int64_t opset) -> Needs;

}  // namespace relayopt::onnx::out
