// Which rules are left out where literals are near the ends of their types.
//
// The rules are proved for the integers of mathematics, and terms are taken not to overflow. But what a rule computes
// may overflow where the given term does not. Traced: in int32, with c = -2147483647 and n = 5,
//
//   max(n, c) - n = 0        becomes        max(0, c - n) = max(0, 2147483644) = 2147483644
//
// because `c - n` wraps around. A sum that wraps around is harmless as an operand of another sum, which wraps back, so
// only sums that are operands of other operations count. They are taken to fit if no literal beside them is far from
// zero, as TVM takes all; otherwise the bounds of the sum must prove it.
#include "lib/arith/overflow.h"

#include <algorithm>
#include <vector>

#include "lib/arith/const_bounds.h"
#include "lib/arith/parts.h"
#include "relayopt/arith/fold.h"

namespace relayopt::arith {

namespace {

using enum PrimKind;

// Patterns are smaller; what is further down has not been changed by the rule.
constexpr size_t kMostNodes = 32;

using Nodes = std::vector<PrimExpr>;

// The literals in a term.
struct LiteralReach {
  bool is_near_end = false;
  // The greatest absolute value of a factor.
  uint64_t factor = 0;
};

auto Magnitude(int64_t value) -> uint64_t {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

// Returns what literals the term has. The place that is loaded from has nothing to do with the value. Appends `e` and
// the nodes that are operands of something else than sums to `computed`: these are what a program must not compute
// wrapped around.
auto ReachOf(const Terms& terms, PrimExpr e, Nodes& computed) -> LiteralReach {
  LiteralReach reach;
  computed.push_back(e);
  Nodes nodes = {e};
  for (size_t i = 0; i < nodes.size() && nodes.size() < kMostNodes; ++i) {
    const PrimExpr node = nodes[i];
    if (terms.kind(node) == kBufferLoad) continue;
    for (const PrimExpr operand : terms.operands(node)) {
      if (const auto literal = terms.AsInt(operand)) {
        reach.is_near_end = reach.is_near_end || IsNearEnd(terms.dtype(operand), *literal);
        if (terms.kind(node) == kMul) reach.factor = std::max(reach.factor, Magnitude(*literal));
      } else if (nodes.size() < kMostNodes) {
        nodes.push_back(operand);
        if (!IsSumOrProduct(terms.kind(node))) computed.push_back(operand);
      }
    }
  }
  return reach;
}

}  // namespace

auto IsNearEnd(DataType type, int64_t value) -> bool {
  return IsIndexType(type) && Magnitude(value) >= uint64_t{1} << (type.bits - 2);
}

auto HasLiteralNearEnd(const Terms& terms, PrimExpr e) -> bool {
  Nodes computed;
  const auto literal = terms.AsInt(e);
  return literal ? IsNearEnd(terms.dtype(e), *literal) : ReachOf(terms, e, computed).is_near_end;
}

auto FoldIfFits(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> std::optional<PrimExpr> {
  if (IsSumOrProduct(kind) && IsIndexType(terms.dtype(a)) && !LiteralFits(terms, kind, a, b)) return std::nullopt;
  return TryFold(terms, kind, a, b);
}

auto FoldUnlessOverflow(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> PrimExpr {
  return LiteralFits(terms, kind, a, b) ? Fold(terms, kind, a, b) : terms.Binary(kind, a, b);
}

auto LiteralFits(const Terms& terms, PrimKind op, PrimExpr a, PrimExpr b) -> bool {
  const auto x = terms.AsInt(a), y = terms.AsInt(b);
  if (!x || !y || !IsSumOrProduct(op)) return true;
  int64_t exact = 0;
  const bool overflows = op == kAdd   ? __builtin_add_overflow(*x, *y, &exact)
                         : op == kSub ? __builtin_sub_overflow(*x, *y, &exact)
                                      : __builtin_mul_overflow(*x, *y, &exact);
  return !overflows && FitsType(terms.dtype(a), exact);
}

auto RewriteSimplifier::FitsByBounds(PrimExpr e) -> bool {
  const ConstBound bound = analyzer_.Bound(e);
  const bool is_infinite = bound.min == ConstBound::kNegInf || bound.max == ConstBound::kPosInf;
  return !is_infinite && KeepsValue(bound, terms_.dtype(e), terms_.dtype(e));
}

auto RewriteSimplifier::MayOverflow(PrimExpr e, std::span<const PrimExpr> sums) -> bool {
  if (sums.empty()) return false;
  Nodes given;
  const LiteralReach of_e = ReachOf(terms_, e, given);
  return std::ranges::any_of(sums, [&](PrimExpr sum) {
    const DataType type = terms_.dtype(sum);
    if (!IsIndexType(type) || std::ranges::find(given, sum) != given.end()) return false;
    Nodes nodes;
    const LiteralReach of_sum = ReachOf(terms_, sum, nodes);
    const bool grows = of_sum.factor > of_e.factor && of_sum.factor >= uint64_t{1} << (type.bits / 2 - 1);
    return (of_e.is_near_end || of_sum.is_near_end || grows) && !FitsByBounds(sum);
  });
}

auto RewriteSimplifier::DifferenceMayWrap(PrimExpr a, PrimExpr b) -> bool {
  if (!IsIndexType(terms_.dtype(a)) || terms_.dtype(a).bits != 64 || a == b) return false;
  return HasLiteralNearEnd(terms_, a) || HasLiteralNearEnd(terms_, b);
}

auto RewriteSimplifier::CompareBounds(PrimExpr a, PrimExpr b) -> CompareResult {
  const ConstBound x = analyzer_.Bound(a);
  const ConstBound y = analyzer_.Bound(b);
  if (x.max < y.min) return kIsLT;
  if (x.min > y.max) return kIsGT;
  if (x.max <= y.min) return kIsLE;
  return x.min >= y.max ? kIsGE : kUnknownOrder;
}

}  // namespace relayopt::arith
