// Emits the calls of a formula, part by part: a part comes after its operands.
#include "relayopt/relay/formula/emit.h"

#include <algorithm>

#include "lib/relay/formula/steps.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/support/check.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

using Kind = FormulaStep::Kind;

class Emission {
 public:
  Emission(FormulaEmitter& to, const Formula& formula, std::span<const FormulaName> names)
      : to_(to), formula_(formula), names_(names), values_(formula.steps.size()) {}

  auto Run() -> std::vector<ExprId> {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = Evaluate(formula_.steps[i]);
    return MapToVector<ExprId>(formula_.results, [&](uint8_t step) { return Expression(step); });
  }

 private:
  // A number becomes an expression when a call needs it, and stays the same one.
  struct Value {
    bool is_number = false;
    double number = 0;
    ExprId expr;
  };

  auto Evaluate(const FormulaStep& step) -> Value {
    switch (step.kind) {
      case Kind::kNumber: return {.is_number = true, .number = step.number};
      case Kind::kName: return Named(step.name);
      case Kind::kSign:
      case Kind::kOperator:
        if (AreNumbers(step)) return {.is_number = true, .number = Calculate(step)};
        return {.expr = Call(step)};
      case Kind::kCall: return {.expr = Call(step)};
    }
    return {};
  }

  auto Named(std::string_view name) -> Value {
    const auto found = std::ranges::find(names_, name, &FormulaName::name);
    RELAYOPT_CHECK(found != names_.end(), "all names of a formula are known");
    if (const auto* number = std::get_if<double>(&found->value)) return {.is_number = true, .number = *number};
    return {.expr = std::get<ExprId>(found->value)};
  }

  auto AreNumbers(const FormulaStep& step) const -> bool {
    return std::all_of(step.args.begin(), step.args.begin() + step.num_args,
                       [&](uint8_t arg) { return values_[arg].is_number; });
  }
  auto Calculate(const FormulaStep& step) const -> double {
    return Calculated(step, values_[step.args[0]].number, values_[step.args[1]].number);
  }

  auto Expression(uint8_t step) -> ExprId {
    Value& value = values_[step];
    if (value.is_number && !value.expr) value.expr = to_.Number(value.number);
    return value.expr;
  }

  auto Call(const FormulaStep& step) -> ExprId {
    const size_t num_operands = std::min<size_t>(step.num_args, NumOperands(*step.op));
    std::vector<ExprId> operands;
    std::vector<double> attributes;
    for (size_t i = 0; i < step.num_args; ++i) {
      if (i < num_operands) {
        operands.push_back(Expression(step.args[i]));
      } else {
        RELAYOPT_CHECK(values_[step.args[i]].is_number, "an attribute in a formula is a number");
        attributes.push_back(values_[step.args[i]].number);
      }
    }
    return to_.Call(step.op, operands, attributes);
  }

  FormulaEmitter& to_;
  const Formula& formula_;
  std::span<const FormulaName> names_;
  std::vector<Value> values_;
};

}  // namespace

auto EmitFormula(FormulaEmitter& to, const Formula& formula, std::span<const FormulaName> names)
    -> std::vector<ExprId> {
  return Emission(to, formula, names).Run();
}

auto TypedFormulaEmitter::Call(const OpDef* op, std::span<const ExprId> operands, std::span<const double> attributes)
    -> ExprId {
  if (attributes.empty()) return EmitCall(to_, op, operands);
  AttrsBuilder record(*op->attrs);
  for (size_t i = 0; i < attributes.size(); ++i) {
    const FieldInfo& field = op->attrs->fields[i];
    RELAYOPT_CHECK(field.kind == FieldKind::kDouble, "an attribute in a formula is a floating-point number");
    field.Mutable<double>(record.data()) = attributes[i];
  }
  return EmitCall(to_, op, operands, to_.context().InternAttrs(std::move(record)));
}

auto TypedFormulaEmitter::Number(double value) -> ExprId { return EmitScalar(to_, dtype_, value); }

}  // namespace relayopt
