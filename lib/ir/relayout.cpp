// Lays a function out afresh in post-order from its root.
#include "relayopt/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

class Layouter {
 public:
  explicit Layouter(const Function& from) : from_(from), to_(from.context()), map_(from.size()) {}

  auto Run() -> Function {
    if (HasChainInChain()) CountUses();
    to_.ReserveLike(from_);
    stack_.push_back({from_.root(), from_.root(), 0});
    while (!stack_.empty()) Step();
    return to_.Finish(map_[from_.root()]);
  }

 private:
  // A node whose operands are being laid out. For a let chain `part` moves on to the chains that continue it.
  struct Frame {
    ExprId node;
    ExprId part;
    uint32_t next = 0;
  };

  // Whether there may be chains to join.
  auto HasChainInChain() const -> bool {
    for (ExprId id(0U); id.value() < from_.size(); ++id) {
      if (from_.kind(id) == ExprKind::kLet && from_.kind(from_.let_result(id)) == ExprKind::kLet) return true;
    }
    return false;
  }

  // Edges from reachable nodes. Operands come before users, so one downward scan knows what is reachable.
  void CountUses() {
    uses_.resize(from_.size());
    ++uses_[from_.root()];
    for (uint32_t i = from_.root().value() + 1; i-- > 0;) {
      if (uses_[ExprId(i)] == 0) continue;
      for (const ExprId operand : from_.operands(ExprId(i))) ++uses_[operand];
    }
  }

  // Whether the chain goes on in its result.
  auto Continues(ExprId chain) const -> bool {
    if (uses_.empty() || from_.kind(chain) != ExprKind::kLet) return false;
    const ExprId result = from_.let_result(chain);
    return from_.kind(result) == ExprKind::kLet && uses_[result] == 1;
  }

  void Step() {
    Frame& frame = stack_.back();
    const auto operands = from_.operands(frame.part);
    while (frame.next < operands.size()) {
      const ExprId operand = operands[frame.next];
      ++frame.next;
      if (map_[operand]) continue;
      if (from_.operands(operand).empty()) {
        map_[operand] = to_.Copy(from_, operand, {});
        continue;
      }
      if (frame.next == operands.size() && Continues(frame.part)) {
        frame.part = operand;
        frame.next = 0;
      } else {
        stack_.push_back({operand, operand, 0});
      }
      return;
    }
    Emit(frame.node);
    stack_.pop_back();
  }

  void Emit(ExprId node) {
    operands_.clear();
    ExprId part = node;
    for (; Continues(part); part = from_.let_result(part)) {
      const auto steps = from_.operands(part);
      for (const ExprId operand : steps.first(steps.size() - 1)) operands_.push_back(map_[operand]);
    }
    for (const ExprId operand : from_.operands(part)) operands_.push_back(map_[operand]);
    map_[node] = to_.Copy(from_, node, operands_);
  }

  const Function& from_;
  FunctionBuilder to_;
  // Empty where no chain continues another.
  SideTable<ExprId, uint32_t> uses_;
  SideTable<ExprId, ExprId> map_;
  std::vector<Frame> stack_;
  std::vector<ExprId> operands_;
};

}  // namespace

auto Relayout(const Function& function) -> Function { return Layouter(function).Run(); }

}  // namespace relayopt
