// Partial evaluation of calls, and of the functions that they call.
#include "lib/relay/transforms/fusion/kernel_copier.h"
#include "lib/relay/transforms/type_arguments.h"
#include "partial_machine.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/fold_constant.h"

namespace relayopt::partial {

namespace {

constexpr DiagnosticKind kCut = {
    "partial-evaluation-limit", Severity::kWarning,
    "partial evaluation has taken {} steps: from here on no calls of known functions are expanded"};

}  // namespace

auto Machine::AppendTensors(ValueId id, std::vector<Tensor>& tensors) const -> bool {
  const Value& value = values_[id.value()];
  if (value.known == Known::kTensor) {
    tensors.emplace_back(types().constant(ConstantId(value.payload)));
    return true;
  }
  if (value.known != Known::kTuple) return false;
  for (const ValueId field : value.fields) {
    const Value& part = values_[field.value()];
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
  if (is_mark) return tensors.size() == 1 ? AddTensor(tensors[0]) : ValueId();
  std::vector<KernelInput> inputs;
  size_t first = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_tuple = values_[args[i].value()].known == Known::kTuple;
    inputs.push_back({std::span<const Tensor>(tensors).subspan(first, ends[i] - first), is_tuple});
    first = ends[i];
  }
  const TypeId type = id && !IsGeneric() ? from_->type(id) : TypeId();
  const auto result = EvaluateForFolding(types(), op, inputs, type, FoldOptions());
  if (!result) return {};
  if (!result->is_tuple) return AddTensor(result->tensors.front());
  std::vector<ValueId> fields;
  for (const Tensor& tensor : result->tensors) fields.push_back(AddTensor(tensor));
  const Atom atom = Push(to().Tuple(Codes(fields)));
  return Add({.known = Known::kTuple, .fields = std::move(fields), .atom = atom});
}

auto Machine::AddTensor(const Tensor& tensor) -> ValueId {
  const ExprId code = EmitConstant(to(), tensor);
  const uint32_t constant = to().function().constant_id(code).value();
  return Add({.known = Known::kTensor, .payload = constant, .atom = Push(code)});
}

void Machine::Call(ExprId id, ValueId callee, std::span<const ValueId> args) {
  const Value& function = values_[callee.value()];
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
  if (steps_ <= max_steps_) return false;
  if (!is_cut_) {
    context_.diagnostics().Report(kCut, function.range(literal), max_steps_);
    is_cut_ = true;
  }
  return true;
}

void Machine::CallClosure(ExprId id, ValueId callee, std::span<const ValueId> args, bool is_own) {
  Closure& closure = closures_[values_[callee.value()].payload];
  if (IsPrimitive(*closure.function, closure.literal)) return CallKernel(closure, args);
  Fuel call;
  for (const ValueId arg : args) call.args.push_back(FuelOf(values_[arg.value()]));
  std::optional<Fuel>& bound = fuels_[{closure.function, closure.literal}];
  std::optional<Fuel> next = bound ? bound->Meet(call) : std::optional<Fuel>(std::move(call));
  // The body of a literal is evaluated also while a call of an earlier closure of that literal is being expanded.
  if (!is_own && (!next || IsCut(*closure.function, closure.literal))) {
    store_.Forget();
    const ExprId call = to().Call(Code(closure.name), Codes(args), id ? from_->attrs(id) : AttrsId());
    if (id) to().SetType(call, TypeHere(from_->type(id)));
    return Return(Residual(call));
  }
  frames_.push_back({.kind = FrameKind::kCall, .from = from_, .env = env_, .expr = closure.literal});
  frames_.back().fuel = bound;
  if (next) bound = std::move(next);
  frames_.back().value = callee;
  std::vector<TypeId> type_args;
  const size_t num_type_args = is_own ? 0 : closure.function->info(closure.literal).type_params.size();
  if (num_type_args != 0) type_args = TypeArgumentsOf(id, closure);
  while (type_args.size() < num_type_args) type_args.push_back(types().FreshIncomplete());
  from_ = closure.function;
  env_ = NewEnv(closure.env);
  const auto params = from_->params(closure.literal);
  for (size_t i = 0; i < params.size() && i < args.size(); ++i) Bind(params[i], args[i]);
  if (num_type_args != 0) {
    Env& env = envs_[env_.value()];
    env.type_params = from_->info(closure.literal).type_params;
    env.type_args = std::move(type_args);
    env.generic = env_;
  }
  Eval(from_->body(closure.literal));
}

auto Machine::TypeArgumentsOf(ExprId id, const Closure& closure) -> std::vector<TypeId> {
  std::vector<TypeId> args;
  for (const ExprId operand : from_->operands(id).subspan(1)) args.push_back(TypeHere(from_->type(operand)));
  const auto in_closure = [&](TypeId type) {
    if (!closure.env) return type;
    const EnvId here = std::exchange(env_, closure.env);
    const TypeId found = TypeHere(type);
    env_ = here;
    return found;
  };
  return TypeArguments(*closure.function, closure.literal, args, TypeHere(from_->type(id)), in_closure);
}

void Machine::FinishCall() {
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  const Closure& closure = closures_[values_[frame.value.value()].payload];
  fuels_[{closure.function, closure.literal}] = frame.fuel;
  Return(value_);
}

void Machine::CallKernel(Closure& closure, std::span<const ValueId> args) {
  if (!closure.kernel || closure.output != outputs_.back().number) {
    const EnvId here = std::exchange(env_, closure.env);
    const Function* const from = std::exchange(from_, closure.function);
    closure.kernel = CopyKernel(
        *closure.function, closure.literal, to(),
        [&](ExprId var) { return var == closure.self ? Code(closure.name) : Code(Lookup(var)); },
        [this](TypeId type) { return env_ ? TypeHere(type) : type; });
    env_ = here;
    from_ = from;
    closure.output = outputs_.back().number;
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
  closures_.push_back({from_, id, env_, self, VarAtom(name)});
  const auto number = static_cast<uint32_t>(closures_.size() - 1);
  const ValueId inside = Add({.known = Known::kClosure, .payload = number, .atom = VarAtom(name)});
  // The body may call the literal by its let variable, which has no value yet.
  if (self) Bind(self, inside);
  PushFrame(FrameKind::kLiteral, id);
  frames_.back().value = inside;
  StartBody(id, inside);
}

void Machine::StartBody(ExprId literal, ValueId closure) {
  store_.Enter();
  store_.Forget();
  OpenList();
  std::vector<ValueId> args;
  for (const ExprId param : from_->params(literal)) {
    const ExprId var = NewVar(param);
    frames_.back().made.push_back(var);
    args.push_back(Unknown(var));
  }
  CallClosure({}, closure, args, true);
}

auto Machine::FinishBody() -> ExprId {
  const Frame& frame = frames_.back();
  const ExprId body = CloseList(value_);
  store_.Leave();
  FunctionInfo info = from_->info(frame.expr);
  info.result = TypeHere(info.result);
  const ExprId literal = to().Lambda(std::move(info), frame.made, body);
  to().SetType(literal, TypeHere(from_->type(frame.expr)));
  return literal;
}

void Machine::FinishLiteral() {
  const ExprId code = FinishBody();
  const uint32_t closure = values_[frames_.back().value.value()].payload;
  frames_.pop_back();
  const Atom name = closures_[closure].name;
  to().SetType(ExprId(name.id), to().function().type(code));
  outputs_.back().lists.back().Push(ExprId(name.id), code);
  Return(Add({.known = Known::kClosure, .payload = closure, .atom = name}));
}

void Machine::EvaluateGlobal(GlobalId id) {
  const auto found = globals_.find(id);
  if (found != globals_.end()) return Return(found->second);
  if (module_.function<relayopt::Function>(id) == nullptr) return Return(Unknown(Atom{ExprKind::kGlobal, id.value()}));
  StartGlobal(id);
}

void Machine::StartGlobal(GlobalId id) {
  frames_.push_back({.kind = FrameKind::kGlobal, .from = from_, .env = env_, .expr = {}, .global = id});
  from_ = module_.function<relayopt::Function>(id);
  env_ = NewEnv({});
  const Atom name{ExprKind::kGlobal, id.value()};
  closures_.push_back({from_, from_->root(), {}, {}, name});
  const auto number = static_cast<uint32_t>(closures_.size() - 1);
  globals_[id] = Add({.known = Known::kClosure, .payload = number, .atom = name});
  outputs_.emplace_back(types(), ++num_outputs_);
  PushFrame(FrameKind::kLiteral, from_->root());
  frames_.back().kind = FrameKind::kGlobal;
  frames_.back().global = id;
  frames_[frames_.size() - 2].expr = from_->root();
  StartBody(from_->root(), globals_[id]);
}

void Machine::FinishGlobal() {
  const GlobalId id = frames_.back().global;
  const ExprId code = FinishBody();
  result_.SetFunction(id, std::make_shared<relayopt::Function>(Relayout(to().Finish(code))));
  outputs_.pop_back();
  frames_.pop_back();
  const Frame caller = std::move(frames_.back());
  frames_.pop_back();
  from_ = caller.from;
  env_ = caller.env;
  Return(globals_[id]);
}

}  // namespace relayopt::partial
