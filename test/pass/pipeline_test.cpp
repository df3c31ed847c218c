// Pipelines as text: what is accepted, how it prints, where errors point.
#include <catch2/catch.hpp>

#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "test_module.h"

namespace relayopt {

namespace {

struct TestPass {
  struct Options {
    bool flag = false;
    int64_t number = 1;
    double ratio = 0.5;
    std::string word = "w";
    std::vector<std::string> names;
    StringListMap map;
    JsonText json{"null"};
    static constexpr auto Fields() {
      return std::array{
          Option<&Options::flag>("f"),  Option<&Options::number>("number_of_things", "n"),
          Option<&Options::ratio>("r"), Option<&Options::word>("w"),
          Option<&Options::names>("l"), Option<&Options::map>("m"),
          Option<&Options::json>("j"),
      };
    }
  };
  Options options;
  auto Run(const Module&, GlobalId, const Function&, PassContext&) const -> Result<std::optional<Function>> {
    return std::nullopt;
  }
};

constinit const PassDef kTestPass =
    DescribePass<TestPass>({.name = "PipelineTestPass", .summary = "s", .details = "d", .aliases = "T"});

void Register() {
  RegisterAllPasses();
  if (FindPass("PipelineTestPass") == nullptr) RegisterPass(kTestPass);
}

// The canonical text, or `COLUMN: message`.
auto Canonical(std::string_view text) -> std::string {
  Register();
  const Result<Pipeline> pipeline = ParsePipeline(text);
  if (!pipeline) return fmt::format("{}: {}", pipeline.error().range.begin + 1, pipeline.error().text);
  const std::string printed = ToString(*pipeline);
  const Result<Pipeline> again = ParsePipeline(printed);
  REQUIRE(again);
  CHECK(ToString(*again) == printed);
  CHECK(BuildPipeline(*pipeline));
  return printed;
}

TEST_CASE("names, white space and comments", "[pipeline]") {
  CHECK(Canonical("") == "");
  CHECK(Canonical("InferType") == "InferType");
  CHECK(Canonical(" infer-type ,\n\ttransform.RemoveUnusedFunctions, # the rest\n T ,") ==
        "InferType,RemoveUnusedFunctions,PipelineTestPass");
}

TEST_CASE("options in both notations", "[pipeline]") {
  CHECK(Canonical("T<>") == "PipelineTestPass");
  CHECK(Canonical("T<flag>") == "PipelineTestPass<flag=true>");
  CHECK(Canonical("T<flag=true;no-flag=false>").find("has no option 'no-flag'") != std::string::npos);
  CHECK(Canonical("T<no-flag>") == "PipelineTestPass");
  CHECK(Canonical("T{flag=1 number-of-things=3 ratio=2}") == "PipelineTestPass<flag=true;number_of_things=3;ratio=2>");
  CHECK(Canonical("T< number_of_things = -3 ; word = nn.conv2d >") ==
        "PipelineTestPass<number_of_things=-3;word=nn.conv2d>");
  CHECK(Canonical(R"(T<word="a;b>c,\"d\"">)") == R"(PipelineTestPass<word="a;b>c,\"d\"">)");
  CHECK(Canonical(R"(T<names=[a, b.c]>,T<names=["x y"]>,T<names=one>)") ==
        R"(PipelineTestPass<names=["a", "b.c"]>,PipelineTestPass<names=["x y"]>,PipelineTestPass<names=["one"]>)");
  CHECK(Canonical(R"(T<map={"nn.conv2d": ["NHWC", "default"], "a": []}>)") ==
        R"(PipelineTestPass<map={"nn.conv2d": ["NHWC", "default"], "a": []}>)");
  CHECK(Canonical(R"(T{map={"b": ["1 2"]} flag=true})") == R"(PipelineTestPass<flag=true;map={"b": ["1 2"]}>)");
  CHECK(Canonical(R"(T<json={"a": [1, {"b": "}>"}]}>)") == R"(PipelineTestPass<json={"a": [1, {"b": "}>"}]}>)");
}

TEST_CASE("combinators", "[pipeline]") {
  CHECK(Canonical("module(InferType,function(T,T<flag>),T)") ==
        "InferType,PipelineTestPass,PipelineTestPass<flag=true>,PipelineTestPass");
  CHECK(Canonical("fixpoint(T)") == "fixpoint<max=10>(PipelineTestPass)");
  CHECK(Canonical("fixpoint<max=3>(T,repeat<2>(InferType))") ==
        "fixpoint<max=3>(PipelineTestPass,repeat<2>(InferType))");
  CHECK(Canonical("with-target(T)") == "with-target(PipelineTestPass)");
  CHECK(Canonical("builtin.module(T)") == "PipelineTestPass");
}

TEST_CASE("errors point at their cause", "[pipeline]") {
  CHECK(Canonical("InferType,infer-tpye") == "11: unknown pass 'infer-tpye' (did you mean 'infer-type'?)");
  CHECK(Canonical("InferTpye") == "1: unknown pass 'InferTpye' (did you mean 'InferType'?)");
  CHECK(Canonical("T,,T") == "3: empty pipeline element");
  CHECK(Canonical(",T") == "1: empty pipeline element");
  CHECK(Canonical("T T") == "3: expected ',' or the end in the pipeline");
  CHECK(Canonical("fixpoint(T") == "9: this '(' is never closed");
  CHECK(Canonical("T)") == "2: this ')' closes nothing");
  CHECK(Canonical("T<flag=true") == "2: this '<' is never closed");
  CHECK(Canonical("T{flag=true") == "2: this '{' is never closed");
  CHECK(Canonical("T<json={\"a\": [1}>") == "16: this '}' does not close '['");
  CHECK(Canonical("T<word=\"a>") == "8: this '\"' is never closed");
  CHECK(Canonical("T<flga=true>") == "3: T has no option 'flga' (did you mean 'flag'?)");
  CHECK(Canonical("T<flag=maybe>") == "8: option 'flag' expects true or false, not 'maybe'");
  CHECK(Canonical("T<number_of_things=abc>") == "20: option 'number_of_things' expects an integer, not 'abc'");
  CHECK(Canonical("T<number_of_things=99999999999999999999>").find("expects an integer") != std::string::npos);
  CHECK(Canonical("T<word>") == "3: option 'word' needs a value: a word or a quoted string");
  CHECK(Canonical("T<flag;flag>") == "8: option 'flag' is given twice");
  CHECK(Canonical("InferType<x=1>") == "11: InferType takes no options");
  CHECK(Canonical("InferType(T)") == "1: InferType is a pass: no pipeline can follow it in parentheses");
  CHECK(Canonical("fixpoint") == "1: fixpoint needs a pipeline in parentheses");
  CHECK(Canonical("repeat(T)") == "1: repeat expects a number from 1 to 1000000, not ''");
  CHECK(Canonical("repeat<0>(T)") == "8: repeat expects a number from 1 to 1000000, not '0'");
  CHECK(Canonical("fixpoint<min=3>(T)") == "10: fixpoint has no option 'min'");
  CHECK(Canonical("function(T,InferType)") == "12: InferType is a module pass: move it out of function(...)");
  CHECK(Canonical("default<O9>").find("unknown pipeline 'default<O9>'; there are default<O0>") != std::string::npos);
}

TEST_CASE("deep nesting is refused, long pipelines are not", "[pipeline]") {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "repeat<1>(";
  CHECK(Canonical(deep).find("combinators nest more than 64 deep") != std::string::npos);
  std::string brackets = "T<json=" + std::string(100000, '[');
  CHECK(Canonical(brackets).find("never closed") != std::string::npos);
  std::string names;
  for (int i = 0; i < 2000; ++i) names += "InferType,";
  Register();
  CHECK(ParsePipeline(names)->size() == 2000);
}

TEST_CASE("loops run as often as they say", "[pipeline]") {
  Register();
  const auto runs = [](std::string_view text, int changes) {
    static int left;
    static int count;
    left = changes;
    count = 0;
    // Adds a function each time until it has nothing left to do.
    struct Grow {
      auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
        ++count;
        if (left == 0) return std::nullopt;
        Module grown = module;
        testing::AddIdentity(grown, "f" + std::to_string(left--));
        return grown;
      }
    };
    static constinit const PassDef kGrow = DescribePass<Grow>({.name = "Grow", .summary = "s", .details = "d"});
    if (FindPass("Grow") == nullptr) RegisterPass(kGrow);
    const Result<Pipeline> pipeline = ParsePipeline(text);
    REQUIRE(pipeline);
    const Result<PassRef> pass = BuildPipeline(*pipeline);
    REQUIRE(pass);
    REQUIRE((**pass)(testing::MainModule()));
    return count;
  };
  CHECK(runs("Grow", 5) == 1);
  CHECK(runs("repeat<3>(Grow)", 5) == 3);
  CHECK(runs("fixpoint(Grow)", 2) == 3);
  CHECK(runs("fixpoint<max=4>(Grow)", 9) == 4);
  CHECK(runs("with-target(Grow)", 1) == 0);
}

}  // namespace

}  // namespace relayopt
