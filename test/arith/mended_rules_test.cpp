#include "catch2/catch.hpp"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/text.h"
#include "relayopt/arith/walk.h"

using namespace relayopt;         // NOLINT
using namespace relayopt::arith;  // NOLINT

namespace {

// Where a rule of the reference changes a value: a term that it would match, and values of x and y that show it.
struct CounterExample {
  std::string_view rule;
  std::string_view term;
  std::string_view where;
  int64_t x;
  int64_t y;
};

constexpr CounterExample kCounterExamples[] = {
    {"S38", "truncdiv(x + 3, 2) - truncdiv(x + 2, 2)", "x >= -2", -1, 0},
    {"K12", "x // 2 == -9 and x % 2 == 4", "", -14, 0},
    {"K14", "x - y*(-3) < -3 and 0 <= x - y*(-3)", "", 1, 0},
    {"K15", "0 <= x + y*4 and x + y*4 < -4", "", -4, 1},
    {"K16", "x < -9 and x % 1 < 2", "", -9, 0},
    {"K18", "x <= -1 and x % 2 < 4", "", 0, 0},
    {"K20", "x // 2 == 1 and x % 2 < 4", "", 4, 0},
    {"K21", "x // 2 == 1 and x % 2 <= 3", "", 4, 0},
    {"K22", "x // -2 == 1 and 0 <= x % -2", "", -2, 0},
    {"K22, negative bound", "x // 2 == 1 and -3 <= x % 2", "", 1, 0},
    {"K23", "x // 2 == 1 and -3 < x % 2", "", 1, 0},
    {"canonical <", "x*4 - y < 0", "0 <= x and x < 4 and 0 <= y and y < 4", 0, 1},
    {"canonical //", "((x // 2)*(-1)) // 4", "", 1, 0},
    {"canonical %", "((x // 2)*(-2)) % 8", "", 5, 0},
    {"canonical % of %", "((x % 2)*(-1)) % 4", "", 1, 0},
};

}  // namespace

TEST_CASE("rules that are wrong in the reference keep the value where they were wrong") {
  for (const CounterExample& example : kCounterExamples) {
    INFO(example.rule << ": " << example.term);
    Context context;
    Terms& terms = context.Part<Terms>();
    TermReader reader(terms);
    Analyzer analyzer(terms);
    const PrimExpr x = reader.Variable("x");
    const PrimExpr y = reader.Variable("y");
    const PrimExpr before = *reader.Read(example.term);
    if (!example.where.empty()) analyzer.EnterConstraint(*reader.ReadCondition(example.where));
    const PrimExpr after = analyzer.Simplify(before);
    Substitution at(terms);
    at.Bind(x, terms.Int32(example.x));
    at.Bind(y, terms.Int32(example.y));
    Analyzer fresh(terms);
    const PrimExpr value = fresh.Simplify(at.Apply(before));
    REQUIRE(terms.AsInt(value).has_value());
    CHECK(fresh.Simplify(at.Apply(after)) == value);
  }
}

TEST_CASE("rules that were mended still fire where they are right") {
  const auto simple = [](std::string_view term, std::string_view where = "") {
    return SimplifyText(term, where)->simplified;
  };
  CHECK(simple("x // 4 == 2 and x % 4 == 1") == "x == 9");
  CHECK(simple("x // 4 == 2 and x % 4 < 3") == "8 <= x and x < 11");
  CHECK(simple("x // 4 == 2 and x % 4 <= 2") == "8 <= x and x <= 10");
  CHECK(simple("x // 4 == 2 and 1 <= x % 4") == "9 <= x and x < 12");
  CHECK(simple("x // 4 == 2 and 1 < x % 4") == "9 < x and x < 12");
  CHECK(simple("x < 8 and x % 4 < 2") == "x < 6 and x % 4 < 2");
}
