#include <string>

#include "catch2/catch.hpp"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/text.h"
#include "relayopt/arith/walk.h"

using namespace relayopt;         // NOLINT
using namespace relayopt::arith;  // NOLINT
using enum PrimKind;

namespace {

auto Simple(std::string_view term, std::string_view where = "") -> std::string {
  const Result<ArithAnswer> answer = SimplifyText(term, where);
  return answer ? answer->simplified : "error: " + answer.error().text;
}

}  // namespace

TEST_CASE("sums are sorted by falling coefficient, ties in order of appearance") {
  CHECK(Simple("i*2*32768 + 2*j") == "i*65536 + j*2");
  CHECK(Simple("i*64 + j*8 + k - i*64") == "j*8 + k");
  CHECK(Simple("x*8 + y*8 + z") == "x*8 + y*8 + z");
  CHECK(Simple("y*8 + x*8 - 3 - z*2") == "y*8 + x*8 - z*2 - 3");
  CHECK(Simple("x - x") == "0");
  CHECK(Simple("(i + min(n // 4, 7))*4 + j") == "min(n // 4, 7)*4 + i*4 + j");
}

TEST_CASE("divisions meet the bounds of what is divided") {
  CHECK(Simple("floordiv(i*8 + j, 8)", "0 <= j < 8") == "i");
  CHECK(Simple("floormod(i*8 + j, 8)", "0 <= j < 8") == "j");
  CHECK(Simple("floordiv(i*8 + j, 8)") == "j // 8 + i");
  CHECK(Simple("i*4 / 4") == "i");
  CHECK(Simple("z // 6 * 6 + z % 6 // 3 * 3") == "z // 3*3");
  CHECK(Simple("(x*4 + 3) // 2", "") == "x*2 + 1");
  CHECK(Simple("min(n // 4, (n + 3) / 4 - 1 + 1)") == "min(n // 4, truncdiv(n + 3, 4))");
}

TEST_CASE("comparisons are turned to < and <= and decided where constraints do") {
  CHECK(Simple("i > 12") == "12 < i");
  CHECK(Simple("n // 2 >= 16") == "32 <= n");
  CHECK(Simple("not i < 8") == "8 <= i");
  CHECK(Simple("i == 5", "i != 5") == "False");
  CHECK(Simple("i < j + 1", "i < j") == "True");
  CHECK(Simple("j <= i", "i <= j") == "j == i");
  CHECK(Simple("i <= 0", "i != 0") == "i < 0");
  CHECK(Simple("i != 0", "0 <= i < 16") == "0 < i");
  CHECK(Simple("x < y + 1") == "x <= y");
}

TEST_CASE("a rule does not fire where a literal of its result does not fit the type") {
  CHECK(Simple("x // 65536 // 65536") == "x // 65536 // 65536");
  CHECK(Simple("(x // 65536 + 1) // 65536") == "(x // 65536 + 1) // 65536");
  CHECK(Simple("truncdiv(truncdiv(x, 65536), 65536)") == "truncdiv(truncdiv(x, 65536), 65536)");
  CHECK(Simple("x // 65536 % 65536") == "x // 65536 % 65536");
  CHECK(Simple("x // 1000 // 1000") == "x // 1000000");
  CHECK(Simple("int64(x) // 65536 // 65536") == "int64(x) // 4294967296");
  CHECK(Simple("2147483640 < x - 100") != "-2147483556 < x");
  CHECK(Simple("x + 2000000000 == -2000000000") == "False");
  // A literal that does not fit the type beside it makes the other side wider.
  CHECK(Simple("9223372036854775807 + x") == "int64(x) + 9223372036854775807");
}

TEST_CASE("a rule that is wrong for some literals fires only for the others") {
  // As each has the condition that makes it right; without it the results would be the second ones.
  CHECK(Simple("x // 2 == -9 and x % 2 == 4") == "False");
  CHECK(Simple("x // 4 == 2 and x % 4 == 1") == "x == 9");
  CHECK(Simple("x < -9 and x % 1 < 2") == "x < -9");
  CHECK(Simple("((x // 2)*(-1)) // 4") != "x // -8");
  CHECK(Simple("((y // 2)*(-2)) % 8") != "(y % -8) // 2*(-2)");
  CHECK(Simple("x*4 - y < 0", "0 <= x < 4 and 0 <= y < 4") != "x < 0");
  CHECK(Simple("x*1024 + y < z*7168") == "x*1024 + y < z*7168");
}

TEST_CASE("a division by a literal zero is left alone by the simplifiers") {
  CHECK(Simple("x // 0") == "x // 0");
  CHECK(Simple("x % 0 + 1 - 1") == "x % 0");
  CHECK(Simple("(x + 1) / 0") == "truncdiv(x + 1, 0)");
}

TEST_CASE("the rules that fire are listed in order") {
  const Result<ArithAnswer> answer = SimplifyText("min(x, min(x, y))", "");
  REQUIRE(answer.has_value());
  CHECK(answer->simplified == "min(x, y)");
  CHECK(answer->rules == std::vector<std::string_view>{"N8"});
}

TEST_CASE("faults in a term are reported with their position") {
  const auto fault = [](std::string_view text) { return SimplifyText(text, "").error(); };
  CHECK(fault("x +").text == "expected a term");
  CHECK(fault("(x").text == "this parenthesis is not closed");
  CHECK(fault("x)").range.begin == 1);
  CHECK(fault("flordiv(x, 2)").text.find("floordiv") != std::string::npos);
  CHECK(fault("min(x)").text == "`min` takes 2 arguments, not 1");
  CHECK(fault("not x").text == "expected a condition, found a value of type int32");
  CHECK(SimplifyText("x", "x").error().kind->id == "not-a-condition");
}

TEST_CASE("conditionals know their condition in their values") {
  CHECK(Simple("select(i < 4, min(i, 8), i)") == "i");
  CHECK(Simple("if_then_else(i < 4, i < 5, True)") == "if_then_else(i < 4, True, True)");
  CHECK(Simple("if_then_else(x < 1, if_then_else(y < 1, x, 0), 0)") == "if_then_else(x < 1 and y < 1, x, 0)");
}

// The terms that simplifying a sum of `count` products makes: a measure of the work that no clock disturbs.
auto TermsMadeFor(int count) -> size_t {
  Context context;
  Terms& terms = context.Part<Terms>();
  Analyzer analyzer(terms);
  PrimExpr e = terms.Var("x0", kInt32);
  for (int i = 1; i < count; ++i) {
    e = terms.Binary(kAdd, e, terms.Binary(kMul, terms.Var("x", kInt32), terms.Int32(i)));
  }
  const size_t before = terms.size();
  CHECK(FreeVars(terms, analyzer.Simplify(e)).size() == static_cast<size_t>(count));
  return terms.size() - before;
}

TEST_CASE("simplifying a hundred thousand nodes makes as many terms more as there are nodes more") {
  const size_t once = TermsMadeFor(25000);
  const size_t twice = TermsMadeFor(50000);
  INFO(once << " and " << twice << " terms");
  CHECK(twice > once);
  CHECK(twice < once * 2 + once / 10);
}

TEST_CASE("deep terms that no rule flattens cost no stack") {
  Context context;
  Terms& terms = context.Part<Terms>();
  Analyzer analyzer(terms);
  const PrimExpr x = terms.Var("x", kInt32);
  const PrimExpr y = terms.Var("y", kInt32);
  PrimExpr e = x;
  for (int i = 0; i < 100000; ++i) e = terms.Binary(i % 2 == 0 ? kMax : kFloorDiv, e, y);
  CHECK(terms.kind(analyzer.Simplify(e)) == kFloorDiv);
  PrimExpr s = x;
  for (int i = 0; i < 2000; ++i) s = terms.Select(terms.Binary(kLT, terms.Var("c", kInt32), y), s, y);
  CHECK(FreeVars(terms, analyzer.Simplify(s)).size() == 2002);
}

namespace {

// Integer and boolean terms of every operator over x in [0, 4), y in [0, 5) and a free z, and their values.
class RandomTerms {
 public:
  explicit RandomTerms(Terms& terms) : terms_(terms) {
    for (const char* name : {"x", "y", "z"}) vars.push_back(terms.Var(name, kInt32));
  }

  auto Integer(int depth) -> PrimExpr {
    const int choice = Below(depth == 0 ? 5 : 16);
    if (choice < 3) return vars[static_cast<size_t>(choice)];
    if (choice < 5) return terms_.Int32(Below(17) - 8);
    if (choice == 15) return terms_.Select(Condition(depth - 1), Integer(depth - 1), Integer(depth - 1));
    constexpr PrimKind kKinds[] = {kAdd, kAdd, kSub, kMul, kDiv, kMod, kFloorDiv, kFloorMod, kMin, kMax};
    const PrimKind kind = kKinds[choice - 5];
    const PrimExpr a = Integer(depth - 1);
    const bool divides = kind == kDiv || kind == kMod || kind == kFloorDiv || kind == kFloorMod;
    // Mostly literals on the right: symbolic products and divisors say little.
    const bool literal = divides || kind == kMul ? Below(5) > 0 : false;
    return terms_.Binary(kind, a,
                         literal ? terms_.Int32(Below(divides ? 8 : 13) + (divides ? 1 : -6)) : Integer(depth - 1));
  }

  auto Condition(int depth) -> PrimExpr {
    const int choice = Below(depth == 0 ? 6 : 9);
    if (choice >= 6) {
      const PrimExpr a = Condition(depth - 1);
      if (choice == 8) return terms_.Not(a);
      return terms_.Binary(choice == 6 ? kAnd : kOr, a, Condition(depth - 1));
    }
    constexpr PrimKind kKinds[] = {kEQ, kNE, kLT, kLE, kGT, kGE};
    const int below = depth == 0 ? 0 : depth - 1;
    return terms_.Binary(kKinds[choice], Integer(below), Integer(below));
  }

  // Nothing where a divisor is zero.
  auto Value(PrimExpr e, const std::vector<int64_t>& at) -> std::optional<int64_t> {
    if (const auto literal = terms_.AsInt(e)) return literal;
    for (size_t i = 0; i < vars.size(); ++i) {
      if (vars[i] == e) return at[i];
    }
    const auto operands = terms_.operands(e);
    // As TVM: a value of Select is simplified knowing the condition, so only the chosen one counts.
    if (terms_.kind(e) == kSelect) {
      const auto condition = Value(operands[0], at);
      return condition ? Value(operands[*condition != 0 ? 1 : 2], at) : std::nullopt;
    }
    std::vector<int64_t> values;
    for (const PrimExpr operand : operands) {
      const auto value = Value(operand, at);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    const PrimKind kind = terms_.kind(e);
    if (kind == kNot) return values[0] == 0;
    const int64_t a = values[0];
    const int64_t b = values[1];
    const bool divides = kind == kDiv || kind == kMod || kind == kFloorDiv || kind == kFloorMod;
    if (divides && b == 0) return std::nullopt;
    switch (kind) {
      case kAdd: return a + b;
      case kSub: return a - b;
      case kMul: return a * b;
      case kDiv: return TruncDivInt(a, b);
      case kMod: return TruncModInt(a, b);
      case kFloorDiv: return FloorDivInt(a, b);
      case kFloorMod: return FloorModInt(a, b);
      case kMin: return std::min(a, b);
      case kMax: return std::max(a, b);
      case kEQ: return a == b;
      case kNE: return a != b;
      case kLT: return a < b;
      case kLE: return a <= b;
      case kGT: return a > b;
      case kGE: return a >= b;
      case kAnd: return a != 0 && b != 0;
      case kOr: return a != 0 || b != 0;
      default: break;
    }
    FAIL("a kind that no random term has: " << LegacyText(terms_, e));
    return std::nullopt;
  }

  std::vector<PrimExpr> vars;

 private:
  // Of our own making, so that every library draws the same terms.
  auto Below(int n) -> int {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((state_ >> 33) % static_cast<uint64_t>(n));
  }
  Terms& terms_;
  uint64_t state_ = 20240117;
};

}  // namespace

TEST_CASE("simplified terms have the values of the original") {
  Context context;
  Terms& terms = context.Part<Terms>();
  RandomTerms random(terms);
  int compared = 0;
  int changed = 0;
  for (int round = 0; round < 6000; ++round) {
    Analyzer analyzer(terms);
    analyzer.Bind(random.vars[0], Range{terms.Int32(0), terms.Int32(4)});
    analyzer.Bind(random.vars[1], Range{terms.Int32(0), terms.Int32(5)});
    const uint32_t flags = round % 4 == 3 ? static_cast<uint32_t>(round / 4) % 8 : 0;
    analyzer.set_flags(flags);
    const PrimExpr constraint = round % 3 == 0 ? random.Condition(1) : terms.Bool(true);
    const PrimExpr e = round % 2 == 0 ? random.Integer(4) : random.Condition(3);
    analyzer.EnterConstraint(constraint);
    const PrimExpr simple = analyzer.Simplify(e);
    analyzer.LeaveConstraint();
    changed += simple != e ? 1 : 0;
    for (int64_t x = 0; x < 4; ++x) {
      for (int64_t y = 0; y < 5; ++y) {
        for (const int64_t z : {-17, -4, -1, 0, 1, 2, 5, 23}) {
          const std::vector<int64_t> at = {x, y, z};
          if (random.Value(constraint, at).value_or(0) == 0) continue;
          const auto before = random.Value(e, at);
          if (!before) continue;
          const auto after = random.Value(simple, at);
          ++compared;
          if (before == after) continue;
          FAIL("round " << round << " flags " << flags << ": " << TermText(terms, e) << "  ->  "
                        << TermText(terms, simple) << "  where " << TermText(terms, constraint) << " at x=" << x
                        << " y=" << y << " z=" << z);
        }
      }
    }
  }
  CHECK(compared > 300000);
  CHECK(changed > 4500);
}
