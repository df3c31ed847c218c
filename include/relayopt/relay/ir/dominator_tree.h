// Dominator trees over expressions, for any relation of dominance.
#pragma once

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// A forest that is built from its roots downwards. For a tree of post-dominators (an expression is dominated by what
// every path from it to the outside of a region passes), visit users before operands, and add each expression below the
// common ancestor of its users.
//
// Every expression has a weight chosen by the caller. A query returns the greatest weight on the path to an ancestor
// without walking that path.
class DominatorTree {
 public:
  // A forest for expressions with ids below `size`.
  explicit DominatorTree(size_t size) : nodes_(size) {}

  // Adds `id` below `parent`, which must have been added before, or as a root when `parent` is invalid.
  void Add(ExprId id, ExprId parent, uint8_t weight);

  // Returns the immediate dominator, or invalid for roots and for expressions that were not added.
  auto parent(ExprId id) const -> ExprId { return nodes_[id].parent; }
  // Returns the number of expressions from `id` to its root, including both, or 0 if it was not added.
  auto depth(ExprId id) const -> uint32_t { return nodes_[id].depth; }
  auto weight(ExprId id) const -> uint8_t { return nodes_[id].weight; }

  struct Ancestor {
    // The ancestor; invalid if the two expressions are in different trees.
    ExprId id;
    // The greatest weight on the paths from the two expressions to the ancestor, excluding the ancestor.
    uint8_t weight = 0;
  };
  // Returns the lowest common ancestor of two expressions, in logarithmic time. Both must have been added.
  auto CommonAncestor(ExprId a, ExprId b) const -> Ancestor;

 private:
  struct Node {
    ExprId parent;
    // An ancestor further up, for climbing in logarithmic time; roots jump to themselves.
    ExprId jump;
    uint32_t depth = 0;
    uint8_t weight = 0;
    // The greatest weight from the node up to its jump target, excluding the target.
    uint8_t jump_weight = 0;
  };

  // Climbs by one step or one jump, and updates `weight` with the weights of the nodes passed.
  void Step(ExprId& id, uint8_t& weight) const;
  void Jump(ExprId& id, uint8_t& weight) const;
  void ClimbTo(uint32_t depth, ExprId& id, uint8_t& weight) const;

  SideTable<ExprId, Node> nodes_;
};

}  // namespace relayopt
