// Positions for the nodes of a graph: layers from top to bottom, along the flow of data.
#pragma once

#include <cstdint>
#include <vector>

#include "relayopt/relay/text/graph.h"

namespace relayopt {

// The width of a character of a label, in the units of the layout.
inline constexpr int32_t kLabelCharWidth = 7;

struct LayoutPoint {
  int32_t x = 0;
  int32_t y = 0;
};

// A rectangle; `x` and `y` are its upper left corner.
struct LayoutBox {
  int32_t x = 0;
  int32_t y = 0;
  int32_t width = 0;
  int32_t height = 0;
};

// The places of everything in a graph, in pixels.
struct GraphLayout {
  // One for each node and each function of the graph. The boxes of functions enclose what is in them.
  std::vector<LayoutBox> nodes;
  std::vector<LayoutBox> functions;
  // For each edge of the graph, the points through which it goes; the first is below its source, the last above its
  // target.
  std::vector<std::vector<LayoutPoint>> edges;
  int32_t width = 0;
  int32_t height = 0;
};

// Lays a graph out. The result depends on nothing but the graph. The time is close to linear in nodes and edges: the
// bends of long edges are limited in number, and edges beyond that are straight.
auto LayOutGraph(const Graph& graph) -> GraphLayout;

}  // namespace relayopt
