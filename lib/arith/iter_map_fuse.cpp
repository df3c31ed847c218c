// Iteration maps: sums of pieces fused into one iterator, and conditions on such sums.
//
// A sum is walked from the piece of smallest scale: each next piece must have the scale at which the ones before it are
// used up.
//
//   i in [0, 4), j in [0, 8):   i*16 + j*2   begins with j*2, then 8*2 = 16 is expected: i*16. The new mark is i*8 + j
//                                            of 32 values, the sum is that mark times 2
//
// A condition such as `j*2 + k < 9` says how many values the
// sum j*2 + k has; in a larger sum it is taken as a whole.
#include <algorithm>

#include "lib/arith/iter_map.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"

namespace relayopt::arith {

namespace {

using enum PrimKind;

auto Factors(const Terms& terms, PrimExpr e) -> std::vector<PrimExpr> {
  std::vector<PrimExpr> factors;
  std::vector<PrimExpr> stack = {e};
  while (!stack.empty()) {
    const PrimExpr top = stack.back();
    stack.pop_back();
    if (terms.kind(top) == kMul) {
      stack.push_back(terms.operand(top, 1));
      stack.push_back(terms.operand(top, 0));
    } else {
      factors.push_back(top);
    }
  }
  return factors;
}

auto SamePiece(const IterPiece& a, const IterPiece& b, bool with_scale) -> bool {
  return a.iterator == b.iterator && a.lower == b.lower && a.extent == b.extent && (!with_scale || a.scale == b.scale);
}

}  // namespace

auto MulAndNormalize(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr {
  int64_t scale = 1;
  PrimExpr result = MakeConst(terms, terms.dtype(a), 1);
  for (const PrimExpr side : {a, b}) {
    for (const PrimExpr factor : Factors(terms, side)) {
      if (const auto literal = terms.AsInt(factor)) {
        scale = static_cast<int64_t>(static_cast<uint64_t>(scale) * static_cast<uint64_t>(*literal));
      } else {
        result = Mul(terms, result, factor);
      }
    }
  }
  return scale == 1 ? result : Mul(terms, result, MakeConst(terms, terms.dtype(result), scale));
}

auto IterMapRewriter::Normalize(IterSum sum) -> IterSum {
  if (failed_ || sum.pieces.empty()) return sum;
  std::optional<IterSum> fused = TryFuse(sum, true);
  if (fused) return *std::move(fused);
  failed_ = true;
  return sum;
}

// Returns the piece of smallest literal scale, of one value where there is a choice; without literals the one of fewest
// factors. From the right.
auto IterMapRewriter::FindBase(const IterSum& sum, const std::vector<bool>& skip, std::optional<MarkId> source,
                               size_t end) const -> std::optional<size_t> {
  std::optional<size_t> base;
  int64_t smallest = 0;
  const auto skipped = [&](size_t i) { return skip[i] || (source && sum.pieces[i].iterator != *source); };
  for (size_t i = end; i-- > 0;) {
    if (skipped(i)) continue;
    const auto scale = terms_.AsInt(sum.pieces[i].scale);
    if (!scale) continue;
    const bool unit = terms_.IsInt(sum.pieces[i].extent, 1);
    if (!base || *scale < smallest || (*scale == smallest && unit && !terms_.IsInt(sum.pieces[*base].extent, 1))) {
      smallest = *scale;
      base = i;
    }
  }
  if (base) return base;
  size_t fewest = 0;
  for (size_t i = end; i-- > 0;) {
    if (skipped(i)) continue;
    const size_t factors = Factors(terms_, sum.pieces[i].scale).size();
    if (!base || factors < fewest) {
      fewest = factors;
      base = i;
    }
  }
  return base;
}

// Returns the piece of this scale; pieces of one value first, since they do not change the scale.
auto IterMapRewriter::FindExact(const IterSum& sum, const std::vector<bool>& skip, PrimExpr scale,
                                std::optional<MarkId> source, size_t end, size_t first_unit) -> std::optional<size_t> {
  std::optional<size_t> match;
  for (size_t i = end; i-- > 0;) {
    const IterPiece& piece = sum.pieces[i];
    if (skip[i] || (source && piece.iterator != *source)) continue;
    if (!analyzer_.CanProveEqual(piece.scale, scale)) continue;
    if (terms_.IsInt(piece.extent, 1)) return i;
    if (!match) match = i;
    if (i <= first_unit) return match;
  }
  return match;
}

auto IterMapRewriter::FindClosest(const IterSum& sum, const std::vector<bool>& skip, PrimExpr scale)
    -> std::optional<size_t> {
  std::optional<size_t> match;
  for (size_t i = sum.pieces.size(); i-- > 0;) {
    const PrimExpr candidate = sum.pieces[i].scale;
    if (skip[i] || !analyzer_.CanProveGreaterEqual(Sub(terms_, scale, candidate), 0) ||
        !analyzer_.CanProveGreaterEqual(candidate, 0)) {
      continue;
    }
    if (!match || analyzer_.CanProveLess(Sub(terms_, sum.pieces[*match].scale, candidate), 0)) match = i;
  }
  return match;
}

// ((x // (c*s)) % m) * (s*t) + ((x // c) % s) * t   ->   ((x // c) % (m*s)) * t
auto IterMapRewriter::TryCombine(const IterSum& sum) -> std::optional<IterSum> {
  absl::flat_hash_map<MarkId, int> hits;
  for (const IterPiece& piece : sum.pieces) ++hits[piece.iterator];
  if (hits.size() == sum.pieces.size()) return std::nullopt;
  const auto units = std::ranges::find_if(sum.pieces, [&](const IterPiece& p) { return terms_.IsInt(p.extent, 1); });
  const auto first_unit = static_cast<size_t>(units - sum.pieces.begin());
  std::vector<bool> visited(sum.pieces.size(), false);
  IterSum made;
  made.base = sum.base;
  for (size_t end = sum.pieces.size(); end > 0;) {
    const IterPiece& last = sum.pieces[end - 1];
    if (visited[end - 1]) {
      --end;
      continue;
    }
    if (hits[last.iterator] == 1) {
      made.pieces.push_back(last);
      visited[--end] = true;
      continue;
    }
    const size_t base = *FindBase(sum, visited, last.iterator, end);
    visited[base] = true;
    IterPiece piece = sum.pieces[base];
    for (;;) {
      const PrimExpr scale = MulAndNormalize(terms_, piece.extent, piece.scale);
      const auto next = FindExact(sum, visited, scale, piece.iterator, end, first_unit);
      if (!next) break;
      const IterPiece& outer = sum.pieces[*next];
      if (!analyzer_.CanProveEqual(outer.lower, MulAndNormalize(terms_, piece.lower, piece.extent))) break;
      visited[*next] = true;
      piece.extent = MulAndNormalize(terms_, outer.extent, piece.extent);
    }
    made.pieces.push_back(piece);
  }
  std::ranges::reverse(made.pieces);
  return made;
}

auto IterMapRewriter::ConstraintFrom(const IterPiece& piece) const -> const IterSum* {
  const IterSum* longest = nullptr;
  for (const IterSum& constraint : constrained_) {
    if (SamePiece(piece, constraint.pieces.back(), false) &&
        (longest == nullptr || longest->pieces.size() < constraint.pieces.size())) {
      longest = &constraint;
    }
  }
  return longest;
}

// Takes the pieces of the constraint out of the sum.
auto IterMapRewriter::TakeConstrained(const IterSum& sum, const IterSum& constraint, PrimExpr scale,
                                      std::vector<bool>& visited, std::vector<IterPiece>& flattened) -> bool {
  for (size_t i = constraint.pieces.size(); i-- > 0;) {
    const IterPiece& wanted = constraint.pieces[i];
    size_t k = 0;
    for (; k < sum.pieces.size(); ++k) {
      if (!visited[k] && SamePiece(sum.pieces[k], wanted, false) &&
          analyzer_.CanProveEqual(Mul(terms_, wanted.scale, scale), sum.pieces[k].scale)) {
        break;
      }
    }
    if (k == sum.pieces.size()) return false;
    visited[k] = true;
    flattened.push_back(sum.pieces[k]);
  }
  return true;
}

auto IterMapRewriter::TryFuse(IterSum sum, bool allow_early_skip) -> std::optional<IterSum> {
  if (std::optional<IterSum> combined = TryCombine(sum)) {
    sum = *std::move(combined);
    if (sum.pieces.size() <= 1 && allow_early_skip) return sum;
  }
  const size_t size = sum.pieces.size();
  std::vector<bool> visited(size, false);
  const auto base = FindBase(sum, visited, std::nullopt, size);
  if (!base) return std::nullopt;
  const PrimExpr base_scale = sum.pieces[*base].scale;
  const auto units = std::ranges::find_if(sum.pieces, [&](const IterPiece& p) { return terms_.IsInt(p.extent, 1); });
  const auto first_unit = static_cast<size_t>(units - sum.pieces.begin());

  // From the innermost outwards.
  std::vector<IterPiece> flattened, grouped;
  PrimExpr extra_base = Zero(sum.base);
  PrimExpr tail = Zero(sum.base);
  PrimExpr expected = base_scale;
  for (size_t taken = 0; taken < size;) {
    PrimExpr scale = expected;
    std::optional<size_t> next = base;
    if (taken != 0) next = FindExact(sum, visited, expected, std::nullopt, size, first_unit);
    const bool exact = next.has_value();
    if (!exact && level_ != IterMapLevel::kBijective && terms_.IsInt(base_scale, 1)) {
      next = FindClosest(sum, visited, expected);
      if (next) scale = sum.pieces[*next].scale;
    }
    if (!next) return std::nullopt;
    IterPiece piece = sum.pieces[*next];
    PrimExpr extent = piece.extent;
    if (const IterSum* constraint = ConstraintFrom(piece)) {
      if (!TakeConstrained(sum, *constraint, scale, visited, flattened)) return std::nullopt;
      const FusedSum& fused = fused_.at(KeyOf(*constraint));
      grouped.push_back(PieceOf(fused.mark, FloorDiv(terms_, scale, base_scale)));
      extra_base = Add(terms_, extra_base, Mul(terms_, fused.offset, scale));
      extent = marks_[fused.mark].extent;
      taken += constraint->pieces.size();
    } else {
      visited[*next] = true;
      piece.scale = analyzer_.Simplify(FloorDiv(terms_, piece.scale, base_scale));
      flattened.push_back(piece);
      grouped.push_back(piece);
      ++taken;
    }
    if (!exact) tail = Add(terms_, tail, Sub(terms_, expected, scale));
    expected = MulAndNormalize(terms_, extent, scale);
  }
  const IterSum flat = {{flattened.rbegin(), flattened.rend()}, Zero(sum.base)};
  const IterSum structured = {{grouped.rbegin(), grouped.rend()}, Zero(sum.base)};
  const PrimExpr made_base = Add(terms_, sum.base, extra_base);
  if (const auto found = fused_.find(KeyOf(flat)); found != fused_.end()) {
    const FusedSum& fused = found->second;
    if (!analyzer_.CanProveEqual(extra_base, Mul(terms_, fused.offset, base_scale))) return std::nullopt;
    return IterSum{{PieceOf(fused.mark, base_scale)}, made_base};
  }
  const MarkId mark = MarkOf(structured, Add(terms_, TruncDiv(terms_, expected, base_scale), tail));
  fused_[KeyOf(flat)] = {mark, extra_base};
  flattened_[KeyOf(structured)] = flat;
  return IterSum{{PieceOf(mark, base_scale)}, made_base};
}

void IterMapRewriter::AddConstraint(const IterConstraint& constraint) {
  needs_unknown_padding_ = false;
  IterSum sum = ToSum(Evaluate(constraint.iter));
  if (failed_) {
    // Without the condition more values are possible. What holds for all of them holds for these, too.
    if (needs_unknown_padding_) failed_ = false;
    return;
  }
  PrimExpr lower = constraint.lower;
  PrimExpr upper = constraint.upper;
  if (!terms_.IsInt(sum.base, 0)) {
    if (lower) lower = Sub(terms_, lower, sum.base);
    if (upper) upper = Sub(terms_, upper, sum.base);
    sum.base = Zero(sum.base);
  }
  const std::optional<IterSum> fused = TryFuse(std::move(sum), false);
  if (!fused || !terms_.IsInt(fused->pieces[0].scale, 1)) {
    failed_ = true;
    return;
  }
  IterSum structured = marks_[fused->pieces[0].iterator].sum;
  const IterSum flat = flattened_.at(KeyOf(structured));
  FusedSum& known = fused_.at(KeyOf(flat));
  PrimExpr min = known.offset;
  PrimExpr max = Add(terms_, min, marks_[known.mark].extent);
  if (lower) {
    const PrimExpr raised = Max(terms_, lower, min);
    const PrimExpr delta = Sub(terms_, raised, min);
    min = raised;
    // The mark counts from zero.
    if (!terms_.IsInt(delta, 0)) {
      flattened_.erase(KeyOf(structured));
      structured.base = Sub(terms_, structured.base, delta);
      flattened_[KeyOf(structured)] = flat;
    }
  }
  if (upper) max = analyzer_.CanProve(Le(terms_, upper, max)) ? upper : Min(terms_, upper, max);
  known = {MarkOf(structured, Sub(terms_, max, min)), min};
  constrained_.push_back(flat);
}

auto IterMapRewriter::ConstraintsAreCompatible() const -> bool {
  // Smaller ones come first: each is a part of a later one or apart from it.
  for (size_t i = 0; i < constrained_.size(); ++i) {
    for (size_t j = i + 1; j < constrained_.size(); ++j) {
      size_t common = 0;
      for (const IterPiece& piece : constrained_[i].pieces) {
        common += std::ranges::any_of(constrained_[j].pieces,
                                      [&](const IterPiece& other) { return SamePiece(piece, other, true); })
                      ? 1
                      : 0;
      }
      if (common != 0 && common != constrained_[i].pieces.size()) return false;
    }
  }
  return true;
}

namespace {

struct Comparison {
  PrimKind kind;
  PrimExpr a;
  PrimExpr b;
  // The rest of the conjunction; invalid if there is none.
  PrimExpr rest;
};

// One comparison of a conjunction. As TVM: in this order.
auto TakeComparison(const Terms& terms, PrimExpr predicate) -> std::optional<Comparison> {
  const auto of = [&](PrimExpr e, PrimKind kind, PrimExpr rest) {
    return terms.kind(e) == kind ? std::optional(Comparison{kind, terms.operand(e, 0), terms.operand(e, 1), rest})
                                 : std::nullopt;
  };
  for (const PrimKind kind : {kLT, kLE, kGT, kGE}) {
    if (terms.kind(predicate) == kAnd) {
      const PrimExpr a = terms.operand(predicate, 0);
      const PrimExpr b = terms.operand(predicate, 1);
      if (auto found = of(b, kind, a)) return found;
      if (auto found = of(a, kind, b)) return found;
    }
    if (auto found = of(predicate, kind, {})) return found;
  }
  return std::nullopt;
}

// The comparison as iterators on the left and the rest on the right.
void Separate(Terms& terms, const std::function<bool(PrimExpr)>& is_iter, PrimExpr& a, PrimExpr& b) {
  struct Part {
    PrimExpr e;
    bool plus;
  };
  std::vector<Part> stack = {{Sub(terms, a, b), true}};
  a = terms.Int32(0);
  b = terms.Int32(0);
  while (!stack.empty()) {
    const auto [e, plus] = stack.back();
    stack.pop_back();
    if (terms.kind(e) == kAdd || terms.kind(e) == kSub) {
      stack.push_back({terms.operand(e, 1), plus == (terms.kind(e) == kAdd)});
      stack.push_back({terms.operand(e, 0), plus});
    } else if (UsesVar(terms, e, is_iter)) {
      a = plus ? Add(terms, a, e) : Sub(terms, a, e);
    } else {
      b = plus ? Sub(terms, b, e) : Add(terms, b, e);
    }
  }
  Analyzer analyzer(terms);
  a = analyzer.Simplify(a);
  b = analyzer.Simplify(b);
}

}  // namespace

auto MatchBoundConstraints(Terms& terms, PrimExpr predicate, std::vector<IterRange>& iters,
                           std::vector<IterConstraint>& constraints) -> bool {
  absl::flat_hash_map<PrimExpr, size_t> positions;
  for (size_t i = 0; i < iters.size(); ++i) positions[iters[i].var] = i;
  const std::function<bool(PrimExpr)> is_iter = [&](PrimExpr var) { return positions.contains(var); };
  while (predicate) {
    const auto taken = TakeComparison(terms, predicate);
    if (!taken || !IsInteger(terms.dtype(taken->a)) || !IsInteger(terms.dtype(taken->b))) return false;
    predicate = taken->rest;
    PrimExpr a = taken->a;
    PrimExpr b = taken->b;
    const bool uses_a = UsesVar(terms, a, is_iter);
    const bool uses_b = UsesVar(terms, b, is_iter);
    if (!uses_a && !uses_b) continue;
    if (uses_a && uses_b) Separate(terms, is_iter, a, b);
    const bool bound_at_left = !uses_a;
    const bool greater = taken->kind == kGT || taken->kind == kGE;
    const bool inclusive = taken->kind == kLE || taken->kind == kGE;
    const PrimExpr bound = bound_at_left ? a : b;
    const auto plus_one = [&] { return Add(terms, bound, MakeConst(terms, terms.dtype(bound), 1)); };
    IterConstraint made{bound_at_left ? b : a, {}, {}};
    if (greater == bound_at_left) {
      made.upper = inclusive ? plus_one() : bound;
    } else {
      made.lower = inclusive ? bound : plus_one();
    }
    if (!terms.is_var(made.iter)) {
      constraints.push_back(made);
      continue;
    }
    const auto found = positions.find(made.iter);
    if (found == positions.end()) continue;
    Range& range = iters[found->second].range;
    PrimExpr min = range.min;
    PrimExpr max = Add(terms, range.min, range.extent);
    if (made.lower) min = Max(terms, min, made.lower);
    if (made.upper) max = Min(terms, max, made.upper);
    range = {min, terms.IsInt(min, 0) ? max : Sub(terms, max, min)};
  }
  return true;
}

}  // namespace relayopt::arith
