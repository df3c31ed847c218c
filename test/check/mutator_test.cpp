// Programs near a given one.
#include "relayopt/check/mutator.h"

#include <catch2/catch.hpp>
#include <set>

#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt::testing {
namespace {

auto Read(const std::string& text, DiagnosticSink& sink) -> std::optional<Module> {
  RegisterAllPasses();
  std::optional<Module> module = ReadModule(SourceText::FromString("text", text), sink);
  if (module && !InferTypes(*module, sink)) return std::nullopt;
  return module;
}

constexpr const char* kProgram = R"(#[version = "0.0.5"]
def @main(%x: Tensor[(2, 4, 6, 6), float32], %w: Tensor[(3, 4, 3, 3), float32], %c: bool) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]);
  let %y = nn.relu(%0);
  %1 = fn (%z: Tensor[(2, 3, 6, 6), float32]) { multiply(%z, 2f) };
  if (%c) { %1(%y) } else { add(%y, %y) }
}
)";

TEST_CASE("mutations are well-formed, different, and the same for the same seed") {
  DiagnosticSink sink;
  const std::optional<Module> module = Read(kProgram, sink);
  REQUIRE(module.has_value());
  std::set<std::string> texts;
  size_t typed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    INFO(seed);
    const std::optional<Module> mutated = MutateProgram(*module, seed);
    if (!mutated) continue;
    for (const GlobalId id : mutated->SortedFunctions<Function>()) {
      CHECK_FALSE(Verify(*mutated, *mutated->function<Function>(id)).has_value());
    }
    const std::string text = PrintModule(*mutated);
    CHECK(text == PrintModule(*MutateProgram(*module, seed)));
    DiagnosticSink errors;
    typed += Read(text, errors) ? 1 : 0;
    texts.insert(text);
  }
  CHECK(texts.size() > 100);
  CHECK(typed > 50);
}

TEST_CASE("a module without functions has no mutation") {
  DiagnosticSink sink;
  CHECK_FALSE(MutateProgram(*Read("#[version = \"0.0.5\"]\n", sink), 1).has_value());
}

}  // namespace
}  // namespace relayopt::testing
