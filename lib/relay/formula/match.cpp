// Recognizing what a formula computes: the steps of the formula are goals, each to be the same as an expression.
//
// `X * (1 + erf(X / sqrt2))` in multiply(add(erf(%a), 1), %x), where %a = divide(%x, 1.41421):
//   multiply: X is add(..), or else (the operands exchanged) X is %x
//   add:      `1` is the second operand, and erf(..) the first
//   erf, divide: X is %x, which it is already, and 1.41421 is near enough to sqrt2
#include "relayopt/relay/formula/match.h"

#include <algorithm>
#include <cmath>

#include "lib/relay/formula/steps.h"
#include "relayopt/support/check.h"

namespace relayopt {

namespace {

using Kind = FormulaStep::Kind;

auto IsNear(double a, double b) -> bool { return std::abs(a - b) <= 1e-4 * std::max(1.0, std::abs(b)); }

auto IsCommutative(const OpDef* op) -> bool {
  return op == "add"_op || op == "multiply"_op || op == "maximum"_op || op == "minimum"_op;
}

// Which steps are numbers: those that consist of numbers and parameters only.
auto NumberSteps(const Formula& formula, std::span<const std::string_view> parameters) -> std::vector<bool> {
  std::vector<bool> are_numbers;
  for (const FormulaStep& step : formula.steps) {
    const auto is_number = [&](uint8_t arg) { return are_numbers[arg]; };
    const bool is_arithmetic = step.kind == Kind::kSign || step.kind == Kind::kOperator;
    are_numbers.push_back(
        step.kind == Kind::kNumber ||
        (step.kind == Kind::kName && std::ranges::find(parameters, step.name) != parameters.end()) ||
        (is_arithmetic && std::all_of(step.args.begin(), step.args.begin() + step.num_args, is_number)));
  }
  return are_numbers;
}

class Matcher {
 public:
  Matcher(const Formula& formula, const Function& function, std::span<const std::string_view> parameters)
      : formula_(formula), function_(function), are_numbers_(NumberSteps(formula, parameters)) {}

  auto Run(ExprId root) -> std::optional<FormulaMatch> {
    RELAYOPT_CHECK(formula_.results.size() == 1, "a formula that is matched has one result");
    State state;
    state.goals.push_back({formula_.results[0], root});
    if (!Prove(state)) return std::nullopt;
    return FormulaMatch(std::move(state.names));
  }

 private:
  struct Goal {
    uint8_t step;
    ExprId expr;
  };
  struct State {
    std::vector<Goal> goals;
    std::vector<FormulaName> names;
  };

  // Reaches all goals. Each is a step of the formula, and leads to the steps below, so that the depth of the recursion
  // and the number of alternatives are those of the formula.
  auto Prove(State& state) -> bool {
    while (!state.goals.empty()) {
      const Goal goal = state.goals.back();
      state.goals.pop_back();
      const FormulaStep& step = formula_.steps[goal.step];
      if (are_numbers_[goal.step]) {
        const auto number = NumberOf(goal.expr);
        if (!number || !Solve(state, goal.step, *number)) return false;
      } else if (step.kind == Kind::kName) {
        if (!Bind(state, step.name, goal.expr)) return false;
      } else {
        return ProveCall(state, step, goal.expr);
      }
    }
    return true;
  }

  auto ProveCall(State& state, const FormulaStep& step, ExprId expr) -> bool {
    if (function_.kind(expr) != ExprKind::kOpCall) return false;
    const auto operands = function_.operands(expr);
    if (function_.op(expr) != step.op) return ProveQuotient(state, step, expr);
    if (operands.size() != NumOperands(step) || !ProveAttributes(state, step, expr)) return false;
    State given = state;
    for (size_t i = 0; i < operands.size(); ++i) state.goals.push_back({step.args[i], operands[i]});
    if (Prove(state)) return true;
    if (!IsCommutative(step.op)) return false;
    for (size_t i = 0; i < operands.size(); ++i) given.goals.push_back({step.args[1 - i], operands[i]});
    state = std::move(given);
    return Prove(state);
  }

  // x / n as x * (1 / n), and x * n as x / (1 / n).
  auto ProveQuotient(State& state, const FormulaStep& step, ExprId expr) -> bool {
    const bool is_quotient = step.op == "divide"_op;
    if (!is_quotient && step.op != "multiply"_op) return false;
    if (function_.op(expr) != (is_quotient ? "multiply"_op : "divide"_op)) return false;
    // Only a product has its number at either side.
    for (const size_t number : {1, 0}) {
      const size_t wanted = is_quotient ? 1 : number;
      const size_t found = is_quotient ? number : 1;
      if (!are_numbers_[step.args[wanted]] || are_numbers_[step.args[1 - wanted]]) continue;
      const auto value = NumberOf(function_.operand(expr, found));
      State changed = state;
      if (!value || *value == 0 || !Solve(changed, step.args[wanted], 1 / *value)) continue;
      changed.goals.push_back({step.args[1 - wanted], function_.operand(expr, 1 - found)});
      if (!Prove(changed)) continue;
      state = std::move(changed);
      return true;
    }
    return false;
  }

  auto ProveAttributes(State& state, const FormulaStep& step, ExprId expr) -> bool {
    const size_t first = NumOperands(step);
    if (first == step.num_args) return true;
    const AttrsRecord& record = function_.context().attrs(function_.attrs(expr));
    if (record.schema != step.op->attrs) return false;
    for (size_t i = first; i < step.num_args; ++i) {
      if (!Solve(state, step.args[i], record.schema->fields[i - first].Get<double>(record.data))) return false;
    }
    return true;
  }

  auto Bind(State& state, std::string_view name, std::variant<ExprId, double> value) -> bool {
    const auto bound = std::ranges::find(state.names, name, &FormulaName::name);
    if (bound == state.names.end()) {
      state.names.push_back({name, value});
      return true;
    }
    const auto* number = std::get_if<double>(&bound->value);
    return number == nullptr ? bound->value == value : IsNear(std::get<double>(value), *number);
  }

  // Returns the value of a step that is a number; nothing if a parameter in it is not known.
  auto Value(const State& state, uint8_t at) const -> std::optional<double> {
    const FormulaStep& step = formula_.steps[at];
    if (step.kind == Kind::kNumber) return step.number;
    if (step.kind == Kind::kName) {
      const auto bound = std::ranges::find(state.names, step.name, &FormulaName::name);
      if (bound == state.names.end()) return std::nullopt;
      return std::get<double>(bound->value);
    }
    const auto a = Value(state, step.args[0]);
    const auto b = Value(state, step.args[step.num_args - 1]);
    if (!a || !b) return std::nullopt;
    return Calculated(step, *a, *b);
  }

  // Makes a step that is a number equal to `value`, by giving a parameter in it the value that does.
  auto Solve(State& state, uint8_t at, double value) -> bool {
    if (const auto known = Value(state, at)) return IsNear(value, *known);
    const FormulaStep& step = formula_.steps[at];
    if (step.kind == Kind::kName) return Bind(state, step.name, value);
    if (step.kind == Kind::kSign) return Solve(state, step.args[0], -value);
    const auto a = Value(state, step.args[0]);
    const auto b = Value(state, step.args[1]);
    if (!a && !b) return false;
    const uint8_t unknown = step.args[a ? 1 : 0];
    const double known = a ? *a : *b;
    if (step.op == "add"_op) return Solve(state, unknown, value - known);
    if (step.op == "subtract"_op) return Solve(state, unknown, a ? known - value : value + known);
    if (step.op == "multiply"_op) return known != 0 && Solve(state, unknown, value / known);
    if (step.op == "divide"_op && !a) return Solve(state, unknown, value * known);
    return step.op == "divide"_op && value != 0 && Solve(state, unknown, known / value);
  }

  auto NumberOf(ExprId expr) const -> std::optional<double> {
    if (function_.kind(expr) != ExprKind::kConstant) return std::nullopt;
    const Constant& constant = function_.constant(expr);
    return constant.num_elements() == 1 ? constant.ScalarAsDouble() : std::nullopt;
  }

  const Formula& formula_;
  const Function& function_;
  std::vector<bool> are_numbers_;
};

// Writes the steps that an expression must have, from the last one down.
class PatternWriter {
 public:
  PatternWriter(const Formula& formula, std::span<const std::string_view> parameters)
      : formula_(formula), are_numbers_(NumberSteps(formula, parameters)), is_named_(formula.steps.size()) {}

  void Write(uint8_t at, std::string& to) {
    const FormulaStep& step = formula_.steps[at];
    if (are_numbers_[at]) {
      to += "const";
      return;
    }
    const bool is_new = !is_named_[at];
    if (step.is_shared) {
      to.append("$s").append(std::to_string(at));
      if (is_new) to += '=';
      is_named_[at] = true;
    }
    if (!is_new) return;
    if (step.kind == Kind::kName) {
      to += '*';
    } else {
      WriteCall(step, to);
    }
  }

 private:
  void WriteCall(const FormulaStep& step, std::string& to) {
    const size_t begin = to.size();
    to.append(step.op->name) += '(';
    const size_t arguments = to.size();
    for (size_t i = 0; i < NumOperands(step); ++i) {
      if (i > 0) to += ", ";
      Write(step.args[i], to);
    }
    to += ')';
    if (!IsScaled(step)) return;
    // The text defines a name only once.
    const std::string operands = to.substr(arguments);
    if (operands.find('=') != operands.npos) return;
    if (step.op == "divide"_op) {
      to.append(" | multiply(").append(operands);
      return;
    }
    // Only the second operand of a division is a number.
    to.resize(begin);
    const size_t scaled = are_numbers_[step.args[0]] ? 1 : 0;
    std::string data;
    Write(step.args[scaled], data);
    to.append("multiply(").append(data).append(", const) | divide(").append(data).append(", const)");
  }

  // Whether it is a product of an expression and a number, or a quotient by a number.
  auto IsScaled(const FormulaStep& step) const -> bool {
    if (step.op == "divide"_op) return are_numbers_[step.args[1]];
    return step.op == "multiply"_op && are_numbers_[step.args[0]] != are_numbers_[step.args[1]];
  }

  const Formula& formula_;
  std::vector<bool> are_numbers_;
  std::vector<bool> is_named_;
};

}  // namespace

auto FormulaMatch::Find(std::string_view name) const -> const std::variant<ExprId, double>& {
  const auto found = std::ranges::find(names_, name, &FormulaName::name);
  RELAYOPT_CHECK(found != names_.end(), "a name that is asked for occurs in the formula");
  return found->value;
}

auto MatchFormula(const Formula& formula, const Function& function, ExprId root,
                  std::span<const std::string_view> parameters) -> std::optional<FormulaMatch> {
  return Matcher(formula, function, parameters).Run(root);
}

auto PatternOfFormula(const Formula& formula, std::span<const std::string_view> parameters) -> std::string {
  std::string text;
  PatternWriter(formula, parameters).Write(formula.results[0], text);
  return text;
}

}  // namespace relayopt
