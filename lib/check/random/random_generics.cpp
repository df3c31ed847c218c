// Generic functions, and calls of them.
#include "function_generator.h"
#include "relayopt/relay/analysis/emit.h"

namespace relayopt {

namespace {

// A generic function that is being generated.
class GenericFunction {
 public:
  explicit GenericFunction(Context& context) : to(context), context_(context) {}

  auto TypeParam(std::string_view name) -> TypeId {
    info_.type_params.push_back(context_.FreshVar(context_.Intern(name)));
    return info_.type_params.back();
  }
  auto Param(std::string_view name, TypeId type) -> ExprId {
    params_.push_back(to.Var({context_.Intern(name), type, {}}));
    to.SetType(params_.back(), type);
    return params_.back();
  }
  auto Finish(ExprId body, TypeId result) -> Function {
    info_.result = result;
    return Relayout(to.Finish(to.Lambda(std::move(info_), params_, body)));
  }

  FunctionBuilder to;

 private:
  Context& context_;
  FunctionInfo info_;
  std::vector<ExprId> params_;
};

}  // namespace

// `def @pick[A](%c: bool, %x: A, %y: A) { if (%c) { %x } else { %y } }`
auto FunctionGenerator::PickFunction() -> relayopt::Function {
  GenericFunction made(context_);
  const TypeId type = made.TypeParam("A");
  const ExprId condition = made.Param("c", context_.Scalar(DataType::Bool()));
  const ExprId x = made.Param("x", type);
  const ExprId y = made.Param("y", type);
  return made.Finish(made.to.If(condition, x, y), type);
}

// `def @apply[A, B](%f: fn (A) -> B, %x: A) { %f(%x) }`
auto FunctionGenerator::ApplyFunction() -> relayopt::Function {
  GenericFunction made(context_);
  const TypeId from[] = {made.TypeParam("A")};
  const TypeId to = made.TypeParam("B");
  const ExprId f = made.Param("f", context_.FunctionType(from, to));
  const ExprId args[] = {made.Param("x", from[0])};
  return made.Finish(made.to.Call(f, args), to);
}

// `def @pair[A, B](%x: A, %y: B) { (%x, %y) }`
auto FunctionGenerator::PairFunction() -> relayopt::Function {
  GenericFunction made(context_);
  const TypeId types[] = {made.TypeParam("A"), made.TypeParam("B")};
  const ExprId fields[] = {made.Param("x", types[0]), made.Param("y", types[1])};
  return made.Finish(made.to.Tuple(fields), context_.Tuple(types));
}

auto FunctionGenerator::Generic(std::string_view name, auto(FunctionGenerator::*make)()->relayopt::Function) -> ExprId {
  const GlobalId id = module_.NameGlobal(name);
  if (module_.function<relayopt::Function>(id) == nullptr) {
    module_.SetFunction(id, std::make_shared<const relayopt::Function>((this->*make)()));
  }
  return to_.Global(id);
}

void FunctionGenerator::StepGenericCall() {
  const ExprId x = AnyTensor();
  const TypeId type = TypeOf(x);
  switch (random_.Below(4)) {
    case 0: {
      const ExprId args[] = {Condition(), x, ValueOf(type)};
      return Keep(to_.Call(Generic("pick", &FunctionGenerator::PickFunction), args), type);
    }
    case 1: {
      const ExprId f = Closure(std::span(&type, 1), {});
      const ExprId args[] = {f, x};
      const TypeId result = context_.type(TypeOf(f)).result;
      return Keep(to_.Call(Generic("apply", &FunctionGenerator::ApplyFunction), args), result);
    }
    case 2: {
      const ExprId args[] = {x, AnyTensor()};
      const TypeId types[] = {type, TypeOf(args[1])};
      return Keep(to_.Call(Generic("pair", &FunctionGenerator::PairFunction), args), context_.Tuple(types));
    }
    default: return StepGenericClosure(x);
  }
}

// `let %f = fn [A](%x: A) { %x }`, called with values of two types.
void FunctionGenerator::StepGenericClosure(ExprId x) {
  FunctionInfo info;
  info.type_params = {context_.FreshVar(context_.Intern("A"))};
  const TypeId type = info.type_params.front();
  info.result = type;
  const TypeId closure_type = context_.FunctionType(std::span(&type, 1), type, info.type_params);
  const ExprId param = FreshVar(type);
  const ExprId closure = to_.Lambda(std::move(info), std::span(&param, 1), param);
  to_.SetType(closure, closure_type);
  const ExprId self = FreshVar(closure_type);
  let_steps_.push_back(self);
  let_steps_.push_back(closure);
  for (const ExprId value : {x, AnyTensor()}) Keep(to_.Call(self, std::span(&value, 1)), TypeOf(value));
}

}  // namespace relayopt
