// The graph that fusion works on: users of expressions, and how each use may be fused.
#pragma once

#include <span>
#include <vector>

#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

class FusionGraph {
 public:
  // A use of a value inside the graph.
  struct Edge {
    ExprId user;
    // How the user reads the value.
    Fusion pattern = Fusion::kOpaque;
  };

  // `function` must have types.
  explicit FusionGraph(const Function& function);

  auto size() const -> size_t { return patterns_.size(); }
  // Returns the fusion pattern of the expression; kOpaque for everything that is not a computation.
  auto pattern(ExprId id) const -> Fusion { return patterns_[id]; }
  // Whether the value has a user that no kernel can contain: a let, a branch, a call of a function, the caller. Such a
  // value has no dominator.
  auto is_external(ExprId id) const -> bool { return external_[id]; }
  // Returns the uses, each user once, upwards.
  auto users(ExprId id) const -> std::span<const Edge> {
    return std::span(edges_).subspan(first_edge_[id], last_edge_[id] - first_edge_[id]);
  }

 private:
  class Builder;

  SideTable<ExprId, Fusion> patterns_;
  SideTable<ExprId, bool> external_;
  // The range of edges_ that starts at an expression.
  SideTable<ExprId, uint32_t> first_edge_;
  SideTable<ExprId, uint32_t> last_edge_;
  std::vector<Edge> edges_;
};

}  // namespace relayopt
