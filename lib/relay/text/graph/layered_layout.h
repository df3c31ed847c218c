// Sugiyama's layout of one level of boxes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "relayopt/relay/text/graph_layout.h"

namespace relayopt {

// Items of given sizes, and edges between them (from, to). LayOut sets the corners of the items.
struct LayeredItems {
  std::vector<LayoutBox> boxes;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  // The points between the ends of each edge.
  std::vector<std::vector<LayoutPoint>> bends;
  int32_t width = 0;
  int32_t height = 0;

  void LayOut();
};

}  // namespace relayopt
