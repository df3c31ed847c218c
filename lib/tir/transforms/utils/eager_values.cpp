#include "lib/tir/transforms/utils/eager_values.h"

#include <vector>

#include "relayopt/arith/fold.h"

namespace relayopt::tir {

auto EagerValues::IsSafe(PrimExpr value) -> bool {
  std::vector<PrimExpr> stack = {value};
  while (!stack.empty()) {
    const PrimExpr top = stack.back();
    const size_t before = stack.size();
    if (!safe_.contains(top)) {
      for (const PrimExpr operand : terms_.operands(top)) {
        if (!safe_.contains(operand)) stack.push_back(operand);
      }
      if (stack.size() != before) continue;
      bool is_safe = IsSafeNode(top);
      for (const PrimExpr operand : terms_.operands(top)) is_safe = is_safe && safe_.at(operand);
      safe_[top] = is_safe;
    }
    stack.pop_back();
  }
  return safe_.at(value);
}

// A variable of several loops has no range here, since their ranges may differ.
void EagerValues::BindLoops() {
  analyzer_.emplace(func_.terms());
  absl::flat_hash_map<PrimExpr, int> uses;
  std::vector<std::pair<PrimExpr, Range>> ranges;
  for (StmtId id(0U); id.value() < func_.size(); ++id) {
    const Stmt stmt = func_.stmt(id);
    if (const auto loop = stmt.As<For>()) {
      ranges.emplace_back(loop->loop_var(), Range{loop->min(), loop->extent()});
    } else if (const auto attr = stmt.As<AttrStmt>(); attr && attr->launched_thread()) {
      const PrimExpr var = func_.tables().iter_var(attr->launched_thread()).var;
      ranges.emplace_back(var, Range{arith::MakeZero(func_.terms(), terms_.dtype(attr->value())), attr->value()});
    } else {
      continue;
    }
    ++uses[ranges.back().first];
  }
  // Outer loops are later statements, and bounds of inner ones may use their variables.
  for (size_t i = ranges.size(); i-- > 0;) {
    const auto& [var, range] = ranges[i];
    if (uses.at(var) == 1 && terms_.dtype(var) == terms_.dtype(range.extent)) analyzer_->Bind(var, range);
  }
}

auto EagerValues::IsSafeNode(PrimExpr value) -> bool {
  switch (terms_.kind(value)) {
    case PrimKind::kBufferLoad: return IsInside(value);
    case PrimKind::kDiv:
    case PrimKind::kMod:
    case PrimKind::kFloorDiv:
    case PrimKind::kFloorMod: {
      const PrimExpr divisor = terms_.operand(value, 1);
      if (!arith::IsInteger(terms_.dtype(value))) return true;
      if (const auto number = terms_.AsInt(divisor)) return *number != 0;
      if (!analyzer_) BindLoops();
      return terms_.lanes(divisor) == 1 &&
             analyzer_->CanProve(
                 arith::Ne(func_.terms(), divisor, arith::MakeZero(func_.terms(), terms_.dtype(divisor))));
    }
    default: return true;
  }
}

auto EagerValues::IsInside(PrimExpr load) -> bool {
  const Buffer& buffer = func_.tables().buffer(terms_.buffer(load));
  const auto indices = terms_.operands(load);
  if (indices.size() != buffer.ndim()) return false;
  if (!analyzer_) BindLoops();
  for (size_t i = 0; i < indices.size(); ++i) {
    if (terms_.lanes(indices[i]) != 1 || !analyzer_->CanProveGreaterEqual(indices[i], 0)) return false;
    if (!analyzer_->CanProve(arith::Lt(func_.terms(), indices[i], buffer.shape[i]))) return false;
  }
  return true;
}

}  // namespace relayopt::tir
