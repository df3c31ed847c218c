// Lays a graph of nested boxes out: innermost boxes first, each of which is then one item of the box around it. An edge
// between boxes is an edge between those of their ancestors that are items of the same box.
#include "relayopt/relay/text/graph_layout.h"

#include <algorithm>

#include "layered_layout.h"

namespace relayopt {

namespace {

constexpr uint32_t kNoBox = UINT32_MAX;
constexpr int32_t kNodeHeight = 26;
constexpr int32_t kNodePadding = 18;
constexpr int32_t kMaxNodeWidth = 420;
constexpr int32_t kTypeWidth = 6;
constexpr int32_t kMaxTypeWidth = 180;
constexpr int32_t kMargin = 16;
constexpr int32_t kTitle = 22;

// The number of characters, not of bytes.
auto TextWidth(std::string_view text) -> int32_t {
  const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<int32_t>(std::ranges::count_if(text, is_start)) * kLabelCharWidth;
}

class NestedLayout {
 public:
  explicit NestedLayout(const Graph& graph) : graph_(graph), boxes_(graph.functions.size() + 1) {}

  auto Run() -> GraphLayout {
    layout_.nodes.resize(graph_.nodes.size());
    layout_.functions.resize(graph_.functions.size());
    layout_.edges.resize(graph_.edges.size());
    FillBoxes();
    for (uint32_t edge = 0; edge < graph_.edges.size(); ++edge) AddEdge(edge);
    // Functions follow those that enclose them.
    for (size_t i = graph_.functions.size(); i-- > 0;) LayOutBox(i);
    LayOutBox(graph_.functions.size());
    MoveIntoPlace();
    Connect();
    return std::move(layout_);
  }

 private:
  // What is directly in a function, nodes first; the last box is the picture.
  struct Box {
    std::vector<uint32_t> nodes;
    std::vector<uint32_t> functions;
    LayeredItems items;
    // The edges of the graph that are edges of `items`.
    std::vector<uint32_t> edges;
  };

  auto NodeWidth(uint32_t node) const -> int32_t {
    return std::min(TextWidth(graph_.nodes[node].label) + kNodePadding, kMaxNodeWidth);
  }

  auto BoxAround(uint32_t function) const -> size_t {
    return function == GraphFunction::kTop ? graph_.functions.size() : function;
  }

  void FillBoxes() {
    item_of_node_.resize(graph_.nodes.size());
    item_of_function_.resize(graph_.functions.size());
    depth_.resize(graph_.functions.size() + 1, 0);
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      Box& box = boxes_[BoxAround(graph_.nodes[i].function)];
      item_of_node_[i] = static_cast<uint32_t>(box.nodes.size());
      box.nodes.push_back(i);
    }
    for (uint32_t i = 0; i < graph_.functions.size(); ++i) {
      const uint32_t parent = graph_.functions[i].parent;
      Box& box = boxes_[BoxAround(parent)];
      item_of_function_[i] = static_cast<uint32_t>(box.nodes.size() + box.functions.size());
      box.functions.push_back(i);
      depth_[i] = parent == GraphFunction::kTop ? 1 : depth_[parent] + 1;
    }
  }

  // An item of a box.
  struct Item {
    uint32_t box = kNoBox;
    uint32_t item = 0;
  };
  auto ItemOfNode(uint32_t node) const -> Item {
    return {static_cast<uint32_t>(BoxAround(graph_.nodes[node].function)), item_of_node_[node]};
  }
  auto Lifted(const Item& item) const -> Item {
    return {static_cast<uint32_t>(BoxAround(graph_.functions[item.box].parent)), item_of_function_[item.box]};
  }

  void AddEdge(uint32_t edge) {
    Item from = ItemOfNode(graph_.edges[edge].from);
    Item to = ItemOfNode(graph_.edges[edge].to);
    while (depth_[from.box] > depth_[to.box]) from = Lifted(from);
    while (depth_[to.box] > depth_[from.box]) to = Lifted(to);
    while (from.box != to.box) {
      from = Lifted(from);
      to = Lifted(to);
    }
    Box& box = boxes_[from.box];
    box.items.edges.emplace_back(from.item, to.item);
    box.edges.push_back(edge);
  }

  void LayOutBox(size_t i) {
    Box& box = boxes_[i];
    const bool is_picture = i == graph_.functions.size();
    for (const uint32_t node : box.nodes) {
      // The type below the node wants its room, too.
      const int32_t type = std::min(TextWidth(graph_.nodes[node].type) * kTypeWidth / kLabelCharWidth, kMaxTypeWidth);
      box.items.boxes.push_back({0, 0, std::max(NodeWidth(node), type), kNodeHeight});
    }
    for (const uint32_t function : box.functions) box.items.boxes.push_back(layout_.functions[function]);
    box.items.LayOut();
    if (is_picture) {
      layout_.width = box.items.width + 2 * kMargin;
      layout_.height = box.items.height + 2 * kMargin;
    } else {
      const int32_t title = std::min(TextWidth(graph_.functions[i].label), kMaxNodeWidth);
      layout_.functions[i] = {0, 0, std::max(box.items.width, title) + 2 * kMargin,
                              box.items.height + 2 * kMargin + kTitle};
    }
  }

  // Outer boxes first.
  void MoveIntoPlace() {
    MoveItems(boxes_.back(), kMargin, kMargin);
    for (size_t i = 0; i < graph_.functions.size(); ++i) {
      MoveItems(boxes_[i], layout_.functions[i].x + kMargin, layout_.functions[i].y + kMargin + kTitle);
    }
  }

  void MoveItems(Box& box, int32_t x, int32_t y) {
    size_t item = 0;
    const auto moved = [&] {
      LayoutBox place = box.items.boxes[item++];
      place.x += x;
      place.y += y;
      return place;
    };
    for (const uint32_t node : box.nodes) {
      LayoutBox place = moved();
      place.x += (place.width - NodeWidth(node)) / 2;
      place.width = NodeWidth(node);
      layout_.nodes[node] = place;
    }
    for (const uint32_t function : box.functions) layout_.functions[function] = moved();
    for (size_t i = 0; i < box.edges.size(); ++i) {
      for (const LayoutPoint& bend : box.items.bends[i]) {
        layout_.edges[box.edges[i]].push_back({bend.x + x, bend.y + y});
      }
    }
  }

  void Connect() {
    for (size_t i = 0; i < graph_.edges.size(); ++i) {
      const LayoutBox& from = layout_.nodes[graph_.edges[i].from];
      const LayoutBox& to = layout_.nodes[graph_.edges[i].to];
      std::vector<LayoutPoint>& points = layout_.edges[i];
      points.insert(points.begin(), {from.x + from.width / 2, from.y + from.height});
      points.push_back({to.x + to.width / 2, to.y});
    }
  }

  const Graph& graph_;
  std::vector<Box> boxes_;
  std::vector<uint32_t> item_of_node_;
  std::vector<uint32_t> item_of_function_;
  std::vector<uint32_t> depth_;
  GraphLayout layout_;
};

}  // namespace

auto LayOutGraph(const Graph& graph) -> GraphLayout { return NestedLayout(graph).Run(); }

}  // namespace relayopt
