// Dominator trees over expressions, whatever the graph is in which one expression dominates another.
#pragma once

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// A forest that grows from its roots downwards. For a tree of post-dominators, what every path to the outside of a
// region must pass, visit users before operands and add each expression below the common ancestor of its users.
//
// Every expression has a weight of the caller's choice, and a query tells the greatest weight on the way; so paths
// between an expression and its dominator are judged without walking them.
class DominatorTree {
 public:
  // For expressions with ids below `size`.
  explicit DominatorTree(size_t size) : nodes_(size) {}

  // Adds `id` below `parent`, which was added before, or as a root when `parent` is none.
  void Add(ExprId id, ExprId parent, uint8_t weight);

  // The immediate dominator; none of roots and of what was not added.
  auto parent(ExprId id) const -> ExprId { return nodes_[id].parent; }
  // Number of expressions from `id` to its root, both included; 0 when it was not added.
  auto depth(ExprId id) const -> uint32_t { return nodes_[id].depth; }
  auto weight(ExprId id) const -> uint8_t { return nodes_[id].weight; }

  struct Ancestor {
    // None when the two are in different trees.
    ExprId id;
    // The greatest weight from the two expressions up to the ancestor, which does not count itself.
    uint8_t weight = 0;
  };
  // The lowest common ancestor, in logarithmic time. Both must have been added.
  auto CommonAncestor(ExprId a, ExprId b) const -> Ancestor;

 private:
  struct Node {
    ExprId parent;
    // An ancestor, for logarithmic climbing; a root jumps to itself.
    ExprId jump;
    uint32_t depth = 0;
    uint8_t weight = 0;
    // The greatest weight from the node up to its jump, which is left out.
    uint8_t jump_weight = 0;
  };

  // Climbs one step or one jump, and takes note of the weight of what it leaves.
  void Step(ExprId& id, uint8_t& weight) const;
  void Jump(ExprId& id, uint8_t& weight) const;
  void ClimbTo(uint32_t depth, ExprId& id, uint8_t& weight) const;

  SideTable<ExprId, Node> nodes_;
};

}  // namespace relayopt
