// Partial evaluation of calls, and of the functions that they call.
#include "lib/relay/transforms/fusion/kernel_copier.h"
#include "lib/relay/transforms/type_arguments.h"
#include "partial_machine.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::partial {

namespace {

constexpr DiagnosticKind kCut = {
    "partial-evaluation-limit", Severity::kWarning,
    "partial evaluation has taken {} steps: from here on no calls of known functions are expanded"};

}  // namespace

auto Machine::AppendTensors(ValueId id, std::vector<Tensor>& tensors) const -> bool {
  const Value& value = values_[id];
  if (value.known == Known::kTensor) {
    tensors.emplace_back(types().constant(ConstantId(value.payload)));
    return true;
  }
  if (value.known != Known::kTuple) return false;
  for (const ValueId field : value.fields) {
    const Value& part = values_[field];
    if (part.known != Known::kTensor) return false;
    tensors.emplace_back(types().constant(ConstantId(part.payload)));
  }
  return true;
}

void Machine::CallOp(ExprId id, OpInstanceId op, std::span<const ValueId> args) {
  if (const ValueId value = Compute(id, GetOpInstance(types(), op), args)) return Return(value);
  const std::vector<ExprId> codes = Codes(args);
  Return(Residual(id ? CopyHere(id, codes) : to().OpCall(op, codes)));
}

auto Machine::Compute(ExprId id, const OpInstance& op, std::span<const ValueId> args) -> ValueId {
  const bool is_mark = op.op == "on_device"_op;
  if (op.op->stateful || (op.op->kernel == nullptr && !is_mark)) return {};
  std::vector<Tensor> tensors;
  std::vector<size_t> ends;
  for (const ValueId arg : args) {
    if (!AppendTensors(arg, tensors)) return {};
    ends.push_back(tensors.size());
  }
  if (is_mark) return values_[args[0]].known == Known::kTensor ? AddTensor(tensors[0]) : ValueId();
  std::vector<KernelInput> inputs;
  size_t first = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_tuple = values_[args[i]].known == Known::kTuple;
    inputs.push_back({std::span<const Tensor>(tensors).subspan(first, ends[i] - first), is_tuple});
    first = ends[i];
  }
  const TypeId type = id && !IsGeneric() ? here_.from->type(id) : TypeId();
  const auto result = EvaluateForFolding(types(), op, inputs, type, FoldOptions());
  if (!result) return {};
  if (!result->is_tuple) return AddTensor(result->tensors.front());
  auto fields = MapToVector<ValueId>(result->tensors, [&](const Tensor& tensor) { return AddTensor(tensor); });
  const Atom atom = Push(to().Tuple(Codes(fields)));
  return Add({.known = Known::kTuple, .fields = std::move(fields), .atom = atom});
}

auto Machine::AddTensor(const Tensor& tensor) -> ValueId {
  const ExprId code = EmitConstant(to(), tensor);
  const uint32_t constant = to().function().constant_id(code).value();
  return Add({.known = Known::kTensor, .payload = constant, .atom = Push(code)});
}

void Machine::Call(ExprId id, ValueId callee, std::span<const ValueId> args) {
  const Value& function = values_[callee];
  if (function.known == Known::kOp) return CallOp({}, OpInstanceId(function.payload), args);
  if (function.known == Known::kClosure) return CallClosure(id, callee, args, false);
  std::vector<ExprId> operands = {Code(callee)};
  for (const ValueId arg : args) operands.push_back(Code(arg));
  const ExprId call = CopyHere(id, operands);
  if (function.known == Known::kConstructor) {
    const std::vector<ValueId> fields(args.begin(), args.end());
    return Return(Add({.known = Known::kData, .payload = function.payload, .fields = fields, .atom = Push(call)}));
  }
  store_.Forget();
  Return(Residual(call));
}

auto Machine::IsCut(const Function& function, ExprId literal) -> bool {
  if (!limits_.is_met()) return false;
  if (limits_.IsNews()) context_.diagnostics().Report(kCut, function.range(literal), limits_.max_steps());
  return true;
}

void Machine::CallClosure(ExprId id, ValueId callee, std::span<const ValueId> args, bool is_own) {
  Closure& closure = values_.ClosureOf(callee);
  if (IsPrimitive(*closure.function, closure.literal)) return CallKernel(closure, args);
  Fuel call;
  for (const ValueId arg : args) call.args.push_back(FuelOf(values_[arg]));
  std::optional<Fuel>& bound = limits_.FuelOf(closure);
  std::optional<Fuel> next = bound ? bound->Meet(call) : std::optional<Fuel>(std::move(call));
  // The body of a literal is evaluated also while a call of an earlier closure of that literal is being expanded.
  if (!is_own && (!next || IsCut(*closure.function, closure.literal))) {
    store_.Forget();
    const ExprId call = to().Call(code_.Code(closure.name), Codes(args), id ? here_.from->attrs(id) : AttrsId());
    if (id) to().SetType(call, TypeHere(here_.from->type(id)));
    return Return(Residual(call));
  }
  frames_.push_back({.kind = FrameKind::kCall, .here = here_, .expr = closure.literal});
  frames_.back().fuel = bound;
  if (next) bound = std::move(next);
  frames_.back().value = callee;
  std::vector<TypeId> type_args;
  const size_t num_type_args = is_own ? 0 : closure.function->info(closure.literal).type_params.size();
  if (num_type_args != 0) type_args = TypeArgumentsOf(id, closure);
  while (type_args.size() < num_type_args) type_args.push_back(types().FreshIncomplete());
  here_ = {closure.function, envs_.New(closure.env)};
  const auto params = here_.from->params(closure.literal);
  for (size_t i = 0; i < params.size() && i < args.size(); ++i) Bind(params[i], args[i]);
  if (num_type_args != 0) {
    Env& env = envs_[here_.env];
    env.type_args.emplace(types(), here_.from->info(closure.literal).type_params, type_args);
    env.generic = here_.env;
  }
  Eval(here_.from->body(closure.literal));
}

auto Machine::TypeArgumentsOf(ExprId id, const Closure& closure) -> std::vector<TypeId> {
  const auto args = MapToVector<TypeId>(here_.from->operands(id).subspan(1),
                                        [&](ExprId operand) { return TypeHere(here_.from->type(operand)); });
  const auto in_closure = [&](TypeId type) {
    if (!closure.env) return type;
    return envs_.TypeIn(closure.env, type);
  };
  return TypeArguments(*closure.function, closure.literal, args, TypeHere(here_.from->type(id)), in_closure);
}

void Machine::FinishCall() {
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  const Closure& closure = values_.ClosureOf(frame.value);
  limits_.FuelOf(closure) = frame.fuel;
  Return(next_.value);
}

void Machine::CallKernel(Closure& closure, std::span<const ValueId> args) {
  if (!closure.kernel || closure.output != code_.number()) {
    const Where there = {closure.function, closure.env};
    closure.kernel = CopyKernel(
        *closure.function, closure.literal, to(),
        [&](ExprId var) { return var == closure.self ? code_.Code(closure.name) : Code(envs_.Find(there, var)); },
        [&](TypeId type) { return there.env ? envs_.TypeIn(there.env, type) : type; });
    closure.output = code_.number();
  }
  Return(Residual(to().Call(closure.kernel, Codes(args))));
}

auto Machine::FuelOf(const Value& value) const -> Fuel::Of {
  Fuel::Of fuel{value.time, 0};
  if (value.known != Known::kTensor) return fuel;
  const Constant& constant = types().constant(ConstantId(value.payload));
  const bool is_counter = constant.dtype() == DataType::Int(32) || constant.dtype() == DataType::Int(64);
  if (!constant.is_scalar() || !is_counter) return fuel;
  fuel.number = static_cast<uint64_t>(std::max<int64_t>(0, constant.ScalarAsInt().value_or(0)));
  return fuel;
}

void Machine::EvaluateLiteral(ExprId id, ExprId self) {
  const ExprId name = self ? NewVar(self) : FreshVar();
  const ValueId inside = values_.AddClosure({here_.from, id, here_.env, self, CodeWriter::VarAtom(name)});
  // The body may call the literal by its let variable, which has no value yet.
  if (self) Bind(self, inside);
  PushFrame(FrameKind::kLiteral, id);
  frames_.back().value = inside;
  StartBody(id, inside);
}

void Machine::StartBody(ExprId literal, ValueId closure) {
  store_.Enter();
  store_.Forget();
  code_.OpenList();
  std::vector<ValueId> args;
  for (const ExprId param : here_.from->params(literal)) {
    const ExprId var = NewVar(param);
    frames_.back().made.push_back(var);
    args.push_back(Unknown(var));
  }
  CallClosure({}, closure, args, true);
}

auto Machine::FinishBody() -> ExprId {
  const Frame& frame = frames_.back();
  const ExprId body = CloseList(next_.value);
  store_.Leave();
  FunctionInfo info = here_.from->info(frame.expr);
  info.result = TypeHere(info.result);
  const ExprId literal = to().Lambda(std::move(info), frame.made, body);
  to().SetType(literal, TypeHere(here_.from->type(frame.expr)));
  return literal;
}

void Machine::FinishLiteral() {
  const ExprId code = FinishBody();
  const Value& closure = values_[frames_.back().value];
  frames_.pop_back();
  const Atom name = closure.atom;
  to().SetType(ExprId(name.id), to().function().type(code));
  code_.Push(ExprId(name.id), code);
  Return(Add({.known = Known::kClosure, .payload = closure.payload, .atom = name}));
}

void Machine::EvaluateGlobal(GlobalId id) {
  const auto found = globals_.find(id);
  if (found != globals_.end()) return Return(found->second);
  if (module_.function<relayopt::Function>(id) == nullptr) return Return(Unknown(Atom{ExprKind::kGlobal, id.value()}));
  StartGlobal(id);
}

void Machine::StartGlobal(GlobalId id) {
  frames_.push_back({.kind = FrameKind::kGlobal, .here = here_, .expr = {}, .global = id});
  here_ = {module_.function<relayopt::Function>(id), envs_.New({})};
  const Atom name{ExprKind::kGlobal, id.value()};
  globals_[id] = values_.AddClosure({here_.from, here_.from->root(), {}, {}, name});
  code_.StartFunction();
  PushFrame(FrameKind::kLiteral, here_.from->root());
  frames_.back().kind = FrameKind::kGlobal;
  frames_.back().global = id;
  frames_[frames_.size() - 2].expr = here_.from->root();
  StartBody(here_.from->root(), globals_[id]);
}

void Machine::FinishGlobal() {
  const GlobalId id = frames_.back().global;
  const ExprId code = FinishBody();
  result_.SetFunction(id, std::make_shared<relayopt::Function>(Relayout(to().Finish(code))));
  code_.FinishFunction();
  frames_.pop_back();
  const Frame caller = std::move(frames_.back());
  frames_.pop_back();
  here_ = caller.here;
  Return(globals_[id]);
}

}  // namespace relayopt::partial
