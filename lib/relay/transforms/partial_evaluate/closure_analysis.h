// Finds the variables that function literals capture.
#pragma once

#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// A function literal and the variables it captures.
struct Closure {
  // Variables of functions around it, in the order in which the literal mentions them.
  std::vector<ExprId> captures;
  // The let variable of the literal, if the literal mentions it.
  ExprId self;
  // Literals inside mention `self` without capturing it: see EnclosingGlobal.
  bool is_known_inside = false;
};

// The captures of all function literals that are neither kernels (Primitive) nor inside one. Literals that refer to
// type parameters of functions around them are included only if they are called immediately.
class ClosureAnalysis {
 public:
  explicit ClosureAnalysis(const Function& function);

  // Inner ones first.
  auto literals() const -> const std::vector<ExprId>& { return literals_; }
  auto IsLiteral(ExprId id) const -> bool { return is_literal_.contains(id); }
  // `id` must be one of the literals.
  auto operator[](ExprId id) const -> const Closure& { return closures_[id]; }

  // Returns the expressions that a literal evaluates itself, operands first, without those inside literals in it.
  auto Region(ExprId literal) const -> std::vector<ExprId>;
  // Returns the variables that a literal binds, without those of literals inside it.
  auto BoundVars(ExprId literal, const std::vector<ExprId>& region) const -> absl::flat_hash_set<ExprId>;
  // Returns the literal that `var` is bound to by let, if it encloses `literal` and captures nothing: such a variable
  // need not be captured, because the outer literal is available by name.
  auto EnclosingGlobal(ExprId var, ExprId literal) const -> std::optional<ExprId>;

 private:
  void FindLiterals();
  void DropNestedGenerics();
  auto MentionsOuterTypeVars(ExprId literal) const -> bool;
  void FindCaptures(ExprId literal);
  void DropSelfCaptures(ExprId literal);

  const Function& function_;
  LetIndex lets_;
  Scopes scopes_;
  std::vector<ExprId> literals_;
  absl::flat_hash_set<ExprId> is_literal_;
  SideTable<ExprId, Closure> closures_;
};

}  // namespace relayopt
