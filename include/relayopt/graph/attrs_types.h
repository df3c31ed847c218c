// The attribute classes of operators as object types.
#pragma once

#include "relayopt/core/attrs.h"
#include "relayopt/graph/nodes.h"

namespace relayopt::graph {

// Returns the object type of an attribute class. It has one field for each field of the schema, in the same order.
auto AttrsType(const AttrsSchema& schema) -> object::TypeIndex;
// Returns the attribute class that an object type stands for, or null.
auto SchemaOf(object::TypeIndex type) -> const AttrsSchema*;
// Registers the object types for the attributes of all operators by their keys.
void RegisterAttrsTypes();

}  // namespace relayopt::graph
