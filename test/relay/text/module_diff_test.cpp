// What is different between two modules.
#include "relayopt/relay/text/module_diff.h"

#include <catch2/catch.hpp>

#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt::testing {
namespace {

auto Read(const std::shared_ptr<Context>& context, const std::string& body) -> Module {
  RegisterAllPasses();
  DiagnosticSink sink;
  auto module = ReadModule(SourceText::FromString("text", "#[version = \"0.0.5\"]\n" + body), context, sink);
  REQUIRE(module.has_value());
  REQUIRE(InferTypes(*module, sink));
  return *std::move(module);
}

auto Diff(const std::string& before, const std::string& after) -> ModuleDiff {
  const auto context = std::make_shared<Context>();
  return DiffModules(Read(context, before), Read(context, after));
}

// The kinds of all expressions that differ, in order: `-`, `+` and `!`.
auto Signs(const ModuleDiff& diff) -> std::string {
  std::string signs;
  for (const ItemDiff& item : diff.items) {
    for (const ExprDiff& expr : item.exprs) {
      if (expr.kind != DiffKind::kSame)
        signs += expr.kind == DiffKind::kRemoved ? '-' : expr.kind == DiffKind::kAdded ? '+' : '!';
    }
  }
  return signs;
}

TEST_CASE("names, numbers and the order of what has no order do not count") {
  CHECK(Diff("def @main(%x: float32) { %0 = exp(%x); add(%0, %0) }",
             "def @main(%y: float32) { %7 = exp(%y); add(%7, %7) }")
            .is_equal());
  CHECK(Diff("def @main(%x: float32) { let %a = exp(%x); add(%a, %a) }",
             "def @main(%x: float32) { let %b = exp(%x); add(%b, %b) }")
            .is_equal());
  CHECK(Diff("def @f(%x: int32) { %x } def @g(%x: int32) { @f(%x) }",
             "def @g(%x: int32) { @f(%x) } def @f(%y: int32) { %y }")
            .is_equal());
  CHECK(Diff("def @main() { fn (%x: int32) { fn (%y: int32) { add(%x, %y) } } }",
             "def @main() { fn (%y: int32) { fn (%x: int32) { add(%y, %x) } } }")
            .is_equal());
}

TEST_CASE("sharing counts") {
  CHECK_FALSE(
      Diff("def @main(%x: float32) { %0 = exp(%x); add(%0, %0) }", "def @main(%x: float32) { add(exp(%x), exp(%x)) }")
          .is_equal());
}

TEST_CASE("which parameter is used counts") {
  const ModuleDiff diff = Diff("def @main(%x: float32, %y: float32) { subtract(%x, %y) }",
                               "def @main(%x: float32, %y: float32) { subtract(%y, %x) }");
  CHECK(Signs(diff) == "!");
  const ExprDiff& call = diff.items.at(0).exprs.back();
  REQUIRE(call.details.size() == 2);
  CHECK(call.details[0].what == "operand 0");
  CHECK(call.details[0].before == "%x");
  CHECK(call.details[0].after == "%y");
}

TEST_CASE("an expression in the middle is added, and its user changed") {
  CHECK(Signs(Diff("def @main(%x: float32) { exp(tanh(%x)) }", "def @main(%x: float32) { exp(negative(tanh(%x))) }")) ==
        "+!");
  CHECK(Signs(Diff("def @main(%x: float32) { exp(negative(tanh(%x))) }", "def @main(%x: float32) { exp(tanh(%x)) }")) ==
        "-!");
}

TEST_CASE("literals, constants and fields count") {
  CHECK_FALSE(Diff("def @main(%x: float32) { add(%x, 1f) }", "def @main(%x: float32) { add(%x, 2f) }").is_equal());
  CHECK_FALSE(Diff("def @main(%x: (int32, int32)) { %x.0 }", "def @main(%x: (int32, int32)) { %x.1 }").is_equal());
  CHECK_FALSE(
      Diff("def @main(%c: bool) { if (%c) { 1 } else { 2 } }", "def @main(%c: bool) { if (%c) { 2 } else { 1 } }")
          .is_equal());
}

TEST_CASE("a let that names a value is another way to write it") {
  const ModuleDiff diff = Diff("def @main(%x: float32) { exp(%x) }", "def @main(%x: float32) { let %a = exp(%x); %a }");
  CHECK_FALSE(diff.is_equal());
  CHECK(Diff("def @main(%x: float32) { let %a = %x; exp(%a) }", "def @main(%x: float32) { exp(%x) }").items.size() ==
        1);
}

TEST_CASE("patterns, types and attributes of functions count") {
  const std::string list = "type L[A] { N, C(A, L[A]), }\n";
  CHECK_FALSE(Diff(list + "def @main(%l: L[int32]) { match? (%l) { N => { 1 }, } }",
                   list + "def @main(%l: L[int32]) { match? (%l) { C(_, _) => { 1 }, } }")
                  .is_equal());
  CHECK_FALSE(Diff(list + "def @main() { 1 }", "def @main() { 1 }").is_equal());
  const ModuleDiff diff =
      Diff("def @main(%x: int32, Inline=1) { %x }", "def @main(%x: int32, Inline=0, Primitive=1) { %x }");
  REQUIRE(diff.items.size() == 1);
  const auto& details = diff.items[0].exprs.at(0).details;
  REQUIRE(details.size() == 2);
  CHECK(details[0].what == "attribute Inline");
  CHECK(details[1].what == "attribute Primitive");
  CHECK(details[1].before.empty());
}

TEST_CASE("functions that are only in one module are named") {
  const ModuleDiff diff = Diff("def @f(%x: int32) { %x }", "def @g(%x: int32) { %x }");
  REQUIRE(diff.items.size() == 2);
  CHECK(diff.items[0].name == "@f");
  CHECK(diff.items[0].kind == DiffKind::kRemoved);
  CHECK(diff.items[1].kind == DiffKind::kAdded);
  const std::string text = ToText(diff);
  CHECK(text.starts_with("- @f\n"));
  CHECK(text.find("\n+ @g\n") != std::string::npos);
  CHECK(text.ends_with("\n0 added, 0 removed, 0 changed in 2 definitions\n"));
}

TEST_CASE("long functions with one difference are compared in time") {
  std::string a = "def @main(%x: float32) {\n";
  for (int i = 0; i < 20'000; ++i) a += fmt::format("  %{} = exp({});\n", i, i == 0 ? "%x" : fmt::format("%{}", i - 1));
  std::string b = a;
  a += "  %19999\n}\n";
  b += "  negative(%19999)\n}\n";
  CHECK(Signs(Diff(a, b)) == "!+");
}

}  // namespace
}  // namespace relayopt::testing
