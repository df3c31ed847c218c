// What gradients need of a module that text cannot lack.
#include <catch2/catch.hpp>

#include "relayopt/pass/registry.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

TEST_CASE("a function that is only named has no gradient", "[pass]") {
  RegisterAllPasses();
  Module module;
  Context& context = module.context();
  const TypeId type = context.Scalar(DataType::Float(32));
  FunctionBuilder builder(context);
  const ExprId x = builder.Var({context.Intern("x"), type, {}});
  const ExprId call = builder.Call(builder.Global(module.NameGlobal("nothing")), {&x, 1});
  FunctionInfo info;
  info.result = type;
  const ExprId root = builder.Lambda(std::move(info), {&x, 1}, call);
  module.SetFunction(module.NameGlobal("main"), std::make_shared<Function>(builder.Finish(root)));
  const Result<Module> made = (**GetPass("Gradient"))(module);
  REQUIRE_FALSE(made);
  CHECK(made.error().kind->id == "undefined-gradient");
}

}  // namespace

}  // namespace relayopt
