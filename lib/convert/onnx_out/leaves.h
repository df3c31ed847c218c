// The tensors that types of Relay consist of: each is a value in ONNX.
#pragma once

#include "absl/container/inlined_vector.h"
#include "model.h"
#include "relayopt/core/context.h"

namespace relayopt::onnx::out {

// Most types are one tensor.
using Leaves = absl::InlinedVector<const Type*, 3>;

// Returns the tensors of a type, in order.
auto LeavesOf(const Context& context, TypeId id) -> Leaves;

// Whether a type is tensors alone whose elements Relay has. Others represent unknown values: what takes such a value
// states no other type.
auto IsTyped(const Context& context, TypeId id) -> bool;

// Returns a value of that name with the type of a tensor.
auto ValueOfType(const Type& type, Name name) -> ValueType;

}  // namespace relayopt::onnx::out
