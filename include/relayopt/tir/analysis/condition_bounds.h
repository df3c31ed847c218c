// Derives sets of values of variables from the conditions that hold.
#pragma once

#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/tir/ir/buffer.h"

namespace relayopt::tir {

// Sets of integers by variable, for evaluating regions of buffers.
class VarSets {
 public:
  explicit VarSets(Terms& terms) : terms_(terms) {}

  auto Find(PrimExpr var) const -> const arith::IntSet* {
    const auto found = sets_.find(var);
    return found == sets_.end() ? nullptr : &found->second;
  }
  void Set(PrimExpr var, arith::IntSet set) { sets_[var] = set; }
  void Erase(PrimExpr var) { sets_.erase(var); }
  // Returns the sets needed to evaluate the terms: those of their variables, and of the variables in these sets.
  auto For(std::span<const PrimExpr> exprs) const -> std::vector<arith::Analyzer::VarSet>;
  // Returns the values of a term, or in a range, while the variables run through their sets.
  auto Eval(PrimExpr e) const -> arith::IntSet;
  auto Eval(const Range& range) const -> arith::IntSet;

 private:
  Terms& terms_;
  absl::flat_hash_map<PrimExpr, arith::IntSet> sets_;
};

// The conditions that hold at the current position of a walk, nested in each other. A conjunction of linear comparisons
// narrows the sets of its variables, provided that the sets express all of it; other conditions stay pending.
class ConditionBounds {
 public:
  // `relaxed` holds the variables of the loops of the walk. Sets of other variables are kept in an additional map.
  ConditionBounds(Terms& terms, VarSets& relaxed) : terms_(terms), relaxed_(relaxed), hints_(terms) {}

  void Enter(PrimExpr condition);
  // Undoes the last Enter.
  void Leave();

  // Returns the conditions that were not turned into sets.
  auto pending() const -> std::span<const PrimExpr> { return pending_; }
  auto hints() -> VarSets& { return hints_; }

 private:
  struct Change {
    PrimExpr var;
    bool relaxed = false;
    bool had = false;
    arith::IntSet before;
  };
  struct Scope {
    size_t changes = 0;
    size_t pending = 0;
  };

  auto Narrow(PrimExpr condition) -> bool;

  Terms& terms_;
  VarSets& relaxed_;
  VarSets hints_;
  std::vector<PrimExpr> pending_;
  std::vector<Change> changes_;
  std::vector<Scope> scopes_;
};

}  // namespace relayopt::tir
