// Rewriting functions.
#include <catch2/catch.hpp>

#include "builder_helpers.h"
#include "relayopt/relay/ir/rebuild.h"

namespace relayopt {

namespace {

TEST_CASE("what a rewrite says nothing about is copied", "[ir]") {
  Module module;
  TestFunction build(module);
  const ExprId x = build.Var("x", build.Type({2}));
  const ExprId inner = build.Call("exp", {x});
  const Function function = Relayout(build.Finish({x}, build.Call("nn.relu", {inner})));
  Rebuild rebuild(function);
  const auto result = rebuild.Rewrite([&](ExprId id) {
    const bool is_exp = function.kind(id) == ExprKind::kOpCall && function.op(id) == "exp"_op;
    return is_exp ? rebuild.New(function.operand(id, 0)) : ExprId();
  });
  REQUIRE(result);
  CHECK(result->size() == function.size() - 1);
  CHECK(result->op(result->body()) == "nn.relu"_op);
  CHECK(result->operand(result->body(), 0) == result->params()[0]);
}

TEST_CASE("a rewrite that a debug counter leaves out is copied", "[ir]") {
  Module module;
  TestFunction build(module);
  const ExprId x = build.Var("x", build.Type({2}));
  const ExprId first = build.Call("exp", {x});
  const Function function = Relayout(build.Finish({x}, build.Call("exp", {first})));
  const Statistic counter = {"P", RewriteGate::kCounter, {}, true};
  PassContextOptions options;
  options.debug_counters.push_back({&counter, NumberSet::UpTo(1)});
  const PassContextRef context = *PassContext::Create(std::move(options));
  const auto rename = [&](Rebuild& rebuild, ExprId id) {
    if (function.kind(id) != ExprKind::kOpCall) return ExprId();
    return rebuild.to().OpCall(InternOpInstance(module.context(), {"log"_op, {}}), rebuild.NewOperands(id));
  };
  {
    RewriteGate gate(*context, "P", "main");
    const auto result = Rewrite(function, rename);
    REQUIRE(result);
    CHECK(result->op(result->body()) == "exp"_op);
    CHECK(result->op(result->operand(result->body(), 0)) == "log"_op);
  }
  CHECK(context->debug_counts()[0] == 2);
  CHECK(RewriteGate::Current() == nullptr);
}

TEST_CASE("what is shared stays shared, with its type and its place", "[ir]") {
  Module module;
  TestFunction build(module);
  const TypeId type = build.Type({2});
  const ExprId x = build.Var("x", type);
  const ExprId shared = build.Call("exp", {x});
  build.builder().SetType(shared, type);
  build.builder().SetRange(shared, {3, 7});
  const Function function = Relayout(build.Finish({x}, build.Call("add", {shared, shared})));
  const auto result = Rewrite(function, [&](Rebuild& rebuild, ExprId id) {
    if (function.kind(id) != ExprKind::kOpCall || function.op(id) != "add"_op) return ExprId();
    return rebuild.to().OpCall(InternOpInstance(module.context(), {"multiply"_op, {}}), rebuild.NewOperands(id));
  });
  REQUIRE(result);
  CHECK(result->size() == function.size());
  const ExprId made = result->operand(result->body(), 0);
  CHECK(result->operand(result->body(), 1) == made);
  CHECK(result->type(made) == type);
  CHECK(result->range(made).begin == 3);
}

TEST_CASE("a rewrite of nothing gives nothing", "[ir]") {
  Module module;
  TestFunction build(module);
  const ExprId x = build.Var("x", build.Type({2}));
  const Function function = Relayout(build.Finish({x}, build.Call("exp", {x})));
  CHECK_FALSE(Rebuild(function).Rewrite([](ExprId) { return ExprId(); }));
}

}  // namespace

}  // namespace relayopt
