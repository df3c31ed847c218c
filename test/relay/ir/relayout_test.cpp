// Relayout: order, reachability and joined let chains.
#include <catch2/catch.hpp>

#include "builder_helpers.h"
#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/relay/ir/function.h"

using namespace relayopt;

TEST_CASE("relayout drops what the root does not reach") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));
  f.Call("exp", {x});
  const ExprId used = f.Call("abs", {x});
  const Function made = Relayout(f.Finish({x}, used));
  CHECK(made.size() == 3);
  CHECK(made.op(made.body())->name == "abs");
}

TEST_CASE("relayout puts operands in the order of the arguments") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));
  const ExprId second = f.Call("exp", {x});
  const ExprId first = f.Call("abs", {x});
  const Function made = Relayout(f.Finish({x}, f.Call("add", {first, second})));
  REQUIRE(made.size() == 5);
  CHECK(made.op(ExprId(1U))->name == "abs");
  CHECK(made.op(ExprId(2U))->name == "exp");
}

TEST_CASE("relayout keeps a shared expression shared") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));
  const ExprId shared = f.Call("exp", {x});
  const Function made = Relayout(f.Finish({x}, f.Call("add", {shared, shared})));
  const auto args = made.operands(made.body());
  CHECK(made.size() == 4);
  CHECK(args[0] == args[1]);
}

TEST_CASE("a let chain that is the result of a let joins it") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));
  const ExprId a = f.Var("a");
  const ExprId b = f.Var("b");
  const ExprId inner = f.Let({b, f.Call("exp", {a})}, b);
  const Function made = Relayout(f.Finish({x}, f.Let({a, f.Call("abs", {x})}, inner)));
  REQUIRE(made.kind(made.body()) == ExprKind::kLet);
  CHECK(made.let_size(made.body()) == 2);
  CHECK_FALSE(Verify(module, made));
}

TEST_CASE("a let chain with two users stays an expression of its own") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));
  const ExprId a = f.Var("a");
  const ExprId b = f.Var("b");
  const ExprId shared = f.Let({a, f.Call("abs", {x})}, a);
  const Function made = Relayout(f.Finish({x}, f.Let({b, shared}, shared)));
  CHECK(made.let_size(made.body()) == 1);
}

TEST_CASE("a million nested lets join without recursion") {
  Module module;
  TestFunction f(module);
  const ExprId x = f.Var("x", f.Type({2}));
  constexpr size_t kDepth = 1'000'000;
  ExprId result = x;
  for (size_t i = 0; i < kDepth; ++i) result = f.Let({f.Var("a"), x}, result);
  const Function made = Relayout(f.Finish({x}, result));
  CHECK(made.let_size(made.body()) == kDepth);
}
