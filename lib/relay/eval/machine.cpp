// The stack machine behind an Evaluator.
//
// FunctionPlan has found, for each function, what each scope evaluates and in which order, in which slot of a frame
// every value lies, and what a closure captures. The machine has a stack of frames (one for each call) and a stack of
// regions (one for each scope that is open: a body, a branch, the value of a let step). Each step takes the next
// expression of the region on top; one that needs a scope opens a region, and is given its value when that ends; a call
// of a closure opens a frame and the region of its body.
//
//   fn (%x) { let %y = exp(%x); if (greater(%y, 1f)) { negative(%y) } else { %y } }
//
//   region of the body    exp(%x) -> slot of the expression; %y is that; greater; then the if is met:
//   region of branch 1    negative(%y); it ends, the if has its value
//   region of the body    ends: the frame goes, its value is that of the call
//
// A value goes with its last read, but those that scopes and closures need.
//
// Invariants: a slot is written before it is read, since operands precede users; values are shared and never written
// to, references excepted; how deep a program nests or recurses costs memory of the two stacks, and an error at a
// limit.
#include "machine.h"

#include "disturbance.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

auto Machine::Run(GlobalId id, std::vector<Value> args) -> Result<Value> {
  RELAYOPT_TRY(const Value callee, GlobalValue(id, {}));
  return Run(callee, std::move(args));
}

auto Machine::Run(const Value& closure, std::vector<Value> args) -> Result<Value> {
  if (auto error = Enter(closure, std::move(args), 0, {})) return *std::move(error);
  while (!frames_.empty()) {
    Region& region = regions_.back();
    const auto steps = plan().Steps(region.scope);
    if (region.next == steps.size()) {
      FinishRegion();
      continue;
    }
    const ExprId next = steps[region.next++];
    if (++steps_ > evaluator_.limits_.max_steps) {
      return MakeDiagnostic(diag::kTooManySteps, function().range(next), evaluator_.limits_.max_steps);
    }
    if (auto error = Step(next)) {
      if (!error->range.valid()) error->range = function().range(next);
      return *std::move(error);
    }
  }
  return std::move(result_);
}

auto Machine::Step(ExprId id) -> Error {
  const Function& f = function();
  switch (f.kind(id)) {
    // It is set when the variable is bound.
    case ExprKind::kVar: return {};
    case ExprKind::kGlobal: {
      auto value = GlobalValue(f.global(id), f.range(id));
      if (!value) return std::move(value).error();
      Set(id, *std::move(value));
      return {};
    }
    case ExprKind::kConstructor: {
      auto object = std::make_shared<ValueObject>(ValueKind::kConstructor);
      object->ctor = f.constructor(id);
      Set(id, Value(std::move(object)));
      return {};
    }
    case ExprKind::kOp: {
      auto object = std::make_shared<ValueObject>(ValueKind::kOp);
      object->op = f.op_instance(id);
      Set(id, Value(std::move(object)));
      return {};
    }
    case ExprKind::kConstant: Set(id, evaluator_.TensorOf(f.constant_id(id))); return {};
    case ExprKind::kTuple: Set(id, Value::Tuple(TakeAll(id, 0))); return {};
    case ExprKind::kTupleGetItem: return StepProjection(id);
    case ExprKind::kOpCall: return StepOpCall(id);
    case ExprKind::kCall: return StepCall(id);
    case ExprKind::kFunction: Set(id, MakeClosure(id)); return {};
    case ExprKind::kLet:
      if (f.let_size(id) == 0)
        Set(id, Operand(id, 0));
      else
        Open(id, 0);
      return {};
    case ExprKind::kIf: return StepIf(id);
    case ExprKind::kMatch: return StepMatch(id);
    case ExprKind::kRefCreate: {
      auto object = std::make_shared<ValueObject>(ValueKind::kRef);
      object->fields = {Operand(id, 0)};
      Set(id, Value(std::move(object)));
      return {};
    }
    case ExprKind::kRefRead:
      if (Operand(id, 0).kind() != ValueKind::kRef) return Wrong(id, "ref_read", "a reference");
      Set(id, Operand(id, 0).object().fields[0]);
      return {};
    case ExprKind::kRefWrite:
      if (Operand(id, 0).kind() != ValueKind::kRef) return Wrong(id, "ref_write", "a reference");
      Operand(id, 0).object().fields[0] = Operand(id, 1);
      Set(id, Value::Tuple({}));
      return {};
  }
  return {};
}

auto Machine::TakeAll(ExprId id, size_t first) -> std::vector<Value> {
  const size_t count = function().operands(id).size();
  std::vector<Value> values;
  values.reserve(count - first);
  for (size_t i = first; i < count; ++i) values.push_back(Take(id, i));
  return values;
}

auto Machine::StepProjection(ExprId id) -> Error {
  const Value tuple = Take(id, 0);
  const uint32_t index = function().index(id);
  if (tuple.kind() != ValueKind::kTuple || index >= tuple.fields().size()) return Wrong(id, "a projection", "a tuple");
  Set(id, Value(tuple.fields()[index]));
  return {};
}

auto Machine::StepIf(ExprId id) -> Error {
  const Value& condition = Operand(id, 0);
  if (!condition.is_tensor() || !condition.tensor().dtype().is_bool() || condition.tensor().size() != 1) {
    return Wrong(id, "if", "a bool");
  }
  Open(id, *condition.tensor().data<Bool>() ? 0 : 1);
  return {};
}

auto Machine::StepMatch(ExprId id) -> Error {
  const Value data = Operand(id, 0);
  const auto& clauses = function().match(id).clauses;
  for (uint32_t i = 0; i < clauses.size(); ++i) {
    if (!Matches(id, clauses[i].pattern, data)) continue;
    Open(id, i);
    return {};
  }
  return MakeDiagnostic(diag::kNoClause, function().range(id));
}

auto Machine::Matches(ExprId match, uint32_t root, const Value& data) -> bool {
  const MatchInfo& info = function().match(match);
  std::vector<std::pair<uint32_t, const Value*>> pending = {{root, &data}};
  while (!pending.empty()) {
    const auto [index, value] = pending.back();
    pending.pop_back();
    const Pattern& pattern = info.patterns[index];
    switch (pattern.kind) {
      case PatternKind::kWildcard: continue;
      case PatternKind::kVar: frame().slots[plan().OperandSlot(match, pattern.operand)] = *value; continue;
      case PatternKind::kConstructor:
        if (value->kind() != ValueKind::kData || value->object().ctor != pattern.ctor) return false;
        break;
      case PatternKind::kTuple:
        if (value->kind() != ValueKind::kTuple) return false;
        break;
    }
    if (value->fields().size() != pattern.num_children) return false;
    for (uint32_t i = 0; i < pattern.num_children; ++i) {
      pending.emplace_back(info.children[pattern.first_child + i], &value->fields()[i]);
    }
  }
  return true;
}

auto Machine::StepOpCall(ExprId id) -> Error {
  // Ends the life of any value, also of a function. Values are reference-counted, so there is nothing to do.
  if (function().op(id) == "memory.kill"_op) {
    Set(id, Value::Tuple({}));
    return {};
  }
  auto result = RunOp(function().op_instance(id), TakeAll(id, 0), function().type(id), function().range(id));
  if (!result) return std::move(result).error();
  Set(id, *std::move(result));
  return {};
}

auto Machine::StepCall(ExprId id) -> Error {
  const Value callee = Take(id, 0);
  std::vector<Value> args = TakeAll(id, 1);
  switch (callee.kind()) {
    case ValueKind::kClosure: return Enter(callee, std::move(args), plan().slot[id], function().range(id));
    case ValueKind::kConstructor: {
      auto object = std::make_shared<ValueObject>(ValueKind::kData);
      object->ctor = callee.object().ctor;
      object->fields = std::move(args);
      Set(id, Value(std::move(object)));
      return {};
    }
    case ValueKind::kOp: {
      auto result = RunOp(callee.object().op, args, function().type(id), function().range(id));
      if (!result) return std::move(result).error();
      Set(id, *std::move(result));
      return {};
    }
    default: return Wrong(id, "a call", "a function");
  }
}

auto Machine::MakeClosure(ExprId id) -> Value {
  const uint32_t lambda = plan().lambda[id];
  auto object = std::make_shared<ValueObject>(ValueKind::kClosure);
  object->plan = frame().plan;
  object->lambda = lambda;
  for (const Capture& capture : plan().lambdas[lambda].captures) {
    object->fields.push_back(capture.is_self ? Value() : frame().slots[capture.outer_slot]);
  }
  return Value(std::move(object));
}

auto Machine::Enter(const Value& closure, std::vector<Value> args, uint32_t result_slot, SourceRange at) -> Error {
  const ValueObject& object = closure.object();
  const FunctionPlan& callee = *object.plan;
  const LambdaPlan& lambda = callee.lambdas[object.lambda];
  if (frames_.size() >= evaluator_.limits_.max_depth || num_slots_ > evaluator_.limits_.max_slots)
    return MakeDiagnostic(diag::kTooDeep, at, frames_.size());
  const size_t arity = callee.function.params(lambda.function).size();
  if (args.size() != arity) {
    return MakeDiagnostic(diag::kWrongValue, at, "a call", fmt::format("{} argument{}", arity, arity == 1 ? "" : "s"));
  }
  frames_.push_back({&callee, object.lambda, result_slot, std::vector<Value>(lambda.num_slots)});
  num_slots_ += lambda.num_slots;
  for (size_t i = 0; i < arity; ++i) frame().slots[callee.OperandSlot(lambda.function, i)] = std::move(args[i]);
  for (size_t i = 0; i < lambda.captures.size(); ++i) {
    const Capture& capture = lambda.captures[i];
    frame().slots[capture.inner_slot] = capture.is_self ? closure : object.fields[i];
  }
  Open(lambda.function, 0);
  return {};
}

void Machine::FinishRegion() {
  const Region region = regions_.back();
  const Function& f = function();
  switch (f.kind(region.owner)) {
    case ExprKind::kFunction: {
      Value result = Operand(region.owner, f.operands(region.owner).size() - 1);
      const uint32_t slot = frame().result_slot;
      regions_.pop_back();
      num_slots_ -= frame().slots.size();
      frames_.pop_back();
      if (frames_.empty())
        result_ = std::move(result);
      else
        frame().slots[slot] = std::move(result);
      return;
    }
    case ExprKind::kLet:
      if (region.part + 1 < f.let_size(region.owner)) {
        regions_.pop_back();
        return Open(region.owner, region.part + 1);
      }
      Set(region.owner, Value(Operand(region.owner, f.operands(region.owner).size() - 1)));
      break;
    case ExprKind::kIf: Set(region.owner, Value(Operand(region.owner, region.part + 1))); break;
    default: Set(region.owner, Value(Operand(region.owner, f.match(region.owner).clauses[region.part].rhs)));
  }
  regions_.pop_back();
}

auto Machine::GlobalValue(GlobalId id, SourceRange at) -> Result<Value> {
  const FunctionRef function = module_.function_ref<Function>(id);
  if (function == nullptr) return MakeDiagnostic(diag::kNoFunctionBody, at, module_.name(id));
  auto object = std::make_shared<ValueObject>(ValueKind::kClosure);
  object->plan = &evaluator_.PlanOf(function);
  return Value(std::move(object));
}

namespace {

// Records a call and its time while it is alive; does nothing if `profile` is null.
class Stopwatch {
 public:
  explicit Stopwatch(OpProfile* profile) : profile_(profile) {
    if (profile_ != nullptr) start_ = std::chrono::steady_clock::now();
  }
  ~Stopwatch() {
    if (profile_ == nullptr) return;
    ++profile_->calls;
    profile_->time += std::chrono::steady_clock::now() - start_;
  }
  Stopwatch(const Stopwatch&) = delete;
  auto operator=(const Stopwatch&) -> Stopwatch& = delete;

 private:
  OpProfile* profile_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace

auto Machine::RunOp(OpInstanceId id, std::span<const Value> args, TypeId type, SourceRange at) -> Result<Value> {
  const OpInstance& instance = GetOpInstance(module_.context(), id);
  if (evaluator_.observer_) evaluator_.observer_(*instance.op, args);
  if (PassesThrough(*instance.op)) return args[0];
  const Stopwatch stopwatch(evaluator_.profile_ == nullptr ? nullptr : &(*evaluator_.profile_)[instance.op->name]);
  std::vector<Tensor> tensors;
  std::vector<std::pair<size_t, bool>> ends;
  for (const Value& arg : args) {
    const std::string what = "tensors or tuples of tensors as arguments";
    if (!arg.is_tensor()) {
      if (arg.kind() != ValueKind::kTuple) return MakeDiagnostic(diag::kWrongValue, at, instance.op->name, what);
      for (const Value& field : arg.fields()) {
        if (!field.is_tensor()) return MakeDiagnostic(diag::kWrongValue, at, instance.op->name, what);
        tensors.push_back(field.tensor());
      }
    } else {
      tensors.push_back(arg.tensor());
    }
    ends.emplace_back(tensors.size(), !arg.is_tensor());
  }
  if (evaluator_.disturbance_ != nullptr) evaluator_.disturbance_->DisturbOperands(instance, tensors);
  KernelLimits limits = evaluator_.limits_.kernels;
  limits.max_steps = evaluator_.limits_.max_steps - steps_;
  const auto compute = [&](std::span<const Tensor> operands) {
    std::vector<KernelInput> inputs;
    size_t first = 0;
    for (const auto& [end, is_tuple] : ends) {
      inputs.push_back({operands.subspan(first, end - first), is_tuple});
      first = end;
    }
    return RunKernel(module_.context(), instance, inputs, type, limits);
  };
  auto computed = compute(tensors);
  if (!computed && computed.error().kind == &diag::kTooManySteps)
    return MakeDiagnostic(diag::kTooManySteps, at, evaluator_.limits_.max_steps);
  RELAYOPT_TRY(KernelResult result, std::move(computed));
  steps_ += result.steps;
  if (evaluator_.undefined_.empty() && !result.undefined.empty()) {
    evaluator_.undefined_ = fmt::format("{}: {}", instance.op->name, result.undefined);
  }
  if (evaluator_.disturbance_ != nullptr) {
    evaluator_.disturbance_->DisturbResults(instance, tensors, result.tensors, [&](std::span<const Tensor> operands) {
      auto other = compute(operands);
      return other ? std::optional(std::move(other->tensors)) : std::nullopt;
    });
  }
  if (!result.is_tuple) return Value(std::move(result.tensors[0]));
  auto fields = MapToVector<Value>(result.tensors, [&](Tensor& tensor) { return Value(std::move(tensor)); });
  return Value::Tuple(std::move(fields));
}

auto Machine::Wrong(ExprId id, std::string_view who, std::string_view what) -> Diagnostic {
  return MakeDiagnostic(diag::kWrongValue, function().range(id), who, what);
}

}  // namespace relayopt
