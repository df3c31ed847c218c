// Looking into terms and replacing parts of them, without recursion and each distinct part once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

// The distinct parts of the terms, themselves included: operands before what uses them, otherwise in the order in which
// they are first met from left to right.
auto PostOrder(const Terms& terms, std::span<const PrimExpr> roots) -> std::vector<PrimExpr>;
auto PostOrder(const Terms& terms, PrimExpr root) -> std::vector<PrimExpr>;

// Whether some variable in the term, outside of buffers' definitions, satisfies `test`.
auto UsesVar(const Terms& terms, PrimExpr e, const std::function<bool(PrimExpr var)>& test) -> bool;
auto UsesVar(const Terms& terms, PrimExpr e, PrimExpr var) -> bool;

// Variables that no Let of the term binds, in order of first occurrence.
auto FreeVars(const Terms& terms, PrimExpr e) -> std::vector<PrimExpr>;

// How many nodes the term has as a tree: shared ones count each time. Stops at the largest integer.
auto Complexity(const Terms& terms, PrimExpr e) -> uint64_t;

// Replaces variables, or any other terms, by terms of the same type. Rebuilt nodes are plain: nothing folds. What was
// replaced is remembered, so one object serves a whole function.
class Substitution {
 public:
  explicit Substitution(Terms& terms);
  ~Substitution();

  // Later calls of Apply replace `from`, everywhere but as the variable that a Let binds.
  void Bind(PrimExpr from, PrimExpr to);
  auto empty() const -> bool;
  auto Apply(PrimExpr e) -> PrimExpr;

 private:
  Terms& terms_;
  struct Maps;
  std::unique_ptr<Maps> maps_;
};

// Rebuilds the term from its leaves: `rewrite` gets every distinct part with its operands already rewritten (by the
// plain constructor) and says what stands in its place.
auto RewriteBottomUp(Terms& terms, PrimExpr e, const std::function<PrimExpr(PrimExpr)>& rewrite) -> PrimExpr;

// The term as text for messages, tests and tie-breaks, in the notation of the reference's older printer: every binary
// operation in its own parentheses, `floordiv(i, 4)`, `(int64)4`, `A[i]`. `name` gives a variable's or buffer's name.
struct TermNames {
  std::function<std::string(PrimExpr var)> var;        // empty: the hint
  std::function<std::string(BufferId buffer)> buffer;  // empty: `buffer<id>`
};
auto LegacyText(const Terms& terms, PrimExpr e, const TermNames& names = {}) -> std::string;

}  // namespace relayopt::arith
