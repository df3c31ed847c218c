// What the verifier says of functions that break a rule, rule by rule.
#include "relayopt/relay/analysis/verifier.h"

#include <catch2/catch.hpp>
#include <span>

#include "relay/ir/builder_helpers.h"

namespace relayopt {

namespace {

// What is wrong, or nothing.
auto Fault(const Module& module, const Function& function) -> std::string {
  const auto error = Verify(module, function);
  return error ? error->text : "";
}

TEST_CASE("a function that keeps all rules has no fault", "[verifier]") {
  Module module;
  TestFunction build(module);
  const ExprId x = build.Var("x", build.Type({2}));
  const ExprId v = build.Var("v");
  const ExprId value = build.Call("exp", {x});
  const Function function = Relayout(build.Finish({x}, build.Let({v, value}, build.Call("nn.relu", {v}))));
  CHECK(Fault(module, function).empty());
}

TEST_CASE("the root is the last expression", "[verifier]") {
  Module module;
  TestFunction build(module);
  const ExprId x = build.Var("x");
  const ExprId root = build.Lambda({x}, x);
  build.Scalar(1);
  CHECK(Fault(module, build.builder().Finish(root)) == "the root is not the last expression");
}

// Copies of an expression with other operands, which no function of the builder makes.
TEST_CASE("an expression has as many operands as its kind says", "[verifier]") {
  Module module;
  TestFunction from(module);
  const ExprId one = from.Scalar(1);
  const ExprId ref = from.builder().RefCreate(one);
  const ExprId read = from.builder().RefRead(ref);
  const ExprId write = from.builder().RefWrite(ref, one);
  const ExprId field = from.builder().TupleGetItem(one, 0);
  const ExprId call = from.builder().Call(one, {});
  const ExprId branch = from.builder().If(one, one, one);
  const ExprId chain = from.Let({from.Var("v"), one}, one);
  const Function source = from.Finish({}, one);
  const auto fault_of = [&](ExprId id, size_t count) {
    TestFunction build(module);
    const ExprId operands[] = {build.Var("a"), build.Scalar(2), build.Scalar(3), build.Scalar(4)};
    return Fault(module,
                 build.Finish({operands[0]}, build.builder().Copy(source, id, std::span(operands).first(count))));
  };
  CHECK(fault_of(one, 1) == "a leaf has operands");
  for (const ExprId id : {ref, read, field}) {
    CHECK(fault_of(id, 0) == "an expression that needs one operand has none or several");
    CHECK(fault_of(id, 2) == "an expression that needs one operand has none or several");
  }
  CHECK(fault_of(write, 1) == "a write needs a reference and a value");
  CHECK(fault_of(call, 0) == "a call has no callee");
  CHECK(fault_of(branch, 2) == "an if needs a condition and two branches");
  CHECK(fault_of(chain, 2) == "a let does not bind variables");
}

TEST_CASE("operands come before their users", "[verifier]") {
  Module module;
  TestFunction build(module);
  const ExprId later[] = {ExprId(1U)};
  const ExprId tuple = build.builder().Tuple(later);
  build.Scalar(1);
  CHECK(Fault(module, build.Finish({}, tuple)) == "an operand does not come before its user");
}

TEST_CASE("the clauses of a match share out its operands", "[verifier]") {
  Module module;
  const auto fault_of = [&](MatchClause clause, size_t count) {
    TestFunction build(module);
    MatchInfo info;
    info.patterns.resize(1);
    info.clauses = {clause};
    const ExprId operands[] = {build.Scalar(1), build.Var("v"), build.Scalar(2), build.Scalar(3)};
    return Fault(module, build.Finish({}, build.builder().Match(info, std::span(operands).first(count))));
  };
  CHECK(fault_of({.first_operand = 1, .rhs = 2}, 3).empty());
  CHECK(fault_of({.first_operand = 1, .rhs = 3}, 3) == "the clauses of a match do not fit its operands");
  CHECK(fault_of({.first_operand = 2, .rhs = 2}, 3) == "the clauses of a match do not fit its operands");
  CHECK(fault_of({.first_operand = 1, .rhs = 3}, 4) == "the clauses of a match do not fit its operands");
  CHECK(fault_of({.first_operand = 1, .rhs = 2}, 4) == "a match has operands that no clause uses");
}

TEST_CASE("with types every expression has one", "[verifier]") {
  Module module;
  TestFunction build(module);
  const ExprId x = build.Var("x");
  const Function function = build.Finish({x}, x);
  CHECK(Fault(module, function).empty());
  const auto untyped = VerifyTypes(function);
  REQUIRE(untyped);
  CHECK(untyped->text == "an expression has no type");
}

TEST_CASE("a global that is mentioned exists", "[verifier]") {
  Module module;
  TestFunction build(module);
  const Function function = build.Finish({}, build.builder().Global(GlobalId(7U)));
  CHECK(Fault(module, function) == "a global does not exist");
}

TEST_CASE("parameters are variables", "[verifier]") {
  Module module;
  TestFunction build(module);
  const ExprId one = build.Scalar(1);
  const Function function = build.Finish({one}, one);
  CHECK(Fault(module, function) == "a parameter is not a variable");
}

TEST_CASE("a let binds variables", "[verifier]") {
  Module module;
  TestFunction build(module);
  const ExprId one = build.Scalar(1);
  const ExprId two = build.Scalar(2);
  CHECK(Fault(module, build.Finish({}, build.Let({one, two}, two))) == "a let does not bind variables");
}

TEST_CASE("a variable is bound", "[verifier]") {
  Module module;
  TestFunction build(module);
  const ExprId y = build.Var("y");
  CHECK(Fault(module, build.Finish({}, build.Call("exp", {y}))) == "variable %y is free");
}

TEST_CASE("a variable is bound once", "[verifier]") {
  Module module;
  TestFunction build(module);
  const ExprId x = build.Var("x");
  const ExprId one = build.Scalar(1);
  CHECK(Fault(module, build.Finish({x}, build.Let({x, one}, x))) == "variable %x is bound twice");
}

TEST_CASE("a variable stays in the scope that binds it", "[verifier]") {
  Module module;
  TestFunction build(module);
  const ExprId x = build.Var("x");
  const ExprId inner = build.Lambda({x}, x);
  const ExprId both[] = {inner, x};
  CHECK(Fault(module, build.Finish({}, build.builder().Tuple(both))) ==
        "variable %x is used outside the scope that binds it");
}

TEST_CASE("only functions need the variable that is bound to them", "[verifier]") {
  Module module;
  TestFunction build(module);
  const ExprId v = build.Var("v");
  CHECK(Fault(module, build.Finish({}, build.Let({v, build.Call("exp", {v})}, v))) == "the value of %v needs %v");
  TestFunction recursive(module);
  const ExprId f = recursive.Var("f");
  CHECK(Fault(module, recursive.Finish({}, recursive.Let({f, recursive.Lambda({}, f)}, f))).empty());
}

}  // namespace

}  // namespace relayopt
