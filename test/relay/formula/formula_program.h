// Programs of one expression, for tests of formulas.
#pragma once

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/formula/emit.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/text/reader.h"

namespace relayopt {

// A module whose function @main has the parameters %x and %y, float32 tensors of five elements.
struct FormulaProgram {
  // With this text as its body.
  explicit FormulaProgram(std::string_view body) {
    DiagnosticSink sink;
    const std::string text =
        "#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(5), float32], %y: Tensor[(5), float32]) { " + std::string(body) +
        " }";
    auto read = ReadModule(SourceText::FromString("test.relay", text), sink);
    REQUIRE(read.has_value());
    module = *std::move(read);
    REQUIRE(InferTypes(module, sink));
  }
  // With what a formula computes. Of `names`, those that have no expression yet are %x and then %y.
  FormulaProgram(const Formula& formula, std::vector<FormulaName> names) : FormulaProgram("add(%x, %y)") {
    const Function from = main();
    auto made = Rewrite(from, [&](Rebuild& rebuild, ExprId id) -> ExprId {
      if (id != from.body()) return {};
      size_t next = 0;
      for (FormulaName& name : names) {
        if (std::holds_alternative<ExprId>(name.value)) name.value = rebuild.NewOperands(id)[next++];
      }
      TypedFormulaEmitter emitter(rebuild.to(), DataType::Float(32));
      const auto results = EmitFormula(emitter, formula, names);
      REQUIRE(results.size() == 1);
      return results[0];
    });
    REQUIRE(made.has_value());
    module.SetFunction(module.FindGlobal("main"), std::make_shared<Function>(*std::move(made)));
    DiagnosticSink sink;
    REQUIRE(InferTypes(module, sink));
  }

  auto main() const -> const Function& { return *module.function<Function>(module.FindGlobal("main")); }

  // Returns the elements of the result.
  auto Run(const std::vector<float>& x, const std::vector<float>& y) const -> std::vector<float> {
    std::vector<Value> args;
    for (const auto* from : {&x, &y}) {
      Tensor tensor(DataType::Float(32), {5});
      std::copy(from->begin(), from->end(), tensor.mutable_data<float>());
      args.emplace_back(std::move(tensor));
    }
    auto result = Evaluator(module).Call(module.FindGlobal("main"), std::move(args));
    REQUIRE(result.has_value());
    const auto elements = result->tensor().elements<float>();
    return {elements.begin(), elements.end()};
  }

  Module module;
};

}  // namespace relayopt
