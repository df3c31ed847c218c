// Rules by operator, and operators that are added while the program runs.
#include "relayopt/relay/ops/op_rules.h"

#include <catch2/catch.hpp>
#include <string>

#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/text/reader.h"

namespace relayopt {
namespace {

constexpr OpRule<int> kSome[] = {{"abs"_op, 1}, {"nn.relu"_op, 2}};
constexpr OpRule<int> kMore[] = {{"zeros_like"_op, 3}};

TEST_CASE("rules are found by their operator") {
  const OpRules<int> rules = {kSome, kMore};
  REQUIRE(rules.Find("nn.relu"_op) != nullptr);
  CHECK(*rules.Find("nn.relu"_op) == 2);
  CHECK(*rules.Find("zeros_like"_op) == 3);
  CHECK(rules.Find("add"_op) == nullptr);
  CHECK(!rules.contains("zeros"_op));
  CHECK(rules.size() == 3);
}

TEST_CASE("a rule that is added replaces the one before it") {
  OpRules<int> rules = {{"abs"_op, 1}, {"add"_op, 2}};
  rules.Add("abs"_op, 5);
  CHECK(*rules.Find("abs"_op) == 5);
  CHECK(*rules.Find("add"_op) == 2);
  CHECK(rules.size() == 2);
}

TEST_CASE("there is no rule for an operator that no table knows") {
  const OpRules<int> rules = {kSome};
  const OpDef unknown = {.name = "unknown", .type = IdentityRule};
  CHECK(rules.Find(&unknown) == nullptr);
  CHECK(OpRules<int>().Find("abs"_op) == nullptr);
}

struct RegisteredAttrs {
  static constexpr std::string_view kTypeKey = "test.attrs.RegisteredAttrs";
  int64_t times = 2;
  static constexpr auto Fields() { return std::array{Field<&RegisteredAttrs::times>("how often")}; }
};

// The operator of these tests, which is added once.
auto RegisteredOp() -> const OpDef* {
  static const OpDef* op = RegisterOp({.name = "test.repeat",
                                       .inputs = "data",
                                       .attrs = &kSchema<RegisteredAttrs>,
                                       .type = IdentityRule,
                                       .fusion = Fusion::kElemWise,
                                       .doc = "for a test"});
  return op;
}

TEST_CASE("an operator that was added is found like all others") {
  const OpDef* op = RegisteredOp();
  REQUIRE(op != nullptr);
  CHECK(FindOp("test.repeat") == op);
  CHECK(FamilyOf(*op) == OpFamily::kNone);
  CHECK(AllOps().size() == kNumOps + RegisteredOps().size());
  OpRules<int> rules = {kSome};
  CHECK(rules.Find(op) == nullptr);
  rules.Add(op, 7);
  CHECK(*rules.Find(op) == 7);
}

TEST_CASE("a row without a free name, a type rule or fitting element types cannot be added") {
  REQUIRE(RegisteredOp() != nullptr);
  CHECK(RegisterOp({.name = "test.repeat", .type = IdentityRule}) == nullptr);
  CHECK(RegisterOp({.name = "nn.relu", .type = IdentityRule}) == nullptr);
  CHECK(RegisterOp({.name = "", .type = IdentityRule}) == nullptr);
  CHECK(RegisterOp({.name = "test.untyped"}) == nullptr);
  CHECK(RegisterOp({.name = "test.uneven", .inputs = "data", .type = IdentityRule, .element_types = "fi"}) == nullptr);
  CHECK(FindOp("test.untyped") == nullptr);
}

TEST_CASE("text names an operator that was added, with its attributes and its type") {
  REQUIRE(RegisteredOp() != nullptr);
  const std::string text =
      "#[version = \"0.0.5\"]\n"
      "def @main(%x: Tensor[(2, 3), float32] /* ty=Tensor[(2, 3), float32] */) -> Tensor[(2, 3), float32] {\n"
      "  test.repeat(%x, times=5) /* ty=Tensor[(2, 3), float32] */\n"
      "}\n";
  DiagnosticSink sink;
  const auto module = ReadModule(SourceText::FromString("test", text), sink);
  REQUIRE(module.has_value());
  CHECK(PrintModule(*module).find("test.repeat(%x, times=5)") != std::string::npos);
}

}  // namespace
}  // namespace relayopt
