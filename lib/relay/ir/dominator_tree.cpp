// Finds ancestors with skew-binary jump pointers.
#include "relayopt/relay/ir/dominator_tree.h"

#include <algorithm>

namespace relayopt {

void DominatorTree::Add(ExprId id, ExprId parent, uint8_t weight) {
  if (!parent) {
    nodes_[id] = {ExprId(), id, 1, weight, weight};
    return;
  }
  const Node& above = nodes_[parent];
  const Node& jump = nodes_[above.jump];
  // After two jumps of equal length comes one of the combined length.
  const bool equal = above.depth - jump.depth == jump.depth - nodes_[jump.jump].depth && above.depth != jump.depth;
  const uint8_t jump_weight = equal ? std::max({weight, above.jump_weight, jump.jump_weight}) : weight;
  nodes_[id] = {parent, equal ? jump.jump : parent, above.depth + 1, weight, jump_weight};
}

void DominatorTree::Step(ExprId& id, uint8_t& weight) const {
  weight = std::max(weight, nodes_[id].weight);
  id = nodes_[id].parent;
}

void DominatorTree::Jump(ExprId& id, uint8_t& weight) const {
  weight = std::max(weight, nodes_[id].jump_weight);
  id = nodes_[id].jump;
}

void DominatorTree::ClimbTo(uint32_t depth, ExprId& id, uint8_t& weight) const {
  while (nodes_[id].depth > depth) {
    if (nodes_[nodes_[id].jump].depth >= depth) {
      Jump(id, weight);
    } else {
      Step(id, weight);
    }
  }
}

auto DominatorTree::CommonAncestor(ExprId a, ExprId b) const -> Ancestor {
  uint8_t weight = 0;
  ClimbTo(nodes_[b].depth, a, weight);
  ClimbTo(nodes_[a].depth, b, weight);
  // Nodes of one depth have jumps of one length.
  while (a != b) {
    if (nodes_[a].depth <= 1) return {ExprId(), weight};
    if (nodes_[a].jump != nodes_[b].jump) {
      Jump(a, weight);
      Jump(b, weight);
    } else {
      Step(a, weight);
      Step(b, weight);
    }
  }
  return {a, weight};
}

}  // namespace relayopt
