// A module of two kinds of functions, one of which is defined here: only its row says how it is treated.
#include <catch2/catch.hpp>

#include "relayopt/module/functions.h"
#include "relayopt/module/print.h"
#include "relayopt/pass/instruments.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "test_module.h"

namespace relayopt {

namespace {

// A function of this kind is a number, which must not be negative, and of which the last digit matters.
inline constexpr FunctionKind kNumbers = {.name = "number", .pass_level = "number"};

class Number final : public GlobalFunction {
 public:
  static constexpr const FunctionKind& kFunctionKind = kNumbers;
  explicit Number(int value) : GlobalFunction(kFunctionKind), value(value) {}
  int value;
};

auto AsNumber(const GlobalFunction& function) -> const Number& { return static_cast<const Number&>(function); }

void PrintNumber(const Module& module, GlobalId id, const PrintOptions&, TextSink& sink) {
  sink.Write(fmt::format("{} = {}\n", module.name(id), module.function<Number>(id)->value));
}

constexpr FunctionKindDef kNumberKind = {
    .kind = &kNumbers,
    .size = [](const GlobalFunction&) { return size_t{1}; },
    .verify = [](const Module&, const GlobalFunction& function) -> std::optional<BrokenRule> {
      if (AsNumber(function).value >= 0) return std::nullopt;
      return BrokenRule{.node = 0, .range = {}, .text = "it is negative"};
    },
    .print_module =
        [](const Module& module, const PrintOptions& options, TextSink& sink) {
          for (const GlobalId id : module.SortedFunctions<Number>()) PrintNumber(module, id, options, sink);
        },
    .print_function = PrintNumber,
    .is_left_alone = [](const GlobalFunction& function) { return AsNumber(function).value == 13; },
    .update =
        [](Module& module, DiagnosticSink&, size_t) {
          for (const GlobalId id : module.SortedFunctions<Number>()) {
            module.SetFunction(id, std::make_shared<const Number>(module.function<Number>(id)->value % 10));
          }
          return true;
        },
    .update_name = "LastDigit",
};

struct Add {
  struct Options {
    int64_t number = 1;
    static constexpr auto Fields() { return std::array{Option<&Options::number>("what is added")}; }
  };
  Options options;
  auto Run(const Module&, GlobalId, const Number& number, PassContext&) const -> Result<std::optional<Number>> {
    if (options.number == 0) return std::nullopt;
    return Number(number.value + static_cast<int>(options.number));
  }
};

constinit const PassDef kAddPass = DescribePass<Add>({.name = "TestAdd", .summary = "adds", .details = "Adds."});

// @main of Relay, and the numbers one and eight.
auto Mixed() -> Module {
  RegisterFunctionKind(kNumberKind);
  static constexpr const PassDef* kPasses[] = {&kAddPass};
  RegisterPasses(kPasses);
  Module module = testing::MainModule();
  module.SetFunction(module.NameGlobal("eight"), std::make_shared<const Number>(8));
  module.SetFunction(module.NameGlobal("one"), std::make_shared<const Number>(1));
  return module;
}

auto Run(std::string_view pipeline, Module module, PassContextOptions options = {}) -> Result<Module> {
  RELAYOPT_TRY(const Pipeline parsed, ParsePipeline(pipeline));
  RELAYOPT_TRY(const PassRef pass, BuildPipeline(parsed));
  RELAYOPT_TRY(const PassContextRef context, PassContext::Create(std::move(options)));
  return (*pass)(std::move(module), *context);
}

auto ValueOf(const Module& module, std::string_view name) -> int {
  return module.function<Number>(module.FindGlobal(name))->value;
}

TEST_CASE("a function is had as one of its kind only", "[pass]") {
  const Module module = Mixed();
  const GlobalId main = module.FindGlobal("main");
  const GlobalId one = module.FindGlobal("one");
  CHECK(module.function<Function>(main) != nullptr);
  CHECK(module.function<Number>(main) == nullptr);
  CHECK(module.function_ref<Function>(one) == nullptr);
  CHECK(module.SortedFunctions().size() == 3);
  CHECK(module.SortedFunctions<Function>() == std::vector<GlobalId>{main});
  CHECK(module.Has(kNumbers));
  CHECK_FALSE(testing::MainModule().Has(kNumbers));
}

TEST_CASE("passes rewrite the functions of their kind, which is brought up to date", "[pass]") {
  const Module module = Mixed();
  const Result<Module> result = Run("TestAdd<number=5>,FoldConstant", module);
  REQUIRE(result);
  CHECK(ValueOf(*result, "one") == 6);
  CHECK(ValueOf(*result, "eight") == 3);
  CHECK(result->IsUpToDate(kNumbers));
  CHECK(result->IsUpToDate(kRelayFunctions));
  // What the passes of Relay are about is not touched by those over numbers, and the other way round.
  CHECK(Run("TestAdd", module)->function(module.FindGlobal("main")) == module.function(module.FindGlobal("main")));
  CHECK(Run("FoldConstant", module)->function(module.FindGlobal("one")) == module.function(module.FindGlobal("one")));
}

TEST_CASE("functions of one kind are rewritten", "[pass]") {
  const Module module = Mixed();
  const auto result = RewriteFunctions<Number>(module, [](GlobalId, const Number& number) -> std::optional<Number> {
    if (number.value == 1) return std::nullopt;
    return Number(number.value + 1);
  });
  REQUIRE(result);
  CHECK(ValueOf(*result, "eight") == 9);
  CHECK(result->function(module.FindGlobal("one")) == module.function(module.FindGlobal("one")));
  CHECK_FALSE(RewriteFunctions<Number>(module, [](GlobalId, const Number&) { return std::optional<Number>(); }));
}

TEST_CASE("a kind says which of its functions are left alone", "[pass]") {
  Module module = Mixed();
  module.SetFunction(module.FindGlobal("one"), std::make_shared<const Number>(13));
  const Result<Module> result = Run("TestAdd<number=2>", module);
  REQUIRE(result);
  CHECK(ValueOf(*result, "one") == 3);
  CHECK(ValueOf(*result, "eight") == 0);
}

TEST_CASE("updates run where functions of the kind have changed", "[pass]") {
  class Watch final : public PassInstrument {
   public:
    auto RunAfterPass(const Module&, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override {
      if (info.is_update) seen.push_back(info.name + (changed ? "!" : ""));
      return std::nullopt;
    }
    std::vector<std::string> seen;
  };
  const auto watch = std::make_shared<Watch>();
  REQUIRE(Run("TestAdd,TestAdd<number=0>,FoldConstant", Mixed(), {.instruments = {watch}}));
  CHECK(watch->seen == std::vector<std::string>{"LastDigit!", "LastDigit", "InferType!"});
}

TEST_CASE("a broken rule of any kind is noticed", "[pass]") {
  PassContextOptions options;
  options.instruments = {std::make_shared<VerifyInstrument>()};
  const Result<Module> result = Run("TestAdd<number=-5>", Mixed(), std::move(options));
  REQUIRE_FALSE(result);
  CHECK(result.error().text.find("TestAdd") != std::string::npos);
  CHECK(result.error().text.find("@one") != std::string::npos);
  CHECK(result.error().text.find("it is negative") != std::string::npos);
}

TEST_CASE("each kind has a section of the text", "[pass]") {
  const Module module = Mixed();
  CHECK(PrintModule(module) ==
        "#[version = \"0.0.5\"]\ndef @main(%x: int32) {\n  %x\n}\n\n#[number]\neight = 8\none = 1\n");
  CHECK(PrintFunction(module, module.FindGlobal("one")) == "one = 1\n");
  Module numbers = module;
  numbers.SetFunction(module.FindGlobal("main"), nullptr);
  CHECK(PrintModule(numbers) == "eight = 8\none = 1\n");
  CHECK(PrintModule(Module()) == "#[version = \"0.0.5\"]\n");
}

TEST_CASE("a level of a pipeline holds the passes of its kind", "[pass]") {
  CHECK(Run("number(TestAdd),function(FoldConstant)", Mixed()));
  const auto error = [](std::string_view pipeline) {
    Mixed();
    const Result<Pipeline> parsed = ParsePipeline(pipeline);
    return parsed ? std::string() : std::string(parsed.error().text);
  };
  CHECK(error("number(FoldConstant)") == "FoldConstant is for functions of another kind: move it out of number(...)");
  CHECK(error("function(number(TestAdd))") == "number is for functions of another kind: move it out of function(...)");
  CHECK(error("number(RemoveUnusedFunctions)") == "RemoveUnusedFunctions is a module pass: move it out of number(...)");
  CHECK(KindName(kAddPass) == "number");
}

TEST_CASE("attributes of a module are set, replaced and removed", "[pass]") {
  Module module;
  CHECK_FALSE(module.FindAttr("runtime"));
  const ObjectId value = module.context().AddString("crt");
  module.SetAttr("runtime", value);
  module.SetAttr("executor", module.context().AddString("aot"));
  CHECK(module.FindAttr("runtime") == value);
  module.SetAttr("runtime", module.context().AddString("cpp"));
  CHECK(module.FindAttr("runtime") != value);
  CHECK(module.attrs().size() == 2);
  module.SetAttr("runtime", {});
  CHECK_FALSE(module.FindAttr("runtime"));
  CHECK(module.attrs().size() == 1);
}

TEST_CASE("a context makes a part once", "[pass]") {
  struct Part {
    explicit Part(Context& context) : context(&context) {}
    Context* context;
  };
  Context context;
  Part& part = context.Part<Part>();
  CHECK(part.context == &context);
  CHECK(&context.Part<Part>() == &part);
  CHECK(&std::as_const(context).Part<Part>() == &part);
  CHECK(&Context().Part<Part>() != &part);
}

}  // namespace

}  // namespace relayopt
