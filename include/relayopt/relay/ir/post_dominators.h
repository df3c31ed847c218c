// Post-dominators: expressions that everything produced by another expression flows through.
#pragma once

#include <cstdint>
#include <vector>

#include "relayopt/relay/ir/dominator_tree.h"

namespace relayopt {

// The users and the immediate post-dominator of every expression. The immediate post-dominator of an expression is the
// first expression at which all ways from it to the result of the function meet. The user of a bound value is its
// variable, the users of matched data are the variables of the patterns; parameters are not used by their function.
// Computed in one scan; the function must be laid out.
class PostDominators {
 public:
  explicit PostDominators(const Function& function);

  // Returns the users of an expression in ascending order, one entry for each use.
  auto users(ExprId id) const -> std::span<const ExprId> {
    return {users_.data() + first_[id.value()], users_.data() + first_[id.value() + 1]};
  }
  // Returns the immediate post-dominator, or invalid for the root, and for expressions whose ways do not meet.
  auto parent(ExprId id) const -> ExprId { return tree_.parent(id); }
  // Whether everything that `inner` produces flows through `outer`. Every expression dominates itself.
  auto Dominates(ExprId outer, ExprId inner) const -> bool { return tree_.CommonAncestor(outer, inner).id == outer; }

 private:
  std::vector<uint32_t> first_;
  std::vector<ExprId> users_;
  DominatorTree tree_;
};

}  // namespace relayopt
