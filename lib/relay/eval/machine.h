// The stack machine behind an Evaluator.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "function_plan.h"
#include "relayopt/relay/eval/evaluator.h"

namespace relayopt {

// One evaluation. A frame is an activation of a lambda; a region is a scope being evaluated in the innermost frame.
// Both lie on stacks of their own, so that no recursion of the program recurses here.
class Machine {
 public:
  explicit Machine(Evaluator& evaluator) : evaluator_(evaluator), module_(evaluator.module_) {}

  auto Run(GlobalId id, std::vector<Value> args) -> Result<Value>;
  auto Run(const Value& closure, std::vector<Value> args) -> Result<Value>;

 private:
  struct Frame {
    const FunctionPlan* plan = nullptr;
    uint32_t lambda = 0;
    // The slot in the frame below that receives the result.
    uint32_t result_slot = 0;
    std::vector<Value> slots;
  };
  struct Region {
    ScopeId scope;
    // The node that opened the scope, and which of its scopes this is.
    ExprId owner;
    uint32_t part = 0;
    size_t next = 0;
  };
  using Error = std::optional<Diagnostic>;

  // Evaluates one expression of the innermost region, or opens what has to be evaluated for it.
  auto Step(ExprId id) -> Error;
  auto StepIf(ExprId id) -> Error;
  auto StepMatch(ExprId id) -> Error;
  auto StepOpCall(ExprId id) -> Error;
  auto StepCall(ExprId id) -> Error;
  auto StepProjection(ExprId id) -> Error;
  auto MakeClosure(ExprId id) -> Value;
  // Passes the value of a scope to the expression that opened it.
  void FinishRegion();

  auto Enter(const Value& closure, std::vector<Value> args, uint32_t result_slot, SourceRange at) -> Error;
  auto GlobalValue(GlobalId id, SourceRange at) -> Result<Value>;
  auto RunOp(OpInstanceId op, std::span<const Value> args, TypeId type, SourceRange at) -> Result<Value>;
  // Whether the value matches the pattern; binds the pattern's variables.
  auto Matches(ExprId match, uint32_t pattern, const Value& value) -> bool;

  auto frame() -> Frame& { return frames_.back(); }
  auto plan() -> const FunctionPlan& { return *frames_.back().plan; }
  auto function() -> const Function& { return plan().function; }
  auto Operand(ExprId id, size_t i) -> const Value& { return frame().slots[plan().OperandSlot(id, i)]; }
  // Returns the operand of a call, a tuple or a projection. The machine forgets it if no one else will read it.
  auto Take(ExprId id, size_t i) -> Value {
    Value& value = frame().slots[plan().OperandSlot(id, i)];
    return plan().IsLastRead(id, i) ? std::move(value) : value;
  }
  // Those from `first` on.
  auto TakeAll(ExprId id, size_t first) -> std::vector<Value>;
  void Set(ExprId id, Value value) { frame().slots[plan().slot[id]] = std::move(value); }
  void Open(ExprId owner, uint32_t part) {
    regions_.push_back({.scope = ScopeId(plan().scopes.first[owner].value() + part), .owner = owner, .part = part});
  }
  auto Wrong(ExprId id, std::string_view who, std::string_view what) -> Diagnostic;

  Evaluator& evaluator_;
  const Module& module_;
  std::vector<Frame> frames_;
  // The slots of all frames.
  size_t num_slots_ = 0;
  std::vector<Region> regions_;
  uint64_t steps_ = 0;
  Value result_;
};

}  // namespace relayopt
