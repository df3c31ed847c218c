// Calls that are a single node of ONNX.
#pragma once

#include <string>

#include "relayopt/relay/ir/function.h"

namespace relayopt::onnx::out {

// Returns the operator of the node that a call is written as, or empty if it is written as several nodes or as none.
// The function may be under construction.
auto SingleNode(const Function& function, ExprId call) -> std::string;

// Whether the call adds a bias that the writer gives to the convolution in its first operand.
auto IsBiased(const Function& function, ExprId call) -> bool;

}  // namespace relayopt::onnx::out
