// Remarks about models that are written larger than they were read.
#pragma once

#include "relayopt/relay/analysis/summary.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Reports when a model has more nodes after the passes, with the kinds of nodes that became more, and when its weights
// take more bytes.
void RemarkGrowth(const NodeCounts& nodes, const ModelSummary& before, const ModelSummary& after, DiagnosticSink& sink);

}  // namespace relayopt
