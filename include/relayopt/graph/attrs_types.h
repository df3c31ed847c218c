// Attribute classes of operators as object types.
#pragma once

#include "relayopt/core/attrs.h"
#include "relayopt/graph/nodes.h"

namespace relayopt::graph {

// The object type of an attribute class: one field for each of the schema, in its order.
auto AttrsType(const AttrsSchema& schema) -> object::TypeIndex;
// The class that an object type stands for, or null.
auto SchemaOf(object::TypeIndex type) -> const AttrsSchema*;
// Makes the classes of all operators known by their keys.
void RegisterAttrsTypes();

}  // namespace relayopt::graph
