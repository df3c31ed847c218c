// The calls that instruments see, in order, and what errors do to them.
#include <catch2/catch.hpp>

#include "relayopt/pass/instruments.h"
#include "relayopt/pass/registry.h"
#include "relayopt/pass/timing.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "test_module.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kThrown = {"thrown", Severity::kError, "{}"};

using Calls = std::vector<std::string>;

// Writes down every call; fails or votes no where it is told to.
class Recorder final : public PassInstrument {
 public:
  Recorder(std::string name, Calls& calls) : name_(std::move(name)), calls_(&calls) {}

  // `enter`, `exit`, `vote NAME`, `before NAME`, `after NAME`: fails there.
  std::string fail_at;
  // Votes against the pass of this name.
  std::string veto;

  auto EnterPassContext() -> std::optional<Diagnostic> override { return Record("enter"); }
  auto ExitPassContext() -> std::optional<Diagnostic> override { return Record("exit"); }
  auto ShouldRun(const Module&, const PassInfo& info) -> Result<bool> override {
    if (auto error = Record("vote " + info.name)) return std::move(*error);
    return info.name != veto;
  }
  auto RunBeforePass(const Module&, const PassInfo& info) -> std::optional<Diagnostic> override {
    return Record("before " + info.name);
  }
  auto RunAfterPass(const Module&, const PassInfo& info, bool) -> std::optional<Diagnostic> override {
    return Record("after " + info.name);
  }
  void PassFailed(const Module&, const PassInfo& info, const Diagnostic& error) override {
    static_cast<void>(Record("failed " + info.name + ": " + error.text));
  }

 private:
  auto Record(const std::string& call) -> std::optional<Diagnostic> {
    calls_->push_back(name_ + " " + call);
    if (call != fail_at) return std::nullopt;
    return MakeDiagnostic(kThrown, {}, name_ + " " + call);
  }

  std::string name_;
  Calls* calls_;
};

struct Fixture {
  Calls calls;
  std::shared_ptr<Recorder> a = std::make_shared<Recorder>("a", calls);
  std::shared_ptr<Recorder> b = std::make_shared<Recorder>("b", calls);
  PassContextOptions options;

  Fixture() {
    RegisterAllPasses();
    options.instruments = {a, b};
  }
  auto Context() -> PassContextRef {
    Result<PassContextRef> context = PassContext::Create(options);
    REQUIRE(context);
    return *context;
  }
};

auto Identity(std::string name, int opt_level = 0, std::vector<std::string> required = {}) -> PassRef {
  return CreateModulePass([](const Module&, PassContext&) -> Result<std::optional<Module>> { return std::nullopt; },
                          opt_level, std::move(name), std::move(required));
}

auto FunctionIdentity(std::string name) -> PassRef {
  return CreateFunctionPass([](const Module&, GlobalId, const Function&,
                               PassContext&) -> Result<std::optional<Function>> { return std::nullopt; },
                            0, std::move(name));
}

TEST_CASE("a module pass inside a context", "[pass]") {
  Fixture f;
  {
    With<PassContext> scope(f.Context());
    REQUIRE_FALSE(scope.error());
    REQUIRE((*Identity("P"))(testing::MainModule()));
  }
  CHECK(f.calls == Calls{"a enter", "b enter", "a vote P", "b vote P", "a before P", "b before P", "a after P",
                         "b after P", "a exit", "b exit"});
}

TEST_CASE("all instruments vote even after a no, and nothing else happens", "[pass]") {
  Fixture f;
  f.a->veto = "P";
  const PassContextRef context = f.Context();
  REQUIRE((*Identity("P"))(testing::MainModule(), *context));
  CHECK(f.calls == Calls{"a vote P", "b vote P"});
}

TEST_CASE("a required pass is not voted on", "[pass]") {
  Fixture f;
  f.a->veto = "P";
  f.options.required_pass = {"P"};
  const PassContextRef context = f.Context();
  REQUIRE((*Identity("P"))(testing::MainModule(), *context));
  CHECK(f.calls == Calls{"a before P", "b before P", "a after P", "b after P"});
}

TEST_CASE("a function pass runs InferType inside itself", "[pass]") {
  Fixture f;
  f.options.instruments = {f.a};
  const PassContextRef context = f.Context();
  REQUIRE((*FunctionIdentity("F"))(testing::MainModule(), *context));
  CHECK(f.calls ==
        Calls{"a vote F", "a before F", "a vote InferType", "a before InferType", "a after InferType", "a after F"});
}

TEST_CASE("a Sequential runs required passes first and leaves out disabled ones with theirs", "[pass]") {
  Fixture f;
  f.options.instruments = {f.a};
  f.options.opt_level = 1;
  f.options.disabled_pass = {"Off", "InferType"};
  f.options.required_pass = {"Forced"};
  const PassContextRef context = f.Context();
  const Sequential sequence({Identity("Off", 0, {"InferType"}), Identity("High", 2, {"InferType"}),
                             Identity("Forced", 9), Identity("On", 1, {"InferType"})});
  REQUIRE(sequence(testing::MainModule(), *context));
  CHECK(f.calls == Calls{"a vote sequential", "a before sequential", "a before Forced", "a after Forced",
                         "a vote InferType", "a before InferType", "a after InferType", "a vote On", "a before On",
                         "a after On", "a after sequential"});
}

TEST_CASE("nested sequences go by their own info", "[pass]") {
  Fixture f;
  f.options.instruments = {f.a};
  f.options.disabled_pass = {"inner"};
  const PassContextRef context = f.Context();
  const auto inner = std::make_shared<Sequential>(std::vector<PassRef>{Identity("P")}, PassInfo{0, "inner", {}});
  REQUIRE(Sequential({inner})(testing::MainModule(), *context));
  CHECK(f.calls == Calls{"a vote sequential", "a before sequential", "a after sequential"});
  f.calls.clear();
  // Run by itself it is not asked whether it is enabled.
  REQUIRE((*inner)(testing::MainModule(), *context));
  CHECK(f.calls == Calls{"a vote inner", "a before inner", "a vote P", "a before P", "a after P", "a after inner"});
}

TEST_CASE("an error on entering takes back what has entered, in reverse, and drops the instruments", "[pass]") {
  Fixture f;
  auto c = std::make_shared<Recorder>("c", f.calls);
  c->fail_at = "enter";
  f.options.instruments = {f.a, f.b, c, f.a};
  const PassContextRef context = f.Context();
  With<PassContext> scope(context);
  REQUIRE(scope.error());
  CHECK(scope.error()->text == "c enter");
  CHECK(f.calls == Calls{"a enter", "b enter", "c enter", "b exit", "a exit"});
  CHECK(context->instruments().empty());
  CHECK(&PassContext::Current() != context.get());
}

TEST_CASE("an error on leaving stops the callbacks and drops the instruments", "[pass]") {
  Fixture f;
  f.a->fail_at = "exit";
  const PassContextRef context = f.Context();
  With<PassContext> scope(context);
  REQUIRE_FALSE(scope.error());
  const std::optional<Diagnostic> error = scope.Leave();
  REQUIRE(error);
  CHECK(error->text == "a exit");
  CHECK(f.calls == Calls{"a enter", "b enter", "a exit"});
  CHECK(context->instruments().empty());
  CHECK(&PassContext::Current() != context.get());
}

TEST_CASE("an error around a pass stops there and clears nothing", "[pass]") {
  const auto [where, expected] = GENERATE(table<std::string, Calls>({
      {"vote P", {"a vote P"}},
      {"before P", {"a vote P", "b vote P", "a before P"}},
      {"after P", {"a vote P", "b vote P", "a before P", "b before P", "a after P", "b failed P: a after P"}},
  }));
  Fixture f;
  f.a->fail_at = where;
  const PassContextRef context = f.Context();
  const Result<Module> result = (*Identity("P"))(testing::MainModule(), *context);
  REQUIRE_FALSE(result);
  CHECK(result.error().text == "a " + where);
  CHECK(f.calls == expected);
  CHECK(context->instruments().size() == 2);
}

TEST_CASE("who has seen a pass begin hears that another instrument keeps it from running", "[pass]") {
  Fixture f;
  f.b->fail_at = "before P";
  REQUIRE_FALSE((*Identity("P"))(testing::MainModule(), *f.Context()));
  CHECK(f.calls == Calls{"a vote P", "b vote P", "a before P", "b before P", "a failed P: b before P"});
}

TEST_CASE("instruments hear of a failed pass and of what it was a part of", "[pass]") {
  Fixture f;
  f.options.instruments = {f.a};
  const PassContextRef context = f.Context();
  const PassRef failing = CreateModulePass(
      [](const Module&, PassContext&) -> Result<std::optional<Module>> {
        return MakeDiagnostic(kThrown, {}, "no luck");
      },
      0, "Failing");
  const Result<Module> result = Sequential({failing})(testing::MainModule(), *context);
  REQUIRE_FALSE(result);
  CHECK(result.error().text == "no luck");
  CHECK(f.calls == Calls{"a vote sequential", "a before sequential", "a vote Failing", "a before Failing",
                         "a failed Failing: no luck", "a failed sequential: no luck"});
}

TEST_CASE("an error that a pass only reports fails it too", "[pass]") {
  Fixture f;
  f.options.instruments = {f.a};
  const PassContextRef context = f.Context();
  const PassRef reporting = CreateModulePass(
      [](const Module&, PassContext& c) -> Result<std::optional<Module>> {
        c.diagnostics().Report(kThrown, {}, "seen");
        return std::nullopt;
      },
      0, "Reporting");
  CHECK_FALSE((*reporting)(testing::MainModule(), *context));
  CHECK(f.calls ==
        Calls{"a vote Reporting", "a before Reporting", "a failed Reporting: pass Reporting reported errors"});
}

TEST_CASE("instruments can be exchanged", "[pass]") {
  Fixture f;
  f.options.instruments = {f.a};
  const PassContextRef context = f.Context();
  REQUIRE_FALSE(context->OverrideInstruments({f.b}));
  REQUIRE((*Identity("P"))(testing::MainModule(), *context));
  CHECK(f.calls == Calls{"a exit", "b enter", "b vote P", "b before P", "b after P"});
}

TEST_CASE("a context may be entered again and hides the outer one", "[pass]") {
  Fixture f;
  f.options.instruments = {f.a};
  f.options.opt_level = 3;
  const PassContextRef context = f.Context();
  const int level_outside = PassContext::Current().opt_level();
  {
    With<PassContext> outer(context);
    CHECK(PassContext::Current().opt_level() == 3);
    {
      With<PassContext> inner(std::make_shared<PassContext>());
      CHECK(PassContext::Current().opt_level() == 2);
      With<PassContext> again(context);
      CHECK(&PassContext::Current() == context.get());
    }
    CHECK(&PassContext::Current() == context.get());
  }
  CHECK(PassContext::Current().opt_level() == level_outside);
  CHECK(f.calls == Calls{"a enter", "a enter", "a exit", "a exit"});
}

TEST_CASE("timing is a tree", "[pass]") {
  Fixture f;
  const auto timing = std::make_shared<PassTimingInstrument>();
  f.options.instruments = {timing};
  const PassContextRef context = f.Context();
  CHECK(timing->Render().empty());
  REQUIRE(Sequential({FunctionIdentity("F"), Identity("M")})(testing::MainModule(), *context));
  Calls names;
  const std::string text = timing->Render();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    names.push_back(line.substr(0, line.find(':')));
    begin = end + 1;
  }
  CHECK(names == Calls{"sequential", "\tF", "\t\tInferType", "\tM"});
  CHECK(text.find("us [") != std::string::npos);
  CHECK(text.find("(100.00%; 100.00%)") != std::string::npos);
  REQUIRE_FALSE(timing->ExitPassContext());
  CHECK(timing->Render().empty());
}

}  // namespace

}  // namespace relayopt
