// Recognizing what a formula computes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/relay/formula/emit.h"
#include "relayopt/relay/formula/formula.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// What the names of a formula stand for in an expression.
class FormulaMatch {
 public:
  explicit FormulaMatch(std::vector<FormulaName> names) : names_(std::move(names)) {}
  // Returns what an operand or a parameter that occurs in the formula stands for.
  auto operand(std::string_view name) const -> ExprId { return std::get<ExprId>(Find(name)); }
  auto number(std::string_view name) const -> double { return std::get<double>(Find(name)); }

 private:
  auto Find(std::string_view name) const -> const std::variant<ExprId, double>&;

  std::vector<FormulaName> names_;
};

// Returns what the names stand for if the expression `root` is what EmitFormula makes of `formula`; `parameters` are
// the names that are numbers. The formula must have one result. Operands of commutative operators may be in any order,
// a division by a number may be a multiplication by its reciprocal, and numbers agree to four digits, as models that
// were trained in other precisions have them.
auto MatchFormula(const Formula& formula, const Function& function, ExprId root,
                  std::span<const std::string_view> parameters) -> std::optional<FormulaMatch>;

// Returns a pattern, in the syntax of ParsePattern, that matches every expression that MatchFormula recognizes.
auto PatternOfFormula(const Formula& formula, std::span<const std::string_view> parameters) -> std::string;

}  // namespace relayopt
