// Describes the nodes of a metadata section; see NodeRef.
#pragma once

#include "lib/relay/text/printer/printer_meta.h"
#include "relayopt/relay/text/graph_nodes.h"

namespace relayopt {

// Shows `ref` to `visitor`. Not of kNull. Constants that turn up inside other objects are noted in `meta`.
void DescribeNode(const Context& context, MetaIndex& meta, const NodeRef& ref, NodeVisitor& visitor);

}  // namespace relayopt
