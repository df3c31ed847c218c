// How a function is evaluated: which scope evaluates what in which order, and where values are kept.
#pragma once

#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ir/scopes.h"

namespace relayopt {

// A captured value: its slot in the frame that creates the closure, and in the frames that run it.
struct Capture {
  ExprId value;
  uint32_t outer_slot = 0;
  uint32_t inner_slot = 0;
  // The closure itself, to which recursion refers before it exists.
  bool is_self = false;
};

// A function literal, or the function as a whole. Every activation has a frame of slots.
struct LambdaPlan {
  ExprId function;
  // The index of the enclosing lambda; its own index for the function as a whole.
  uint32_t parent = 0;
  uint32_t num_slots = 0;
  std::vector<Capture> captures;
};

struct FunctionPlan {
  explicit FunctionPlan(FunctionRef of);

  // Returns the expressions that a scope evaluates, in order.
  auto Steps(ScopeId scope) const -> std::span<const ExprId> {
    return std::span(steps_).subspan(first_step_[scope.value()],
                                     first_step_[scope.value() + 1] - first_step_[scope.value()]);
  }
  // Returns the slot of operand `i` in the frame that reads it.
  auto OperandSlot(ExprId id, size_t i) const -> uint32_t { return operand_slots_[first_operand_[id] + i]; }
  // Whether no one reads the value of operand `i` of a call, a tuple or a projection after that.
  auto IsLastRead(ExprId id, size_t i) const -> bool { return last_reads_[first_operand_[id] + i]; }

  FunctionRef owner;
  const Function& function;
  Scopes scopes;
  std::vector<LambdaPlan> lambdas;
  // For kFunction: the index of its lambda.
  SideTable<ExprId, uint32_t> lambda;
  // The slot of an expression in the frames of its lambda.
  SideTable<ExprId, uint32_t> slot;

 private:
  void PlaceSteps();
  void PlaceOperands();
  void FindLastReads();
  auto SlotIn(uint32_t reader, ExprId id) -> uint32_t;
  // Returns the expression whose slot is used: for a let variable its value.
  auto SourceOf(ExprId id) -> ExprId;

  std::vector<uint32_t> first_step_;
  std::vector<ExprId> steps_;
  SideTable<ExprId, uint32_t> first_operand_;
  std::vector<uint32_t> operand_slots_;
  std::vector<bool> last_reads_;

  LetIndex lets_;
  // The lambda that evaluates an expression.
  SideTable<ExprId, uint32_t> home_;
  SideTable<ExprId, ExprId> source_;
  absl::flat_hash_map<std::pair<uint32_t, ExprId>, uint32_t> captured_;
};

}  // namespace relayopt
