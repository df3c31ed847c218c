// Detecting iteration maps.
//
// Every iterator is a mark with the number of its values. A term becomes a sum of pieces ((mark // lower) % extent) *
// scale, and what is divided must be one piece: a sum is fused into a new mark first (iter_map_fuse.cpp).
//
//   i in [0, 4), j in [0, 8):  (i*8 + j) // 16   ->   i*8 + j is one mark f of 32 values, the result (f // 16) % 2
//
// Where a divisor does not divide the number of values, the mark is padded (iter_map_divide.cpp): a first round over
// all indices finds out what every mark needs, a second one uses the padded marks. In the end the pieces of each mark
// must fit together.
#include "lib/arith/iter_map.h"

#include <algorithm>

#include "relayopt/arith/fold.h"
#include "relayopt/support/depth_first.h"

namespace relayopt::arith {

// NOLINTBEGIN(misc-no-recursion): marks nest as deeply as the divisions of a term of at most kMaxTerms.

namespace {
using enum PrimKind;
}  // namespace

IterMapRewriter::IterMapRewriter(Analyzer& analyzer, std::span<const IterRange> iters, IterMapLevel level)
    : analyzer_(analyzer), terms_(analyzer.terms()), level_(level) {
  for (const auto& [var, range] : iters) {
    if (terms_.IsInt(range.extent, 1)) {
      vars_[var] = {Value::Kind::kSum, {}, {{}, range.min}};
      continue;
    }
    const bool from_zero = terms_.IsInt(range.min, 0);
    const MarkId mark = AddMark({.expr = from_zero ? var : Sub(terms_, var, range.min), .extent = range.extent});
    inputs_.push_back(mark);
    vars_[var] = from_zero ? OfPiece(PieceOf(mark)) : Value{Value::Kind::kSum, {}, {{PieceOf(mark)}, range.min}};
  }
}

auto IterMapRewriter::AddMark(Mark mark) -> MarkId {
  Key key = {mark.expr ? 0U : mark.is_piece ? 1U : 2U, mark.extent.value()};
  if (mark.expr) key.push_back(mark.expr.value());
  for (const IterPiece& piece : mark.sum.pieces) {
    key.insert(key.end(),
               {marks_[piece.iterator].canonical, piece.lower.value(), piece.extent.value(), piece.scale.value()});
  }
  if (mark.sum.base) key.push_back(mark.sum.base.value());
  const auto id = static_cast<MarkId>(marks_.size());
  mark.canonical = canonical_.try_emplace(std::move(key), id).first->second;
  marks_.push_back(std::move(mark));
  return id;
}

auto IterMapRewriter::MarkOf(IterSum sum, PrimExpr extent) -> MarkId {
  return AddMark({.sum = std::move(sum), .extent = extent});
}

auto IterMapRewriter::PieceOf(MarkId mark) const -> IterPiece {
  const Mark& m = marks_[mark];
  const PrimExpr like = m.expr ? m.expr : m.sum.base ? m.sum.base : m.extent;
  const PrimExpr one = MakeConst(terms_, terms_.dtype(like), 1);
  return {mark, one, m.extent, one};
}

auto IterMapRewriter::PieceOf(MarkId mark, PrimExpr scale) const -> IterPiece {
  IterPiece piece = PieceOf(mark);
  piece.scale = scale;
  return piece;
}

auto IterMapRewriter::KeyOf(const IterSum& sum) -> Key {
  Key key = {sum.base.value()};
  for (const IterPiece& piece : sum.pieces) {
    key.insert(key.end(), {piece.iterator, piece.lower.value(), piece.extent.value(), piece.scale.value()});
  }
  return key;
}

auto IterMapRewriter::Zero(PrimExpr like) const -> PrimExpr { return MakeZero(terms_, terms_.dtype(like)); }

auto IterMapRewriter::Fail() -> Value {
  failed_ = true;
  return {Value::Kind::kExpr, terms_.Int32(0), {}};
}

auto IterMapRewriter::OfPiece(IterPiece piece) -> Value { return {Value::Kind::kPiece, {}, {{piece}, {}}}; }

auto IterMapRewriter::ToSum(Value value) const -> IterSum {
  if (value.kind == Value::Kind::kExpr) return {{}, value.expr};
  if (!value.sum.base) value.sum.base = Zero(value.sum.pieces[0].scale);
  return std::move(value.sum);
}

void IterMapRewriter::AddTo(IterSum& sum, const IterSum& other, bool negative) {
  const PrimKind op = negative ? kSub : kAdd;
  for (IterPiece piece : other.pieces) {
    const auto same = std::ranges::find_if(sum.pieces, [&](const IterPiece& mine) {
      return mine.iterator == piece.iterator && mine.lower == piece.lower && mine.extent == piece.extent;
    });
    if (same != sum.pieces.end()) {
      same->scale = Operate(terms_, op, same->scale, piece.scale);
      continue;
    }
    if (negative) piece.scale = Sub(terms_, Zero(piece.scale), piece.scale);
    sum.pieces.push_back(piece);
  }
  sum.base = Operate(terms_, op, sum.base, other.base);
}

auto IterMapRewriter::Evaluate(PrimExpr root) -> Value {
  std::vector<Value> values;
  WalkDepthFirst(
      root, [&](PrimExpr) { return !failed_; }, [&](PrimExpr e) { return terms_.operands(e).size(); },
      [&](PrimExpr e, size_t i) { return terms_.operands(e)[i]; },
      [&](PrimExpr e) {
        if (failed_) return;
        const size_t count = terms_.operands(e).size();
        Value value = Combine(e, std::span(values).last(count));
        values.resize(values.size() - count);
        values.push_back(std::move(value));
      });
  return failed_ ? Fail() : std::move(values.back());
}

auto IterMapRewriter::Combine(PrimExpr e, std::span<Value> operands) -> Value {
  if (const auto found = vars_.find(e); found != vars_.end()) return found->second;
  switch (terms_.kind(e)) {
    case kAdd:
    case kSub:
    case kMul:
    case kFloorDiv:
    case kFloorMod:
      if (IsIndexType(terms_.dtype(e))) return CombineIndices(e, std::move(operands[0]), std::move(operands[1]));
      break;
    default: break;
  }
  std::vector<PrimExpr> made;
  for (const Value& operand : operands) {
    if (operand.has_iter()) return Fail();
    made.push_back(operand.expr);
  }
  return {Value::Kind::kExpr, terms_.WithOperands(e, made), {}};
}

auto IterMapRewriter::CombineIndices(PrimExpr e, Value a, Value b) -> Value {
  const PrimKind op = terms_.kind(e);
  if (!a.has_iter() && !b.has_iter()) return {Value::Kind::kExpr, Fold(terms_, op, a.expr, b.expr), {}};
  const auto is = [&](const Value& value, int64_t literal) {
    return !value.has_iter() && terms_.IsInt(value.expr, literal);
  };
  switch (op) {
    case kAdd:
    case kSub: {
      if (is(b, 0)) return a;
      if (op == kAdd && is(a, 0)) return b;
      IterSum sum = ToSum(std::move(a));
      AddTo(sum, ToSum(std::move(b)), op == kSub);
      return {Value::Kind::kSum, {}, std::move(sum)};
    }
    case kMul: {
      if (is(a, 0) || is(b, 1)) return a;
      if (is(b, 0) || is(a, 1)) return b;
      if (a.has_iter() && b.has_iter()) return Fail();
      if (!a.has_iter()) std::swap(a, b);
      for (IterPiece& piece : a.sum.pieces) piece.scale = Mul(terms_, piece.scale, b.expr);
      if (a.kind == Value::Kind::kSum) a.sum.base = Mul(terms_, a.sum.base, b.expr);
      return a;
    }
    default: {
      if (is(a, 0)) return a;
      if (is(b, 1)) return op == kFloorDiv ? std::move(a) : Value{Value::Kind::kExpr, Zero(b.expr), {}};
      if (b.has_iter() || is(b, 0)) return Fail();
      return Divide(e, a, b.expr);
    }
  }
}

auto IterMapRewriter::Divide(PrimExpr e, const Value& a, PrimExpr divisor) -> Value {
  IterSum sum = ToSum(a);
  // A variable with one value: `e` itself would name the variable, which has no meaning outside of its loop.
  if (sum.pieces.empty()) return {Value::Kind::kExpr, Fold(terms_, terms_.kind(e), sum.base, divisor), {}};
  if (sum.pieces.size() > 1) {
    std::optional<IterSum> fused = TryFuse(std::move(sum), true);
    if (!fused) return Fail();
    sum = *std::move(fused);
  }
  std::optional<Value> made = terms_.kind(e) == kFloorDiv ? FloorDivPiece(sum.pieces[0], sum.base, divisor)
                                                          : FloorModPiece(sum.pieces[0], sum.base, divisor);
  return made ? *std::move(made) : Fail();
}

auto IterMapRewriter::Rewrite(PrimExpr index) -> IterSum { return Normalize(ToSum(Evaluate(index))); }

auto IterMapRewriter::RewriteAndUpdatePadding(PrimExpr index) -> IterSum {
  updating_padding_ = true;
  IterSum sum = Rewrite(index);
  updating_padding_ = false;
  return sum;
}

// Every mark with its pieces, outermost sums first.
auto IterMapRewriter::CheckMapping(std::span<const IterSum> sums) -> bool {
  struct Frame {
    const IterSum* sum;
    size_t next = 0;
    std::optional<MarkId> source = {};
  };
  std::vector<std::vector<IterPiece>> pieces(marks_.size());
  std::vector<bool> visited(marks_.size(), false);
  std::vector<Frame> frames;
  for (const IterSum& sum : sums) {
    frames.push_back({&sum});
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.next == frame.sum->pieces.size()) {
        frames.pop_back();
        continue;
      }
      const IterPiece& piece = frame.sum->pieces[frame.next];
      const Mark& mark = marks_[piece.iterator];
      // A piece is recorded after the pieces that it consists of.
      if (!visited[piece.iterator]) {
        visited[piece.iterator] = true;
        if (!mark.expr && !mark.is_piece) {
          frames.push_back({&mark.sum});
          continue;
        }
      }
      pieces[piece.iterator].push_back(piece);
      ++frame.next;
    }
  }
  for (MarkId mark = 0; mark < marks_.size(); ++mark) {
    if (visited[mark] && !PiecesFit(mark, pieces[mark])) return false;
  }
  if (level_ != IterMapLevel::kBijective) return true;
  return std::ranges::all_of(inputs_,
                             [&](MarkId mark) { return visited[mark] || terms_.IsInt(marks_[mark].extent, 1); });
}

// Whether the pieces are adjacent and do not overlap; `reached` is the product of their extents.
auto IterMapRewriter::PiecesChain(const std::vector<IterPiece>& pieces, PrimExpr& reached) -> bool {
  std::vector<bool> used(pieces.size(), false);
  for (size_t i = 0; i < pieces.size(); ++i) {
    size_t next = pieces.size();
    for (size_t j = 0; j < pieces.size() && next == pieces.size(); ++j) {
      if (!used[j] && analyzer_.CanProveEqual(pieces[j].lower, reached)) next = j;
    }
    if (next == pieces.size() && level_ != IterMapLevel::kBijective) {
      // The next one after a gap.
      for (size_t j = 0; j < pieces.size(); ++j) {
        if (used[j]) continue;
        if (!CanDivide(pieces[j].lower, reached)) return false;
        if (next == pieces.size() || CanDivide(pieces[next].lower, pieces[j].lower)) next = j;
      }
    }
    if (next == pieces.size()) return false;
    used[next] = true;
    reached = Mul(terms_, pieces[next].lower, pieces[next].extent);
  }
  return true;
}

auto IterMapRewriter::PiecesFit(MarkId id, const std::vector<IterPiece>& pieces) -> bool {
  const Mark& mark = marks_[id];
  PrimExpr reached = PieceOf(id).lower;
  if (!PiecesChain(pieces, reached)) return false;
  const bool full = analyzer_.CanProveEqual(reached, mark.extent);
  const bool divides = full || CanDivide(mark.extent, reached);
  const auto unpadded = unpadded_.find(mark.canonical);
  const bool padded = unpadded != unpadded_.end();
  if (level_ == IterMapLevel::kBijective) return full && !padded;
  if (!padded) return divides;
  if (level_ != IterMapLevel::kSurjective) return true;
  const auto enough = [&] { return analyzer_.CanProve(Ge(terms_, marks_[unpadded->second].extent, reached)); };
  // A padded iterator must be covered by one piece alone, completely.
  if (full) return pieces.size() == 1 && (!analyzer_.CanProveEqual(pieces[0].extent, reached) || enough());
  return divides && enough();
}

auto IterMapRewriter::Convert(const IterSum& sum) -> PrimExpr {
  PrimExpr result = terms_.Int32(0);
  for (const IterPiece& piece : sum.pieces) result = Add(terms_, result, ConvertPiece(piece));
  return Add(terms_, result, sum.base);
}

auto IterMapRewriter::ConvertPiece(const IterPiece& piece) -> PrimExpr {
  if (!marks_[piece.iterator].converted) {
    const Mark mark = marks_[piece.iterator];
    const PrimExpr made = mark.expr ? mark.expr : mark.is_piece ? ConvertPiece(mark.sum.pieces[0]) : Convert(mark.sum);
    marks_[piece.iterator].converted = made;
  }
  const PrimExpr source = marks_[piece.iterator].converted;
  const PrimExpr extent = marks_[piece.iterator].extent;
  const auto equal = [&](PrimExpr a, PrimExpr b) { return analyzer_.CanProve(Eq(terms_, a, b)); };
  if (equal(piece.extent, extent) && terms_.IsInt(piece.lower, 1)) return Mul(terms_, source, piece.scale);
  if (equal(extent, Mul(terms_, piece.lower, piece.extent))) {
    if (terms_.IsInt(piece.extent, 1) && !terms_.IsInt(extent, 1)) return Zero(piece.extent);
    return Mul(terms_, FloorDiv(terms_, source, piece.lower), piece.scale);
  }
  const PrimExpr full = analyzer_.CanonicalSimplify(Mul(terms_, piece.extent, piece.lower));
  return Mul(terms_, FloorDiv(terms_, FloorMod(terms_, source, full), piece.lower), piece.scale);
}

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt::arith
