// Pictures of graphs.
#pragma once

#include "graph_model.h"

namespace relayopt {

void WriteSvg(const Graph& graph, TextSink& sink);

}  // namespace relayopt
