// The tensors that types of Relay consist of: each is a value in ONNX.
#pragma once

#include <string>
#include <vector>

#include "model.h"
#include "relayopt/core/context.h"

namespace relayopt::onnx::out {

// Returns the tensors of a type, in order.
auto LeavesOf(const Context& context, TypeId id) -> std::vector<const Type*>;

// Returns a value of that name with the type of a tensor.
auto ValueOfType(const Type& type, std::string name) -> ValueType;

}  // namespace relayopt::onnx::out
