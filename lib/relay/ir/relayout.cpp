// Lays out a function again, in post-order from its root.
#include <optional>

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

// First finds the order, then copies the nodes in it.
class Layouter {
 public:
  explicit Layouter(const Function& from) : from_(from), to_(from.context()) {}

  // Returns nothing if the function is in this order already.
  auto Run() -> std::optional<Function> {
    if (IsInOrder()) return std::nullopt;
    if (HasChainInChain()) CountUses();
    map_.resize(from_.size());
    order_.reserve(from_.size());
    stack_.push_back({from_.root(), from_.root(), 0});
    while (!stack_.empty()) Step();
    to_.ReserveLike(from_);
    for (const ExprId id : order_) Emit(id);
    return to_.Finish(map_[from_.root()]);
  }

 private:
  // A node whose operands are being put in order. For a let chain `part` moves on to the chains that continue it.
  struct Frame {
    ExprId node;
    ExprId part;
    uint32_t next = 0;
  };

  // Whether there may be chains to join.
  auto HasChainInChain() const -> bool {
    for (ExprId id(0U); id.value() < from_.size(); ++id) {
      if (IsChainInChain(id)) return true;
    }
    return false;
  }

  auto IsChainInChain(ExprId id) const -> bool {
    return from_.kind(id) == ExprKind::kLet && from_.kind(from_.let_result(id)) == ExprKind::kLet;
  }

  // Whether the function stays as it is. As long as the table is in order, the next node to be placed is known, and
  // those before it have been placed.
  auto IsInOrder() -> bool {
    ExprId next(0U);
    stack_.push_back({from_.root(), from_.root(), 0});
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      const auto operands = from_.operands(frame.node);
      size_t i = frame.next;
      for (; i < operands.size(); ++i) {
        if (operands[i] > next) break;
        if (operands[i] < next) continue;
        // Whatever has no operands before it can be placed at once.
        if (!from_.operands(next).empty()) break;
        ++next;
      }
      frame.next = static_cast<uint32_t>(i + 1);
      if (i < operands.size()) {
        stack_.push_back({operands[i], operands[i], 0});
      } else {
        if (frame.node != next || IsChainInChain(next)) break;
        ++next;
        stack_.pop_back();
      }
    }
    const bool is_in_order = stack_.empty() && next.value() == from_.size();
    stack_.clear();
    return is_in_order;
  }

  // Counts uses by reachable nodes. Operands precede users, so one descending scan knows which nodes are reachable.
  void CountUses() {
    uses_.resize(from_.size());
    ++uses_[from_.root()];
    for (uint32_t i = from_.root().value() + 1; i-- > 0;) {
      if (uses_[ExprId(i)] == 0) continue;
      for (const ExprId operand : from_.operands(ExprId(i))) ++uses_[operand];
    }
  }

  // Whether the result of the chain is a chain that continues it.
  auto Continues(ExprId chain) const -> bool {
    if (uses_.empty() || from_.kind(chain) != ExprKind::kLet) return false;
    const ExprId result = from_.let_result(chain);
    return from_.kind(result) == ExprKind::kLet && uses_[result] == 1;
  }

  void Step() {
    Frame& frame = stack_.back();
    const auto operands = from_.operands(frame.part);
    const size_t count = operands.size();
    size_t i = frame.next;
    for (; i < count; ++i) {
      if (map_[operands[i]]) continue;
      if (!from_.operands(operands[i]).empty()) break;
      Place(operands[i]);
    }
    if (i == count) {
      Place(frame.node);
      stack_.pop_back();
    } else if (i + 1 == count && Continues(frame.part)) {
      frame.part = operands[i];
      frame.next = 0;
    } else {
      frame.next = static_cast<uint32_t>(i + 1);
      stack_.push_back({operands[i], operands[i], 0});
    }
  }

  void Place(ExprId node) {
    map_[node] = ExprId(order_.size());
    order_.push_back(node);
  }

  void Emit(ExprId node) {
    operands_.clear();
    ExprId part = node;
    for (; Continues(part); part = from_.let_result(part)) {
      const auto steps = from_.operands(part);
      for (const ExprId operand : steps.first(steps.size() - 1)) operands_.push_back(map_[operand]);
    }
    for (const ExprId operand : from_.operands(part)) operands_.push_back(map_[operand]);
    to_.Copy(from_, node, operands_);
  }

  const Function& from_;
  FunctionBuilder to_;
  // The old nodes in their new order, and the other way round.
  std::vector<ExprId> order_;
  SideTable<ExprId, ExprId> map_;
  // Empty if no chain continues another.
  SideTable<ExprId, uint32_t> uses_;
  std::vector<Frame> stack_;
  std::vector<ExprId> operands_;
};

}  // namespace

auto Relayout(Function function) -> Function {
  auto other = Layouter(function).Run();
  return other ? *std::move(other) : std::move(function);
}

}  // namespace relayopt
