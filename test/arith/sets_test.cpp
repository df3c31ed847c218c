#include "catch2/catch.hpp"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/deduce.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/text.h"
#include "relayopt/arith/walk.h"

using namespace relayopt;         // NOLINT
using namespace relayopt::arith;  // NOLINT

namespace {

struct SetsFixture {
  Context context;
  Terms& terms = context.Part<Terms>();
  TermReader reader{terms};
  Analyzer analyzer{terms};
  PrimExpr i = reader.Variable("i");
  PrimExpr j = reader.Variable("j");

  auto Term(std::string_view text) -> PrimExpr { return *reader.Read(text); }
  auto Text(const IntSet& set) -> std::string {
    const auto end = [&](PrimExpr e) {
      if (e == terms.pos_inf()) return std::string("inf");
      if (e == terms.neg_inf()) return std::string("-inf");
      return TermText(terms, analyzer.Simplify(e));
    };
    return "[" + end(set.min) + ", " + end(set.max) + "]";
  }
  auto Between(std::string_view var, int64_t min, int64_t max) -> Analyzer::VarSet {
    return {reader.Variable(var), {terms.Int32(min), terms.Int32(max)}};
  }
};

}  // namespace

TEST_CASE_METHOD(SetsFixture, "constant bounds follow the operations") {
  analyzer.Bind(i, Range{terms.Int32(0), terms.Int32(16)});
  const auto bound = [&](std::string_view text) { return analyzer.Bound(Term(text)); };
  CHECK(bound("i") == ConstBound{0, 15});
  CHECK(bound("i*4 - 3") == ConstBound{-3, 57});
  CHECK(bound("i // -4") == ConstBound{-4, 0});
  CHECK(bound("i % 5") == ConstBound{0, 4});
  CHECK(bound("j % 5") == ConstBound{0, 4});
  CHECK(bound("truncmod(j, 5)") == ConstBound{-4, 4});
  CHECK(bound("min(i, 4) + max(i, 12)") == ConstBound{12, 19});
  CHECK(bound("select(j < 1, i, 20)") == ConstBound{0, 20});
  CHECK(bound("shift_right(i, 2)") == ConstBound{0, 3});
  CHECK(bound("bitwise_and(j, 7)") == ConstBound{0, 7});
  CHECK(bound("shift_left(i, j)") == ConstBound{INT32_MIN, INT32_MAX});
  // Case of the specification: the logarithm of 1025 to 1040 rounds up to 11.
  CHECK(bound("int32(ceil(log2(float64(i + 1024 + 1))))") == ConstBound{11, 11});
}

TEST_CASE_METHOD(SetsFixture, "bounds from conditions end with their scope") {
  {
    const auto scope = analyzer.Assume(Term("8 >= i and i > 2"));
    CHECK(analyzer.Bound(i) == ConstBound{3, 8});
    CHECK(analyzer.CanProve(Term("i*2 < 17")));
  }
  CHECK(analyzer.Bound(i).max == INT32_MAX);
  CHECK_FALSE(analyzer.CanProve(Term("i*2 < 17")));
}

TEST_CASE_METHOD(SetsFixture, "modular sets follow the operations") {
  const auto modular = [&](std::string_view text) { return analyzer.Modular(Term(text)); };
  CHECK(modular("i*4 + 3") == ModularSet{4, 3});
  CHECK(modular("i*4 + j*6 + 1") == ModularSet{2, 1});
  CHECK(modular("(i*4 + 1)*(j*4 + 3)") == ModularSet{4, 3});
  CHECK(modular("(i*8 + 4) // 4") == ModularSet{2, 1});
  CHECK(modular("(i*4 + 1) % 8") == ModularSet{4, 1});
  CHECK(modular("min(i*4, j*4 + 2)") == ModularSet{2, 0});
  const auto scope = analyzer.Assume(Term("i % 4 == 3"));
  CHECK(modular("i + 1") == ModularSet{4, 0});
}

TEST_CASE_METHOD(SetsFixture, "a variable bound again has only its later range") {
  analyzer.Bind(i, Range{terms.Int32(0), terms.Int32(4)});
  CHECK(analyzer.CanProve(Term("i < 4")));
  analyzer.Bind(i, Range{terms.Int32(8), terms.Int32(4)});
  CHECK_FALSE(analyzer.CanProve(Term("i < 4")));
  CHECK(analyzer.CanProve(Term("i >= 8")));
  analyzer.Bind(i, terms.Int32(3));
  CHECK(analyzer.Simplify(Term("i + 1")) == terms.Int32(4));
}

TEST_CASE_METHOD(SetsFixture, "comparisons follow by transitivity where that is asked for") {
  const auto first = analyzer.Assume(Term("i < j"));
  const auto second = analyzer.Assume(Term("j < k - 2"));
  CHECK_FALSE(analyzer.CanProve(Term("i < k")));
  analyzer.set_flags(kTransitivelyProveInequalities);
  CHECK(analyzer.CanProve(Term("i < k")));
  CHECK(analyzer.CanProve(Term("i + 3 < k")));
  CHECK_FALSE(analyzer.CanProve(Term("i + 4 < k")));
}

TEST_CASE_METHOD(SetsFixture, "conditions become conjunctions of disjunctions where that is asked for") {
  analyzer.set_flags(kConvertBooleanToAndOfOrs);
  CHECK(TermText(terms, analyzer.Simplify(Term("(i == 0 and j == 10) or (i == 0 and j == 11)"))) ==
        "i == 0 and (j == 10 or j == 11)");
  analyzer.set_flags(kApplyConstraintsToBooleanBranches);
  CHECK(TermText(terms, analyzer.Simplify(Term("i == 5 and j == i + 3"))) == "i == 5 and j == i + 3");
}

TEST_CASE_METHOD(SetsFixture, "interval sets of terms") {
  const Analyzer::VarSet vars[] = {Between("i", 0, 3), Between("k", 2, 5)};
  const auto set = [&](std::string_view text) { return Text(analyzer.Set(Term(text), vars)); };
  CHECK(set("i*4 + k") == "[2, 17]");
  CHECK(set("j - i") == "[j - 3, j]");
  CHECK(set("(i + 8) % 8") == "[0, 3]");
  CHECK(set("i % 3") == "[0, 2]");
  CHECK(set("truncmod(i - 2, 2)") == "[-1, 1]");
  CHECK(set("i*k") == "[-inf, inf]");
  CHECK(set("min(i, k) + j") == "[j, j + 3]");
  CHECK(set("i < k") == "[False, True]");
}

TEST_CASE_METHOD(SetsFixture, "sets of lists") {
  const IntSet sets[] = {{terms.Int32(0), terms.Int32(3)}, {terms.Int32(4), terms.Int32(9)}, {Term("j"), Term("j")}};
  CHECK(Text(UnionSets(analyzer, std::span(sets).first(2))) == "[0, 9]");
  CHECK(IsEmptySet(terms, IntersectSets(analyzer, std::span(sets).first(2))));
  const Range range = CoverRange(analyzer, sets[1], {});
  CHECK(range == Range{terms.Int32(4), terms.Int32(6)});
}

TEST_CASE_METHOD(SetsFixture, "bounds of one variable are deduced from conditions") {
  const Analyzer::VarSet relax[] = {Between("j", 0, 3)};
  const auto deduce = [&](std::string_view text) {
    const auto set = DeduceBound(terms, i, Term(text), relax, relax);
    return set ? Text(*set) : std::string("none");
  };
  CHECK(deduce("i*4 + j < 20") == "[-inf, 4]");
  CHECK(deduce("i*4 - j >= 7") == "[3, inf]");
  CHECK(deduce("10 - i > j") == "[-inf, 6]");
  CHECK(deduce("i // 8 <= 3") == "[-inf, 31]");
  CHECK(deduce("i // 8 >= 3") == "[24, inf]");
  CHECK(deduce("i*2 == 6") == "[3, 3]");
  CHECK(deduce("i + n < m") == "[-inf, m - n - 1]");
  CHECK(deduce("i*2 == 7") == "none");
  CHECK(deduce("i != 3") == "none");
  CHECK(deduce("i*i < 9") == "none");
  CHECK(deduce("i*n < 9") == "none");
  CHECK(deduce("i*0 < 9") == "none");
}

TEST_CASE_METHOD(SetsFixture, "linear terms are taken apart") {
  const PrimExpr vars[] = {i, j};
  const auto linear = DetectLinearEquation(terms, Term("(i + j*2)*3 - j + n"), vars);
  REQUIRE(linear.has_value());
  CHECK(TermText(terms, analyzer.Simplify((*linear)[0])) == "3");
  CHECK(TermText(terms, analyzer.Simplify((*linear)[1])) == "5");
  CHECK(TermText(terms, analyzer.Simplify((*linear)[2])) == "n");
  CHECK_FALSE(DetectLinearEquation(terms, Term("i*j"), vars).has_value());
  CHECK_FALSE(DetectLinearEquation(terms, Term("min(i, 2)"), vars).has_value());
}

TEST_CASE_METHOD(SetsFixture, "the only variable of an extent is marked non-negative") {
  analyzer.MarkGlobalNonNegative(Term("n*4"));
  CHECK(analyzer.CanProve(Term("n >= 0")));
  analyzer.MarkGlobalNonNegative(Term("m - 2"));
  CHECK(analyzer.CanProve(Term("m >= 2")));
  analyzer.MarkGlobalNonNegative(Term("a*b"));
  CHECK_FALSE(analyzer.CanProve(Term("a >= 0")));
}

TEST_CASE_METHOD(SetsFixture, "the smallest literal neither overflows nor loses its value") {
  const PrimExpr n = reader.Declare("n64", kInt64);
  const PrimExpr smallest = terms.IntImm(kInt64, INT64_MIN);
  CHECK(analyzer.Bound(smallest).min == ConstBound::kNegInf);
  CHECK(analyzer.Bound(Sub(terms, n, smallest)) == ConstBound{});
  CHECK(analyzer.Simplify(Sub(terms, Add(terms, n, smallest), n)) == smallest);
  CHECK(analyzer.Simplify(Sub(terms, Sub(terms, n, smallest), n)) == smallest);
  CHECK(analyzer.Simplify(terms.Binary(PrimKind::kLT, n, smallest)) == terms.Bool(false));
  const PrimExpr ramp = terms.Ramp(smallest, terms.IntImm(kInt64, 3), 4);
  const PrimExpr four = terms.Broadcast(terms.IntImm(kInt64, 4), 4);
  CHECK(terms.lanes(analyzer.Simplify(terms.Binary(PrimKind::kFloorDiv, ramp, four))) == 4);
}

TEST_CASE_METHOD(SetsFixture, "rules for vectors need the same number of lanes, ramps one sign where they truncate") {
  const auto wide = [&](std::string_view text) { return terms.Broadcast(Term(text), 4); };
  const auto ramp = [&](std::string_view base, int64_t stride) {
    return terms.Ramp(Term(base), terms.Int32(stride), 4);
  };
  const auto simple = [&](PrimKind kind, PrimExpr a, PrimExpr b) {
    return TermText(terms, analyzer.RewriteSimplify(terms.Binary(kind, a, b)));
  };
  CHECK(simple(PrimKind::kAdd, ramp("i", 1), wide("j")) == "ramp(i + j, 1, 4)");
  CHECK(simple(PrimKind::kMul, wide("2"), ramp("i", 1)) == "ramp(i*2, 2, 4)");
  CHECK(simple(PrimKind::kFloorDiv, ramp("i", 4), wide("4")) == "ramp(i // 4, 1, 4)");
  CHECK(simple(PrimKind::kFloorDiv, ramp("i*4", 1), wide("4")) == "broadcast(i, 4)");
  CHECK(simple(PrimKind::kFloorMod, ramp("i*4", 1), wide("4")) == "ramp(0, 1, 4)");
  CHECK(simple(PrimKind::kDiv, ramp("i", 4), wide("4")) == "truncdiv(ramp(i, 4, 4), broadcast(4, 4))");
  const auto scope = analyzer.Assume(Term("i >= 0"));
  CHECK(simple(PrimKind::kDiv, ramp("i", 4), wide("4")) == "ramp(truncdiv(i, 4), 1, 4)");
}
