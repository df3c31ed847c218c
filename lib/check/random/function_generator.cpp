// Scopes, blocks and parameters of random functions.
#include "function_generator.h"

#include <fmt/core.h>

#include <utility>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

auto FunctionGenerator::RandomDType() -> DataType {
  // Rules that hold for other types often fail for narrow and unsigned integers.
  if (random_.Chance(8))
    return random_.Pick({DataType::Int(16), DataType::UInt(16), DataType::UInt(32), DataType::UInt(64)});
  return random_.Pick({DataType::Float(32), DataType::Float(32), DataType::Float(32), DataType::Float(32),
                       DataType::Float(16), DataType::Float(64), DataType::Int(32), DataType::Int(64), DataType::Int(8),
                       DataType::UInt(8), DataType::Bool()});
}

// Few extents, so that shapes often fit.
auto FunctionGenerator::RandomTensorType() -> TypeId {
  std::vector<Dim> shape;
  for (size_t rank = random_.Pick<size_t>({0, 1, 1, 2, 2, 2, 3, 4, 4}); rank != 0; --rank) {
    const bool dynamic = options_.dynamic_shapes && random_.Chance(4);
    shape.push_back(dynamic ? Dim::Any() : Dim(random_.Pick<int64_t>({1, 2, 2, 3, 4, 4, 8})));
  }
  constexpr int kPercentEmpty = 4;
  if (!shape.empty() && random_.Chance(kPercentEmpty)) shape[random_.Below(shape.size())] = Dim(0);
  return context_.Tensor(shape, RandomDType());
}

auto FunctionGenerator::FreshVar(TypeId type) -> ExprId {
  const ExprId var = to_.Var({context_.Intern(fmt::format("v{}", next_name_++)), type, {}});
  to_.SetType(var, type);
  return var;
}

auto FunctionGenerator::FreshParam(TypeId type) -> ExprId {
  const ExprId param = FreshVar(type);
  params_.push_back(param);
  return param;
}

// Returns a parameter of the function as a whole; an existing one if possible.
auto FunctionGenerator::Param(TypeId type) -> ExprId {
  for (const ExprId param : params_) {
    if (TypeOf(param) == type && random_.Chance(50)) return param;
  }
  return FreshParam(type);
}

void FunctionGenerator::Keep(ExprId value, TypeId type) {
  if (!value || !type) return;
  to_.SetType(value, type);
  // The language does not define when a shared expression with an effect is evaluated, so such expressions are bound as
  // steps.
  const ExprKind kind = to_.function().kind(value);
  const bool may_have_effect =
      kind == ExprKind::kIf || kind == ExprKind::kMatch || kind == ExprKind::kCall || kind == ExprKind::kLet;
  if (has_refs_ && may_have_effect) {
    BindByLet(value);
    return;
  }
  values_.push_back(value);
  if (random_.Chance(25)) BindByLet(value);
}

void FunctionGenerator::BindByLet(ExprId value) {
  const ExprId var = FreshVar(TypeOf(value));
  let_steps_.push_back(var);
  let_steps_.push_back(value);
  values_.push_back(var);
  samples_.Copy(value, var);
}

// Generates a scope: some steps, then a value of type `wanted` or, when that is invalid, a tuple of recent values.
auto FunctionGenerator::Block(int steps, TypeId wanted) -> ExprId {
  const size_t outer_values = values_.size();
  std::vector<ExprId> outer_steps = std::exchange(let_steps_, {});
  --depth_;
  for (int i = 0; i < steps; ++i) Step();
  ExprId result;
  if (wanted) {
    result = ValueOf(wanted);
  } else {
    // Values that the result does not use are not part of the program.
    const size_t most = depth_ + 1 == options_.depth ? 12 : 4;
    std::vector<ExprId> last;
    for (size_t i = values_.size(); i != 0 && last.size() < most; --i) {
      if (IsData(TypeOf(values_[i - 1]))) last.push_back(values_[i - 1]);
    }
    result = last.size() == 1 ? last.front() : EmitTuple(to_, last);
  }
  if (!let_steps_.empty()) {
    const TypeId type = TypeOf(result);
    result = to_.Let(let_steps_, result);
    to_.SetType(result, type);
  }
  ++depth_;
  let_steps_ = std::move(outer_steps);
  values_.resize(outer_values);
  return result;
}

void FunctionGenerator::Step() {
  const size_t kind = random_.Below(100);
  if (depth_ <= 0 || kind < 44)
    StepOpCall();
  else if (kind < 68)
    StepMotif();
  else if (kind < 74)
    StepTuple();
  else if (kind < 80)
    StepClosure();
  else if (kind < 86)
    StepCall();
  else if (kind < 91)
    StepIf();
  else if (kind < 92)
    StepBlock();
  else if (kind < 93)
    StepLocalLoop();
  else if (kind < 96)
    StepMatch();
  else
    StepRef();
}

auto FunctionGenerator::Function(bool is_inlined) -> relayopt::Function {
  for (size_t n = 1 + random_.Below(3); n != 0; --n) values_.push_back(FreshParam(RandomTensorType()));
  const ExprId body = Block(options_.steps, {});
  FunctionInfo info;
  if (is_inlined) info.attrs = {{context_.Intern(attr::kInline), context_.AddInt(1)}};
  return Relayout(to_.Finish(to_.Lambda(std::move(info), params_, body)));
}

auto FunctionGenerator::Loop(GlobalId self) -> relayopt::Function {
  const TypeId counter = context_.Scalar(DataType::Int(32));
  const TypeId type = RandomTensorType();
  const ExprId i = FreshParam(counter);
  const ExprId x = FreshParam(type);
  const TypeId param_types[] = {counter, type};
  values_ = {i, x};
  const ExprId bound = EmitScalar(to_, DataType::Int(32), random_.Between(0, 4));
  const ExprId condition = EmitCall(to_, "less"_op, {i, bound});
  const ExprId one = EmitScalar(to_, DataType::Int(32), int64_t{1});
  const ExprId next = EmitCall(to_, "add"_op, {i, one});
  // No parameters may be added: the recursive call would have to pass them.
  const size_t num_params = params_.size();
  const ExprId step = If(condition, type);
  const ExprId callee = to_.Global(self);
  to_.SetType(callee, context_.FunctionType(param_types, type));
  std::vector<ExprId> args = {next, step};
  for (size_t k = num_params; k < params_.size(); ++k) args.push_back(params_[k]);
  const ExprId call = to_.Call(callee, args);
  to_.SetType(call, type);
  const ExprId body = to_.If(condition, call, x);
  to_.SetType(body, type);
  FunctionInfo info;
  info.result = type;
  return Relayout(to_.Finish(to_.Lambda(info, params_, body)));
}

auto GenerateProgram(uint64_t seed, const ProgramOptions& options) -> Module {
  Random random(seed);
  Module module;
  for (size_t n = random.Below(3); n != 0; --n) {
    const GlobalId helper = module.NameGlobal(fmt::format("helper{}", n));
    ProgramOptions small = options;
    small.steps = options.steps / 4;
    FunctionGenerator generator(random, module, small);
    const bool is_loop = random.Chance(30);
    constexpr int kPercentInlined = 15;
    Function function = is_loop ? generator.Loop(helper) : generator.Function(random.Chance(kPercentInlined));
    module.SetFunction(helper, std::make_shared<const Function>(std::move(function)));
  }
  const GlobalId main = module.NameGlobal("main");
  module.SetFunction(main, std::make_shared<const Function>(FunctionGenerator(random, module, options).Function()));
  return module;
}

}  // namespace relayopt
