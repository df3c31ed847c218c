// Describes the nodes of a metadata section; see NodeRef.
#pragma once

#include "lib/relay/text/printer/printer_meta.h"
#include "relayopt/relay/text/graph_nodes.h"

namespace relayopt {

// Describes `ref`, which must not be kNull, to `visitor`. Adds constants inside of other objects to `meta`.
void DescribeNode(const Context& context, MetaIndex& meta, const NodeRef& ref, NodeVisitor& visitor);

}  // namespace relayopt
