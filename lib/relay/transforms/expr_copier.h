// Copies expressions to another function.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Copies expressions of `from` with all their operands. What has been copied or set before is not copied again, so
// sharing stays, and every variable that is not set gets one new variable.
class ExprCopier {
 public:
  ExprCopier(const Function& from, FunctionBuilder& to) : from_(from), to_(to) {}

  // Maps `old` to `made` from here on.
  void Set(ExprId old, ExprId made) { made_[old] = made; }

  auto Copy(ExprId root) -> ExprId {
    std::vector<ExprId> stack = {root};
    std::vector<ExprId> operands;
    while (!stack.empty()) {
      const ExprId id = stack.back();
      const size_t pending = stack.size();
      if (!made_.contains(id)) {
        for (const ExprId operand : from_.operands(id)) {
          if (!made_.contains(operand)) stack.push_back(operand);
        }
      }
      if (stack.size() != pending) continue;
      stack.pop_back();
      if (made_.contains(id)) continue;
      operands.clear();
      for (const ExprId operand : from_.operands(id)) operands.push_back(made_[operand]);
      made_[id] = to_.Copy(from_, id, operands);
    }
    return made_[root];
  }

 private:
  const Function& from_;
  FunctionBuilder& to_;
  absl::flat_hash_map<ExprId, ExprId> made_;
};

}  // namespace relayopt
