// Detecting iteration maps.
//
// Every iterator is a mark with the number of its values. A term becomes a sum of pieces ((mark // lower) % extent) *
// scale, and what is divided must be one piece: a sum is fused into a new mark first (iter_map_fuse.cpp).
//
//   i in [0, 4), j in [0, 8):  (i*8 + j) // 16   ->   i*8 + j is one mark f of 32 values, the result (f // 16) % 2
//
// Where a divisor does not divide the number of values, the mark is padded: a first round over all indices finds out
// what every mark needs, a second one uses the padded marks. In the end the pieces of each mark must fit together.
#include "lib/arith/iter_map.h"

#include <algorithm>
#include <numeric>

#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/walk.h"

namespace relayopt::arith {

namespace {

using enum PrimKind;

// Terms are looked at as trees here, since each occurrence makes marks of its own, and constraints are compared with
// each other: what is larger than this stays as it is.
constexpr uint64_t kMaxTerms = 2000;
constexpr size_t kMaxConstraints = 64;

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
  struct Frame {
    PrimExpr expr;
    size_t next = 0;
  };
  std::vector<Frame> frames = {{root}};
  std::vector<Value> values;
  while (!frames.empty() && !failed_) {
    Frame& frame = frames.back();
    const auto operands = terms_.operands(frame.expr);
    if (frame.next < operands.size()) {
      frames.push_back({operands[frame.next++]});
      continue;
    }
    Value value = Combine(frame.expr, std::span(values).last(operands.size()));
    values.resize(values.size() - operands.size());
    values.push_back(std::move(value));
    frames.pop_back();
  }
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
  if (sum.pieces.empty()) return {Value::Kind::kExpr, e, {}};
  if (sum.pieces.size() > 1) {
    std::optional<IterSum> fused = TryFuse(std::move(sum), true);
    if (!fused) return Fail();
    sum = *std::move(fused);
  }
  std::optional<Value> made = terms_.kind(e) == kFloorDiv ? FloorDivPiece(sum.pieces[0], sum.base, divisor)
                                                          : FloorModPiece(sum.pieces[0], sum.base, divisor);
  return made ? *std::move(made) : Fail();
}

// (piece + base) // divisor
auto IterMapRewriter::FloorDivPiece(IterPiece piece, PrimExpr base, PrimExpr divisor) -> std::optional<Value> {
  const auto with_base = [&](IterPiece made, PrimExpr made_base) {
    return terms_.IsInt(made_base, 0) ? OfPiece(made) : Value{Value::Kind::kSum, {}, {{made}, made_base}};
  };
  if (terms_.IsInt(divisor, 1)) return with_base(piece, base);
  if (!terms_.IsInt(piece.scale, 1)) {
    const bool no_base = terms_.IsInt(base, 0);
    if (CanDivide(piece.scale, divisor) && (no_base || CanDivide(base, divisor))) {
      piece.scale = FloorDiv(terms_, piece.scale, divisor);
      if (no_base) return OfPiece(piece);
      return Value{Value::Kind::kSum, {}, {{piece}, FloorDiv(terms_, base, divisor)}};
    }
    if (!CanDivide(divisor, piece.scale) || !(no_base || CanDivide(base, piece.scale))) return std::nullopt;
    if (!no_base) base = FloorDiv(terms_, base, piece.scale);
    divisor = FloorDiv(terms_, divisor, piece.scale);
    piece.scale = MakeConst(terms_, terms_.dtype(divisor), 1);
  }
  const auto padded = PadWhole(piece, base, divisor);
  if (!padded) return std::nullopt;
  const auto& [source, left] = *padded;
  IterPiece made = source;
  if (CanDivide(source.extent, divisor)) {
    made.lower = Mul(terms_, source.lower, divisor);
    made.extent = analyzer_.Simplify(FloorDiv(terms_, source.extent, divisor));
  } else {
    const bool whole =
        terms_.IsInt(source.lower, 1) && analyzer_.CanProveEqual(source.extent, marks_[source.iterator].extent);
    if (!whole) {
      made.iterator = AddMark({.sum = {{source}, {}}, .is_piece = true, .extent = source.extent});
      made.scale = MakeConst(terms_, terms_.dtype(divisor), 1);
    }
    made.lower = divisor;
    made.extent = analyzer_.Simplify(CeilDiv(terms_, source.extent, divisor));
  }
  return with_base(made, analyzer_.Simplify(FloorDiv(terms_, Sub(terms_, base, left), divisor), 6));
}

// (piece + base) % divisor
auto IterMapRewriter::FloorModPiece(IterPiece piece, PrimExpr base, PrimExpr divisor) -> std::optional<Value> {
  const Value zero = {Value::Kind::kExpr, Zero(piece.scale), {}};
  if (terms_.IsInt(divisor, 1)) return zero;
  if (!terms_.IsInt(piece.scale, 1)) {
    if (CanDivide(piece.scale, divisor) && CanDivide(base, divisor)) return zero;
    const bool no_base = terms_.IsInt(base, 0);
    if (!CanDivide(divisor, piece.scale) || !(no_base || CanDivide(base, piece.scale))) return std::nullopt;
    if (!no_base) base = FloorDiv(terms_, base, piece.scale);
    divisor = FloorDiv(terms_, divisor, piece.scale);
  }
  const auto padded = PadWhole(piece, base, divisor);
  if (!padded) return std::nullopt;
  IterPiece made = padded->first;
  made.extent = divisor;
  return OfPiece(made);
}

// Pad, where it keeps the whole base. The reference loses a part: a divisor that a negative scale has turned around is
// not padded for, so that (2 - i) % 4 becomes (i - 3) % -4 * -1 where i begins at 3; and one padding for several
// divisors need not be what each of them needs, so that (i + 13) // 7 % 4 becomes (i + 7) // 7.
auto IterMapRewriter::PadWhole(IterPiece piece, PrimExpr base, PrimExpr divisor)
    -> std::optional<std::pair<IterPiece, PrimExpr>> {
  const auto value = terms_.AsInt(divisor);
  if (value && *value < 0 && !CanDivide(base, divisor)) return std::nullopt;
  auto padded = Pad(piece, base, divisor);
  const bool keeps = padded && CanDivide(analyzer_.Simplify(Sub(terms_, base, padded->second)), divisor);
  return keeps ? padded : std::nullopt;
}

auto IterMapRewriter::Pad(IterPiece piece, PrimExpr base, PrimExpr divisor)
    -> std::optional<std::pair<IterPiece, PrimExpr>> {
  PrimExpr left = analyzer_.Simplify(FloorMod(terms_, base, divisor));
  const PrimExpr right_edge = Add(terms_, left, piece.extent);
  const PrimExpr right = CanDivide(right_edge, divisor)
                             ? terms_.Int32(0)
                             : analyzer_.Simplify(FloorMod(terms_, Negate(terms_, right_edge), divisor));
  const uint32_t canonical = marks_[piece.iterator].canonical;
  if (updating_padding_) {
    Padding& padding = paddings_.try_emplace(canonical, Padding{terms_.Int32(1), terms_.Int32(0), {}}).first->second;
    padding.factor = LeastCommonMultiple(padding.factor, Mul(terms_, divisor, piece.lower));
    if (terms_.IsInt(left, 0) && terms_.IsInt(right, 0)) return std::pair(piece, terms_.Int32(0));
    requires_padding_ = true;
    padding.left = Max(terms_, padding.left, Mul(terms_, left, piece.lower));
    piece.extent = analyzer_.Simplify(Add(terms_, Add(terms_, left, piece.extent), right));
    return std::pair(piece, left);
  }
  const auto found = paddings_.find(canonical);
  if (found == paddings_.end()) return std::pair(piece, left);
  Padding& padding = found->second;
  if (terms_.IsInt(padding.left, 0) && CanDivide(marks_[piece.iterator].extent, padding.factor)) {
    return std::pair(piece, left);
  }
  if (!CanDivide(padding.factor, piece.lower) || !CanDivide(padding.factor, divisor)) return std::nullopt;
  if (!padding.padded && !PadMark(piece.iterator, padding, piece.lower, left)) return std::nullopt;
  piece.iterator = *padding.padded;
  piece.extent = FloorDiv(terms_, marks_[piece.iterator].extent, piece.lower);
  return std::pair(piece, left);
}

// Makes the padded mark; `left` becomes what this says of a piece that begins at `lower`.
auto IterMapRewriter::PadMark(MarkId mark, Padding& padding, PrimExpr lower, PrimExpr& left) -> bool {
  if (!CanDivide(padding.left, lower)) return false;
  left = FloorDiv(terms_, padding.left, lower);
  const PrimExpr right_edge = Add(terms_, marks_[mark].extent, padding.left);
  const PrimExpr right = CanDivide(right_edge, padding.factor)
                             ? terms_.Int32(0)
                             : FloorMod(terms_, Negate(terms_, right_edge), padding.factor);
  const PrimExpr extent = analyzer_.Simplify(Add(terms_, right_edge, right));
  padding.padded = MarkOf({{PieceOf(mark)}, padding.left}, extent);
  unpadded_[marks_[*padding.padded].canonical] = mark;
  return true;
}

auto IterMapRewriter::CanDivide(PrimExpr a, PrimExpr b) -> bool {
  const auto ia = terms_.AsInt(a);
  const auto ib = terms_.AsInt(b);
  if (ib && *ib == 0) return false;
  if (ia && ib) return FloorModInt(*ia, *ib) == 0;
  if (analyzer_.CanProveEqual(a, b)) return true;
  const PrimExpr rest = FloorMod(terms_, a, b);
  return analyzer_.CanProve(Eq(terms_, rest, Zero(rest)));
}

auto IterMapRewriter::LeastCommonMultiple(PrimExpr a, PrimExpr b) -> PrimExpr {
  const auto split = [&](PrimExpr e) -> std::pair<PrimExpr, int64_t> {
    if (const auto literal = terms_.AsInt(e)) return {terms_.Int32(1), *literal};
    if (terms_.kind(e) == kMul) {
      if (const auto literal = terms_.AsInt(terms_.operand(e, 1))) return {terms_.operand(e, 0), *literal};
      if (const auto literal = terms_.AsInt(terms_.operand(e, 0))) return {terms_.operand(e, 1), *literal};
    }
    return {e, 1};
  };
  const auto [ea, ia] = split(a);
  const auto [eb, ib] = split(b);
  const int64_t divisor = std::gcd(ia, ib);
  int64_t multiple = 0;
  if (divisor == 0 || __builtin_mul_overflow(ia / divisor, ib, &multiple) ||
      !FitsType(DataType::Int(32), std::abs(multiple))) {
    failed_ = true;
    return a;
  }
  const PrimExpr literal = terms_.Int32(std::abs(multiple));
  const auto is_multiple = [&](PrimExpr x, PrimExpr y) {
    const PrimExpr rest = FloorMod(terms_, x, y);
    return analyzer_.CanProveEqual(rest, Zero(rest));
  };
  if (analyzer_.CanProveEqual(ea, eb) || is_multiple(ea, eb)) return Mul(terms_, ea, literal);
  if (is_multiple(eb, ea)) return Mul(terms_, eb, literal);
  return Mul(terms_, Mul(terms_, ea, eb), literal);
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
      // A piece is noted behind those of what it is made of.
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

// Whether the pieces follow each other without overlap; `reached` is the product that they come to.
auto IterMapRewriter::PiecesChain(const std::vector<IterPiece>& pieces, PrimExpr& reached) -> bool {
  std::vector<bool> used(pieces.size(), false);
  for (size_t i = 0; i < pieces.size(); ++i) {
    size_t next = pieces.size();
    for (size_t j = 0; j < pieces.size() && next == pieces.size(); ++j) {
      if (!used[j] && analyzer_.CanProveEqual(pieces[j].lower, reached)) next = j;
    }
    if (next == pieces.size() && level_ != IterMapLevel::kBijective) {
      // The next one behind a gap.
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
  // What was padded is covered by one piece only, which must reach all of it.
  if (full) return pieces.size() == 1 && (!analyzer_.CanProveEqual(pieces[0].extent, reached) || enough());
  return divides && enough();
}

auto IterMapRewriter::Convert(const IterSum& sum) -> PrimExpr {
  PrimExpr result = terms_.Int32(0);
  for (const IterPiece& piece : sum.pieces) result = Add(terms_, result, ConvertPiece(piece));
  return Add(terms_, result, sum.base);
}

// Marks nest as deeply as the divisions of a term of at most kMaxTerms.
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

namespace {

// Whether the range of one iterator mentions another.
auto RangesAreIndependent(const Terms& terms, std::span<const IterRange> iters) -> bool {
  absl::flat_hash_map<PrimExpr, bool> vars;
  for (const IterRange& iter : iters) vars[iter.var] = true;
  const auto is_iter = [&](PrimExpr var) { return vars.contains(var); };
  return std::ranges::none_of(iters, [&](const IterRange& iter) {
    return UsesVar(terms, iter.range.min, is_iter) || UsesVar(terms, iter.range.extent, is_iter);
  });
}

// The indices in both rounds; false where they have no form.
auto RewriteIndices(IterMapRewriter& rewriter, std::span<const PrimExpr> indices, IterMapLevel level,
                    std::vector<IterSum>& sums) -> bool {
  if (level != IterMapLevel::kBijective) {
    for (const PrimExpr index : indices) {
      sums.push_back(rewriter.RewriteAndUpdatePadding(index));
      if (rewriter.failed()) return false;
    }
    if (!rewriter.requires_padding()) return true;
    sums.clear();
  }
  for (const PrimExpr index : indices) {
    sums.push_back(rewriter.Rewrite(index));
    if (rewriter.failed()) return false;
  }
  return true;
}

// Calls use(rewriter, sums) where the indices have a form.
auto WithIterMap(Analyzer& analyzer, std::span<const PrimExpr> indices, std::span<const IterRange> iters,
                 PrimExpr predicate, IterMapLevel level,
                 const std::function<void(IterMapRewriter&, std::vector<IterSum>&)>& use) -> bool {
  Terms& terms = analyzer.terms();
  for (const PrimExpr index : indices) {
    if (Complexity(terms, index) > kMaxTerms) return false;
  }
  if (!RangesAreIndependent(terms, iters)) return false;
  std::vector<IterRange> narrowed(iters.begin(), iters.end());
  std::vector<IterConstraint> constraints;
  if (!terms.IsInt(predicate, 1)) {
    if (Complexity(terms, predicate) > kMaxTerms) return false;
    if (!MatchBoundConstraints(terms, predicate, narrowed, constraints)) return false;
    if (constraints.size() > kMaxConstraints) return false;
  }
  // What is part of a larger sum comes first.
  std::ranges::stable_sort(constraints, {}, [&](const IterConstraint& c) { return Complexity(terms, c.iter); });
  IterMapRewriter rewriter(analyzer, narrowed, level);
  for (const IterConstraint& constraint : constraints) {
    rewriter.AddConstraint(constraint);
    if (rewriter.failed()) return false;
  }
  if (!rewriter.ConstraintsAreCompatible()) return false;
  std::vector<IterSum> sums;
  if (!RewriteIndices(rewriter, indices, level, sums) || !rewriter.CheckMapping(sums)) return false;
  use(rewriter, sums);
  return true;
}

}  // namespace

auto DetectIterMap(Analyzer& analyzer, std::span<const PrimExpr> indices, std::span<const IterRange> iters,
                   PrimExpr predicate, IterMapLevel level) -> std::optional<std::vector<IterSum>> {
  std::optional<std::vector<IterSum>> result;
  WithIterMap(analyzer, indices, iters, predicate, level,
              [&](IterMapRewriter&, std::vector<IterSum>& sums) { result = std::move(sums); });
  return result;
}

auto IterMapSimplify(Analyzer& analyzer, std::span<const PrimExpr> indices, std::span<const IterRange> iters,
                     PrimExpr predicate) -> std::vector<PrimExpr> {
  std::vector<PrimExpr> result(indices.begin(), indices.end());
  WithIterMap(analyzer, indices, iters, predicate, IterMapLevel::kSurjective,
              [&](IterMapRewriter& rewriter, std::vector<IterSum>& sums) {
                for (size_t i = 0; i < sums.size(); ++i) result[i] = rewriter.Convert(sums[i]);
              });
  return result;
}

namespace {

// The values of a sum of at most one piece, each with `extent` values behind it.
auto EvalIterSum(Analyzer& analyzer, const IterSum& sum, PrimExpr extent) -> std::optional<IntSet> {
  Terms& terms = analyzer.terms();
  const auto is_zero = [&](PrimExpr e) { return analyzer.CanProve(Eq(terms, e, MakeZero(terms, terms.dtype(e)))); };
  if (is_zero(extent)) return EmptySet(terms);
  if (sum.pieces.empty()) return SetFromRange(terms, {sum.base, extent});
  const IterPiece& piece = sum.pieces[0];
  if (is_zero(piece.extent)) return EmptySet(terms);
  if (!analyzer.CanProve(Ge(terms, extent, piece.scale))) return std::nullopt;
  const PrimExpr one = MakeConst(terms, terms.dtype(piece.extent), 1);
  const PrimExpr reach = Mul(terms, Sub(terms, piece.extent, one), piece.scale);
  const PrimExpr zero = MakeZero(terms, terms.dtype(piece.scale));
  if (analyzer.CanProve(Lt(terms, piece.scale, zero))) {
    return SetFromRange(terms, {Add(terms, sum.base, reach), Sub(terms, extent, reach)});
  }
  return SetFromRange(terms, {sum.base, Add(terms, extent, reach)});
}

// All dimensions together.
auto EstimateRegionStrictBound(Analyzer& analyzer, std::span<const Range> region, std::span<const IterRange> vars,
                               PrimExpr predicate) -> std::optional<std::vector<IntSet>> {
  std::vector<PrimExpr> mins;
  for (const Range& range : region) {
    if (!analyzer.terms().AsInt(range.extent)) return std::nullopt;
    mins.push_back(range.min);
  }
  const auto sums = DetectIterMap(analyzer, mins, vars, predicate, IterMapLevel::kSurjective);
  if (!sums) return std::nullopt;
  std::vector<IntSet> sets;
  for (size_t i = 0; i < region.size(); ++i) {
    const std::optional<IntSet> set = EvalIterSum(analyzer, (*sums)[i], region[i].extent);
    if (!set) return std::nullopt;
    sets.push_back(*set);
  }
  return sets;
}

}  // namespace

auto EstimateRegionUpperBound(Analyzer& analyzer, std::span<const Range> region, std::span<const IterRange> vars,
                              PrimExpr predicate) -> std::vector<IntSet> {
  if (auto strict = EstimateRegionStrictBound(analyzer, region, vars, predicate)) return *std::move(strict);
  Terms& terms = analyzer.terms();
  std::vector<Analyzer::VarSet> var_sets;
  for (const IterRange& var : vars) var_sets.push_back({var.var, SetFromRange(terms, var.range)});
  std::vector<IntSet> sets;
  for (const Range& range : region) {
    const auto sums = DetectIterMap(analyzer, {&range.min, 1}, vars, predicate, IterMapLevel::kSurjective);
    const auto set = sums ? EvalIterSum(analyzer, (*sums)[0], range.extent) : std::nullopt;
    sets.push_back(set ? *set : EvalSet(terms, range, var_sets));
  }
  return sets;
}

}  // namespace relayopt::arith
