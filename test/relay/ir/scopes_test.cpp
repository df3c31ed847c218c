// Scopes and the verifier.
#include <catch2/catch.hpp>

#include "builder_helpers.h"
#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/relay/ir/scopes.h"

using namespace relayopt;

namespace {

auto BoolVar(TestFunction& f, std::string_view name) -> ExprId {
  return f.Var(name, f.builder().context().Scalar(DataType::Bool()));
}

}  // namespace

TEST_CASE("an expression that both branches use belongs around the if") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));
  const ExprId c = BoolVar(f, "c");
  const ExprId shared = f.Call("exp", {x});
  const ExprId only_then = f.Call("abs", {shared});
  const ExprId branch = f.builder().If(c, only_then, shared);
  const Function made = f.Finish({x, c}, branch);
  const Scopes scopes = ComputeScopes(made);
  CHECK(scopes.of[shared] == scopes.of[branch]);
  CHECK(scopes.of[only_then] == scopes.first[branch]);
  CHECK(scopes.IsInside(scopes.of[only_then], scopes.of[shared]));
}

TEST_CASE("an expression that only a closure uses belongs into it") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));
  const ExprId y = f.Var("y", f.Type({2}));
  const ExprId inside = f.Call("exp", {x});
  const ExprId closure = f.Lambda({y}, f.Call("add", {inside, y}));
  const Function made = f.Finish({x}, closure);
  const Scopes scopes = ComputeScopes(made);
  CHECK(scopes.of[inside] == scopes.first[closure]);
}

TEST_CASE("steps of a let chain nest") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));
  const ExprId a = f.Var("a");
  const ExprId b = f.Var("b");
  const ExprId value = f.Call("exp", {a});
  const ExprId let = f.Let({a, f.Call("abs", {x}), b, value}, b);
  const Function made = f.Finish({x}, let);
  const Scopes scopes = ComputeScopes(made);
  CHECK(scopes.of[value] == ScopeId(scopes.first[let].value() + 1));
  CHECK(scopes.IsInside(scopes.of[value], scopes.first[let]));
}

TEST_CASE("common ancestors are found in chains of any length") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));
  std::vector<ExprId> steps;
  constexpr uint32_t kSteps = 100'000;
  for (uint32_t i = 0; i < kSteps; ++i) {
    steps.push_back(f.Var("a"));
    steps.push_back(x);
  }
  const ExprId let = f.builder().Let(steps, steps[0]);
  const Scopes scopes = ComputeScopes(f.Finish({x}, let));
  const uint32_t first = scopes.first[let].value();
  CHECK(scopes.CommonAncestor(ScopeId(first + 17), ScopeId(first + kSteps - 1)) == ScopeId(first + 17));
  CHECK(scopes.CommonAncestor(ScopeId(first + kSteps - 1), ScopeId(first)) == ScopeId(first));
}

TEST_CASE("the verifier accepts a recursive closure") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));
  const ExprId self = f.Var("f");
  const ExprId y = f.Var("y", f.Type({2}));
  const ExprId closure = f.Lambda({y}, f.builder().Call(self, {&y, 1}));
  const Function made = f.Finish({x}, f.Let({self, closure}, x));
  CHECK_FALSE(Verify(module, made));
}

TEST_CASE("the verifier rejects") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));

  SECTION("a free variable") {
    const ExprId free = f.Var("free", f.Type({2}));
    const auto error = Verify(module, f.Finish({x}, f.Call("add", {x, free})));
    REQUIRE(error);
    CHECK(error->text == "variable %free is free");
  }
  SECTION("a variable used outside its closure") {
    const ExprId y = f.Var("y", f.Type({2}));
    const ExprId closure = f.Lambda({y}, y);
    const ExprId fields[] = {closure, y};
    const auto error = Verify(module, f.Finish({x}, f.builder().Tuple(fields)));
    REQUIRE(error);
    CHECK(error->text == "variable %y is used outside the scope that binds it");
  }
  SECTION("a variable used before its let") {
    const ExprId a = f.Var("a");
    const ExprId b = f.Var("b");
    const auto error = Verify(module, f.Finish({x}, f.Let({a, f.Call("abs", {b}), b, x}, a)));
    REQUIRE(error);
    CHECK(error->text == "variable %b is used outside the scope that binds it");
  }
  SECTION("a let value that needs its own variable") {
    const ExprId a = f.Var("a");
    const auto error = Verify(module, f.Finish({x}, f.Let({a, f.Call("add", {x, a})}, a)));
    REQUIRE(error);
    CHECK(error->text == "the value of %a needs %a");
  }
  SECTION("but a function may call itself") {
    const ExprId a = f.Var("a");
    const ExprId y = f.Var("y");
    const ExprId recursive = f.Lambda({y}, f.builder().Call(a, std::vector<ExprId>{y}));
    CHECK_FALSE(Verify(module, f.Finish({x}, f.Let({a, recursive}, a))));
  }
  SECTION("a variable bound twice") {
    const ExprId a = f.Var("a");
    const auto error = Verify(module, f.Finish({x}, f.Let({a, x, a, x}, a)));
    REQUIRE(error);
    CHECK(error->text == "variable %a is bound twice");
  }
  SECTION("missing types where they are needed") {
    const auto error = VerifyTypes(f.Finish({x}, f.Call("abs", {x})));
    REQUIRE(error);
    CHECK(error->text == "an expression has no type");
  }
}
