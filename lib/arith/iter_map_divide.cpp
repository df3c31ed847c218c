// Pieces divided: floordiv and floormod of one piece, and padding of its mark where the divisor does not divide it.
#include <numeric>

#include "lib/arith/iter_map.h"
#include "relayopt/arith/fold.h"

namespace relayopt::arith {

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
  Value zero = {Value::Kind::kExpr, Zero(piece.scale), {}};
  if (terms_.IsInt(divisor, 1)) return zero;
  if (!terms_.IsInt(piece.scale, 1)) {
    if (CanDivide(piece.scale, divisor) && CanDivide(base, divisor)) return zero;
    const bool no_base = terms_.IsInt(base, 0);
    if (!CanDivide(divisor, piece.scale) || !(no_base || CanDivide(base, piece.scale))) return std::nullopt;
    if (!no_base) base = FloorDiv(terms_, base, piece.scale);
    divisor = FloorDiv(terms_, divisor, piece.scale);
  }
  // A piece stands for (mark % (lower * extent)) // lower, which is (mark // lower) % extent for positive extents only.
  if (!terms_.IsInt(piece.lower, 1) && analyzer_.Bound(divisor).max < 0) return std::nullopt;
  const auto padded = PadWhole(piece, base, divisor);
  if (!padded) return std::nullopt;
  IterPiece made = padded->first;
  made.extent = divisor;
  return OfPiece(made);
}

// Pad, where it keeps the whole base. TVM loses a part: a divisor that a negative scale has turned around is
// not padded for, so that (2 - i) % 4 becomes (i - 3) % -4 * -1 where i begins at 3, nor is what was divided by one, so
// that (6 - i) // 2 % 6 becomes i % -12 // -2; and one padding for several divisors need not be what each of them
// needs, so that (i + 13) // 7 % 4 becomes (i + 7) // 7; and it pads the inner part of an iterator as if that went on,
// so that i % 5 % 4 becomes i % 4; and what it pads in the first round it may not know in the second, so that
// (i + j // 3) % 4 becomes (i + (j - 3) // 3) % 4 where j begins at 5.
auto IterMapRewriter::PadWhole(IterPiece piece, PrimExpr base, PrimExpr divisor)
    -> std::optional<std::pair<IterPiece, PrimExpr>> {
  const auto is_negative = [&](PrimExpr e) { return analyzer_.Bound(e).max <= 0; };
  const bool counts_down = is_negative(divisor) || is_negative(piece.lower);
  if (counts_down && !CanDivide(base, divisor)) return std::nullopt;
  counts_down_ = counts_down_ || counts_down;
  const bool fits = CanDivide(base, divisor) && CanDivide(piece.extent, divisor);
  const bool is_outermost =
      analyzer_.CanProveEqual(Mul(terms_, piece.lower, piece.extent), marks_[piece.iterator].extent);
  if (!fits && !is_outermost) return std::nullopt;
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
  // A sum of padded iterators is another mark than the sum of the same iterators before, which the first round padded.
  // Conditions are looked at before any round.
  if (found == paddings_.end()) {
    if (CanDivide(base, divisor)) return std::pair(piece, left);
    needs_unknown_padding_ = true;
    return std::nullopt;
  }
  Padding& padding = found->second;
  if (terms_.IsInt(padding.left, 0) && CanDivide(marks_[piece.iterator].extent, padding.factor)) {
    return std::pair(piece, left);
  }
  if (!CanDivide(padding.factor, piece.lower) || !CanDivide(padding.factor, divisor)) return std::nullopt;
  // The padding in front of the mark is the same for all of its pieces, whatever this one needs.
  if (!CanDivide(padding.left, piece.lower)) return std::nullopt;
  left = FloorDiv(terms_, padding.left, piece.lower);
  if (!padding.padded) PadMark(piece.iterator, padding);
  piece.iterator = *padding.padded;
  piece.extent = FloorDiv(terms_, marks_[piece.iterator].extent, piece.lower);
  return std::pair(piece, left);
}

// Makes the mark for the padded iterator.
void IterMapRewriter::PadMark(MarkId mark, Padding& padding) {
  const PrimExpr right_edge = Add(terms_, marks_[mark].extent, padding.left);
  const PrimExpr right = CanDivide(right_edge, padding.factor)
                             ? terms_.Int32(0)
                             : FloorMod(terms_, Negate(terms_, right_edge), padding.factor);
  const PrimExpr extent = analyzer_.Simplify(Add(terms_, right_edge, right));
  padding.padded = MarkOf({{PieceOf(mark)}, padding.left}, extent);
  unpadded_[marks_[*padding.padded].canonical] = mark;
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
    if (terms_.kind(e) == PrimKind::kMul) {
      if (const auto literal = terms_.AsInt(terms_.operand(e, 1))) return {terms_.operand(e, 0), *literal};
      if (const auto literal = terms_.AsInt(terms_.operand(e, 0))) return {terms_.operand(e, 1), *literal};
    }
    return {e, 1};
  };
  const auto [ea, ia] = split(a);
  const auto [eb, ib] = split(b);
  const int64_t divisor = std::gcd(ia, ib);
  int64_t multiple = 0;
  if (divisor == 0 || __builtin_mul_overflow(ia / divisor, ib, &multiple) || multiple > INT32_MAX ||
      multiple < -INT32_MAX) {
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

}  // namespace relayopt::arith
