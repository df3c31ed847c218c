// Rebuild: rewrites a function.
#include "relayopt/relay/ir/rebuild.h"

#include "relayopt/relay/ir/provenance.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

Rebuild::Rebuild(const Function& from) : from_(&from), builder_(from.context()), map_(from.size()) {
  builder_.ReserveLike(from);
}

void Rebuild::CopyPending() {
  const uint32_t end = next_.value();
  // The operands of the copies exist already.
  next_ = copied_;
  for (uint32_t i = copied_.value(); i < end; ++i) map_[ExprId(i)] = Copy(ExprId(i));
  copied_ = next_ = ExprId(end);
}

void Rebuild::Replace(ExprId old, ExprId made) {
  CatchUp();
  map_[old] = made;
  copied_ = next_ = ExprId(old.value() + 1);
  const Function& to = builder_.function();
  if (to.kind(made) != ExprKind::kOpCall) return;
  if (!to.span(made)) builder_.SetSpan(made, from_->span(old));
  if (!to.range(made).valid()) builder_.SetRange(made, from_->range(old));
}

auto Rebuild::NewOperands(ExprId old) -> std::span<const ExprId> {
  CatchUp();
  operands_.clear();
  for (const ExprId operand : from_->operands(old)) operands_.push_back(map_[operand]);
  return operands_;
}

namespace {

// Returns an expression in a word: an operator, also one that is read by a field of its result, by its name.
auto Word(const Function& function, ExprId id) -> std::string_view {
  if (function.kind(id) == ExprKind::kTupleGetItem) {
    const ExprId tuple = function.operand(id, 0);
    if (function.kind(tuple) == ExprKind::kOpCall) return function.op(tuple)->name;
  }
  switch (function.kind(id)) {
    case ExprKind::kOpCall: return function.op(id)->name;
    case ExprKind::kVar: return "a variable";
    case ExprKind::kGlobal: return "a global function";
    case ExprKind::kConstant: return "a constant";
    case ExprKind::kFunction: return "a function";
    case ExprKind::kCall: return "a call";
    case ExprKind::kLet: return "a let";
    case ExprKind::kTuple: return "a tuple";
    case ExprKind::kTupleGetItem: return "a projection";
    case ExprKind::kIf: return "an if";
    default: return "an expression";
  }
}

}  // namespace

auto Rebuild::Watched(RewriteGate& gate, ExprId old, ExprId made) -> ExprId {
  if (!gate.Allows()) return {};
  if (gate.wants_remarks())
    gate.ReportRewrite(Word(*from_, old), Word(builder_.function(), made), FindRange(*from_, old));
  return made;
}

}  // namespace relayopt
