// Helpers for printing graphs.
#pragma once

#include <string_view>

#include "relayopt/relay/text/graph.h"

namespace relayopt {

auto Name(GraphNode::Kind kind) -> std::string_view;

}  // namespace relayopt
