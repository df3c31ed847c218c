// Type inference of one function: slots, binders, functions, branches and references.
//
// One walk upwards, so that operands come before their users. Every expression has a slot for what is known of its
// type; a slot about which nothing is known holds a fresh incomplete type. Expressions that must have one type (a let
// variable and its value, the branches of an if) share a slot from then on (union-find), which unifies what both held.
// A type rule, the type of a call or of a projection is a relation: it runs when its expression is met, and where it
// says that it knows too little it waits for the incomplete types in its inputs; whatever binds one of them runs it
// again. At the end what still waits is an error, and the types are written back into a copy of the function, made when
// the first of them differs from the old one.
//
//   fn (%f, %x: Tensor[(2), float32]) { nn.relu(%f(%x)) }
//
//   %f            i1, incomplete
//   %x            Tensor[(2), float32]
//   %f(%x)        i1 is bound to fn (Tensor[(2), float32]) -> i2; the call has i2
//   nn.relu(..)   its rule needs a tensor: it waits for i2, and the call has i3
//   end           nothing has bound i2: "the type of this call cannot be inferred"
//
// Invariants: a slot is read through Find; what is bound is never bound to something else; a relation that has been
// solved does not run again; the walk never recurses, and the cost is that of the table and of the runs of waiting
// relations.
#include "inferencer.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "forward_inference.h"
#include "relayopt/relay/analysis/diagnostics.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/types/substitution.h"

namespace relayopt {

Inferencer::Inferencer(const Module& module, GlobalId self, const Function& function, DiagnosticSink& sink,
                       std::function<TypeId(GlobalId, Unifier&)> global_type)
    : module_(module),
      self_(self),
      function_(function),
      context_(function.context()),
      call_types_(context_.Part<CallTypes>()),
      global_type_(std::move(global_type)),
      unifier_(context_),
      slots_(unifier_, function.size()),
      messages_(module, function, unifier_, sink),
      lets_(function),
      clauses_(function),
      outcome_(function) {}

auto Inferencer::Run() -> bool {
  for (const ExprId id : function_.ids()) {
    Visit(id);
    AfterVisit(id);
    if (unifier_.has_bound()) SolvePending();
  }
  SolvePending();
  WriteBack();
  return !messages_.has_errors();
}

auto Inferencer::Constrain(ExprId id, TypeId type) -> bool {
  if (slots_.Constrain(id, type)) return true;
  messages_.Mismatch(id, slots_.At(id), type);
  return false;
}

auto Inferencer::Merge(ExprId a, ExprId b) -> bool {
  if (slots_.Merge(a, b)) return true;
  messages_.Mismatch(a, slots_.TypeOf(a), slots_.TypeOf(b));
  return false;
}

void Inferencer::Visit(ExprId id) {
  messages_.set_user(id);
  switch (function_.kind(id)) {
    case ExprKind::kVar: VisitVar(id); return;
    case ExprKind::kGlobal: {
      const TypeId type = global_type_(function_.global(id), unifier_);
      slots_.Set(id, type ? type : unifier_.Fresh());
      return;
    }
    case ExprKind::kConstructor: slots_.Set(id, TypeOfConstructor(function_.constructor(id))); return;
    case ExprKind::kOp: slots_.Set(id, TypeOfOperator(*function_.op(id))); return;
    case ExprKind::kConstant: slots_.Set(id, TypeOfConstant(id)); return;
    case ExprKind::kTuple: {
      inputs_.clear();
      for (const ExprId field : function_.operands(id)) inputs_.push_back(slots_.TypeOf(field));
      slots_.Set(id, context_.Tuple(inputs_));
      return;
    }
    case ExprKind::kTupleGetItem: RunOrWait(id); return;
    case ExprKind::kOpCall: VisitOpCall(id); return;
    case ExprKind::kCall: VisitCall(id); return;
    case ExprKind::kFunction: VisitFunction(id); return;
    case ExprKind::kLet: Merge(id, function_.let_result(id)); return;
    case ExprKind::kIf: VisitIf(id); return;
    case ExprKind::kMatch: VisitMatch(id); return;
    case ExprKind::kRefCreate: slots_.Set(id, context_.RefType(slots_.TypeOf(function_.operand(id, 0)))); return;
    case ExprKind::kRefRead: slots_.Set(id, ContentOfRef(function_.operand(id, 0))); return;
    case ExprKind::kRefWrite: VisitRefWrite(id); return;
  }
}

// Most constants have been typed before: a look-up is faster than creating the type again.
auto Inferencer::TypeOfConstant(ExprId id) -> TypeId {
  const Constant& constant = function_.constant(id);
  // As TVM: shapes of constants are int32.
  const auto is_extent = [](const Dim& dim, int64_t extent) { return dim == Dim(extent); };
  if (const TypeId before = function_.type(id)) {
    const Type& type = context_.type(before);
    if (type.is_tensor() && type.dtype == constant.dtype() &&
        std::ranges::equal(type.shape, constant.shape(), is_extent)) {
      return before;
    }
  }
  const std::vector<Dim> shape(constant.shape().begin(), constant.shape().end());
  return context_.Tensor(shape, constant.dtype());
}

void Inferencer::VisitVar(ExprId id) {
  if (const auto bound = clauses_.Find(id)) return CheckClause(bound->first, bound->second);
  const TypeId annotation = function_.var(id).annotation;
  if (annotation) slots_.Set(id, annotation);
  if (lets_.ValueOf(id) == id) {
    messages_.sink().Report(diag::kSelfBinding, function_.range(id), context_.text(function_.var(id).name));
  }
  // A value that the walk met before its variable.
  if (const ExprId value = lets_.ValueOf(id); value && value < id) BindLet({value, id});
}

// Ties a value to the variables that were met before it.
void Inferencer::AfterVisit(ExprId id) {
  for (const LetStep& step : lets_.StepsOf(id)) {
    if (step.var < id) BindLet(step);
  }
}

void Inferencer::BindLet(const LetStep& step) {
  if (!slots_.Merge(step.var, step.value)) {
    messages_.Mismatch(step.value, messages_.Describe(step.value), slots_.TypeOf(step.value), slots_.TypeOf(step.var));
  }
}

void Inferencer::VisitFunction(ExprId id) {
  SolvePending();
  messages_.set_user(id);
  const FunctionInfo& info = function_.info(id);
  const ExprId body = function_.body(id);
  TypeId result = slots_.TypeOf(body);
  const Type& body_type = context_.type(unifier_.Resolve(result));
  const bool is_generic = body_type.is_function() && !body_type.type_params.empty();
  if (is_generic) result = Instantiate(unifier_.Resolve(result));
  if (info.result && !RefinesUnknown(context_, info.result, unifier_.Resolve(result))) {
    const auto unified = unifier_.Unify(result, info.result);
    if (unified) {
      // Extents of a tensor are forgotten where they meet `?`; the extents in an annotated composite type are kept.
      result = context_.type(info.result).is_tensor() ? *unified : info.result;
      if (!is_generic) {
        slots_.At(body) = result;
        SpreadResult(body, info.result);
      }
    } else {
      messages_.Mismatch(body, id == function_.root() ? "the body of the function" : "the body of this function",
                         result, info.result);
    }
  }
  inputs_.clear();
  for (const ExprId param : function_.params(id)) inputs_.push_back(slots_.TypeOf(param));
  const TypeId type = context_.FunctionType(inputs_, result, info.type_params);
  slots_.Set(id, context_.type(type).has_incomplete ? unifier_.Resolve(type) : type);
  // A recursive function without annotations has the type that its body gives it.
  if (id == function_.root() && !info.result) {
    for (const ExprId mention : function_.ids_below_root()) {
      if (function_.kind(mention) == ExprKind::kGlobal && function_.global(mention) == self_) Constrain(mention, type);
    }
  }
}

// Gives the fields of a tuple in the result position the types of the annotated tuple type: where the annotation has
// `?`, the fields get it, too.
void Inferencer::SpreadResult(ExprId body, TypeId written) {
  if (!context_.type(written).is_tuple()) return;
  absl::flat_hash_set<std::pair<ExprId, TypeId>> seen;
  std::vector<std::pair<ExprId, TypeId>> work;
  const auto push = [&](ExprId id, TypeId type) {
    const bool is_inner = function_.kind(id) == ExprKind::kTuple || function_.kind(id) == ExprKind::kLet ||
                          function_.kind(id) == ExprKind::kIf || context_.type(type).is_tensor();
    if (is_inner && seen.emplace(id, type).second) work.emplace_back(id, type);
  };
  push(body, written);
  while (!work.empty()) {
    const auto [id, type] = work.back();
    work.pop_back();
    const auto operands = function_.operands(id);
    const Type& term = context_.type(type);
    if (term.is_tensor()) {
      if (const auto unified = unifier_.Unify(slots_.TypeOf(id), type)) slots_.At(id) = *unified;
    } else if (function_.kind(id) == ExprKind::kLet) {
      push(function_.let_result(id), type);
    } else if (function_.kind(id) == ExprKind::kIf) {
      push(operands[1], type);
      push(operands[2], type);
    } else if (term.is_tuple() && term.args.size() == operands.size()) {
      slots_.At(id) = type;
      for (size_t i = 0; i < operands.size(); ++i) push(operands[i], term.args[i]);
    }
  }
}

void Inferencer::VisitIf(ExprId id) {
  const auto operands = function_.operands(id);
  Constrain(operands[0], context_.Scalar(DataType::Bool()));
  if (!slots_.Merge(operands[2], operands[1])) {
    messages_.Mismatch(operands[2], "the else branch", slots_.TypeOf(operands[2]), slots_.TypeOf(operands[1]));
  }
  Merge(id, operands[1]);
}

auto Inferencer::ContentOfRef(ExprId ref) -> TypeId {
  const TypeId type = slots_.TypeOf(ref);
  if (context_.type(type).kind == TypeKind::kRef) return unifier_.Head(context_.type(type).result);
  const TypeId content = unifier_.Fresh();
  Constrain(ref, context_.RefType(content));
  return unifier_.Head(content);
}

void Inferencer::VisitRefWrite(ExprId id) {
  const auto operands = function_.operands(id);
  const TypeId content = ContentOfRef(operands[0]);
  const TypeId value = slots_.TypeOf(operands[1]);
  if (!unifier_.Unify(content, value)) messages_.Mismatch(operands[1], "the written value", value, content);
  slots_.Set(id, context_.UnitType());
}

auto Inferencer::TypeOfConstructor(CtorId id) -> TypeId {
  const Constructor& ctor = module_.constructor(id);
  const TypeDef& type_def = module_.type_def(ctor.type_def);
  const TypeId data = context_.TypeCall(type_def.name, type_def.params);
  return context_.FunctionType(ctor.inputs, data, type_def.params);
}

// Returns an operator as a value: a function of any inputs. Its rule cannot be expressed as a type, so that the result
// is whatever its uses require.
auto Inferencer::TypeOfOperator(const OpDef& op) -> TypeId {
  std::vector<TypeId> vars;
  for (size_t i = 0; i <= Arity(op); ++i) vars.push_back(context_.FreshVar(context_.Intern("in" + std::to_string(i))));
  return context_.FunctionType(std::span(vars).first(Arity(op)), vars.back(), vars);
}

void Inferencer::WriteBack() {
  if (messages_.has_errors()) return;
  for (ExprId id(0U); may_widen_ && id.value() < function_.size(); ++id) {
    if (function_.kind(id) == ExprKind::kFunction) WidenParams(id, context_.type(unifier_.Resolve(slots_.TypeOf(id))));
  }
  if (outcome_.widened) return;
  for (const ExprId id : function_.ids()) {
    const TypeId type = unifier_.Resolve(slots_.TypeOf(id));
    const Type& term = context_.type(type);
    if (type != function_.type(id)) outcome_.Typed().set_type(id, type);
    if (term.is_incomplete()) messages_.sink().Report(diag::kCannotInfer, function_.range(id), messages_.Describe(id));
    // Annotations are updated with inferred types, for example when an extent became unknown.
    if (function_.kind(id) == ExprKind::kVar) {
      if (outcome_.typed != nullptr || function_.var(id).annotation != type) outcome_.Typed().set_annotation(id, type);
    } else if (function_.kind(id) == ExprKind::kFunction && term.is_function()) {
      // The inferred type may be that of the annotation, with its own type parameters, or an instance of it. In the
      // latter case the annotation stays.
      const auto& own = function_.info(id).type_params;
      if (term.type_params.size() != own.size() && function_.info(id).result) continue;
      const bool is_own = std::ranges::equal(term.type_params, own);
      const TypeId result = is_own ? term.result : Substitute(context_, term.result, term.type_params, own);
      if (function_.info(id).result != result) outcome_.Typed().set_result(id, result);
    }
  }
}

// The argument of a recursive call may be less specific than the parameter: `fn (%z: Tensor[(1)]) { %loop(%z + %x) }`
// with %x: Tensor[(?)]. The parameter then gets the common type of all calls, and everything that depends on it is
// typed again; the other results of this run are discarded.
void Inferencer::WidenParams(ExprId id, const Type& type) {
  const auto params = function_.params(id);
  for (size_t i = 0; i < params.size() && i < type.args.size(); ++i) {
    const Type& own = context_.type(unifier_.Resolve(slots_.TypeOf(params[i])));
    const Type& passed = context_.type(type.args[i]);
    if (!own.is_tensor() || !passed.is_tensor() || own.rank() != passed.rank()) continue;
    bool widens = false;
    for (size_t k = 0; k < own.rank(); ++k) widens |= own.shape[k].is_int() && passed.shape[k].is_any();
    if (!widens) continue;
    outcome_.Typed().set_annotation(params[i], type.args[i]);
    outcome_.widened = true;
  }
}

}  // namespace relayopt
