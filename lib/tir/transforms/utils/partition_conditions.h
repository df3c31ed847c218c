// Analyses for LoopPartition: which loops are candidates, and where conditions in them are known.
#pragma once

#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

inline constexpr std::string_view kPartitionHint = "pragma_loop_partition_hint";

// Returns the thread of a `thread_extent`, or nothing for other statements.
auto ThreadOf(const Tables& tables, Stmt stmt) -> const IterVar*;

// Finds the candidate loops.
class CandidateSelector {
 public:
  CandidateSelector(Context& context, bool const_loops)
      : context_(context),
        terms_(context.Part<Terms>()),
        tables_(context.Part<Tables>()),
        allreduce_(terms_.Intrinsic("tir.tvm_thread_allreduce"_intrin)),
        const_loops_(const_loops) {}

  void Visit(Stmt root) {
    Walk(
        root, [this](Stmt stmt) { return Enter(stmt), true; }, [this](Stmt stmt) { Leave(stmt); });
  }
  auto IsCandidate(StmtId id) const -> bool { return candidates_.contains(id); }
  auto IsHinted(PrimExpr var) const -> bool { return hinted_.contains(var); }

 private:
  void Enter(Stmt stmt);

  void Leave(Stmt stmt);

  // Returns the variable of a possible candidate.
  auto VarOf(Stmt stmt) const -> PrimExpr;

  Context& context_;
  Terms& terms_;
  const Tables& tables_;
  arith::CallOpId allreduce_;
  bool const_loops_;
  absl::flat_hash_set<StmtId> candidates_;
  absl::flat_hash_set<PrimExpr> hinted_;
  // Variables of the open ones: whether a `likely` uses them.
  absl::flat_hash_map<PrimExpr, bool> used_;
  std::vector<uint64_t> reductions_before_;
  uint64_t reductions_ = 0;
};

using PartitionSets = std::vector<arith::Analyzer::VarSet>;

// A condition, with the interval in which its value is known.
struct KnownCondition {
  PrimExpr condition;
  bool value;
  arith::IntSet set;
};

// Finds for which values of `var` the conditions in `body` are known: those inside `likely`, and all comparisons where
// `hinted`. `hint` and `relax` are as DeduceBound takes them; loops inside of the body are added to both.
auto FindKnown(Terms& terms, const Tables& tables, PrimExpr var, PartitionSets hint, PartitionSets relax, bool hinted,
               Stmt body) -> std::vector<KnownCondition>;

}  // namespace relayopt::tir
