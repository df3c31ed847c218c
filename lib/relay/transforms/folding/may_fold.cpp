// Follows which values may be known, by one walk upwards.
#include "may_fold.h"

#include <algorithm>

#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

class FoldScout {
 public:
  explicit FoldScout(const Function& function) : function_(function), known_(function.size()) {}

  auto Run() -> bool {
    return std::ranges::any_of(function_.ids(), [this](ExprId id) { return Visit(id); });
  }

 private:
  auto AreKnown(std::span<const ExprId> ids) const -> bool {
    return std::ranges::all_of(ids, [this](ExprId id) { return known_[id]; });
  }

  // Whether the expression may be folded; notes whether its value may be known.
  auto Visit(ExprId id) -> bool {
    const auto operands = function_.operands(id);
    switch (function_.kind(id)) {
      case ExprKind::kConstant: known_[id] = true; return false;
      case ExprKind::kTuple: known_[id] = AreKnown(operands); return false;
      case ExprKind::kTupleGetItem: return known_[operands[0]] || function_.kind(operands[0]) == ExprKind::kTuple;
      case ExprKind::kIf: return known_[operands[0]];
      case ExprKind::kLet:
        for (size_t i = 0; i < function_.let_size(id); ++i) {
          if (known_[function_.let_value(id, i)]) return true;
        }
        return false;
      case ExprKind::kOpCall: {
        const OpDef* op = function_.op(id);
        // The expression stays, but its value may be known.
        if (op == "on_device"_op) return true;
        return IsShapeQuery(*op) || (!operands.empty() && AreKnown(operands));
      }
      default: return false;
    }
  }

  const Function& function_;
  SideTable<ExprId, bool> known_;
};

}  // namespace

auto MayFold(const Function& function) -> bool { return FoldScout(function).Run(); }

}  // namespace relayopt
