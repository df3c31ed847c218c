// From the operands to the users, each expression that only depends on constants gets the bytes that would go if it
// were a constant: of a node, and of those operands that nothing else uses.
#include "shrinking_calls.h"

#include <algorithm>
#include <vector>

#include "folded_bytes.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

// Results in between that are larger are not computed.
constexpr size_t kMostBytes = size_t{1} << 24;

class Chains {
 public:
  Chains(const Function& function, const FoldOptions& options)
      : function_(function),
        options_(options),
        users_(function.size()),
        is_known_(function.size()),
        cost_(function.size()),
        marked_(function.size()) {}

  auto Run() -> SideTable<ExprId, bool> {
    for (const ExprId id : function_.ids()) {
      for (const ExprId operand : function_.operands(id)) ++users_[operand];
    }
    for (const ExprId id : function_.ids()) Visit(id);
    return std::move(marked_);
  }

 private:
  void Visit(ExprId id) {
    const ExprKind kind = function_.kind(id);
    if (kind == ExprKind::kConstant) {
      is_known_[id] = true;
      cost_[id] = function_.constant(id).num_bytes();
      return;
    }
    const bool is_call = kind == ExprKind::kOpCall;
    const auto operands = function_.operands(id);
    if ((!is_call && kind != ExprKind::kTuple) || operands.empty()) return;
    if (!std::ranges::all_of(operands, [&](ExprId operand) { return is_known_[operand]; })) return;
    size_t cost = is_call ? kNodeBytes : 0;
    for (const ExprId operand : operands) cost += users_[operand] == 1 ? cost_[operand] : 0;
    cost_[id] = cost;
    if (!is_call) {
      is_known_[id] = true;
      return;
    }
    const OpDef& op = *function_.op(id);
    const auto bytes = BytesOfType(function_.context(), function_.type(id));
    if (!bytes || *bytes > kMostBytes || !IsFoldable(op, options_)) return;
    is_known_[id] = true;
    if (*bytes > cost || IsConversion(op)) return;
    cost_[id] = *bytes;
    Mark(id);
  }

  // Weights that a node converts stay as they are stored, unless what is computed from them takes less.
  static auto IsConversion(const OpDef& op) -> bool {
    return &op == "cast"_op || op.name.find("Quantize") != std::string_view::npos ||
           op.name.find("Dequantize") != std::string_view::npos;
  }

  void Mark(ExprId last) {
    std::vector<ExprId> pending = {last};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (function_.kind(id) == ExprKind::kConstant || marked_[id]) continue;
      marked_[id] = true;
      const auto operands = function_.operands(id);
      pending.insert(pending.end(), operands.begin(), operands.end());
    }
  }

  const Function& function_;
  const FoldOptions& options_;
  SideTable<ExprId, uint32_t> users_;
  SideTable<ExprId, bool> is_known_;
  SideTable<ExprId, size_t> cost_;
  SideTable<ExprId, bool> marked_;
};

}  // namespace

auto ShrinkingCalls(const Function& function, const FoldOptions& options) -> SideTable<ExprId, bool> {
  return Chains(function, options).Run();
}

}  // namespace relayopt
