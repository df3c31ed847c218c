// Which clause of which match binds a variable.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

class ClauseBindings {
 public:
  explicit ClauseBindings(const Function& function) {
    for (const ExprId id : function.ids()) {
      if (function.kind(id) != ExprKind::kMatch) continue;
      const auto& clauses = function.match(id).clauses;
      for (size_t i = 0; i < clauses.size(); ++i) {
        for (uint32_t k = clauses[i].first_operand; k < clauses[i].rhs; ++k)
          matches_[function.operand(id, k)] = {id, i};
      }
    }
  }

  // Returns the match and the clause that bind a variable, if one does.
  auto Find(ExprId var) const -> std::optional<std::pair<ExprId, size_t>> {
    if (matches_.empty()) return std::nullopt;
    const auto bound = matches_.find(var);
    return bound == matches_.end() ? std::nullopt : std::optional(bound->second);
  }

  // Whether this is the first query about the clause, which is one of `clauses`.
  auto IsFirst(ExprId match, size_t clause, size_t clauses) -> bool {
    std::vector<bool>& checked = checked_[match];
    checked.resize(clauses);
    if (checked[clause]) return false;
    checked[clause] = true;
    return true;
  }

 private:
  absl::flat_hash_map<ExprId, std::pair<ExprId, size_t>> matches_;
  // Keyed by match.
  absl::flat_hash_map<ExprId, std::vector<bool>> checked_;
};

}  // namespace relayopt
