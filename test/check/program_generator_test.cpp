#include "relayopt/check/program_generator.h"

#include <catch2/catch.hpp>
#include <string>

#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

TEST_CASE("A seed stands for one program") {
  CHECK(PrintModule(GenerateProgram(7)) == PrintModule(GenerateProgram(7)));
  CHECK(PrintModule(GenerateProgram(7)) != PrintModule(GenerateProgram(8)));
}

TEST_CASE("Generated programs are well-typed") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Module module = GenerateProgram(seed);
    DiagnosticSink sink;
    INFO("seed " << seed);
    CHECK(InferTypes(module, sink));
  }
}

TEST_CASE("Generated programs have every construct of the language") {
  std::string all;
  for (uint64_t seed = 0; seed < 200; ++seed) all += PrintModule(GenerateProgram(seed));
  for (const char* construct :
       {"let %", " = fn (", "if (", "match (", "Cons(", "ref(", "ref_write(", "ref_read(", "@helper", "@pick(",
        "@apply(", "@pair(", "fn [A](", "Node(", "_ =>", "nn.conv2d(", "meta[relay.Constant]", "(?"}) {
    INFO(construct);
    CHECK(all.find(construct) != std::string::npos);
  }
}

TEST_CASE("Programs without dynamic shapes have none") {
  ProgramOptions options;
  options.dynamic_shapes = false;
  options.steps = 8;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Module module = GenerateProgram(seed, options);
    const Function* main = module.function<Function>(module.FindGlobal("main"));
    for (const ExprId param : main->params()) {
      for (const Dim& dim : module.context().type(main->type(param)).shape) CHECK(dim.is_int());
    }
  }
}

}  // namespace relayopt
