// Decides, before a function is printed, which lines its text has and what everything in it is called.
#include "lib/text/printer_numbering.h"

#include "lib/text/printer_literals.h"
#include "relayopt/ops/op_table.h"
#include "relayopt/support/check.h"

namespace relayopt {

// One step of the walk; several make a construct.
enum class Numbering::Step : uint8_t {
  // Renders what lies below an expression, then itself.
  kVisit,
  // Renders a dataflow node whose operands are rendered.
  kRender,
  // Uses a rendered expression as an operand, or as the result of a scope.
  kUse,
  kUseTail,
  kOpenScope,
  kCloseScope,
  // The variable of step `arg` of a let chain; then, after its value, the line.
  kBeginLetStep,
  kEndLetStep,
  // Clause `arg` of a match.
  kBeginArm,
};

PrinterState::PrinterState(const Module& module, const PrintOptions& options)
    : module(module),
      options(options),
      meta(module.context()),
      types(module.context(), meta),
      attrs(module.context(), meta, options.metadata == MetadataPrinting::kSection),
      call_lowered(FindOp("call_lowered")) {}

Numbering::Numbering(PrinterState& state, const Function& function)
    : state_(state),
      function_(function),
      ordinal_(++state.functions),
      flags_(function.size()),
      number_(function.size(), kNoNumber),
      next_line_(function.size()) {
  CountUses();
  VisitFunction(function.root());
  Run();
  work_ = {};
}

// Operands come before their users, so one scan downwards from the root sees every use of a node before the node.
void Numbering::CountUses() {
  flags_[function_.root().value()] = kUsed;
  for (uint32_t i = function_.root().value() + 1; i-- != 0;) {
    if ((flags_[i] & kUsed) == 0) continue;
    for (const ExprId operand : function_.operands(ExprId(i))) {
      uint8_t& flags = flags_[operand.value()];
      flags |= (flags & kUsed) != 0 ? kUsedTwice : kUsed;
    }
  }
}

void Numbering::Run() {
  while (!work_.empty()) {
    const Task task = work_.back();
    work_.pop_back();
    Do(task);
  }
}

void Numbering::Do(const Task& task) {
  switch (task.step) {
    case Step::kVisit: Visit(task.id); break;
    case Step::kRender: Render(task.id); break;
    case Step::kUse: Use(task.id, false); break;
    case Step::kUseTail: Use(task.id, true); break;
    case Step::kOpenScope: open_.push_back(task.arg); break;
    case Step::kCloseScope: open_.pop_back(); break;
    case Step::kBeginLetStep: BeginLetStep(task.id, task.arg); break;
    case Step::kEndLetStep: EndLetStep(task.id, task.arg); break;
    case Step::kBeginArm: BeginArm(task.id, task.arg); break;
  }
}

void Numbering::Visit(ExprId id) {
  uint8_t& flags = flags_[id.value()];
  if ((flags & kRendered) != 0) return;
  switch (function_.kind(id)) {
    case ExprKind::kVar:
      flags |= kFree;
      Declare(id);
      break;
    case ExprKind::kConstant:
      flags |= kRendered;
      if (!IsLiteral(function_.constant(id))) {
        const ConstantId constant = function_.constant_id(id);
        state_.meta.IndexOf({MetaRef::Kind::kConstant, constant.value()});
        state_.meta.NoteConstant(
            constant, {.type = function_.type(id), .span = state_.options.spans ? function_.span(id) : SpanId()});
      }
      break;
    case ExprKind::kGlobal:
    case ExprKind::kConstructor:
    case ExprKind::kOp: flags |= kRendered; break;
    case ExprKind::kTuple:
    case ExprKind::kTupleGetItem:
    case ExprKind::kOpCall:
    case ExprKind::kCall: {
      Push(Step::kRender, id);
      const auto operands = function_.operands(id);
      if (IsLoweredCall(id)) {
        // The reference looks through the tuple of arguments, which it renders with the call.
        PushVisits(function_.operands(operands[1]));
        PushVisits(operands.first(1));
      } else {
        PushVisits(operands);
      }
      break;
    }
    default: flags |= kRendered; VisitLeaf(id);
  }
}

void Numbering::PushVisits(std::span<const ExprId> ids) {
  for (size_t i = ids.size(); i-- != 0;) {
    if ((flags_[ids[i].value()] & kRendered) == 0) Push(Step::kVisit, ids[i]);
  }
}

auto Numbering::IsLoweredCall(ExprId id) const -> bool {
  if (function_.kind(id) != ExprKind::kOpCall || state_.call_lowered == nullptr) return false;
  const auto operands = function_.operands(id);
  return function_.op(id) == state_.call_lowered && operands.size() == 2 &&
         function_.kind(operands[1]) == ExprKind::kTuple;
}

// Everything that is no dataflow has operands with walks of their own. Work is pushed last first.
void Numbering::VisitLeaf(ExprId id) {
  switch (function_.kind(id)) {
    case ExprKind::kFunction: VisitFunction(id); break;
    case ExprKind::kLet:
      AddScopes(id, 1);
      Push(Step::kBeginLetStep, id, 0);
      break;
    case ExprKind::kIf: {
      const uint32_t scope = AddScopes(id, 2);
      PushScope(scope + 1, function_.operand(id, 2));
      PushScope(scope, function_.operand(id, 1));
      PushUse(function_.operand(id, 0));
      break;
    }
    case ExprKind::kMatch: {
      const size_t clauses = function_.match(id).clauses.size();
      AddScopes(id, clauses);
      if (clauses != 0) Push(Step::kBeginArm, id, 0);
      PushUse(function_.operand(id, 0));
      break;
    }
    default: {
      const auto operands = function_.operands(id);
      for (size_t i = operands.size(); i-- != 0;) PushUse(operands[i]);
    }
  }
}

void Numbering::VisitFunction(ExprId id) {
  const FunctionInfo& info = function_.info(id);
  for (const ExprId param : function_.params(id)) Declare(param);
  scratch_.clear();
  state_.attrs.AppendFunction(scratch_, info);
  if (info.result) state_.types.Reserve(info.result);
  PushScope(AddScopes(id, 1), function_.body(id));
}

// The order in which the reference makes the parts of a call: arguments, attributes, callee.
void Numbering::Render(ExprId id) {
  flags_[id.value()] |= kRendered;
  const auto operands = function_.operands(id);
  if (function_.kind(id) == ExprKind::kCall) {
    for (const ExprId arg : operands.subspan(1)) Use(arg, false);
    scratch_.clear();
    state_.attrs.AppendCall(scratch_, function_.attrs(id));
    Use(operands[0], false);
    return;
  }
  for (const ExprId operand : operands) {
    if ((flags_[operand.value()] & kRendered) == 0) Render(operand);
    Use(operand, false);
  }
  if (function_.kind(id) == ExprKind::kOpCall) {
    scratch_.clear();
    state_.attrs.AppendOpCall(scratch_, function_.op_instance(id), call_key(id));
  }
}

void Numbering::Use(ExprId id, bool tail) {
  uint8_t& flags = flags_[id.value()];
  switch (function_.kind(id)) {
    case ExprKind::kGlobal:
    case ExprKind::kConstructor:
    case ExprKind::kOp: return;
    case ExprKind::kConstant: ReserveInfo(id); return;
    case ExprKind::kVar:
      if ((flags & (kFree | kPlaced)) == kFree) AppendLine(id);
      return;
    default: break;
  }
  const bool in_place = tail && (flags & kUsedTwice) == 0;
  if (!in_place && number_[id.value()] != kNoNumber) return;
  ReserveInfo(id);
  if (in_place) return;
  number_[id.value()] = state_.next_number++;
  AppendLine(id);
}

void Numbering::BeginLetStep(ExprId let, uint32_t step) {
  Declare(function_.let_var(let, step));
  const ExprId value = function_.let_value(let, step);
  Push(Step::kEndLetStep, let, step);
  Push(Step::kUseTail, value);
  Push(Step::kVisit, value);
}

// What the first value needs goes before the chain, into the scope around it; what a later value needs goes after the
// line of the step before.
void Numbering::EndLetStep(ExprId let, uint32_t step) {
  if (step == 0) open_.push_back(scope_of_.at(let));
  AppendLine(function_.let_var(let, step));
  if (step + 1 < function_.let_size(let)) {
    Push(Step::kBeginLetStep, let, step + 1);
    return;
  }
  const ExprId result = function_.let_result(let);
  Push(Step::kCloseScope, let);
  Push(Step::kUseTail, result);
  Push(Step::kVisit, result);
}

void Numbering::BeginArm(ExprId id, uint32_t clause_index) {
  const MatchInfo& match = function_.match(id);
  const MatchClause& clause = match.clauses[clause_index];
  ForEachPattern(match, clause, [&](const Pattern& pattern) {
    if (pattern.kind == PatternKind::kVar) Declare(function_.operand(id, pattern.operand));
  });
  if (clause_index + 1 < match.clauses.size()) Push(Step::kBeginArm, id, clause_index + 1);
  PushScope(scope_of_.at(id) + clause_index, function_.operand(id, clause.rhs));
}

void Numbering::Declare(ExprId var) {
  flags_[var.value()] |= kRendered;
  if (number_[var.value()] != kNoNumber) return;
  const VarInfo& info = function_.var(var);
  number_[var.value()] = static_cast<uint32_t>(names_.size());
  names_.push_back(state_.names.Declare(info.name ? state_.module.context().text(info.name) : std::string_view()));
  if (!IsUnconstrained(state_.module.context(), info.virtual_device)) {
    scratch_.clear();
    state_.attrs.AppendValue(scratch_, info.virtual_device);
  }
  if (info.annotation) state_.types.Reserve(info.annotation);
  if (state_.options.types && function_.type(var)) state_.types.Reserve(function_.type(var));
}

void Numbering::ReserveInfo(ExprId id) {
  const ExprKind kind = function_.kind(id);
  const bool has_comment = kind <= ExprKind::kFunction;
  if (has_comment && state_.options.types && function_.type(id)) state_.types.Reserve(function_.type(id));
}

void Numbering::AppendLine(ExprId id) {
  uint8_t& flags = flags_[id.value()];
  RELAYOPT_CHECK((flags & kPlaced) == 0, "a variable is bound once");
  flags |= kPlaced;
  Scope& scope = scopes_[open_.back()];
  if (scope.last) {
    next_line_[scope.last.value()] = id;
  } else {
    scope.first = id;
  }
  scope.last = id;
}

void Numbering::PushScope(uint32_t scope, ExprId result) {
  Push(Step::kCloseScope, result);
  Push(Step::kUseTail, result);
  Push(Step::kVisit, result);
  Push(Step::kOpenScope, result, scope);
}

void Numbering::PushUse(ExprId id) {
  Push(Step::kUse, id);
  Push(Step::kVisit, id);
}

auto Numbering::AddScopes(ExprId owner, size_t count) -> uint32_t {
  const auto first = static_cast<uint32_t>(scopes_.size());
  scopes_.resize(scopes_.size() + count);
  scope_of_.emplace(owner, first);
  return first;
}

}  // namespace relayopt
