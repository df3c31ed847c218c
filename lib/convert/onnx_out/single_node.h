// Calls that are a single node of ONNX.
#pragma once

#include <optional>
#include <string>

#include "relayopt/relay/ir/function.h"

namespace relayopt::onnx::out {

// Returns the operator of the node that a call is written as, empty if it is its operand and no node is written, or
// nullopt if it is written as several nodes. The function may be under construction.
auto SingleNode(const Function& function, ExprId call) -> std::optional<std::string>;

// Whether the call adds a bias that the writer gives to the convolution in its first operand.
auto IsBiased(const Function& function, ExprId call) -> bool;

}  // namespace relayopt::onnx::out
