// Partial evaluation of if and match.
#include <algorithm>

#include "partial_machine.h"

namespace relayopt::partial {

void Machine::Choose() {
  const ExprId id = frames_.back().expr;
  const Value& value = values_[next_.value];
  if (kind(id) == ExprKind::kIf && value.known == Known::kTensor) {
    const auto bit = types().constant(ConstantId(value.payload)).ScalarAsInt();
    if (bit) {
      frames_.pop_back();
      return Eval(here_.from->operand(id, *bit != 0 ? 1 : 2));
    }
  }
  if (kind(id) == ExprKind::kMatch) {
    if (const auto rhs = ChooseClause(id)) {
      frames_.pop_back();
      return Eval(*rhs);
    }
  }
  Frame& frame = frames_.back();
  frame.kind = FrameKind::kBranch;
  frame.value = next_.value;
  StartBranch();
}

auto Machine::ChooseClause(ExprId id) -> std::optional<ExprId> {
  for (const MatchClause& clause : here_.from->match(id).clauses) {
    switch (Match(id, clause, next_.value)) {
      case Matching::kYes: return here_.from->operand(id, clause.rhs);
      case Matching::kNo: continue;
      case Matching::kUnknown: return std::nullopt;
    }
  }
  return std::nullopt;
}

auto Machine::Match(ExprId id, const MatchClause& clause, ValueId data) -> Matching {
  const MatchInfo& info = here_.from->match(id);
  struct Part {
    uint32_t pattern;
    ValueId value;
  };
  std::vector<Part> stack = {{clause.pattern, data}};
  Matching status = Matching::kYes;
  while (!stack.empty()) {
    const Part part = stack.back();
    stack.pop_back();
    const Pattern& pattern = info.patterns[part.pattern];
    const Value& value = values_[part.value];
    if (pattern.kind == PatternKind::kWildcard) continue;
    if (pattern.kind == PatternKind::kVar) {
      Bind(here_.from->operand(id, pattern.operand), part.value);
      continue;
    }
    const bool is_tuple = pattern.kind == PatternKind::kTuple;
    if (value.known != (is_tuple ? Known::kTuple : Known::kData)) {
      status = Matching::kUnknown;
      continue;
    }
    if (!is_tuple && CtorId(value.payload) != pattern.ctor) return Matching::kNo;
    for (size_t i = std::min<size_t>(pattern.num_children, value.fields.size()); i-- > 0;) {
      stack.push_back({info.children[pattern.first_child + i], value.fields[i]});
    }
  }
  return status;
}

void Machine::StartBranch() {
  Frame& frame = frames_.back();
  const ExprId id = frame.expr;
  ExprId branch;
  if (kind(id) == ExprKind::kIf) {
    branch = here_.from->operand(id, frame.at + 1);
  } else {
    const MatchClause& clause = here_.from->match(id).clauses[frame.at];
    for (uint32_t i = clause.first_operand; i < clause.rhs; ++i) {
      const ExprId var = NewVar(here_.from->operand(id, i));
      frame.made.push_back(var);
      Bind(here_.from->operand(id, i), Unknown(var));
    }
    branch = here_.from->operand(id, clause.rhs);
  }
  store_.Enter();
  code_.OpenList();
  Eval(branch);
}

void Machine::FinishBranch() {
  const ExprId code = CloseList(next_.value);
  store_.Leave();
  Frame& frame = frames_.back();
  frame.made.push_back(code);
  const ExprId id = frame.expr;
  const size_t count = kind(id) == ExprKind::kIf ? 2 : here_.from->match(id).clauses.size();
  if (++frame.at < count) return StartBranch();
  std::vector<ExprId> operands = {Code(frame.value)};
  operands.insert(operands.end(), frame.made.begin(), frame.made.end());
  frames_.pop_back();
  store_.Forget();
  Return(Residual(CopyHere(id, operands)));
}

}  // namespace relayopt::partial
