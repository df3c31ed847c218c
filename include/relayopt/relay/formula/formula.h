// Formulas: what an operator computes, as text that is read when relayopt is compiled.
//
//   "X * tanh(log(1 + exp(X)))"_formula
//
// The same row is used in two directions: EmitFormula (emit.h) makes the calls, MatchFormula (match.h) recognizes them.
//
//   X, alpha           a name: an operand (an expression) or a parameter (a number); who uses the formula says which
//   0.5, 1e-05         a number; also `pi` and `sqrt2`
//   a + b, -, *, /     on numbers, a number; otherwise a call of add, subtract, multiply, divide
//   -a                 the same, of negative
//   a < b, a > b       calls of less and greater
//   exp(a)             a call, always; so is nn.relu(a)
//   clip(a, 0, 1)      what follows the operands are attributes, in the order in which the operator declares them
//   e = a * a; ...     a definition: what has a name is made once
//   a, b               several results
//
// A name that occurs twice is one expression; anything else is made each time it is written.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>

#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/text_cursor.h"

namespace relayopt {

// A part of a formula. Parts that it consists of stand before it.
struct FormulaStep {
  enum class Kind : uint8_t {
    kName,
    kNumber,
    kSign,      // -a
    kOperator,  // a + b and the like: calculated at once if both are numbers
    kCall,
  };
  static constexpr size_t kMostArgs = 4;

  Kind kind = Kind::kNumber;
  uint8_t num_args = 0;
  std::array<uint8_t, kMostArgs> args{};
  // Whether more than one part uses it.
  bool is_shared = false;
  const OpDef* op = nullptr;
  std::string_view name;
  double number = 0;
};

// A formula; it refers to text and steps that exist as long as the program. Null if it has no steps.
struct Formula {
  std::string_view text;
  std::span<const FormulaStep> steps;
  std::span<const uint8_t> results;

  constexpr explicit operator bool() const { return !steps.empty(); }
};

// A formula while it is read.
struct ParsedFormula {
  static constexpr size_t kMostSteps = 64;
  static constexpr size_t kMostResults = 4;

  std::array<FormulaStep, kMostSteps> steps{};
  size_t num_steps = 0;
  std::array<uint8_t, kMostResults> results{};
  size_t num_results = 0;
  // What is wrong, and where in the text; empty if nothing is.
  std::string_view fault;
  size_t place = 0;

  // Returns the formula, which refers to this object and to the text.
  constexpr auto View(std::string_view text) const -> Formula {
    return {text, std::span(steps).first(num_steps), std::span(results).first(num_results)};
  }
};

// A string literal as a template argument.
template <size_t kSize>
struct TextLiteral {
  char text[kSize]{};
  // NOLINTNEXTLINE(google-explicit-constructor): "..."_formula converts.
  consteval TextLiteral(const char (&from)[kSize]) { std::ranges::copy(from, text); }
  constexpr auto view() const -> std::string_view { return {text, kSize - 1}; }
};

namespace formula_internal {

class Parser {
 public:
  constexpr explicit Parser(std::string_view text) : in_(text) {}

  constexpr auto Run() -> ParsedFormula {
    while (IsDefinition()) {
      const std::string_view name = Name();
      Take('=');
      const uint8_t value = Comparison();
      if (num_definitions_ == definitions_.size()) return Failed("too many definitions");
      if (FindDefinition(name) != nullptr || FindName(name) >= 0) return Failed("a name is defined after it is used");
      definitions_[num_definitions_++] = {name, value};
      if (!Take(';')) return Failed("expected ';' after a definition");
    }
    do {
      const uint8_t result = Comparison();
      if (parsed_.num_results == ParsedFormula::kMostResults) return Failed("too many results");
      parsed_.results[parsed_.num_results++] = result;
    } while (Take(','));
    Skip();
    if (!in_.at_end()) Fail("expected an operator or the end");
    return parsed_;
  }

 private:
  struct Definition {
    std::string_view name;
    uint8_t step = 0;
  };

  constexpr auto Fail(std::string_view fault) -> uint8_t {
    if (parsed_.fault.empty()) {
      parsed_.fault = fault;
      parsed_.place = in_.at();
    }
    in_.MoveToEnd();
    return 0;
  }
  constexpr auto Failed(std::string_view fault) -> ParsedFormula {
    Fail(fault);
    return parsed_;
  }

  // -- characters --

  constexpr void Skip() {
    while (in_.Take(' ')) {
    }
  }
  constexpr auto Take(char c) -> bool {
    Skip();
    return in_.Take(c);
  }
  constexpr auto Name() -> std::string_view {
    Skip();
    return in_.TakeWhile([](char c) { return IsNameCharacter(c) || c == '.'; });
  }
  constexpr auto IsDefinition() -> bool {
    Skip();
    const size_t begin = in_.at();
    const bool is_definition = IsNameStart(in_.Peek()) && !Name().empty() && Take('=');
    in_.MoveTo(begin);
    return is_definition;
  }
  // Digits beyond the 19th change nothing that a double would show.
  constexpr auto Number() -> double {
    uint64_t digits = 0;
    int exponent = 0;
    int count = 0;
    bool is_behind_point = false;
    for (; IsDigit(in_.Peek()) || (in_.Sees('.') && !is_behind_point); in_.Advance()) {
      if (in_.Sees('.')) {
        is_behind_point = true;
        continue;
      }
      const bool is_read = count < 19;
      if (is_read) digits = digits * 10 + static_cast<uint64_t>(in_.Peek() - '0');
      count += digits == 0 ? 0 : 1;
      if (is_read && is_behind_point) --exponent;
      if (!is_read && !is_behind_point) ++exponent;
    }
    if (in_.Take('e')) {
      const bool is_negative = in_.Take('-');
      int written = 0;
      for (; IsDigit(in_.Peek()) && written < 100; in_.Advance()) written = written * 10 + (in_.Peek() - '0');
      exponent += is_negative ? -written : written;
    }
    long double value = static_cast<long double>(digits);
    long double power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; --i) power *= 10;
    value = exponent < 0 ? value / power : value * power;
    return static_cast<double>(value);
  }

  // -- steps --

  constexpr auto Add(const FormulaStep& step) -> uint8_t {
    if (parsed_.num_steps == ParsedFormula::kMostSteps) return Fail("the formula is too long");
    for (size_t i = 0; i < step.num_args; ++i) {
      FormulaStep& arg = parsed_.steps[step.args[i]];
      arg.is_shared = used_[step.args[i]];
      used_[step.args[i]] = true;
    }
    parsed_.steps[parsed_.num_steps] = step;
    return static_cast<uint8_t>(parsed_.num_steps++);
  }
  constexpr auto FindDefinition(std::string_view name) const -> const Definition* {
    for (size_t i = 0; i < num_definitions_; ++i) {
      if (definitions_[i].name == name) return &definitions_[i];
    }
    return nullptr;
  }
  constexpr auto FindName(std::string_view name) const -> int {
    for (size_t i = 0; i < parsed_.num_steps; ++i) {
      if (parsed_.steps[i].kind == FormulaStep::Kind::kName && parsed_.steps[i].name == name)
        return static_cast<int>(i);
    }
    return -1;
  }
  static constexpr auto FindOperator(std::string_view name) -> const OpDef* {
    const auto* found = std::ranges::lower_bound(kOpNames, name, {}, &OpName::name);
    if (found == std::end(kOpNames) || found->name != name) return nullptr;
    return op_internal::kFirstRows[static_cast<size_t>(found->family)] +
           kOpPlaces.places[static_cast<size_t>(found - kOpNames)];
  }
  constexpr auto Infix(const OpDef* op, uint8_t left, uint8_t right) -> uint8_t {
    return Add({.kind = FormulaStep::Kind::kOperator, .num_args = 2, .args = {left, right}, .op = op});
  }

  // -- expressions, by precedence --

  constexpr auto Comparison() -> uint8_t {
    const uint8_t left = Sum();
    if (Take('<')) return Infix("less"_op, left, Sum());
    if (Take('>')) return Infix("greater"_op, left, Sum());
    return left;
  }
  constexpr auto Sum() -> uint8_t {
    uint8_t left = Product();
    for (;;) {
      if (Take('+')) {
        left = Infix("add"_op, left, Product());
      } else if (Take('-')) {
        left = Infix("subtract"_op, left, Product());
      } else {
        return left;
      }
    }
  }
  constexpr auto Product() -> uint8_t {
    uint8_t left = Signed();
    for (;;) {
      if (Take('*')) {
        left = Infix("multiply"_op, left, Signed());
      } else if (Take('/')) {
        left = Infix("divide"_op, left, Signed());
      } else {
        return left;
      }
    }
  }
  constexpr auto Signed() -> uint8_t {
    size_t signs = 0;
    while (Take('-')) ++signs;
    uint8_t value = Primary();
    for (; signs > 0; --signs) {
      value = Add({.kind = FormulaStep::Kind::kSign, .num_args = 1, .args = {value}, .op = "negative"_op});
    }
    return value;
  }
  constexpr auto Primary() -> uint8_t {
    Skip();
    if (IsDigit(in_.Peek())) return Add({.number = Number()});
    if (Take('(')) {
      if (++depth_ > kMostDepth) return Fail("parentheses are nested too deeply");
      const uint8_t inner = Comparison();
      --depth_;
      return Take(')') ? inner : Fail("expected ')'");
    }
    if (!IsNameStart(in_.Peek())) return Fail("expected a number, a name or '('");
    const std::string_view name = Name();
    if (Take('(')) return Call(name);
    if (name == "pi") return Add({.number = std::numbers::pi});
    if (name == "sqrt2") return Add({.number = std::numbers::sqrt2});
    if (const Definition* definition = FindDefinition(name)) return definition->step;
    const int found = FindName(name);
    return found >= 0 ? static_cast<uint8_t>(found) : Add({.kind = FormulaStep::Kind::kName, .name = name});
  }
  constexpr auto Call(std::string_view name) -> uint8_t {
    FormulaStep call = {.kind = FormulaStep::Kind::kCall, .op = FindOperator(name)};
    if (call.op == nullptr) return Fail("no operator of this name");
    if (++depth_ > kMostDepth) return Fail("parentheses are nested too deeply");
    do {
      const uint8_t arg = Comparison();
      if (call.num_args == FormulaStep::kMostArgs) return Fail("too many arguments");
      call.args[call.num_args++] = arg;
    } while (Take(','));
    --depth_;
    return Take(')') ? Add(call) : Fail("expected ')' or ','");
  }

  static constexpr int kMostDepth = 32;

  TextCursor in_;
  int depth_ = 0;
  ParsedFormula parsed_;
  std::array<bool, ParsedFormula::kMostSteps> used_{};
  std::array<Definition, 8> definitions_{};
  size_t num_definitions_ = 0;
};

}  // namespace formula_internal

// Reads a formula. `fault` describes the first error in it.
constexpr auto ParseFormula(std::string_view text) -> ParsedFormula { return formula_internal::Parser(text).Run(); }

namespace formula_internal {

// The steps of one literal, and no room for others.
template <TextLiteral kText>
struct Stored {
  static constexpr auto kSteps = [] {
    constexpr ParsedFormula parsed = ParseFormula(kText.view());
    static_assert(parsed.fault.empty(), "this is not a formula: see relayopt/relay/formula/formula.h");
    std::array<FormulaStep, parsed.num_steps> steps{};
    std::copy_n(parsed.steps.begin(), parsed.num_steps, steps.begin());
    return steps;
  }();
  static constexpr auto kResults = [] {
    constexpr ParsedFormula parsed = ParseFormula(kText.view());
    std::array<uint8_t, parsed.num_results> results{};
    std::copy_n(parsed.results.begin(), parsed.num_results, results.begin());
    return results;
  }();
};

}  // namespace formula_internal

// A formula that does not parse does not compile.
template <TextLiteral kText>
consteval auto operator""_formula() -> Formula {
  using Stored = formula_internal::Stored<kText>;
  return {kText.view(), Stored::kSteps, Stored::kResults};
}

}  // namespace relayopt
