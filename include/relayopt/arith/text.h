// Terms in the notation that people write: `floordiv(i*8 + j, 8)`, `i // 4 < n and not done`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/arith/analyzer.h"
#include "relayopt/support/result.h"

namespace relayopt::arith {

// Parses terms. Operators are Python's, except that `/` rounds toward zero, as do `truncdiv` and `tdiv`; `truncmod`
// (`tmod`) has the sign of the dividend. Functions are `floordiv`, `floormod`, `min`, `max`, `select`, `if_then_else`,
// `likely`, shifts and bit operations; type names such as `int64(x)` or `float32(x)` cast. An integer literal gets the
// type of the other operand.
class TermReader {
 public:
  explicit TermReader(Terms& terms) : terms_(terms) {}

  // Returns the variable of this name. It is created on first use, with type int32 unless it was declared before.
  auto Variable(std::string_view name) -> PrimExpr;
  auto Declare(std::string_view name, DataType type) -> PrimExpr;

  // Parses a term. Types are matched but nothing folds, so that the term to simplify is the one that was written.
  auto Read(std::string_view text) -> Result<PrimExpr>;
  // Parses a condition.
  auto ReadCondition(std::string_view text) -> Result<PrimExpr>;

 private:
  struct Named {
    std::string name;
    PrimExpr var;
  };
  Terms& terms_;
  std::vector<Named> variables_;
};

// Returns the inverse of TermReader::Read, with as few parentheses as the precedences allow.
auto TermText(const Terms& terms, PrimExpr e) -> std::string;

// The answer to `--arith`.
struct ArithAnswer {
  std::string simplified;
  std::vector<std::string_view> rules;  // as Analyzer::LogRules
};
// Simplifies the term, assuming the condition unless that is empty. A diagnostic is about the condition when the
// condition is faulty by itself, otherwise about the term.
auto SimplifyText(std::string_view term, std::string_view where) -> Result<ArithAnswer>;
// Returns the diagnostic of a faulty condition, or nothing if it is well-formed.
auto CheckConditionText(std::string_view where) -> std::optional<Diagnostic>;

}  // namespace relayopt::arith
