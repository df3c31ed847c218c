// Partial evaluation: the machine, and what has operands.
//
// The program runs on what is known about its arguments. Every value has code (an atom: a variable, a global, an
// operator), and may also be known: as a tensor, a tuple of values, a reference, a closure with its environment, data.
// Evaluation goes in the order in which the program runs:
//
// 1. An operand is evaluated to a value; frames wait for it (kOperands, kLet, kChoice, ...), so nothing recurses.
// 2. A call of an operator whose arguments are known tensors is computed; another one becomes code, bound by let in the
//    list that is open, and its value is the variable.
// 3. A call of a known closure evaluates its body in a new environment, in place. While it is being expanded its fuel
//    holds what its arguments are; an inner call is expanded only if some argument is smaller, so recursion ends.
// 4. An if or match on a known value evaluates the branch that runs. Otherwise all are evaluated, each into its own
//    list, from the same store, and afterwards the store drops what they may have written.
// 5. A function literal is a known closure, and has code: its body evaluated on unknown parameters.
//
//   let %r = ref(2f);                              %r: reference 0, whose content in the store is the constant 2f
//   let %f = fn (%n, %y) {                         %f: a closure, and its code
//     if (equal(%n, 0f)) { %y } else { multiply(%y, ref_read(%r)) }
//   };
//   add(%f(0f, %x), %f(1f, %x))                    first call: equal is known, its value is %x, no code
//                                                  second call: code  let %x_13 = multiply(%x, %x_0)
//                                                  then               let %x_14 = add(%x, %x_13)
//
// As TVM: what is known and unused afterwards (constants, the code of %f) is left to DeadCodeElimination.
// Invariants: code is bound in the order of its effects; an unknown call empties the store; after the steps of
// CallLimits calls stay calls.
#include "partial_machine.h"

#include <fmt/core.h>

#include "relayopt/module/functions.h"

namespace relayopt::partial {

auto Machine::Run() -> Module {
  for (const auto& [id, function] : FunctionsOf<relayopt::Function>(module_)) {
    if (globals_.contains(id)) continue;
    StartGlobal(id);
    Loop();
  }
  return std::move(result_);
}

void Machine::Loop() {
  while (!frames_.empty()) {
    if (next_.evaluates)
      Evaluate(next_.expr);
    else
      Resume();
  }
}

auto Machine::NewVar(ExprId old) -> ExprId {
  VarInfo info = here_.from->var(old);
  info.annotation = TypeHere(info.annotation);
  const ExprId var = to().Var(info);
  to().SetType(var, TypeHere(here_.from->type(old)));
  return var;
}

auto Machine::FreshVar() -> ExprId {
  const StringId name = types().Intern(fmt::format("x_{}", context_.NextFreshName()));
  return to().Var({.name = name, .annotation = {}, .virtual_device = {}});
}

auto Machine::CopyHere(ExprId old, std::span<const ExprId> operands) -> ExprId {
  const ExprId made = to().Copy(*here_.from, old, operands);
  if (IsGeneric()) to().SetType(made, TypeHere(here_.from->type(old)));
  return made;
}

void Machine::Evaluate(ExprId id) {
  limits_.Step();
  switch (kind(id)) {
    case ExprKind::kVar: return Return(envs_.Find(here_, id));
    case ExprKind::kConstant: {
      const ConstantId constant = here_.from->constant_id(id);
      return Return(Add({.known = Known::kTensor, .payload = constant.value(), .atom = Push(CopyHere(id, {}))}));
    }
    case ExprKind::kGlobal: return EvaluateGlobal(here_.from->global(id));
    case ExprKind::kOp: return Return(Name(Known::kOp, ExprKind::kOp, here_.from->op_instance(id).value()));
    case ExprKind::kConstructor:
      return Return(Name(Known::kConstructor, ExprKind::kConstructor, here_.from->constructor(id).value()));
    case ExprKind::kFunction: return EvaluateLiteral(id, {});
    case ExprKind::kLet: PushFrame(FrameKind::kLet, id); return EvaluateStep(id, 0);
    case ExprKind::kIf:
    case ExprKind::kMatch: PushFrame(FrameKind::kChoice, id); return Eval(here_.from->operand(id, 0));
    default: break;
  }
  PushFrame(FrameKind::kOperands, id);
  if (here_.from->operands(id).empty()) return FinishOperands();
  Eval(here_.from->operand(id, 0));
}

void Machine::Resume() {
  Frame& frame = frames_.back();
  here_ = frame.here;
  switch (frame.kind) {
    case FrameKind::kOperands:
      frame.values.push_back(next_.value);
      if (frame.values.size() == here_.from->operands(frame.expr).size()) return FinishOperands();
      return Eval(here_.from->operand(frame.expr, frame.values.size()));
    case FrameKind::kLet: {
      const ExprId id = frame.expr;
      Bind(here_.from->let_var(id, frame.at), next_.value);
      if (++frame.at < here_.from->let_size(id)) return EvaluateStep(id, frame.at);
      frames_.pop_back();
      return Eval(here_.from->let_result(id));
    }
    case FrameKind::kChoice: return Choose();
    case FrameKind::kBranch: return FinishBranch();
    case FrameKind::kCall: return FinishCall();
    case FrameKind::kLiteral: return FinishLiteral();
    case FrameKind::kGlobal: return FinishGlobal();
  }
}

void Machine::EvaluateStep(ExprId let, size_t i) {
  const ExprId value = here_.from->let_value(let, i);
  if (kind(value) == ExprKind::kFunction) return EvaluateLiteral(value, here_.from->let_var(let, i));
  Eval(value);
}

void Machine::FinishOperands() {
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  const ExprId id = frame.expr;
  const std::vector<ValueId>& operands = frame.values;
  switch (kind(id)) {
    case ExprKind::kTuple: {
      const Atom atom = Push(CopyHere(id, Codes(operands)));
      return Return(Add({.known = Known::kTuple, .fields = operands, .atom = atom}));
    }
    case ExprKind::kTupleGetItem: {
      const Value& tuple = values_[operands[0]];
      if (tuple.known == Known::kTuple) return Return(tuple.fields[here_.from->index(id)]);
      break;
    }
    case ExprKind::kRefCreate: {
      const uint32_t ref = values_.NewRef();
      store_.Set(ref, operands[0]);
      return Return(Add({.known = Known::kRef, .payload = ref, .atom = Push(CopyHere(id, Codes(operands)))}));
    }
    case ExprKind::kRefRead: {
      const Value& ref = values_[operands[0]];
      const ValueId content = ref.known == Known::kRef ? store_.Find(ref.payload) : ValueId();
      if (content) return Return(content);
      break;
    }
    case ExprKind::kRefWrite: {
      const Value& ref = values_[operands[0]];
      if (ref.known == Known::kRef)
        store_.Set(ref.payload, operands[1]);
      else
        store_.Forget();
      return Return(Add({.known = Known::kTuple, .atom = Push(CopyHere(id, Codes(operands)))}));
    }
    case ExprKind::kOpCall: return CallOp(id, here_.from->op_instance(id), operands);
    case ExprKind::kCall: return Call(id, operands[0], std::span<const ValueId>(operands).subspan(1));
    default: break;
  }
  Return(Residual(CopyHere(id, Codes(operands))));
}

}  // namespace relayopt::partial
