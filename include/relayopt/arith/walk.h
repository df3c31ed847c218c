// Visiting terms and replacing parts of them, without recursion and each distinct part once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

// Returns the distinct subterms of the roots, including the roots: operands before the terms that use them, otherwise
// in the order of their first occurrence from left to right.
auto PostOrder(const Terms& terms, std::span<const PrimExpr> roots) -> std::vector<PrimExpr>;
auto PostOrder(const Terms& terms, PrimExpr root) -> std::vector<PrimExpr>;

// Whether a variable in the term satisfies `test`. Does not look into the definitions of buffers.
auto UsesVar(const Terms& terms, PrimExpr e, const std::function<bool(PrimExpr var)>& test) -> bool;
auto UsesVar(const Terms& terms, PrimExpr e, PrimExpr var) -> bool;

// Returns the variables that no Let in the term binds, in the order of first occurrence.
auto FreeVars(const Terms& terms, PrimExpr e) -> std::vector<PrimExpr>;

// The number of nodes of the term as a tree, in which shared nodes count every time. Saturates at the largest integer.
auto Complexity(const Terms& terms, PrimExpr e) -> uint64_t;

// Replaces variables, or any other terms, by terms of the same type. Nothing folds in the rebuilt terms. Results are
// remembered, so that one object can serve a whole function.
class Substitution {
 public:
  explicit Substitution(Terms& terms);
  ~Substitution();

  // Makes later calls of Apply replace `from` everywhere, except as the variable that a Let binds.
  void Bind(PrimExpr from, PrimExpr to);
  auto empty() const -> bool;
  auto Apply(PrimExpr e) -> PrimExpr;

 private:
  Terms& terms_;
  struct Maps;
  std::unique_ptr<Maps> maps_;
};

// The names that LegacyText gives variables and buffers.
struct TermNames {
  std::function<std::string(PrimExpr var)> var;        // empty: the hint
  std::function<std::string(BufferId buffer)> buffer;  // empty: `buffer<id>`
};
// Returns the term as text for messages, tests and tie-breaks, in the notation of TVM's older printer: every
// binary operation in parentheses, `floordiv(i, 4)`, `(int64)4`, `A[i]`.
auto LegacyText(const Terms& terms, PrimExpr e, const TermNames& names = {}) -> std::string;

}  // namespace relayopt::arith
