// Tensor programs in the graph of a module.
#pragma once

#include "relayopt/relay/text/graph.h"

namespace relayopt {

// Adds the loop nests of all tensor programs.
void AddLoopNests(const Module& module, Graph& graph);

}  // namespace relayopt
