// The layout of a difference: expressions in lines, with indentation and braces as in the text of the functions.
#pragma once

#include <optional>
#include <vector>

#include "function_view.h"
#include "relayopt/relay/text/module_diff.h"

namespace relayopt {

// An expression of a difference, and what it is in the two functions.
struct PlacedExpr {
  std::optional<ExprId> before;
  std::optional<ExprId> after;
  ExprDiff diff;
};

// Returns a line for each expression that has one, or that differs, and for each closing brace, in the order of the
// text. The texts begin with their indentation.
auto LayOut(const std::vector<PlacedExpr>& exprs, const FunctionView& before, const FunctionView& after)
    -> std::vector<ExprDiff>;

}  // namespace relayopt
