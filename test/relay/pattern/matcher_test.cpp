// The pattern language: every kind of pattern, backtracking, rewriting and cutting out.
#include <catch2/catch.hpp>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/pattern/pattern_text.h"
#include "relayopt/relay/pattern/rewrite.h"
#include "relayopt/relay/text/reader.h"

using namespace relayopt;

namespace {

// A module with one function, @main.
struct Program {
  explicit Program(std::string_view text) {
    DiagnosticSink sink;
    auto read = ReadModule(SourceText::FromString("test.relay", "#[version = \"0.0.5\"]\n" + std::string(text)), sink);
    REQUIRE(read.has_value());
    module = *std::move(read);
    REQUIRE(InferTypes(module, sink));
  }
  auto main() const -> const Function& { return *module.function<Function>(module.FindGlobal("main")); }

  Module module;
};

// Whether the body of @main looks like the pattern.
auto Matches(std::string_view pattern, std::string_view text) -> bool {
  const Program program(text);
  PatternTable table;
  auto parsed = ParsePattern(program.module.context(), table, pattern);
  REQUIRE(parsed.has_value());
  return MatchPattern(*parsed, program.main(), program.main().body());
}

constexpr std::string_view kUnary = "def @main(%x: Tensor[(2, 3), float32]) { nn.softmax(exp(%x), axis=1) }";

}  // namespace

TEST_CASE("patterns of single expressions") {
  CHECK(Matches("*", kUnary));
  CHECK(Matches("%x", "def @main(%x: float32) { %x }"));
  CHECK(Matches("%", "def @main(%x: float32) { %x }"));
  CHECK_FALSE(Matches("%y", "def @main(%x: float32) { %x }"));
  CHECK(Matches("const", "def @main() { 1f }"));
  CHECK_FALSE(Matches("const", kUnary));
}

TEST_CASE("patterns of calls") {
  CHECK(Matches("nn.softmax(exp(%x))", kUnary));
  CHECK(Matches("nn.softmax(...)", kUnary));
  CHECK(Matches("(*)(exp(*))", kUnary));
  CHECK_FALSE(Matches("nn.softmax(tanh(*))", kUnary));
  CHECK_FALSE(Matches("nn.softmax(*, *)", kUnary));
  CHECK(Matches("%f(*)", "def @main(%f: fn (float32) -> float32, %x: float32) { %f(%x) }"));
}

TEST_CASE("patterns with attributes, types and shapes") {
  CHECK(Matches("nn.softmax(*) {axis=1}", kUnary));
  CHECK_FALSE(Matches("nn.softmax(*) {axis=0}", kUnary));
  CHECK_FALSE(Matches("nn.softmax(*) {groups=1}", kUnary));
  CHECK(Matches("(*) {TOpPattern=4}(*)", kUnary));
  CHECK(Matches("* : float32", kUnary));
  CHECK_FALSE(Matches("* : int32", kUnary));
  CHECK(Matches("* : (2, 3)", kUnary));
  CHECK_FALSE(Matches("* : (3, 2)", kUnary));
}

TEST_CASE("patterns of tuples, ifs, lets and functions") {
  const std::string_view pair = "def @main(%x: float32) { (exp(%x), %x) }";
  CHECK(Matches("(exp(*), *)", pair));
  CHECK(Matches("(...)", pair));
  CHECK_FALSE(Matches("(*, *, *)", pair));
  const std::string_view field = "def @main(%x: (float32, float32)) { %x.1 }";
  CHECK(Matches("%x.1", field));
  CHECK(Matches("%x.*", field));
  CHECK_FALSE(Matches("%x.0", field));
  const std::string_view choice = "def @main(%c: bool, %x: float32) { if (%c) { exp(%x) } else { %x } }";
  CHECK(Matches("if(%c, exp(*), %x)", choice));
  CHECK_FALSE(Matches("if(%c, %x, %x)", choice));
  const std::string_view steps = "def @main(%x: float32) { let %a = exp(%x); let %b = tanh(%a); %b }";
  CHECK(Matches("let(%a, exp(*), let(%b, tanh(%a), %b))", steps));
  CHECK_FALSE(Matches("let(%a, exp(*), let(%b, exp(%a), %b))", steps));
  CHECK(Matches("fn(%y, exp(%y))", "def @main() { fn (%y: float32) { exp(%y) } }"));
}

TEST_CASE("alternatives and names") {
  CHECK(Matches("tanh(*) | nn.softmax(*)", kUnary));
  CHECK_FALSE(Matches("tanh(*) | exp(*)", kUnary));
  const std::string_view shared = "def @main(%x: float32) { %0 = exp(%x); multiply(%0, %0) }";
  const std::string_view apart = "def @main(%x: float32) { multiply(exp(%x), exp(%x)) }";
  CHECK(Matches("multiply($a=exp(*), $a)", shared));
  CHECK_FALSE(Matches("multiply($a=exp(*), $a)", apart));
  CHECK(Matches("multiply($a=exp(*), $b=exp(*))", apart));
}

TEST_CASE("only add and multiply commute") {
  const auto binary = [](std::string_view op) { return "def @main(%x: float32) { " + std::string(op) + "(%x, 1f) }"; };
  CHECK(Matches("add(const, %x)", binary("add")));
  CHECK(Matches("multiply(const, %x)", binary("multiply")));
  CHECK_FALSE(Matches("subtract(const, %x)", binary("subtract")));
  CHECK_FALSE(Matches("maximum(const, %x)", binary("maximum")));
}

TEST_CASE("what once matched is not opened again") {
  // $a takes exp(%x) in the first operand, although the second one would do as well.
  CHECK_FALSE(Matches("subtract(add($a, *), $a)", "def @main(%x: float32, %y: float32) { subtract(add(%x, %y), %y) }"));
  CHECK(Matches("subtract(add($a, *), $a)", "def @main(%x: float32, %y: float32) { subtract(add(%x, %y), %x) }"));
}

TEST_CASE("a quotient of a product matches a product with a quotient") {
  CHECK(Matches("divide(multiply(%x, %y), %z)",
                "def @main(%x: float32, %y: float32, %z: float32) { multiply(%x, divide(%y, %z)) }"));
  CHECK(Matches("multiply(divide(%x, %y), %z)",
                "def @main(%x: float32, %y: float32, %z: float32) { divide(multiply(%x, %z), %y) }"));
  CHECK_FALSE(Matches("divide(multiply(%x, %y), %z)",
                      "def @main(%x: float32, %y: float32, %z: float32) { multiply(%x, divide(%z, %y)) }"));
}

TEST_CASE("dominators") {
  const std::string_view diamond =
      "def @main(%x: float32) { %0 = exp(%x); %1 = tanh(%0); %2 = sigmoid(%0); add(%1, %2) }";
  CHECK(Matches("dominates(exp(*), tanh(*) | sigmoid(*), add(*, *))", diamond));
  CHECK_FALSE(Matches("dominates(exp(*), tanh(*), add(*, *))", diamond));
  CHECK_FALSE(Matches("dominates(log(*), *, add(*, *))", diamond));
}

TEST_CASE("a wildcard may stand for the pattern that it is part of") {
  const Program program("def @main(%x: float32) { exp(exp(exp(tanh(%x)))) }");
  PatternTable table;
  const DFPattern rest = table.Wildcard();
  const DFPattern chain = table.Op("exp"_op)({rest}) | table.Op("tanh"_op)({table.Wildcard()});
  table.Redirect(rest, chain);
  CHECK(MatchPattern(chain, program.main(), program.main().body()));
  const Program other("def @main(%x: float32) { exp(exp(log(tanh(%x)))) }");
  CHECK_FALSE(MatchPattern(chain, other.main(), other.main().body()));
}

TEST_CASE("deep expressions need no stack") {
  Module module;
  FunctionBuilder builder(module.context());
  const TypeId type = module.context().Scalar(DataType::Float(32));
  const ExprId x = builder.Var({module.context().Intern("x"), type, {}});
  ExprId value = x;
  const OpInstanceId exp = InternOpInstance(module.context(), {"exp"_op, {}});
  for (int i = 0; i < 200000; ++i) value = builder.OpCall(exp, {&value, 1});
  const Function function = builder.Finish(builder.Lambda({}, {&x, 1}, value));
  PatternTable table;
  const DFPattern pattern =
      table.Op("exp"_op)({table.Wildcard()}).Dominates(table.Var("x"), table.Op("exp"_op)({table.Wildcard()}));
  CHECK(MatchPattern(pattern, function, value));
}

TEST_CASE("rewriting goes on until nothing changes") {
  const Program program("def @main(%x: float32) { negative(negative(negative(negative(negative(%x))))) }");
  PatternTable table;
  const DFPattern x = table.Wildcard();
  const DFPattern negative = table.Op("negative"_op);
  const DFPatternCallback callback = {negative({negative({x})}), [&](Rebuild& rebuild, const PatternGroup& group) {
                                        return rebuild.New(group.Get(x));
                                      }};
  auto result = RewritePatterns({&callback, 1}, program.main());
  REQUIRE(result.has_value());
  REQUIRE(result->has_value());
  const Function& made = **result;
  CHECK(made.op(made.body())->name == "negative");
  CHECK(made.kind(made.operand(made.body(), 0)) == ExprKind::kVar);
}

TEST_CASE("rewrites without end are an error") {
  const Program program("def @main(%x: float32) { negative(%x) }");
  PatternTable table;
  const DFPattern x = table.Wildcard();
  const DFPatternCallback callback = {table.Op("negative"_op)({x}), [&](Rebuild& rebuild, const PatternGroup& group) {
                                        return EmitCall(rebuild.to(), "negative"_op, {rebuild.New(group.Get(x))});
                                      }};
  const auto made = RewritePatterns({&callback, 1}, program.main());
  REQUIRE_FALSE(made);
  CHECK(made.error().kind->id == "pattern-rewrite-no-end");
}

TEST_CASE("candidates are counted from the results, those that are not cut out included") {
  const Program program(
      "def @main(%x: float32) { %0 = exp(%x); %1 = tanh(%0); %2 = exp(%1); %3 = tanh(%2); (%3, %0) }");
  PatternTable table;
  const DFPattern pattern = table.Op("tanh"_op)({table.Op("exp"_op)({table.Wildcard()})});
  const auto groups = FindPatternGroups(pattern, program.main());
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].number == 0);
  CHECK(GroupName(program.main(), groups[0]) == "exp_tanh_");
}

TEST_CASE("alternatives of shared patterns are looked at once") {
  const Program program("def @main(%x: float32) { exp(%x) }");
  PatternTable table;
  DFPattern pattern = table.Op("tanh"_op)({table.Wildcard()});
  // 2^64 paths.
  for (int i = 0; i < 64; ++i) pattern = pattern | pattern;
  CHECK(FindPatternGroups(pattern, program.main()).empty());
}

TEST_CASE("operators that a function lacks rule patterns out") {
  const Program program("def @main(%x: float32) { add(exp(%x), 1f) }");
  const auto ops = MentionedOps(program.main());
  PatternTable table;
  const auto may_match = [&](std::string_view text) {
    const auto pattern = ParsePattern(program.module.context(), table, text);
    REQUIRE(pattern.has_value());
    return MayMatch(*pattern, ops);
  };
  CHECK(may_match("add(exp(*), const)"));
  CHECK_FALSE(may_match("add(tanh(*), const)"));
  CHECK(may_match("add(tanh(*) | exp(*), *)"));
  CHECK_FALSE(may_match("add(tanh(*) | log(*), *)"));
  CHECK(may_match("dominates(*, tanh(*), exp(*))"));
  // A pattern that contains itself.
  const DFPattern rest = table.Wildcard();
  const DFPattern chain = table.Op("exp"_op)({rest}) | table.Op("tanh"_op)({table.Wildcard()});
  table.Redirect(rest, chain);
  CHECK(MayMatch(chain, ops));
}
