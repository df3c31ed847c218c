// Making the calls of a formula.
#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "relayopt/core/data_type.h"
#include "relayopt/relay/formula/formula.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// What a name of a formula stands for: an expression or a number.
struct FormulaName {
  std::string_view name;
  std::variant<ExprId, double> value;
};

// Where the calls of a formula go.
class FormulaEmitter {
 public:
  virtual ~FormulaEmitter() = default;
  // Returns a call. `attributes` are the first attributes of the operator, which are numbers.
  virtual auto Call(const OpDef* op, std::span<const ExprId> operands, std::span<const double> attributes)
      -> ExprId = 0;
  // Returns a constant: a number that is the operand of a call.
  virtual auto Number(double value) -> ExprId = 0;
};

// Makes calls with their types, and numbers of one element type.
class TypedFormulaEmitter : public FormulaEmitter {
 public:
  TypedFormulaEmitter(FunctionBuilder& to, DataType dtype) : to_(to), dtype_(dtype) {}
  auto Call(const OpDef* op, std::span<const ExprId> operands, std::span<const double> attributes) -> ExprId override;
  auto Number(double value) -> ExprId override;

 private:
  FunctionBuilder& to_;
  DataType dtype_;
};

// Emits a formula in the order in which it is written. Returns its results. All of its names must be in `names`.
auto EmitFormula(FormulaEmitter& to, const Formula& formula, std::span<const FormulaName> names) -> std::vector<ExprId>;

}  // namespace relayopt
