// The syntax of terms as text: what rules are written in, and what `--arith` reads.
#pragma once

#include <string_view>
#include <vector>

#include "relayopt/arith/prim_expr.h"
#include "relayopt/support/result.h"

namespace relayopt::arith {

// Python's operators with their precedences: `or and not`, comparisons (which chain: `0 <= i < n`), `+ -`, `* / // %`,
// unary `-`; `/` is the truncating division. `&&`, `||` and `!` are read too, numbers, names, and `name(arguments)`.
struct SyntaxNode {
  enum class Kind : uint8_t { kInt, kFloat, kName, kCall, kOperation };
  Kind kind;
  PrimKind op = PrimKind::kAny;  // of kOperation; unary minus is `0 - x`
  int64_t int_value = 0;
  double float_value = 0;
  std::string_view name;  // of kName and kCall: a view into the text
  std::vector<uint32_t> operands;
  SourceRange range;
};

// A term as a table: operands precede their users, and the whole term is last.
using SyntaxTable = std::vector<SyntaxNode>;

// Nesting costs memory and no stack.
auto ParseTermSyntax(std::string_view text) -> Result<SyntaxTable>;

}  // namespace relayopt::arith
