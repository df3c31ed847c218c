// Infers types of calls and projections, which may have to wait for types that are not known yet.
#include <array>

#include "inferencer.h"
#include "relayopt/relay/analysis/diagnostics.h"
#include "relayopt/relay/types/substitution.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/plural.h"
#include "shared_result.h"

namespace relayopt {

// Unification on behalf of the type rule of one call.
class Inferencer::CallSolver final : public RuleSolver {
 public:
  CallSolver(Inferencer& inferencer, ExprId call) : inferencer_(inferencer), call_(call) {}

  auto UnifyInput(size_t i, TypeId type) -> bool override {
    if (inferencer_.slots_.TypeOf(Input(i)) == type) return true;
    is_pure_ = false;
    return inferencer_.Constrain(Input(i), type);
  }
  auto UnifyResult(TypeId type) -> bool override {
    result_ = type;
    return inferencer_.Constrain(call_, type);
  }
  auto MergeResultWithInput(size_t i) -> bool override {
    is_pure_ = false;
    return inferencer_.Merge(call_, Input(i));
  }

  void Report(std::optional<size_t> input, std::string text) override {
    const Function& function = inferencer_.function_;
    const OpDef& op = *function.op(call_);
    SourceRange range = function.range(call_);
    // Points at an argument that is a literal or a call. A variable is not pointed at, because its range is its
    // declaration.
    if (input && function.kind(Input(*input)) != ExprKind::kVar) {
      const SourceRange at = function.range(Input(*input));
      if (at.valid() && range.valid() && at.begin >= range.begin && at.end <= range.end) range = at;
    }
    std::string signature = fmt::format("operator {}({})", op.name, op.inputs);
    for (size_t i = 0; i < function.operands(call_).size(); ++i) {
      signature += fmt::format("{} {}: {}", i == 0 ? " called with" : ",", InputName(op, i),
                               inferencer_.messages_.Name(inferencer_.slots_.TypeOf(Input(i))));
    }
    inferencer_.messages_.sink().Report(diag::kOperatorType, range, text).Note(std::move(signature));
  }

  auto InputConstant(size_t i) const -> const Constant* override {
    is_pure_ = false;
    const Function& function = inferencer_.function_;
    return function.kind(Input(i)) == ExprKind::kConstant ? &function.constant(Input(i)) : nullptr;
  }

  // Returns the result, if the rule did nothing but compute it from types; otherwise invalid.
  auto PureResult() const -> TypeId {
    return is_pure_ && result_ && IsSharedResult(inferencer_.context_, result_) ? result_ : TypeId();
  }

 private:
  auto Input(size_t i) const -> ExprId { return inferencer_.function_.operand(call_, i); }

  Inferencer& inferencer_;
  ExprId call_;
  TypeId result_;
  mutable bool is_pure_ = true;
};

void Inferencer::VisitOpCall(ExprId id) {
  if (TryRemembered(id)) return;
  const OpDef& op = *function_.op(id);
  const size_t given = function_.operands(id).size();
  if (const size_t arity = Arity(op); given != arity && !op.variadic) {
    messages_.sink()
        .Report(diag::kArgumentCount, function_.range(id), op.name, Counted(arity, "argument"), given)
        .Note(fmt::format("operator {}({})", op.name, op.inputs));
    return;
  }
  if (TryOpCall(id) == RuleStatus::kWait) Wait(id);
}

// Types a call as one like it was typed before; returns false if there was none.
auto Inferencer::TryRemembered(ExprId id) -> bool {
  const auto operands = function_.operands(id);
  TypeId& known = slots_.At(id);
  if (operands.size() > CallTypes::kMaxInputs || known) return false;
  std::array<TypeId, CallTypes::kMaxInputs> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    inputs[i] = slots_.TypeOf(operands[i]);
    if (context_.type(inputs[i]).has_incomplete) return false;
  }
  const auto key = CallTypes::KeyOf(function_.op_instance(id), std::span(inputs).first(operands.size()));
  const TypeId type = call_types_.Find(*key);
  if (type) known = type;
  return type.has_value();
}

auto Inferencer::Try(ExprId id) -> RuleStatus {
  messages_.set_user(id);
  if (function_.kind(id) != ExprKind::kOpCall) return TryTupleGetItem(id);
  return TryRemembered(id) ? RuleStatus::kDone : TryOpCall(id);
}

auto Inferencer::TryOpCall(ExprId id) -> RuleStatus {
  std::vector<TypeId> inputs = std::move(inputs_);
  const RuleStatus status = TryOpCall(id, inputs);
  inputs_ = std::move(inputs);
  return status;
}

auto Inferencer::TryOpCall(ExprId id, std::vector<TypeId>& inputs) -> RuleStatus {
  inputs.clear();
  bool complete = true;
  for (const ExprId operand : function_.operands(id)) {
    const TypeId type = slots_.TypeOf(operand);
    const bool incomplete = context_.type(type).has_incomplete;
    inputs.push_back(incomplete ? unifier_.Resolve(type) : type);
    complete &= !incomplete;
  }
  const TypeId known = slots_.At(id);
  CallSolver solver(*this, id);
  const OpInstance& instance = function_.instance(id);
  const OpDef& op = *instance.op;
  RuleContext rule(context_, op, instance.attrs, inputs, known ? unifier_.Resolve(known) : TypeId(), solver);
  // A text may name any class (`attrs_type_key=`, `meta[...]`); rules rely on the declared one.
  const bool has_class = op.attrs == nullptr || op.attrs_undeclared ||
                         (instance.attrs && context_.attrs(instance.attrs).schema == op.attrs);
  const RuleStatus status =
      has_class ? op.type(rule) : rule.Error("{}: needs attributes of class {}", op.name, op.attrs->type_key);
  if (status == RuleStatus::kDone && complete && !known) {
    const auto key = CallTypes::KeyOf(function_.op_instance(id), inputs);
    const TypeId type = key ? solver.PureResult() : TypeId();
    if (type) call_types_.Remember(*key, type);
  }
  return status;
}

auto Inferencer::TryTupleGetItem(ExprId id) -> RuleStatus {
  const ExprId tuple = function_.operand(id, 0);
  const TypeId type = slots_.TypeOf(tuple);
  const Type& term = context_.type(type);
  if (term.is_incomplete()) return RuleStatus::kWait;
  if (!term.is_tuple()) {
    messages_.sink().Report(diag::kNotATuple, function_.range(id), messages_.Name(type));
    return RuleStatus::kFailed;
  }
  const uint32_t index = function_.index(id);
  if (index >= term.args.size()) {
    messages_.sink().Report(diag::kNoSuchField, function_.range(id), index, Counted(term.args.size(), "field"));
    return RuleStatus::kFailed;
  }
  return Constrain(id, term.args[index]) ? RuleStatus::kDone : RuleStatus::kFailed;
}

void Inferencer::RunOrWait(ExprId id) {
  const RuleStatus status = Try(id);
  if (status == RuleStatus::kWait) Wait(id);
}

void Inferencer::Wait(ExprId id) {
  for (const ExprId operand : function_.operands(id)) {
    const TypeId type = slots_.TypeOf(operand);
    if (!context_.type(type).has_incomplete) continue;
    RewriteType(
        context_, unifier_.Resolve(type),
        [&](TypeId leaf) {
          if (context_.type(leaf).is_incomplete()) waiting_.WaitFor(leaf, id);
          return leaf;
        },
        [](const Dim& d) { return d; });
  }
}

void Inferencer::SolvePending() {
  while (true) {
    waiting_.Wake(unifier_.TakeBound());
    const ExprId id = waiting_.TakeReady();
    if (!id) return;
    if (Try(id) == RuleStatus::kWait) Wait(id);
  }
}

auto Inferencer::Instantiate(TypeId function_type) -> TypeId {
  const Type& type = context_.type(function_type);
  if (type.type_params.empty()) return function_type;
  std::vector<TypeId> by;
  by.reserve(type.type_params.size());
  for (size_t i = 0; i < type.type_params.size(); ++i) by.push_back(unifier_.Fresh());
  const TypeId plain = context_.FunctionType(type.args, type.result);
  return Substitute(context_, plain, type.type_params, by);
}

void Inferencer::VisitCall(ExprId id) {
  SolvePending();
  messages_.set_user(id);
  const ExprId callee = function_.operand(id, 0);
  const auto args = function_.operands(id).subspan(1);
  TypeId callee_type = unifier_.Resolve(slots_.TypeOf(callee));
  if (context_.type(callee_type).is_incomplete()) {
    const auto params = MapToVector<TypeId>(args, [&](ExprId arg) { return slots_.TypeOf(arg); });
    const TypeId result = unifier_.Fresh();
    Constrain(callee, context_.FunctionType(params, result));
    slots_.Set(id, result);
    return;
  }
  if (!context_.type(callee_type).is_function()) {
    messages_.sink().Report(diag::kNotAFunction, function_.range(id), messages_.Name(callee_type));
    return;
  }
  const bool is_plain_literal =
      function_.kind(callee) == ExprKind::kFunction && function_.info(callee).type_params.empty();
  callee_type = Instantiate(callee_type);
  const Type& type = context_.type(callee_type);
  if (type.args.size() != args.size()) {
    messages_.sink().Report(diag::kArgumentCount, function_.range(id), messages_.Describe(callee),
                            Counted(type.args.size(), "argument"), args.size());
    return;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const TypeId found = slots_.TypeOf(args[i]);
    // Only the type of the parameter is refined: the argument keeps extents that are known where the parameter has `?`,
    // and its own symbolic extents.
    const auto unified = unifier_.UnifyArgument(found, type.args[i]);
    if (!unified) {
      messages_.Mismatch(args[i], fmt::format("argument {}", i), found, type.args[i]);
    } else if (is_plain_literal) {
      LearnParam(function_.operand(callee, i), *unified);
    }
  }
  if (type.result) slots_.Set(id, unifier_.Head(type.result));
}

// The parameter of a function literal takes the type that its call has made of it. The body has been typed already:
// inference has to run again.
void Inferencer::LearnParam(ExprId param, TypeId type) {
  const TypeId annotation = outcome_.function().var(param).annotation;
  if (!annotation || annotation == type || context_.type(type).has_incomplete) return;
  slots_.At(param) = type;
  outcome_.Typed().set_annotation(param, type);
  outcome_.again = true;
}

}  // namespace relayopt
