// Terms as people write them: `floordiv(i*8 + j, 8)`, `i // 4 < n and not done`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/arith/analyzer.h"
#include "relayopt/support/result.h"

namespace relayopt::arith {

// Reads terms. Operators are Python's; `/` and `truncdiv` (or `tdiv`) round toward zero, `truncmod` (`tmod`) has the
// dividend's sign; `floordiv`, `floormod`, `min`, `max`, `select`, `if_then_else`, `likely`, shifts and bit operations
// by name; `int64(x)`, `float32(x)` and the like cast. Integer literals take the type beside them.
class TermReader {
 public:
  explicit TermReader(Terms& terms) : terms_(terms) {}

  // The variable of this name, made when first asked for: int32 unless declared before.
  auto Variable(std::string_view name) -> PrimExpr;
  auto Declare(std::string_view name, DataType type) -> PrimExpr;

  // Operators that match types but fold nothing, so that what is simplified is what was written.
  auto Read(std::string_view text) -> Result<PrimExpr>;
  // The same, where a condition is wanted.
  auto ReadCondition(std::string_view text) -> Result<PrimExpr>;

 private:
  struct Named {
    std::string name;
    PrimExpr var;
  };
  Terms& terms_;
  std::vector<Named> variables_;
};

// The inverse, with as few parentheses as the precedences allow.
auto TermText(const Terms& terms, PrimExpr e) -> std::string;

// What `--arith` answers.
struct ArithAnswer {
  std::string simplified;
  std::vector<std::string_view> rules;  // as Analyzer::LogRules
};
// Simplifies the term, under the condition unless that is empty. A fault is one of the condition if that is not a
// condition by itself, otherwise of the term.
auto SimplifyText(std::string_view term, std::string_view where) -> Result<ArithAnswer>;
// The fault of a condition, if it has one.
auto CheckConditionText(std::string_view where) -> std::optional<Diagnostic>;

}  // namespace relayopt::arith
