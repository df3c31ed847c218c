// Lists the members of groups, and splits groups at stop_fusion.
#include "fusion_plan.h"

#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

FusionPlan::FusionPlan(const Function& function, const FusionLimits& limits, bool link_params)
    : function_(function),
      link_params_(link_params),
      groups_(FindFusionGroups(function, limits)),
      next_(function.size()) {
  LinkMembers();
  FindSubstitutes();
}

auto FusionPlan::IsMember(ExprId id) const -> bool {
  switch (function_.kind(id)) {
    case ExprKind::kOpCall: {
      const OpDef* op = function_.op(id);
      if (op == "annotation.stop_fusion"_op) return false;
      // The runtime executes it, not a kernel. Quantized operators become kernels when they are lowered.
      return !op->non_computational || op->fusion != Fusion::kOpaque;
    }
    case ExprKind::kTuple: return !IsLast(id);
    // A field of another function's result needs no kernel.
    case ExprKind::kTupleGetItem: return !IsLast(id) || groups_[function_.operand(id, 0)] == id;
    default: return false;
  }
}

// In descending order, so that each member is linked in front of the others.
void FusionPlan::LinkMembers() {
  for (const ExprId id : function_.ids().reversed()) {
    const ExprId last = groups_[id];
    if (last == id || !IsMember(id)) continue;
    next_[id] = next_[last];
    next_[last] = id;
  }
}

void FusionPlan::FindSubstitutes() {
  for (const ExprId id : function_.ids()) {
    const bool stops = function_.kind(id) == ExprKind::kOpCall && function_.op(id) == "annotation.stop_fusion"_op;
    if (stops && substitutes_.empty()) {
      substitutes_.resize(function_.size());
      for (ExprId before(0U); before < id; ++before) substitutes_[before] = before;
    }
    if (!substitutes_.empty()) substitutes_[id] = stops ? substitutes_[function_.operand(id, 0)] : id;
  }
}

}  // namespace relayopt
