// One walk over all graphs finds which nodes a node waits for, in its own graph and, for what graphs inside of it use,
// in those around it. Then, of the nodes whose operands are there, the first one in the file comes next.
//
//   z = Relu(y)         waits for the second node        y = Cast(x)
//   y = Cast(x)                                    =>     z = Relu(y)
#include "node_order.h"

#include <functional>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx {

namespace {

class NodeSorter {
 public:
  void Run(ModelProto& model) {
    // A graph comes after the one around it.
    for (GraphProto& graph : model.graphs) {
      if (!seen_.contains(&graph)) Walk(graph);
    }
  }

 private:
  // A graph that is open, with the node that is looked at, and the graph inside of it that is next.
  struct Frame {
    GraphProto* graph;
    size_t node = 0;
    size_t attribute = 0;
    // Pairs of a node and one that uses its result.
    std::vector<std::pair<size_t, size_t>> uses = {};
    bool is_ordered = true;
  };
  struct Maker {
    size_t depth;
    size_t node;
    // The previous entry for the same name, as an index of `all_`.
    size_t hidden;
  };
  static constexpr size_t kNone = SIZE_MAX;

  void Walk(GraphProto& root) {
    Enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.node == frame.graph->nodes.size()) {
        Leave();
        continue;
      }
      const NodeProto& node = frame.graph->nodes[frame.node];
      if (frame.attribute == 0) {
        for (const std::string_view name : node.inputs) Use(name);
      }
      if (frame.attribute == node.attributes.size()) {
        ++frame.node;
        frame.attribute = 0;
        continue;
      }
      // A reader owns the graphs that its attributes point to.
      auto* inner = const_cast<GraphProto*>(node.attributes[frame.attribute++].graph);
      if (inner != nullptr) Enter(*inner);
    }
  }

  void Enter(GraphProto& graph) {
    if (all_.empty()) {
      all_.reserve(graph.nodes.size());
      makers_.reserve(graph.nodes.size());
    }
    seen_.insert(&graph);
    frames_.push_back({&graph});
    // Of nodes that make the same name, the first one counts.
    for (size_t i = graph.nodes.size(); i-- > 0;) {
      for (const std::string_view output : graph.nodes[i].outputs) {
        if (output.empty()) continue;
        size_t& maker = makers_.try_emplace(output, kNone).first->second;
        all_.push_back({frames_.size() - 1, i, maker});
        maker = all_.size() - 1;
      }
    }
  }

  void Use(std::string_view name) {
    const auto found = makers_.find(name);
    if (found == makers_.end() || found->second == kNone) return;
    const Maker& maker = all_[found->second];
    Frame& frame = frames_[maker.depth];
    if (frame.node == frame.graph->nodes.size() || maker.node == frame.node) return;
    frame.uses.emplace_back(maker.node, frame.node);
    frame.is_ordered = frame.is_ordered && maker.node < frame.node;
  }

  void Leave() {
    for (const ValueInfo& output : frames_.back().graph->outputs) Use(output.name);
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    // Those of the outermost graph are not asked for any more.
    for (size_t i = 0; i < frame.graph->nodes.size() && !frames_.empty(); ++i) {
      for (const std::string_view output : frame.graph->nodes[i].outputs) {
        if (output.empty()) continue;
        size_t& maker = makers_.at(output);
        maker = all_[maker].hidden;
      }
    }
    if (frames_.empty()) {
      makers_.clear();
      all_.clear();
    }
    if (!frame.is_ordered) Sort(frame);
  }

  static void Sort(const Frame& frame) {
    GraphProto& graph = *frame.graph;
    const size_t count = graph.nodes.size();
    std::vector<size_t> missing(count);
    std::vector<std::vector<size_t>> users(count);
    for (const auto& [maker, user] : frame.uses) {
      users[maker].push_back(user);
      ++missing[user];
    }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < count; ++i) {
      if (missing[i] == 0) ready.push(i);
    }
    std::vector<size_t> order;
    while (!ready.empty()) {
      const size_t next = ready.top();
      ready.pop();
      order.push_back(next);
      for (const size_t user : users[next]) {
        if (--missing[user] == 0) ready.push(user);
      }
    }
    if (order.size() < count) return;
    std::vector<NodeProto> sorted;
    for (const size_t i : order) {
      sorted.push_back(std::move(graph.nodes[i]));
      // Writers keep the order of offsets.
      sorted.back().offset = sorted.size();
    }
    graph.nodes = std::move(sorted);
  }

  std::vector<Frame> frames_;
  // Who makes a name, in the innermost of the graphs that are open, as an index of `all_`.
  TextViewMap<size_t> makers_;
  std::vector<Maker> all_;
  absl::flat_hash_set<const GraphProto*> seen_;
};

}  // namespace

void OrderNodes(ModelProto& model) { NodeSorter().Run(model); }

}  // namespace relayopt::onnx
