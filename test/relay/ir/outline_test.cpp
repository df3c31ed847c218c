// Outlines tell modules apart by the operators that they call.
#include "relayopt/module/outline.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "relayopt/module/module.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

auto OutlineOfText(const std::string& body) -> uint64_t {
  RegisterAllPasses();
  const std::string text = "#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(4), float32]) {\n" + body + "\n}\n";
  DiagnosticSink sink;
  const auto module = ReadModule(SourceText::FromString("test", text), sink);
  REQUIRE(module.has_value());
  return OutlineOf(*module);
}

}  // namespace

TEST_CASE("modules with equal texts have one outline", "[module]") {
  CHECK(OutlineOfText("add(%x, exp(%x))") == OutlineOfText("  %0 = exp(%x);\n  add(%x, %0)"));
}

TEST_CASE("modules that call other operators, or one more often, have other outlines", "[module]") {
  const uint64_t outline = OutlineOfText("add(%x, exp(%x))");
  CHECK(outline != OutlineOfText("add(%x, log(%x))"));
  CHECK(outline != OutlineOfText("add(exp(%x), exp(%x))"));
  CHECK(outline != OutlineOfText("exp(%x)"));
  CHECK(outline != OutlineOfText("%x"));
}

TEST_CASE("the same functions in one context are found without their texts", "[module]") {
  RegisterAllPasses();
  const auto context = std::make_shared<Context>();
  const auto read = [&](const std::string& body, const std::string& types = "") {
    const std::string text =
        "#[version = \"0.0.5\"]\n" + types + "def @main(%x: Tensor[(4), float32]) {\n" + body + "\n}\n";
    DiagnosticSink sink;
    auto module = ReadModule(SourceText::FromString("test", text), context, sink);
    REQUIRE(module.has_value());
    return *std::move(module);
  };
  const Module module = read("add(%x, exp(%x))");
  CHECK(HaveSameFunctions(module, module));
  CHECK(HaveSameFunctions(module, read("add(%x,\n  exp(%x))")));
  CHECK_FALSE(HaveSameFunctions(module, read("add(exp(%x), %x)")));
  CHECK_FALSE(HaveSameFunctions(module, read("add(%x, log(%x))")));
  CHECK_FALSE(HaveSameFunctions(module, read("add(%x, exp(%x)) /* span=a:1:2 */")));
  // Their texts differ.
  CHECK_FALSE(HaveSameFunctions(read("%x", "type T { A(int32), }\n"), read("%x", "type T { A(int64), }\n")));
}

}  // namespace relayopt
