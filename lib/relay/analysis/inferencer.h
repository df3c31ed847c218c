// Type inference of one function.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "call_types.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ops/type_rule.h"
#include "relayopt/relay/types/unifier.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Walks the table upwards, so that operands have types before their users. Every expression has a slot; slots whose
// expressions must have one type are merged (union-find), and a slot holds the type known so far. Type rules that lack
// information wait for the incomplete types of their inputs and run again when these become known.
class Inferencer {
 public:
  // `global_type` gives the function type of a global as far as it is known; none when it is not defined.
  // `self` is the global that the function defines.
  Inferencer(const Module& module, GlobalId self, const Function& function, DiagnosticSink& sink,
             std::function<TypeId(GlobalId, Unifier&)> global_type);

  // Parameters of closures stay what they say, whatever calls pass.
  void KeepParams() { may_widen_ = false; }
  // Types every expression. False when there was an error.
  auto Run() -> bool;
  // The function with its types and annotations; null when it had them all before.
  auto TakeTyped() -> std::shared_ptr<Function> { return std::move(typed_); }
  // Whether annotations have changed after they were used, so that a second run will find more exact types.
  auto again() const -> bool { return again_; }
  // Parameters of closures know less than they said: what was made of them has to be typed again.
  auto widened() const -> bool { return widened_; }

 private:
  class CallSolver;

  // Slots.
  auto Find(ExprId id) -> ExprId { return parents_[id] ? FindMerged(id) : id; }
  auto FindMerged(ExprId id) -> ExprId;
  // What is known of an expression's type; something incomplete at least.
  auto TypeOf(ExprId id) -> TypeId {
    TypeId& value = values_[Find(id)];
    if (!value) value = unifier_.Fresh();
    return unifier_.Head(value);
  }
  void SetType(ExprId id, TypeId type) { values_[id] = type; }
  // Makes the slot's type equal to `type`.
  auto Constrain(ExprId id, TypeId type) -> bool;
  // Makes the slots of both one; Merge reports when they conflict.
  auto TryMerge(ExprId a, ExprId b) -> bool;
  auto Merge(ExprId a, ExprId b) -> bool;

  // Walk.
  void IndexPatterns();
  void Visit(ExprId id);
  void VisitVar(ExprId id);
  auto TypeOfConstant(ExprId id) -> TypeId;
  void AfterVisit(ExprId id);
  void BindLet(const LetStep& step);
  void VisitOpCall(ExprId id);
  void VisitCall(ExprId id);
  void LearnParam(ExprId param, TypeId type);
  void VisitFunction(ExprId id);
  // Carries a written tuple type to the fields of the tuple that is the body.
  void SpreadResult(ExprId body, TypeId written);
  void VisitIf(ExprId id);
  void VisitMatch(ExprId id);
  void VisitRefWrite(ExprId id);
  auto TypeOfConstructor(CtorId id) -> TypeId;
  auto TypeOfOperator(const OpDef& op) -> TypeId;
  auto ContentOfRef(ExprId ref) -> TypeId;
  auto Instantiate(TypeId function_type) -> TypeId;

  // Patterns (inferencer_patterns.cpp).
  void CheckClause(ExprId match, size_t clause);
  void CheckConstructorPattern(ExprId match, const Pattern& pattern, TypeId type,
                               std::vector<std::pair<uint32_t, TypeId>>& work);

  // Relations that may have to wait.
  auto Try(ExprId id) -> RuleStatus;
  auto TryRemembered(ExprId id) -> bool;
  auto TryOpCall(ExprId id) -> RuleStatus;
  auto TryOpCall(ExprId id, std::vector<TypeId>& inputs) -> RuleStatus;
  auto TryTupleGetItem(ExprId id) -> RuleStatus;
  void RunOrWait(ExprId id);
  void Wait(ExprId id);
  void SolvePending();

  // Results. The function is copied when the first of them differs from what stands there.
  auto Typed() -> Function&;
  void WriteBack();
  void WidenParams(ExprId id, const Type& type);
  void ReportMismatch(ExprId at, std::string_view what, TypeId found, TypeId expected);
  // Where the expression is used by the one that is being looked at: of what stands elsewhere, as variables do, its
  // name there.
  auto UseOf(ExprId id) const -> SourceRange;
  auto Name(TypeId type) -> std::string;
  auto Describe(ExprId id) const -> std::string;

  const Module& module_;
  const GlobalId self_;
  const Function& function_;
  std::shared_ptr<Function> typed_;
  Context& context_;
  CallTypes& call_types_;
  DiagnosticSink& sink_;
  std::function<TypeId(GlobalId, Unifier&)> global_type_;
  Unifier unifier_;

  // None of the expression that stands for its slot.
  SideTable<ExprId, ExprId> parents_;
  SideTable<ExprId, TypeId> values_;
  LetIndex lets_;
  // The match and clause that bind a pattern variable.
  absl::flat_hash_map<ExprId, std::pair<ExprId, size_t>> matches_;
  // Clauses whose pattern has been checked, by match.
  absl::flat_hash_map<ExprId, std::vector<bool>> checked_clauses_;

  absl::flat_hash_map<TypeId, std::vector<ExprId>> waiting_;
  std::deque<ExprId> ready_;
  // Mentions of the function inside itself.
  std::vector<ExprId> recursive_;
  std::vector<TypeId> inputs_;
  // The expression that is being looked at, for messages.
  ExprId user_;
  size_t errors_before_ = 0;
  bool again_ = false;
  bool may_widen_ = true;
  bool widened_ = false;
};

}  // namespace relayopt
