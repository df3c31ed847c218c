// Accelerators that a file describes: the operators and patterns that each supports (docs/accelerators.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/pattern/pattern.h"
#include "relayopt/support/result.h"

namespace relayopt {

class Accelerator {
 public:
  // A range of numbers.
  struct Range {
    int64_t at_least = INT64_MIN;
    int64_t at_most = INT64_MAX;
  };
  // A condition on an attribute. It must be one of `any_of`, in which `#` stands for any number; when there are no
  // texts, it must be a number, or a list of numbers, in the range.
  struct AttrCondition {
    std::string attribute;
    std::vector<std::string> any_of;
    Range range;
  };
  struct Row {
    const OpDef* op = nullptr;
    // Element types that operands and results may have; empty: all.
    std::vector<std::string> dtypes;
    // Ranks that the first operand may have; empty: all.
    std::vector<int64_t> ranks;
    // Operands that must be constants, from 0.
    std::vector<int64_t> constants;
    std::vector<AttrCondition> when;
  };
  struct Pattern {
    // With the name of the accelerator and a dot before it.
    std::string name;
    // As ParsePattern reads it.
    std::string text;
  };

  // Parses the file at `path`, which may begin with `@`. An error names the file and the faulty row.
  static auto ReadFile(std::string_view path) -> Result<Accelerator>;
  // Returns the JSON text of such a file; `where` names it in errors.
  static auto Parse(std::string_view json, std::string_view where) -> Result<Accelerator>;

  auto name() const -> const std::string& { return name_; }
  auto patterns() const -> const std::vector<Pattern>& { return patterns_; }
  // Why it does not support this kOpCall, as a clause about the row that comes nearest. Returns nothing if it takes it.
  auto WhyNot(const Function& function, ExprId call) const -> std::optional<std::string>;

 private:
  friend class AcceleratorReader;

  std::string name_;
  std::vector<Row> rows_;
  std::vector<Pattern> patterns_;
};

}  // namespace relayopt
