// Types of results by what the specification of an operator, or the graphs of a node, say about them.
#pragma once

#include "foreign.h"
#include "model_proto.h"

namespace relayopt::onnx {

// Returns the type of a value in a model. Elements that Relay lacks are handles; what is not a tensor, or has an
// unknown rank, is a single one.
auto ForeignType(Context& context, const TypeProto& type) -> TypeId;

// Returns a type for each result of the node: element type, rank and the extents that are known for operands of these
// types whatever their values are; a single handle for a result about which nothing is known. Returns nothing for
// operators without such types. For results that neither an expansion nor the model gives a type.
auto StatedTypes(Context& context, const ForeignNode& node, std::span<const TypeId> inputs) -> std::vector<TypeId>;

}  // namespace relayopt::onnx
