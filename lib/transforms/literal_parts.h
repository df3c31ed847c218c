// What function literals bind and mention.
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "relayopt/ir/function.h"

namespace relayopt {

// Adds the variables that an expression binds itself: parameters, let variables, variables of patterns.
inline void AddBoundVars(const Function& function, ExprId id, absl::flat_hash_set<ExprId>& bound) {
  const auto operands = function.operands(id);
  switch (function.kind(id)) {
    case ExprKind::kFunction: bound.insert(operands.begin(), operands.end() - 1); return;
    case ExprKind::kLet:
      for (size_t i = 0; i < function.let_size(id); ++i) bound.insert(function.let_var(id, i));
      return;
    case ExprKind::kMatch:
      for (const MatchClause& clause : function.match(id).clauses) {
        bound.insert(operands.begin() + clause.first_operand, operands.begin() + clause.rhs);
      }
      return;
    default: return;
  }
}

// Collects the type variables of terms, each once, in the order in which they occur.
class TypeVarCollector {
 public:
  explicit TypeVarCollector(const Context& context) : context_(context) {}

  // Variables that are bound: they do not count.
  void Bind(std::span<const TypeId> vars) { seen_.insert(vars.begin(), vars.end()); }

  // Adds the free variables of a term, which may be none.
  void Add(TypeId type) {
    std::vector<TypeId> pending = {type};
    while (!pending.empty()) {
      const TypeId next = pending.back();
      pending.pop_back();
      if (!next || !seen_.insert(next).second) continue;
      const Type& term = context_.type(next);
      if (term.kind == TypeKind::kVar) found_.push_back(next);
      Bind(term.type_params);
      if (term.result) pending.push_back(term.result);
      pending.insert(pending.end(), term.args.rbegin(), term.args.rend());
    }
  }

  auto found() const -> const std::vector<TypeId>& { return found_; }

 private:
  const Context& context_;
  absl::flat_hash_set<TypeId> seen_;
  std::vector<TypeId> found_;
};

}  // namespace relayopt
