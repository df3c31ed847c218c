// How often the constants of a model are used.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Counts the operands that are computed from each constant of the file that the function was read from. Two transposed
// copies of one weight are two uses of it: the writer of a model makes them one again, unless one of them is changed.
class ConstantUses {
 public:
  explicit ConstantUses(const Function& function)
      : function_(function), names_(function.context().Part<ConstantNames>()) {
    for (const ExprId id : function.ids()) {
      for (const ExprId operand : function.operands(id)) {
        if (function.kind(operand) == ExprKind::kConstant) ++uses_[BaseOf(operand)];
      }
    }
  }

  // Whether this operand is the only one that is computed from its constant.
  auto IsOwn(ExprId constant) const -> bool { return uses_.at(BaseOf(constant)) == 1; }

 private:
  auto BaseOf(ExprId constant) const -> ConstantId {
    const ConstantId id = function_.constant_id(constant);
    const ConstantId base = names_.OriginOf(id).base;
    return base ? base : id;
  }

  const Function& function_;
  const ConstantNames& names_;
  absl::flat_hash_map<ConstantId, size_t> uses_;
};

}  // namespace relayopt
