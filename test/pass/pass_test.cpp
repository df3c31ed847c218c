// Passes, contexts and the registry through the C++ interface.
#include <catch2/catch.hpp>

#include "relayopt/pass/pass.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "test_module.h"

namespace relayopt {

namespace {

auto NamesOf(const Module& module) -> std::vector<std::string> {
  std::vector<std::string> names;
  for (const GlobalId id : module.SortedFunctions()) names.emplace_back(module.name(id));
  return names;
}

TEST_CASE("the rule of enabling", "[pass]") {
  const auto create = [](PassContextOptions options) { return *PassContext::Create(std::move(options)); };
  CHECK(create({})->PassEnabled({2, "P", {}}));
  CHECK_FALSE(create({})->PassEnabled({3, "P", {}}));
  CHECK(create({.required_pass = {"P"}})->PassEnabled({3, "P", {}}));
  CHECK_FALSE(create({.required_pass = {"P"}, .disabled_pass = {"P"}})->PassEnabled({0, "P", {}}));
  // Names are compared as they are.
  CHECK(create({.disabled_pass = {"FoldExplicitPadding"}})->PassEnabled({0, " FoldExplicitPadding", {}}));
}

TEST_CASE("function passes leave out marked functions", "[pass]") {
  Module module;
  testing::AddIdentity(module, "plain");
  testing::AddIdentity(module, "primitive", "Primitive", 1);
  testing::AddIdentity(module, "extern", "Extern", 1);
  testing::AddIdentity(module, "extern0", "Extern", 0);
  testing::AddIdentity(module, "skip", "SkipOptimization", 1);
  testing::AddIdentity(module, "compiler_int", "Compiler", 1);
  std::vector<std::string> seen;
  const PassRef pass = CreateFunctionPass(
      [&](const Module& m, GlobalId id, const Function&, PassContext&) -> Result<std::optional<Function>> {
        seen.emplace_back(m.name(id));
        return std::nullopt;
      },
      0, "F");
  REQUIRE((*pass)(module));
  CHECK(seen == std::vector<std::string>{"plain", "primitive", "extern0", "compiler_int"});
}

TEST_CASE("a pass that requires one that does not exist fails", "[pass]") {
  RegisterAllPasses();
  Module module = testing::MainModule();
  PassContext context;
  const PassRef pass = CreateFunctionPass([](const Module&, GlobalId, const Function&,
                                             PassContext&) -> Result<std::optional<Function>> { return std::nullopt; },
                                          0, "F", {"NoSuchPass"});
  const Result<bool> done = Sequential({pass}).Apply(module, context);
  REQUIRE_FALSE(done);
  CHECK(done.error().text == "F requires the pass 'NoSuchPass', which does not exist");
}

TEST_CASE("each context has the size of the module before its own run", "[pass]") {
  Module small = testing::MainModule();
  Module large = testing::MainModule();
  testing::AddIdentity(large, "other");
  PassContext outer;
  PassContext inner;
  std::vector<size_t> sizes;
  const auto noting = [&](PassContext& context, bool runs_other) {
    return CreateFunctionPass(
        [&, runs_other](const Module&, GlobalId, const Function&, PassContext&) -> Result<std::optional<Function>> {
          sizes.push_back(context.size_before());
          if (!runs_other) return std::nullopt;
          const PassRef other = CreateFunctionPass(
              [&](const Module&, GlobalId, const Function&, PassContext&) -> Result<std::optional<Function>> {
                sizes.push_back(inner.size_before());
                return std::nullopt;
              },
              0, "Other");
          REQUIRE(other->Apply(large, inner));
          return std::nullopt;
        },
        0, "Noting");
  };
  REQUIRE(Sequential({noting(outer, true), noting(outer, false)}).Apply(small, outer));
  const size_t one = sizes.front();
  CHECK(one != 0);
  CHECK(sizes == std::vector<size_t>{one, 2 * one, 2 * one, one});
  CHECK(outer.size_before() == 0);
  CHECK(inner.size_before() == 0);
}

TEST_CASE("a pass does not change its input", "[pass]") {
  RegisterAllPasses();
  Module module = testing::MainModule();
  testing::AddIdentity(module, "unused");
  const Result<PassRef> pass = GetPass("RemoveUnusedFunctions");
  REQUIRE(pass);
  const Result<Module> result = (**pass)(module);
  REQUIRE(result);
  CHECK(NamesOf(*result) == std::vector<std::string>{"main"});
  CHECK(NamesOf(module) == std::vector<std::string>{"main", "unused"});
}

TEST_CASE("options are given by name and checked", "[pass]") {
  RegisterAllPasses();
  Module module = testing::MainModule();
  testing::AddIdentity(module, "other");
  const auto run = [&](const OptionValue& value) {
    const Result<PassRef> pass = GetPass("RemoveUnusedFunctions", {{"entry_functions", value}});
    REQUIRE(pass);
    return (**pass)(module);
  };
  const Result<Module> result = run(std::vector<std::string>{"other"});
  REQUIRE(result);
  CHECK(NamesOf(*result) == std::vector<std::string>{"other"});
  const Result<Module> missing = run(std::vector<std::string>{"none"});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().text.find("@none") != std::string::npos);

  const Result<PassRef> wrong_type = GetPass("RemoveUnusedFunctions", {{"entry_functions", int64_t{1}}});
  REQUIRE_FALSE(wrong_type);
  CHECK(wrong_type.error().text == "option 'entry_functions' expects a list of strings, not '1'");
  const Result<PassRef> wrong_name = GetPass("RemoveUnusedFunctions", {{"entry_function", true}});
  REQUIRE_FALSE(wrong_name);
  CHECK(wrong_name.error().text ==
        "RemoveUnusedFunctions has no option 'entry_function' (did you mean 'entry_functions'?)");
}

TEST_CASE("passes go by several names", "[pass]") {
  RegisterAllPasses();
  for (const char* name : {"RemoveUnusedFunctions", "remove-unused-functions", "transform.RemoveUnusedFunctions",
                           "relay._transform.RemoveUnusedFunctions"}) {
    CHECK(FindPass(name) == &kRemoveUnusedFunctionsPass);
  }
  CHECK(FindPass("removeunusedfunctions") == nullptr);
  CHECK(DidYouMeanPass("remove-unused-function") == " (did you mean 'remove-unused-functions'?)");
  CHECK(DidYouMeanPass("RemoveUnusedFunction") == " (did you mean 'RemoveUnusedFunctions'?)");
}

TEST_CASE("every row is complete, and its names mean it alone", "[pass]") {
  RegisterAllPasses();
  for (const PassDef* def : AllPasses()) {
    INFO(def->name);
    CHECK(FindPass(def->name) == def);
    CHECK(FindPass(KebabCase(def->name)) == def);
    CHECK_FALSE(def->summary.empty());
    CHECK_FALSE(def->details.empty());
    CHECK((def->create == nullptr) == !def->sequence.empty());
    bool has_required_options = false;
    for (const OptionInfo& option : def->options->fields) {
      CHECK_FALSE(option.doc.empty());
      has_required_options = has_required_options || option.required;
    }
    if (!has_required_options) CHECK(CreatePass(*def).has_value());
    for (const std::string& required : InfoOf(*def).required) CHECK(FindPass(required) != nullptr);
  }
}

TEST_CASE("kebab case", "[pass]") {
  CHECK(KebabCase("FoldConstant") == "fold-constant");
  CHECK(KebabCase("ToANormalForm") == "to-a-normal-form");
  CHECK(KebabCase("ToCPS") == "to-cps");
  CHECK(KebabCase("CombineParallelConv2D") == "combine-parallel-conv2d");
  CHECK(KebabCase("Conv2dToSparse") == "conv2d-to-sparse");
  CHECK(KebabCase("SimplifyFCTranspose") == "simplify-fc-transpose");
  CHECK(KebabCase("qnn.Legalize") == "qnn.legalize");
}

TEST_CASE("config is checked when a context is created", "[pass]") {
  const auto create = [](const char* key, OptionValue value) {
    PassContextOptions options;
    options.config.emplace(key, std::move(value));
    return PassContext::Create(std::move(options));
  };
  const Result<PassContextRef> good = create("relay.FuseOps.max_depth", int64_t{4});
  REQUIRE(good);
  CHECK((*good)->ConfigInt("relay.FuseOps.max_depth") == 4);
  CHECK_FALSE((*good)->ConfigBool("relay.FuseOps.link_params"));
  CHECK_FALSE((*good)->IsConfigured("relay.FuseOps.link_params"));
  // Integer literals serve as booleans.
  const Result<PassContextRef> boolean = create("relay.FuseOps.link_params", int64_t{1});
  REQUIRE(boolean);
  CHECK((*boolean)->ConfigBool("relay.FuseOps.link_params"));

  const Result<PassContextRef> unknown = create("relay.FuseOps.max_dept", int64_t{4});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().text ==
        "unknown config option 'relay.FuseOps.max_dept' (did you mean 'relay.FuseOps.max_depth'?)");
  const Result<PassContextRef> wrong = create("relay.FuseOps.max_depth", std::string("deep"));
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().text == "config option 'relay.FuseOps.max_depth' expects an integer, not 'deep'");
}

TEST_CASE("plugins declare config keys and passes", "[pass]") {
  static constexpr ConfigOption kKey = {"test.key", OptionKind::kInt, "7", "of a test"};
  static constexpr PassDef kRow = {.name = "TestPluginPass", .summary = "s", .details = "d", .sequence = "InferType"};
  RegisterAllPasses();
  if (FindConfigOption("test.key") == nullptr) {
    CHECK(RegisterConfigOption(kKey));
    CHECK(RegisterPass(kRow));
  }
  CHECK_FALSE(RegisterConfigOption(kKey));
  CHECK_FALSE(RegisterPass(kRow));
  CHECK(PassContext().ConfigInt("test.key") == 7);
  const Result<PassRef> pass = GetPass("test-plugin-pass");
  REQUIRE(pass);
  CHECK((**pass)(testing::MainModule()));
}

TEST_CASE("the reference's text of a pass info", "[pass]") {
  CHECK(ToString(PassInfo{3, "P", {}}) ==
        "The meta data of the pass - pass name: P, opt_level: 3, required passes: []\n");
  CHECK(ToString(PassInfo{3, "P", {"A", "B"}}) ==
        "The meta data of the pass - pass name: P, opt_level: 3, required passes: [\n\"A\", \"B\", ]\n");
}

TEST_CASE("types are inferred once for one state of the module", "[pass]") {
  Module module = testing::MainModule();
  PassContext context;
  const Result<bool> first = InferTypePass()->Apply(module, context);
  REQUIRE(first);
  CHECK(*first);
  const Result<bool> second = InferTypePass()->Apply(module, context);
  REQUIRE(second);
  CHECK_FALSE(*second);
  testing::AddIdentity(module, "more");
  const Result<bool> third = InferTypePass()->Apply(module, context);
  REQUIRE(third);
  CHECK(*third);
}

TEST_CASE("a skipped pass is mentioned only where the context wants it", "[pass]") {
  const PassRef high = CreateModulePass(
      [](const Module&, PassContext&) -> Result<std::optional<Module>> { return std::nullopt; }, 4, "High");
  const auto count = [&](bool warn) {
    const PassContextRef context = *PassContext::Create({.warn_about_skipped_passes = warn});
    REQUIRE(Sequential({high})(testing::MainModule(), *context));
    return context->diagnostics().diagnostics().size();
  };
  CHECK(count(true) == 1);
  CHECK(count(false) == 0);
}

}  // namespace

}  // namespace relayopt
