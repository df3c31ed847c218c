// Type inference of one function.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "call_types.h"
#include "clause_bindings.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ops/type_rule.h"
#include "relayopt/relay/types/unifier.h"
#include "relayopt/support/diagnostic.h"
#include "type_messages.h"
#include "type_slots.h"
#include "waiting_calls.h"

namespace relayopt {

// Walks the table upwards, so that operands have types before their users. Every expression has a slot; slots whose
// expressions must have one type are merged (union-find), and a slot holds the type known so far. Type rules that lack
// information wait for the incomplete types of their inputs and run again when these become known.
class Inferencer {
 public:
  // `global_type` gives the function type of a global as far as it is known; none if it is not defined. `self` is the
  // global that the function defines.
  Inferencer(const Module& module, GlobalId self, const Function& function, DiagnosticSink& sink,
             std::function<TypeId(GlobalId, Unifier&)> global_type);

  // Parameters of closures keep their declared types, whatever types calls pass.
  void KeepParams() { may_widen_ = false; }
  // Types every expression. Returns false if there was an error.
  auto Run() -> bool;
  // Returns the function with its types and annotations, or null if it had them all before.
  auto TakeTyped() -> std::shared_ptr<Function> { return std::move(outcome_.typed); }
  // Whether annotations have changed after they were used, so that a second run will find more exact types.
  auto again() const -> bool { return outcome_.again; }
  // Whether the type of a closure's parameter became less specific than declared, so that expressions typed by the
  // declaration must be typed again.
  auto widened() const -> bool { return outcome_.widened; }

 private:
  class CallSolver;

  // The function with its types. It is copied only when the first type differs from what the function has already.
  struct Outcome {
    explicit Outcome(const Function& function) : from(function) {}
    auto function() const -> const Function& { return typed == nullptr ? from : *typed; }
    auto Typed() -> Function& {
      if (typed == nullptr) typed = std::make_shared<Function>(from);
      return *typed;
    }

    const Function& from;
    std::shared_ptr<Function> typed;
    bool again = false;
    bool widened = false;
  };

  // Makes the slot's type equal to `type`, or the slots of both one; a conflict is reported.
  auto Constrain(ExprId id, TypeId type) -> bool;
  auto Merge(ExprId a, ExprId b) -> bool;

  // Walk.
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

  // Results.
  void WriteBack();
  void WidenParams(ExprId id, const Type& type);

  const Module& module_;
  const GlobalId self_;
  const Function& function_;
  Context& context_;
  CallTypes& call_types_;
  const std::function<TypeId(GlobalId, Unifier&)> global_type_;
  Unifier unifier_;
  TypeSlots slots_;
  TypeMessages messages_;
  LetIndex lets_;
  ClauseBindings clauses_;
  WaitingCalls waiting_;
  Outcome outcome_;
  bool may_widen_ = true;
  // Room for lists of types.
  std::vector<TypeId> inputs_;
};

}  // namespace relayopt
