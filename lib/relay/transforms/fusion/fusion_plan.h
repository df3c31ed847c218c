// The plan of FuseOps: which expressions each kernel computes.
#pragma once

#include "fusion_groups.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/foreign_ops.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

class FusionPlan {
 public:
  // With `link_params` constants are literals inside of kernels, and not arguments.
  FusionPlan(const Function& function, const FusionLimits& limits, bool link_params);

  auto function() const -> const Function& { return function_; }

  // Whether a kernel computes the expression. All expressions of a group of several are members, and constants may be
  // part of it.
  auto IsMember(ExprId id) const -> bool;

  // The members of the group of `last`, upwards to itself.
  template <typename Visit>
  void ForEachMember(ExprId last, Visit&& visit) const {
    for (ExprId id = next_[last]; id; id = next_[id]) visit(id);
    visit(last);
  }

  // Whether a member of the group uses the operand directly; otherwise it is passed as a parameter.
  auto IsInside(ExprId operand, ExprId last) const -> bool {
    if (groups_[operand] == last) return true;
    // The type of a foreign call depends on the values of its operands.
    const bool links = link_params_ || (function_.kind(last) == ExprKind::kOpCall && IsForeignOp(*function_.op(last)));
    return links && function_.kind(Substitute(operand)) == ExprKind::kConstant;
  }

  // Returns the expression that replaces `id` outside of kernels: a stop_fusion is replaced by its operand.
  auto Substitute(ExprId id) const -> ExprId { return substitutes_.empty() ? id : substitutes_[id]; }
  auto has_substitutes() const -> bool { return !substitutes_.empty(); }

 private:
  void LinkMembers();
  void FindSubstitutes();
  auto IsLast(ExprId id) const -> bool { return groups_[id] == id; }

  const Function& function_;
  const bool link_params_;
  // The last expression of the group of each expression.
  const SideTable<ExprId, ExprId> groups_;
  // The next member of the group; for the last one the first, or none if the group has one member.
  SideTable<ExprId, ExprId> next_;
  // Empty if the function has no stop_fusion.
  SideTable<ExprId, ExprId> substitutes_;
};

}  // namespace relayopt
