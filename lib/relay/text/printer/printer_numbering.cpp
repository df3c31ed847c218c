// Decides, before a function is printed, which lines its text has and what everything in it is called.
//
// TVM prints by recursion, and hands out numbers, names and places in the metadata as it goes. This walk visits in its
// order without recursion, and writes nothing: it notes for each scope the list of its lines, and for each expression
// whether it is printed inline, has a number, or a name. The printer then streams the text.
//
//   fn (%x) { %0 = exp(%x); add(%0, negative(%0)) }
//
//   CountUses      exp has two users
//   visit add      its operands first: exp, negative; to render negative uses exp: %0, a line of the body
//   render add     uses exp, which has a number, then negative: it becomes %1, a line of the body
//   use add        the result of a scope that nothing else uses stands in place: add(%0, %1) has no number
//
// Invariants: an expression is rendered once, in the scope where it is used first; a line stands after the lines that
// it mentions; flags and numbers are side tables, so a function of a million expressions costs a few bytes for each.
#include "printer_numbering.h"

#include "printer_literals.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/check.h"

namespace relayopt {

// One step of the walk; a construct takes several.
enum class Numbering::Step : uint8_t {
  // Renders the operands of an expression, then the expression itself.
  kVisit,
  // Renders a dataflow node whose operands are rendered.
  kRender,
  // Uses a rendered expression as an operand, or as the result of a scope.
  kUse,
  kUseTail,
  kOpenScope,
  kCloseScope,
  // The variable of step `arg` of a let chain; then, after its value, the line. Then the next steps.
  kLetSteps,
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
      names(module.context()),
      call_lowered(FindOp("call_lowered")) {
  for (const TypeDef& def : module.type_defs()) {
    for (const CtorId ctor : def.constructors) {
      const std::string_view name = module.context().text(module.constructor(ctor).name);
      if (!name.empty() && name.front() >= '0' && name.front() <= '9') number_constructors.insert(name);
    }
  }
}

Numbering::Numbering(PrinterState& state, const Function& function)
    : state_(state),
      function_(function),
      body_(function.body()),
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
    case Step::kOpenScope: OpenScope(task.arg); break;
    case Step::kCloseScope:
      scopes_[open_.back()].is_open = false;
      open_.pop_back();
      break;
    case Step::kLetSteps: LetSteps(task.id, task.arg); break;
    case Step::kEndLetStep:
      if (EndLetStep(task.id, task.arg)) LetSteps(task.id, task.arg + 1);
      break;
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
        state_.meta.NoteConstant(constant, {.type = function_.type(id), .span = function_.span(id)});
      }
      break;
    case ExprKind::kGlobal:
    case ExprKind::kConstructor:
    case ExprKind::kOp: flags |= kRendered; break;
    case ExprKind::kTuple:
    case ExprKind::kTupleGetItem:
    case ExprKind::kOpCall:
    case ExprKind::kCall: {
      const auto operands = function_.operands(id);
      if (AreRendered(operands)) return Render(id);
      Push(Step::kRender, id);
      if (IsLoweredCall(id)) {
        // As TVM: the tuple of arguments is rendered as part of the call.
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

auto Numbering::AreRendered(std::span<const ExprId> ids) -> bool {
  for (const ExprId id : ids) {
    uint8_t& flags = flags_[id.value()];
    if ((flags & kRendered) != 0) continue;
    if (function_.kind(id) != ExprKind::kConstant || !IsLiteral(function_.constant(id))) return false;
    // A literal needs no place in the metadata.
    flags |= kRendered;
  }
  return true;
}

void Numbering::PushVisits(std::span<const ExprId> ids) {
  for (size_t i = ids.size(); i-- != 0;) {
    if ((flags_[ids[i].value()] & kRendered) == 0) Push(Step::kVisit, ids[i]);
  }
}

auto Numbering::IsLoweredCall(ExprId id) const -> bool {
  const auto operands = function_.operands(id);
  return operands.size() == 2 && function_.kind(operands[1]) == ExprKind::kTuple &&
         function_.kind(id) == ExprKind::kOpCall && function_.op(id) == state_.call_lowered;
}

// The operands of functions, lets, ifs and matches are visited by walks of their own. Work is pushed in reverse order.
void Numbering::VisitLeaf(ExprId id) {
  switch (function_.kind(id)) {
    case ExprKind::kFunction: VisitFunction(id); break;
    case ExprKind::kLet:
      AddScopes(id, 1);
      Push(Step::kLetSteps, id, 0);
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

// The order in which TVM renders the parts of a call: arguments, attributes, callee.
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
    UseOperand(operand);
  }
  if (function_.kind(id) == ExprKind::kOpCall && !state_.attrs.OpCallText(function_.op_instance(id))) {
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
      if ((flags & (kFree | kPlaced)) == kFree) AppendLine(id, open_.back());
      return;
    default: break;
  }
  if (number_[id.value()] != kNoNumber) return Reach(id);
  if ((flags & kAwaited) != 0) {
    const uint32_t around = ScopeAround(id);
    if (around != open_.back()) return BindInOrder(id, around);
  }
  BindAwaited(id);
  const bool in_place = tail && (flags & kUsedTwice) == 0;
  if (!in_place) return Bind(id, open_.back());
  ReserveInfo(id);
  PutInside(id, open_.back());
}

void Numbering::Bind(ExprId id, uint32_t scope) {
  ReserveInfo(id);
  number_[id.value()] = state_.next_number++;
  AppendLine(id, scope);
  PutInside(id, scope);
}

void Numbering::Reach(ExprId id) {
  if (scope_of_line_.empty()) return;
  const Scope& inner = scopes_[Outermost(scope_of_line_[id.value()])];
  if (inner.is_open) return;
  const Scope& outer = scopes_[inner.parent];
  RELAYOPT_CHECK(outer.is_open, "what a scope opens has its place when the scope is left");
  if (outer.depth + 1 < open_.size()) {
    awaited_[scopes_[open_[outer.depth + 1]].owner].push_back(inner.owner);
    flags_[inner.owner.value()] |= kAwaited;
    return;
  }
  BindInOrder(inner.owner, inner.parent);
}

void Numbering::BindInOrder(ExprId id, uint32_t scope) {
  BindAwaited(id);
  Bind(id, scope);
}

void Numbering::BindAwaited(ExprId id) {
  if (awaited_.empty()) return;
  std::vector<ExprId> waiting = {id};
  while (!waiting.empty()) {
    const ExprId last = waiting.back();
    const auto awaited = awaited_.find(last);
    if (awaited != awaited_.end() && !awaited->second.empty()) {
      const ExprId next = awaited->second.back();
      awaited->second.pop_back();
      if (number_[next.value()] == kNoNumber) waiting.push_back(next);
      continue;
    }
    waiting.pop_back();
    // In the scope where it is known: `id` may be used first inside of another expression.
    if (last != id && number_[last.value()] == kNoNumber) Bind(last, ScopeAround(last));
  }
}

void Numbering::PutInside(ExprId owner, uint32_t scope) {
  if (function_.kind(owner) < ExprKind::kFunction) return;
  const auto first = scope_of_.find(owner);
  if (first == scope_of_.end()) return;
  for (uint32_t i = first->second; i < scopes_.size() && scopes_[i].owner == owner; ++i) scopes_[i].inside = scope;
}

auto Numbering::Outermost(uint32_t scope) -> uint32_t {
  while (!scopes_[scope].is_open && scopes_[scope].inside != kNoScope) {
    uint32_t& inside = scopes_[scope].inside;
    // Path halving, which shortens later searches.
    if (!scopes_[inside].is_open && scopes_[inside].inside != kNoScope) inside = scopes_[inside].inside;
    scope = inside;
  }
  return scope;
}

void Numbering::OpenScope(uint32_t scope) {
  // Branches come one after the other.
  if (scope != 0 && scopes_[scope - 1].owner == scopes_[scope].owner) scopes_[scope - 1].inside = scope;
  scopes_[scope].is_open = true;
  scopes_[scope].depth = static_cast<uint32_t>(open_.size());
  open_.push_back(scope);
}

void Numbering::LetSteps(ExprId let, uint32_t step) {
  do {
    Declare(function_.let_var(let, step));
    const ExprId value = function_.let_value(let, step);
    const bool is_call = function_.kind(value) == ExprKind::kOpCall;
    if (!AreRendered(is_call && !IsRendered(value) ? function_.operands(value) : std::span(&value, 1))) {
      Push(Step::kEndLetStep, let, step);
      Push(Step::kUseTail, value);
      Push(Step::kVisit, value);
      return;
    }
    if (!IsRendered(value)) Render(value);
    Use(value, true);
  } while (EndLetStep(let, step++));
}

// Expressions that the first value needs are printed before the chain, in the scope around it. Expressions that a later
// value needs are printed after the line of the previous step.
auto Numbering::EndLetStep(ExprId let, uint32_t step) -> bool {
  if (step == 0) {
    OpenScope(scope_of_.at(let));
    const ExprId value = function_.let_value(let, 0);
    if (number_[value.value()] == kNoNumber) PutInside(value, open_.back());
  }
  AppendLine(function_.let_var(let, step), open_.back());
  if (step + 1 < function_.let_size(let)) return true;
  const ExprId result = function_.let_result(let);
  Push(Step::kCloseScope, let);
  Push(Step::kUseTail, result);
  Push(Step::kVisit, result);
  return false;
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
  const std::string_view name = state_.names.Declare(info.name, info.annotation.has_value());
  if (info.name && name.data() == state_.module.context().text(info.name).data()) {
    number_[var.value()] = kHint;
  } else {
    number_[var.value()] = static_cast<uint32_t>(names_.size());
    names_.push_back(name);
  }
  if (info.virtual_device && !IsUnconstrained(state_.module.context(), info.virtual_device)) {
    scratch_.clear();
    state_.attrs.AppendValue(scratch_, info.virtual_device);
  }
  if (info.annotation) state_.types.Reserve(info.annotation);
  if (const TypeId type = ShownType(var)) state_.types.Reserve(type);
}

void Numbering::ReserveInfo(ExprId id) {
  const ExprKind kind = function_.kind(id);
  if (kind > ExprKind::kFunction) return;
  if (const TypeId type = ShownType(id)) state_.types.Reserve(type);
}

void Numbering::AppendLine(ExprId id, uint32_t scope) {
  uint8_t& flags = flags_[id.value()];
  RELAYOPT_CHECK((flags & kPlaced) == 0, "a variable is bound once");
  flags |= kPlaced;
  // The lines of the function itself, and of the let that is its body, come first.
  if (scope != 0 && scopes_[scope].owner != body_) {
    if (scope_of_line_.empty()) scope_of_line_.resize(function_.size());
    scope_of_line_[id.value()] = scope;
  }
  Scope& lines = scopes_[scope];
  if (lines.last) {
    next_line_[lines.last.value()] = id;
  } else {
    lines.first = id;
  }
  lines.last = id;
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
  scopes_.resize(scopes_.size() + count, {.owner = owner, .parent = open_.empty() ? kNoScope : open_.back()});
  scope_of_.emplace(owner, first);
  return first;
}

}  // namespace relayopt
