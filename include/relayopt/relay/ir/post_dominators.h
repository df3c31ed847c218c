// Which expressions everything that an expression produces flows through.
#pragma once

#include <cstdint>
#include <vector>

#include "relayopt/relay/ir/dominator_tree.h"

namespace relayopt {

// Who uses what in a function, and the immediate post-dominators: the first expression that all ways from an expression
// to the result of the function meet in. The user of a bound value is its variable, that of matched data are the
// variables of the patterns; parameters are not used by their function. One scan; the function must be laid out.
class PostDominators {
 public:
  explicit PostDominators(const Function& function);

  // One for each use, in the order of the users.
  auto users(ExprId id) const -> std::span<const ExprId> {
    return {users_.data() + first_[id.value()], users_.data() + first_[id.value() + 1]};
  }
  // None for the root, and for what does not flow together.
  auto parent(ExprId id) const -> ExprId { return tree_.parent(id); }
  // Whether everything that `inner` produces flows through `outer`; every expression dominates itself.
  auto Dominates(ExprId outer, ExprId inner) const -> bool { return tree_.CommonAncestor(outer, inner).id == outer; }

 private:
  std::vector<uint32_t> first_;
  std::vector<ExprId> users_;
  DominatorTree tree_;
};

}  // namespace relayopt
