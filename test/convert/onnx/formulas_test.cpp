// Rows whose operator is a formula: what is emitted is recognized again, and the exact formula computes the same.
#include <cmath>

#include "relay/formula/formula_program.h"
#include "relayopt/convert/onnx/formulas.h"
#include "relayopt/relay/formula/match.h"

using namespace relayopt;
using namespace relayopt::onnx;

namespace {

const std::vector<float> kX = {-3.5F, -0.6F, 0.1F, 0.75F, 4.25F};
const std::vector<float> kY = {0.5F, -2.0F, 1.5F, 0.0F, 3.0F};

// Returns its operands, which are the same as those of the program, and numbers for its parameters, all different.
auto NamesOf(const OpFormula& row) -> std::vector<FormulaName> {
  std::vector<FormulaName> names;
  for (const std::string_view input : row.inputs) names.push_back({input, ExprId()});
  for (size_t i = 0; i < row.parameters.size(); ++i) {
    names.push_back({row.parameters[i], 0.75 + 0.5 * static_cast<double>(i)});
  }
  return names;
}

}  // namespace

TEST_CASE("ONNX formulas: what is emitted is recognized, with the same numbers") {
  const auto rows = OpFormulas();
  CHECK(rows.size() > 15);
  for (const OpFormula& row : rows) {
    INFO(row.op);
    const auto names = NamesOf(row);
    const FormulaProgram program(row.formula, names);
    const auto match = MatchFormula(row.formula, program.main(), program.main().body(), row.parameters);
    REQUIRE(match.has_value());
    for (const FormulaName& name : names) {
      if (const auto* number = std::get_if<double>(&name.value)) CHECK(match->number(name.name) == Approx(*number));
    }
  }
}

TEST_CASE("ONNX formulas: the exact one computes the same where the other one does not overflow") {
  size_t compared = 0;
  for (const OpFormula& row : OpFormulas()) {
    if (!row.exact) continue;
    INFO(row.op);
    ++compared;
    const auto plain = FormulaProgram(row.formula, NamesOf(row)).Run(kX, kY);
    const FormulaProgram exact(row.exact, NamesOf(row));
    const auto same = exact.Run(kX, kY);
    for (size_t i = 0; i < plain.size(); ++i) CHECK(same[i] == Approx(plain[i]).margin(1e-6));
    for (const float value : exact.Run({200, -200, 1e4F, -1e4F, 0}, kY)) CHECK(std::isfinite(value));
  }
  CHECK(compared >= 2);
}
