// What the analyses say of random terms, against the values that the terms have.
#include <functional>
#include <optional>
#include <random>

#include "absl/container/flat_hash_map.h"
#include "catch2/catch.hpp"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/deduce.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/iter_map.h"
#include "relayopt/arith/solve.h"
#include "relayopt/arith/text.h"
#include "relayopt/arith/walk.h"

using namespace relayopt;         // NOLINT
using namespace relayopt::arith;  // NOLINT

namespace {

using Point = absl::flat_hash_map<PrimExpr, int64_t>;

// What becomes of sums and products that leave int32.
enum class Overflow { kNever, kNoValue, kWrapsAround };

// The value of a term at a point; nothing where it divides by zero or, if asked for, leaves int32. Arms that are not
// chosen are not evaluated.
auto ValueAt(const Terms& terms, PrimExpr e, const Point& point, Overflow overflow = Overflow::kNever)
    -> std::optional<int64_t> {
  using enum PrimKind;
  if (e == terms.pos_inf()) return INT64_MAX;
  if (e == terms.neg_inf()) return -INT64_MAX;
  const PrimKind kind = terms.kind(e);
  if (terms.is_var(e)) return point.at(e);
  if (const auto literal = terms.AsInt(e)) return *literal;
  const auto operands = terms.operands(e);
  const auto at = [&](size_t i) { return ValueAt(terms, operands[i], point, overflow); };
  const auto whole = [&](int64_t value) -> std::optional<int64_t> {
    if (overflow == Overflow::kWrapsAround) return static_cast<int32_t>(value);
    if (overflow == Overflow::kNoValue && value != static_cast<int32_t>(value)) return std::nullopt;
    return value;
  };
  const auto a = at(0);
  if (!a) return std::nullopt;
  if (kind == kNot) return *a == 0;
  if (kind == kCast) return *a;
  if (kind == kSelect || terms.IsCall(e, terms.ops().if_then_else)) return *a != 0 ? at(1) : at(2);
  if (kind == kAnd && *a == 0) return 0;
  if (kind == kOr && *a != 0) return 1;
  const auto b = at(1);
  if (!b) return std::nullopt;
  const auto floor_div = [](int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0); };
  if (terms.IsCall(e, terms.ops().shift_right)) return *a >> *b;
  if (terms.IsCall(e, terms.ops().shift_left)) return *a << *b;
  if (terms.IsCall(e, terms.ops().bitwise_and)) return *a & *b;
  const bool divides = kind == kDiv || kind == kMod || kind == kFloorDiv || kind == kFloorMod;
  if (divides && *b == 0) return std::nullopt;
  switch (kind) {
    case kAdd: return whole(*a + *b);
    case kSub: return whole(*a - *b);
    case kMul: return whole(*a * *b);
    case kDiv: return *a / *b;
    case kMod: return *a % *b;
    case kFloorDiv: return floor_div(*a, *b);
    case kFloorMod: return *a - floor_div(*a, *b) * *b;
    case kMin: return std::min(*a, *b);
    case kMax: return std::max(*a, *b);
    case kEQ: return *a == *b;
    case kNE: return *a != *b;
    case kLT: return *a < *b;
    case kLE: return *a <= *b;
    case kGT: return *a > *b;
    case kGE: return *a >= *b;
    case kAnd:
    case kOr: return *b;
    default: FAIL("a term of another kind: " << TermText(terms, e)); return std::nullopt;
  }
}

// Random terms over i, j and k, which lie in random small ranges.
struct RandomFixture {
  Context context;
  Terms& terms = context.Part<Terms>();
  TermReader reader{terms};
  std::mt19937 random{17};
  std::vector<PrimExpr> vars = {reader.Variable("i"), reader.Variable("j"), reader.Variable("k")};
  std::vector<IterRange> ranges;
  bool large_literals = false;

  auto Below(int n) -> int { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  auto Literal() -> PrimExpr {
    static constexpr int kValues[] = {0, 1, 2, 3, 4, 5, 6, 8, 12, 16, -1, -2, -3, -4, -8};
    static constexpr int kLarge[] = {INT32_MAX, 65536, 65535, 46341, -65536, INT32_MIN + 1, 1000000007, INT32_MAX - 3};
    if (large_literals && Below(3) == 0) return terms.Int32(kLarge[Below(std::size(kLarge))]);
    return terms.Int32(kValues[Below(std::size(kValues))]);
  }
  auto Divisor() -> PrimExpr {
    static constexpr int kValues[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 2, 4, 8, -1, -2, -3, -4};
    if (large_literals && Below(3) == 0) return terms.Int32(Below(2) != 0 ? 65536 : INT32_MAX);
    return terms.Int32(kValues[Below(std::size(kValues))]);
  }
  void PickRanges(bool from_zero = false) {
    ranges.clear();
    for (const PrimExpr var : vars) {
      static constexpr int kStarts[] = {0, 0, 0, -3, -8, 1, 5};
      const int start = from_zero ? 0 : kStarts[Below(std::size(kStarts))];
      ranges.push_back({var, {terms.Int32(start), terms.Int32(1 + Below(8))}});
    }
  }
  void ForEachPoint(const std::function<void(const Point&)>& visit) {
    Point point;
    const std::function<void(size_t)> go = [&](size_t at) {
      if (at == ranges.size()) return visit(point);
      const int64_t start = *terms.AsInt(ranges[at].range.min);
      for (int64_t i = 0; i < *terms.AsInt(ranges[at].range.extent); ++i) {
        point[ranges[at].var] = start + i;
        go(at + 1);
      }
    };
    go(0);
  }
  auto VarSets() -> std::vector<Analyzer::VarSet> {
    std::vector<Analyzer::VarSet> sets;
    for (const IterRange& range : ranges) sets.push_back({range.var, SetFromRange(terms, range.range)});
    return sets;
  }

  auto Integer(int depth) -> PrimExpr {
    using enum PrimKind;
    if (depth == 0) return Below(4) == 0 ? Literal() : vars[static_cast<size_t>(Below(3))];
    const auto part = [&] { return Integer(depth - 1 - Below(2) < 0 ? 0 : depth - 1); };
    switch (Below(13)) {
      case 0:
      case 1:
      case 2: return terms.Binary(kAdd, part(), part());
      case 3: return terms.Binary(kSub, part(), part());
      case 4:
      case 5: return terms.Binary(kMul, part(), Literal());
      case 6: return terms.Binary(Below(2) != 0 ? kFloorDiv : kDiv, part(), Divisor());
      case 7:
      case 8: return terms.Binary(kFloorDiv, part(), Divisor());
      case 9: return terms.Binary(Below(3) != 0 ? kFloorMod : kMod, part(), Divisor());
      case 10: return terms.Binary(Below(2) != 0 ? kMin : kMax, part(), part());
      case 11: return terms.Select(Condition(depth - 1), part(), part());
      default:
        switch (Below(4)) {
          case 0: return terms.Binary(kMul, part(), part());
          case 1: return terms.Call(kInt32, terms.ops().bitwise_and, {part(), Literal()});
          case 2: return terms.Call(kInt32, terms.ops().shift_right, {part(), terms.Int32(Below(4))});
          default: return terms.Binary(kFloorMod, part(), part());
        }
    }
  }
  auto Condition(int depth) -> PrimExpr {
    using enum PrimKind;
    static constexpr PrimKind kComparisons[] = {kEQ, kNE, kLT, kLE, kGT, kGE};
    if (depth <= 0 || Below(3) != 0)
      return terms.Binary(kComparisons[Below(6)], Integer(std::max(depth, 0)), Integer(Below(2)));
    if (Below(4) == 0) return terms.Not(Condition(depth - 1));
    return terms.Binary(Below(2) != 0 ? kAnd : kOr, Condition(depth - 1), Condition(depth - 1));
  }
  auto Text(PrimExpr e) -> std::string { return TermText(terms, e); }
  auto RangeText() -> std::string {
    std::string text;
    for (const IterRange& range : ranges)
      text += Text(range.var) + " in [" + Text(range.range.min) + ", +" + Text(range.range.extent) + ") ";
    return text;
  }
};

constexpr int kRounds = 300;

}  // namespace

TEST_CASE_METHOD(RandomFixture, "bounds, remainders and sets of random terms contain their values", "[random]") {
  for (int round = 0; round < kRounds; ++round) {
    PickRanges();
    Analyzer analyzer(terms);
    for (const IterRange& range : ranges) analyzer.Bind(range.var, range.range);
    const PrimExpr condition = Below(3) == 0 ? Condition(1) : terms.Bool(true);
    const PrimExpr e = Integer(1 + Below(3));
    INFO(Text(e) << " where " << RangeText() << "and " << Text(condition));
    const auto scope = analyzer.Assume(condition);
    const ConstBound bound = analyzer.Bound(e);
    const ModularSet modular = analyzer.Modular(e);
    const IntSet known = analyzer.Set(e);
    const IntSet all = EvalSet(terms, e, VarSets());
    bool fine = true;
    ForEachPoint([&](const Point& point) {
      const auto holds = ValueAt(terms, condition, point);
      const auto value = ValueAt(terms, e, point);
      if (!fine || !holds || *holds == 0 || !value) return;
      fine = *value >= bound.min && *value <= bound.max;
      if (!fine) UNSCOPED_INFO("bound " << bound.min << ".." << bound.max << " misses " << *value);
      const bool fits =
          modular.coefficient == 0 ? *value == modular.base : (*value - modular.base) % modular.coefficient == 0;
      if (!fits) UNSCOPED_INFO("modular set " << modular.coefficient << "t+" << modular.base << " misses " << *value);
      fine = fine && fits;
      for (const IntSet& set : {known, all}) {
        const auto min = ValueAt(terms, set.min, point);
        const auto max = ValueAt(terms, set.max, point);
        const bool is_inside = (!min || *min <= *value) && (!max || *value <= *max);
        if (!is_inside)
          UNSCOPED_INFO((&set == &known ? "known" : "all") << Text(analyzer.Simplify(set.min)) << " .. "
                                                           << Text(analyzer.Simplify(set.max)) << " misses " << *value);
        fine = fine && is_inside;
      }
    });
    CHECK(fine);
  }
}

TEST_CASE_METHOD(RandomFixture, "random terms keep their values when simplified, with all options", "[random]") {
  for (int round = 0; round < kRounds; ++round) {
    PickRanges();
    Analyzer analyzer(terms);
    const uint32_t flags = static_cast<uint32_t>(Below(8));
    analyzer.set_flags(flags);
    for (const IterRange& range : ranges) analyzer.Bind(range.var, range.range);
    const PrimExpr condition = Below(2) == 0 ? Condition(1) : terms.Bool(true);
    const PrimExpr e = Below(2) == 0 ? Integer(1 + Below(3)) : Condition(1 + Below(2));
    INFO(Text(e) << " where " << RangeText() << "and " << Text(condition) << " flags " << flags);
    const auto scope = analyzer.Assume(condition);
    const PrimExpr made = analyzer.Simplify(e, 2 + Below(3));
    INFO("becomes " << Text(made));
    bool fine = true;
    ForEachPoint([&](const Point& point) {
      const auto holds = ValueAt(terms, condition, point);
      const auto value = ValueAt(terms, e, point);
      if (fine && holds && *holds != 0 && value) fine = ValueAt(terms, made, point) == value;
    });
    CHECK(fine);
  }
}

TEST_CASE_METHOD(RandomFixture, "random terms with large literals keep the values that they have without overflow",
                 "[random]") {
  large_literals = true;
  for (int round = 0; round < 5 * kRounds; ++round) {
    PickRanges();
    Analyzer analyzer(terms);
    // What is not known to the analyzer still has small values only.
    for (const IterRange& range : ranges) {
      if (Below(2) != 0) analyzer.Bind(range.var, range.range);
    }
    const PrimExpr e = Below(2) == 0 ? Integer(1 + Below(3)) : Condition(1 + Below(2));
    const PrimExpr made = analyzer.Simplify(e);
    INFO(Text(e) << " where " << RangeText() << "becomes " << Text(made));
    bool fine = true;
    ForEachPoint([&](const Point& point) {
      const auto value = ValueAt(terms, e, point, Overflow::kNoValue);
      if (!fine || !value) return;
      fine = ValueAt(terms, made, point, Overflow::kWrapsAround) == value;
      if (!fine) UNSCOPED_INFO("not " << *value);
    });
    CHECK(fine);
  }
}

TEST_CASE_METHOD(RandomFixture, "random conditions hold in the intervals that are deduced from them", "[random]") {
  int found = 0;
  for (int round = 0; round < kRounds; ++round) {
    PickRanges();
    const PrimExpr var = vars[0];
    const PrimExpr condition = Condition(0);
    const std::vector<Analyzer::VarSet> all = VarSets();
    const std::span<const Analyzer::VarSet> relax = std::span(all).subspan(1, static_cast<size_t>(Below(3)));
    const auto set = DeduceBound(terms, var, condition, all, relax);
    if (!set) continue;
    INFO(Text(condition) << " where " << RangeText() << " relaxes " << relax.size() << " gives " << Text(set->min)
                         << " .. " << Text(set->max));
    bool fine = true;
    ForEachPoint([&](const Point& point) {
      for (int64_t value = -40; value < 40 && fine; ++value) {
        Point moved = point;
        moved[var] = value;
        const auto min = ValueAt(terms, set->min, moved);
        const auto max = ValueAt(terms, set->max, moved);
        if (!min || !max || value < *min || value > *max) continue;
        ++found;
        const auto holds = ValueAt(terms, condition, moved);
        fine = !holds || *holds != 0;
        if (!fine) UNSCOPED_INFO("but not for " << value);
      }
    });
    CHECK(fine);
  }
  CHECK(found > 100);
}

TEST_CASE_METHOD(RandomFixture, "random linear terms are the sums of their parts", "[random]") {
  int found = 0;
  for (int round = 0; round < kRounds; ++round) {
    PickRanges();
    const PrimExpr e = Integer(1 + Below(3));
    const auto parts = DetectLinearEquation(terms, e, std::span(vars).first(2));
    if (!parts) continue;
    ++found;
    INFO(Text(e) << " where " << RangeText());
    bool fine = true;
    ForEachPoint([&](const Point& point) {
      const auto value = ValueAt(terms, e, point);
      const auto a = ValueAt(terms, (*parts)[0], point), b = ValueAt(terms, (*parts)[1], point);
      const auto base = ValueAt(terms, (*parts)[2], point);
      if (value && a && b && base) fine = fine && *value == *a * point.at(vars[0]) + *b * point.at(vars[1]) + *base;
    });
    CHECK(fine);
  }
  CHECK(found > 30);
}

TEST_CASE_METHOD(RandomFixture, "ranges solved from random inequalities contain all solutions", "[random]") {
  int found = 0;
  for (int round = 0; round < kRounds; ++round) {
    PickRanges();
    std::vector<PrimExpr> relations;
    for (int i = Below(4); i >= 0; --i) {
      using enum PrimKind;
      static constexpr PrimKind kComparisons[] = {kEQ, kLT, kLE, kGT, kGE, kLT, kLE};
      relations.push_back(terms.Binary(kComparisons[Below(7)], Integer(Below(2)), Integer(Below(2))));
    }
    const size_t count = 1 + static_cast<size_t>(Below(3));
    const auto solved = SolveInequalitiesToRange(terms, std::span(vars).first(count), ranges, relations);
    if (!solved) continue;
    std::string text;
    for (const PrimExpr relation : relations) text += Text(relation) + "; ";
    INFO(text << " where " << RangeText());
    bool fine = true;
    ForEachPoint([&](const Point& point) {
      bool holds = true;
      for (const PrimExpr relation : relations) {
        const auto value = ValueAt(terms, relation, point);
        if (!value) return;
        holds = holds && *value != 0;
      }
      bool is_inside = true;
      for (size_t i = 0; i < solved->size(); ++i) {
        const auto& range = (*solved)[i];
        if (!range) continue;
        const auto min = ValueAt(terms, range->min, point), extent = ValueAt(terms, range->extent, point);
        const int64_t value = point.at(vars[i]);
        is_inside = is_inside && min && extent && value >= *min && value < *min + *extent;
      }
      found += holds ? 1 : 0;
      // Ranges that express all that the relations say are exact.
      if (fine && holds != is_inside) {
        fine = false;
        std::string at;
        for (const PrimExpr var : vars) at += std::to_string(point.at(var)) + " ";
        for (const auto& range : *solved)
          at += range ? "[" + Text(range->min) + ", +" + Text(range->extent) + ") " : "- ";
        UNSCOPED_INFO("differs at " << at << " where it " << (holds ? "holds" : "does not hold"));
      }
    });
    CHECK(fine);
  }
  CHECK(found > 100);
}

TEST_CASE_METHOD(RandomFixture, "random indices keep their values as iteration maps, and regions cover them",
                 "[random]") {
  int changed = 0;
  for (int round = 0; round < kRounds; ++round) {
    PickRanges(Below(3) != 0);
    Analyzer analyzer(terms);
    for (const IterRange& range : ranges) analyzer.Bind(range.var, range.range);
    const PrimExpr predicate = Below(3) == 0 ? Condition(0) : terms.Bool(true);
    std::vector<PrimExpr> indices;
    for (int i = Below(2); i >= 0; --i) {
      // Mixed radix sums, their quotients and remainders, or anything.
      PrimExpr e = Integer(2);
      if (Below(3) != 0) {
        e = vars[static_cast<size_t>(Below(3))];
        for (int j = Below(3); j >= 0; --j)
          e = Add(terms, Mul(terms, e, terms.Int32(1 + Below(8))), vars[static_cast<size_t>(Below(3))]);
        if (Below(2) == 0) e = FloorDiv(terms, e, terms.Int32(1 + Below(8)));
        if (Below(2) == 0) e = FloorMod(terms, e, terms.Int32(1 + Below(8)));
      }
      indices.push_back(e);
    }
    const auto made = IterMapSimplify(analyzer, indices, ranges, predicate);
    std::vector<Range> region;
    for (const PrimExpr index : indices) region.push_back({index, terms.Int32(1 + Below(3))});
    const auto sets = EstimateRegionUpperBound(analyzer, region, ranges, predicate);
    std::string text;
    for (size_t i = 0; i < indices.size(); ++i)
      text += Text(indices[i]) + " becomes " + Text(made[i]) + ", +" + Text(region[i].extent) + " covered by " +
              Text(sets[i].min) + " .. " + Text(sets[i].max) + "; ";
    INFO(text << " where " << RangeText() << " and " << Text(predicate));
    bool fine = true;
    ForEachPoint([&](const Point& point) {
      const auto holds = ValueAt(terms, predicate, point);
      if (!fine || !holds || *holds == 0) return;
      for (size_t i = 0; i < indices.size(); ++i) {
        const auto value = ValueAt(terms, indices[i], point);
        if (!value) continue;
        const auto same = ValueAt(terms, made[i], point);
        const auto min = ValueAt(terms, sets[i].min, point), max = ValueAt(terms, sets[i].max, point);
        // An end without a value divides by zero in an arm that is not chosen here.
        const bool is_covered = !min || !max || (*min <= *value && *max >= *value + *terms.AsInt(region[i].extent) - 1);
        if (same != value || !is_covered) fine = false;
        if (same != value) UNSCOPED_INFO("value " << *value << " differs");
        if (!is_covered) UNSCOPED_INFO("value " << *value << " is not covered");
        changed += made[i] != indices[i] ? 1 : 0;
      }
    });
    CHECK(fine);
  }
  CHECK(changed > 100);
}
