// Remarks about models that are written larger than they were read.
#pragma once

#include "relayopt/relay/analysis/summary.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Reports when a model has more nodes after the passes, with the kinds of nodes that became more.
void RemarkGrowth(const NodeCounts& nodes, DiagnosticSink& sink);

}  // namespace relayopt
