// Lists let steps by their values.
#include "relayopt/relay/ir/let_index.h"

#include <algorithm>

namespace relayopt {

auto HasLet(const Function& function) -> bool {
  return std::ranges::any_of(function.ids(), [&](ExprId id) { return function.kind(id) == ExprKind::kLet; });
}

LetIndex::LetIndex(const Function& function) {
  if (!HasLet(function)) return;
  values_.resize(function.size());
  first_use_.resize(function.size(), ExprId(ExprId::kNone));
  for (const ExprId id : function.ids()) {
    const bool is_let = function.kind(id) == ExprKind::kLet;
    const auto operands = function.operands(id);
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool binds = is_let && i % 2 == 0 && i + 1 < operands.size();
      if (binds) {
        values_[operands[i]] = operands[i + 1];
        steps_.push_back({operands[i + 1], operands[i]});
      } else if (function.kind(operands[i]) == ExprKind::kVar) {
        first_use_[operands[i]] = std::min(first_use_[operands[i]], id);
      }
    }
  }
  const auto comes_before = [](const LetStep& a, const LetStep& b) {
    return std::pair(a.value, a.var) < std::pair(b.value, b.var);
  };
  // The steps of a chain are usually in order.
  if (!std::is_sorted(steps_.begin(), steps_.end(), comes_before))
    std::sort(steps_.begin(), steps_.end(), comes_before);
  first_step_.resize(function.size());
  for (size_t i = steps_.size(); i-- != 0;) first_step_[steps_[i].value] = static_cast<uint32_t>(i + 1);
}

}  // namespace relayopt
