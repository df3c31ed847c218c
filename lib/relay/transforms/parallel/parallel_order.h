// The order in which to emit expressions when groups of parallel branches are merged.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "parallel_branches.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Results of a group are computed together, so each needs all that any of them needs. A group that needs its own
// results, also through other groups, is given up; so is one that needs a variable that is not bound where the results
// are used.
class ParallelOrder {
 public:
  ParallelOrder(const Function& function, std::span<const ParallelGroup> groups);

  // Calls `emit(id, nullptr)` for an expression to be copied, `emit({}, &group)` for a group to be joined; operands
  // before users.
  void Run(const std::function<void(ExprId, const ParallelGroup*)>& emit);

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    ExprId id;
    size_t next;
  };
  static constexpr uint32_t kNoGroup = UINT32_MAX;

  void FindNeeds();
  auto NeedOf(ExprId id) const -> ScopeId;
  auto IsWellScoped(const ParallelGroup& group) const -> bool;
  void Adopt(uint32_t index);
  void GiveUp(uint32_t index);
  auto NumOperands(ExprId id) const -> size_t;
  auto Operand(ExprId id, size_t i) const -> ExprId;
  void BreakCycle(ExprId id);

  const Function& function_;
  const std::span<const ParallelGroup> groups_;
  const Scopes scopes_;
  // The innermost scope whose variables an expression needs.
  SideTable<ExprId, ScopeId> needs_;
  // For variables of lets, their values.
  SideTable<ExprId, ExprId> value_;
  // The group that computes an expression.
  SideTable<ExprId, uint32_t> group_of_;
  // For each group, the expressions that it needs.
  std::vector<std::vector<ExprId>> inputs_;
  SideTable<ExprId, State> state_;
  SideTable<ExprId, bool> is_made_;
  std::vector<Frame> stack_;
};

}  // namespace relayopt
