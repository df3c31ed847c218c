// The operators of ONNX whose rows say in a formula what they compute.
#pragma once

#include <string_view>
#include <vector>

#include "relayopt/relay/formula/formula.h"

namespace relayopt::onnx {

struct OpFormula {
  std::string_view op;
  Formula formula;
  // The formula for exact imports, which neither overflows nor loses NaN; empty if it is the same.
  Formula exact;
  // The names in the formula that are operands, and those that are numbers.
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> parameters;
};

// Returns them in the order of the rows.
auto OpFormulas() -> std::vector<OpFormula>;

}  // namespace relayopt::onnx
