// Formulas: how they are read, emitted and recognized.
#include "relayopt/relay/formula/formula.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

#include "relay/formula/formula_program.h"
#include "relayopt/relay/formula/match.h"
#include "relayopt/relay/pattern/pattern_text.h"
#include "relayopt/relay/pattern/rewrite.h"
#include "relayopt/relay/text/printer.h"

using namespace relayopt;

namespace {

auto MatchOf(std::string_view body, const Formula& formula, std::span<const std::string_view> parameters = {}) {
  const FormulaProgram program(body);
  auto match = MatchFormula(formula, program.main(), program.main().body(), parameters);
  // Its pattern finds at least as much.
  PatternTable table;
  auto pattern = ParsePattern(program.module.context(), table, PatternOfFormula(formula, parameters));
  REQUIRE(pattern.has_value());
  if (match) CHECK(MatchPattern(*pattern, program.main(), program.main().body()));
  return match;
}

// Returns what a formula of x and y becomes, as text.
auto Emitted(const Formula& formula, std::vector<FormulaName> numbers = {}) -> std::string {
  numbers.push_back({"x", ExprId()});
  numbers.push_back({"y", ExprId()});
  const FormulaProgram program(formula, numbers);
  std::string text = PrintRelay(program.module, {.types = TypePrinting::kNone});
  text = text.substr(text.find("{\n  ") + 4);
  text.resize(text.find("\n}"));
  for (size_t at = text.find("\n  "); at != text.npos; at = text.find("\n  ")) text.replace(at, 3, " ");
  return text;
}

auto FaultOf(std::string_view text) -> std::string_view { return ParseFormula(text).fault; }

}  // namespace

TEST_CASE("formulas: text that is not a formula") {
  CHECK(FaultOf("") == "expected a number, a name or '('");
  CHECK(FaultOf("x +") == "expected a number, a name or '('");
  CHECK(FaultOf("x y") == "expected an operator or the end");
  CHECK(FaultOf("(x") == "expected ')'");
  CHECK(FaultOf("exp(x") == "expected ')' or ','");
  CHECK(FaultOf("nosuch(x)") == "no operator of this name");
  CHECK(FaultOf("a = x * x") == "expected ';' after a definition");
  CHECK(FaultOf("a = x; a = y; a") == "a name is defined after it is used");
  CHECK(FaultOf("a = x; x = y; a") == "a name is defined after it is used");
  CHECK(FaultOf("where(a, b, c, d, e)") == "too many arguments");
  CHECK(FaultOf("x, x, x, x, x") == "too many results");
  CHECK(FaultOf(std::string(40, '(') + "x" + std::string(40, ')')) == "parentheses are nested too deeply");
  std::string sum = "x";
  for (int i = 0; i < 70; ++i) sum += " + 1";
  CHECK(FaultOf(sum) == "the formula is too long");
  CHECK(FaultOf("X * tanh(log(1 + exp(X)))").empty());
}

TEST_CASE("formulas: numbers are those of the C++ text") {
  for (const char* text : {"0", "1", "0.5", "1e-05", "0.044715", "1.1283791670955126", "0.7978845608028654", "6.02e23",
                           "0.1", "123456789012345678901234"}) {
    CHECK(ParseFormula(text).steps[0].number == std::strtod(text, nullptr));
  }
}

TEST_CASE("formulas: emission keeps the order that is written") {
  CHECK(Emitted("x + y * x"_formula) == "%0 = multiply(%y, %x); add(%x, %0)");
  CHECK(Emitted("(x + y) * x"_formula) == "%0 = add(%x, %y); multiply(%0, %x)");
  CHECK(Emitted("x - y - x"_formula) == "%0 = subtract(%x, %y); subtract(%0, %x)");
  CHECK(Emitted("-x * y"_formula) == "%0 = negative(%x); multiply(%0, %y)");
  CHECK(Emitted("clip(x, 0, 6)"_formula) == "clip(%x, a_min=0f, a_max=6f)");
}

TEST_CASE("formulas: arithmetic of numbers is done at once, calls are not") {
  CHECK(Emitted("x * (1 / 4)"_formula) == "multiply(%x, 0.25f)");
  CHECK(Emitted("-alpha * x"_formula, {{"alpha", 2.0}}) == "multiply(-2f, %x)");
  CHECK(Emitted("x * negative(2)"_formula) == "%0 = negative(2f); multiply(%x, %0)");
}

TEST_CASE("formulas: a definition is emitted once, what is written twice is emitted twice") {
  CHECK(Emitted("e = exp(x); e * e"_formula) == "%0 = exp(%x); multiply(%0, %0)");
  CHECK(Emitted("exp(x) * exp(x)"_formula) == "%0 = exp(%x); %1 = exp(%x); multiply(%0, %1)");
}

TEST_CASE("formulas: recognition binds operands and parameters") {
  constexpr std::string_view kParameters[] = {"alpha", "beta"};
  constexpr std::string_view kBody = "clip(add(multiply(0.25f, %x), 0.5f), a_min=0f, a_max=1f)";
  const auto match = MatchOf(kBody, "clip(x * alpha + beta, 0, 1)"_formula, kParameters);
  REQUIRE(match.has_value());
  CHECK(match->operand("x").value() == 0);
  CHECK(match->number("alpha") == 0.25);
  CHECK(match->number("beta") == 0.5);
  CHECK_FALSE(MatchOf(kBody, "clip(x * alpha + beta, 0, 6)"_formula, kParameters));
}

namespace {

// The value of the parameter alpha, or 0 if the body is not the formula.
auto AlphaOf(std::string_view body, const Formula& formula) -> double {
  constexpr std::string_view kParameters[] = {"alpha"};
  const auto match = MatchOf(body, formula, kParameters);
  return match ? match->number("alpha") : 0;
}

}  // namespace

TEST_CASE("formulas: a division by a number is a multiplication by its reciprocal") {
  CHECK(AlphaOf("exp(divide(%x, 4f))", "exp(x * alpha)"_formula) == 0.25);
  CHECK(AlphaOf("exp(multiply(%x, 4f))", "exp(x / alpha)"_formula) == 0.25);
  CHECK(AlphaOf("exp(multiply(4f, %x))", "exp(x / alpha)"_formula) == 0.25);
  CHECK(AlphaOf("exp(divide(4f, %x))", "exp(x * alpha)"_formula) == 0);
  CHECK(AlphaOf("exp(divide(%x, 0f))", "exp(x * alpha)"_formula) == 0);
}

TEST_CASE("formulas: parameters are solved for") {
  constexpr std::string_view kBody = "multiply(%x, -2f)";
  CHECK(AlphaOf(kBody, "x * -alpha"_formula) == 2);
  CHECK(AlphaOf(kBody, "x * (1 - alpha)"_formula) == 3);
  CHECK(AlphaOf(kBody, "x * (alpha - 1)"_formula) == -1);
  CHECK(AlphaOf(kBody, "x * (alpha + 1)"_formula) == -3);
  CHECK(AlphaOf(kBody, "x * (4 * alpha)"_formula) == -0.5);
  CHECK(AlphaOf(kBody, "x * (4 / alpha)"_formula) == -2);
  CHECK(AlphaOf(kBody, "x * (alpha / 4)"_formula) == -8);
  CHECK(AlphaOf(kBody, "x * (0 * alpha)"_formula) == 0);
}

TEST_CASE("formulas: a name is one expression, and a parameter one number") {
  CHECK(MatchOf("multiply(tanh(%x), %x)", "x * tanh(x)"_formula));
  CHECK_FALSE(MatchOf("multiply(tanh(%y), %x)", "x * tanh(x)"_formula));
  CHECK(AlphaOf("multiply(2f, exp(divide(%x, 2f)))", "alpha * exp(x / alpha)"_formula) == 2);
  CHECK(AlphaOf("multiply(2f, exp(divide(%x, 3f)))", "alpha * exp(x / alpha)"_formula) == 0);
}

TEST_CASE("formulas: an order of operands that fails later is taken back") {
  constexpr Formula kFormula = "exp(x * y) - tanh(y)"_formula;
  CHECK(MatchOf("subtract(exp(multiply(%x, %y)), tanh(%y))", kFormula));
  CHECK_FALSE(MatchOf("subtract(exp(multiply(%x, %x)), tanh(%y))", kFormula));
  const FormulaProgram exchanged("subtract(exp(multiply(%x, %y)), tanh(%x))");
  CHECK(MatchFormula(kFormula, exchanged.main(), exchanged.main().body(), {}));
}
