// The machine of the canonical simplifier and its rules for nodes.
#include "lib/arith/canonical.h"

#include "lib/arith/factors.h"
#include "lib/arith/overflow.h"
#include "lib/arith/parts.h"
#include "relayopt/arith/fold.h"

namespace relayopt::arith {

namespace {

using enum PrimKind;
using Kind = CanonicalValue::Kind;

}  // namespace

auto CanonicalSimplifier::IsForm(PrimExpr e) const -> bool {
  if (!IsIndexType(terms_.dtype(e))) return false;
  const PrimKind kind = terms_.kind(e);
  return kind == kCast || (IsArithmetic(kind) && kind != kMin && kind != kMax);
}

auto CanonicalSimplifier::HasResult(const Frame& wanted) -> bool {
  const PrimExpr e = wanted.e;
  if (!IsForm(e)) return RewriteSimplifier::HasResult(wanted);
  const CanonicalValue* form = values_.Find(Key(e));
  const bool has_form = form != nullptr && form->kind != Kind::kTaken;
  if (wanted.raw) return has_form;
  if (memo_.Find(Key(e)) != nullptr) return true;
  if (!has_form) return false;
  Remember(e, Normalize(*form));
  return true;
}

auto CanonicalSimplifier::NeedForm(PrimExpr e) -> bool {
  if (!IsForm(e)) return Need(e);
  const Frame wanted{.e = e, .raw = true};
  if (HasResult(wanted)) return true;
  stack_.push_back(wanted);
  return false;
}

// Moves a form to the node that uses it. If asked for again, it is computed again, and for a second user it is copied
// from then on. One user alone asks no more often than it is asked for itself.
auto CanonicalSimplifier::TakeForm(PrimExpr e, PrimExpr user) -> CanonicalValue {
  if (!IsForm(e)) return Plain(ResultOf(e));
  const CanonicalValue* form = values_.Find(Key(e));
  if (form->keep || form->kind != Kind::kSum) return *form;
  CanonicalValue taken = *form;
  CanonicalValue left;
  if (form->user && form->user != user) {
    left = taken;
    left.keep = true;
  }
  left.user = user;
  values_.Insert(Key(e), left);
  return taken;
}

auto CanonicalSimplifier::Step(size_t at) -> bool {
  const PrimExpr e = stack_[at].e;
  const PrimKind kind = terms_.kind(e);
  if (kind == kLT && IsIndexType(terms_.dtype(terms_.operand(e, 0)))) return StepLT(at);
  if (!IsForm(e)) return RewriteSimplifier::Step(at);
  const auto operands = terms_.operands(e);
  bool ready = true;
  for (size_t i = operands.size(); i-- > 0;) ready &= NeedForm(operands[i]);
  if (!ready) return false;
  const bool raw = stack_[at].raw;
  CanonicalValue form = FinishForm(e);
  const CanonicalValue* before = values_.Find(Key(e));
  form.keep = false;
  form.user = before != nullptr ? before->user : PrimExpr();
  if (!raw) Remember(e, Normalize(form));
  values_.Insert(Key(e), std::move(form));
  return true;
}

auto CanonicalSimplifier::FinishForm(PrimExpr e) -> CanonicalValue {
  switch (terms_.kind(e)) {
    case kAdd:
    case kSub: return AddOrSub(e);
    case kMul: return Multiply(e);
    case kDiv: return Divide(e, false);
    case kFloorDiv: return Divide(e, true);
    case kMod: return Remainder(e, false);
    case kFloorMod: return Remainder(e, true);
    default: return PushCast(e);
  }
}

auto CanonicalSimplifier::AddOrSub(PrimExpr e) -> CanonicalValue {
  const PrimExpr left = terms_.operand(e, 0);
  const PrimExpr right = terms_.operand(e, 1);
  CanonicalValue a = TakeForm(left, e);
  CanonicalValue b = left == right ? a : TakeForm(right, e);
  if (a.kind == Kind::kPlain && b.kind == Kind::kPlain) {
    if (const auto folded = FoldIfFits(terms_, terms_.kind(e), a.plain, b.plain)) return Plain(*folded);
  }
  const int64_t sign = terms_.kind(e) == kAdd ? 1 : -1;
  const DataType type = terms_.dtype(e);
  std::shared_ptr<SumTerm> sum = ToSum(std::move(a));
  if (b.kind == Kind::kSum) {
    sum->Add(*b.sum, sign);
  } else if (const auto literal = b.kind == Kind::kPlain ? terms_.AsInt(b.plain) : std::nullopt) {
    sum->AddLiteral(sign == 1 ? *literal : static_cast<int64_t>(-static_cast<uint64_t>(*literal)));
  } else {
    sum->Add(ToSplit(b), sign);
  }
  CanonicalValue out;
  out.kind = Kind::kSum;
  out.dtype = type;
  out.sum = std::move(sum);
  return out;
}

// Whether a product has so many factors that making it anew for each further one in front of it would take long.
auto CanonicalSimplifier::HasManyFactors(PrimExpr product) const -> bool {
  constexpr int kMany = 64;
  int count = 0;
  return terms_.kind(product) == kMul && !ForEachFactor(terms_, product, [&](PrimExpr) { return ++count <= kMany; });
}

auto CanonicalSimplifier::Multiply(PrimExpr e) -> CanonicalValue {
  const PrimExpr left = terms_.operand(e, 0);
  const PrimExpr right = terms_.operand(e, 1);
  CanonicalValue a = TakeForm(left, e);
  CanonicalValue b = left == right ? a : TakeForm(right, e);
  const auto literal_of = [this](const CanonicalValue& v) {
    return v.kind == Kind::kPlain ? terms_.AsInt(v.plain) : std::nullopt;
  };
  if (a.kind == Kind::kPlain && b.kind == Kind::kPlain) {
    if (const auto folded = FoldIfFits(terms_, kMul, a.plain, b.plain)) return Plain(*folded);
    if (literal_of(a) && literal_of(b)) return Plain(terms_.Binary(kMul, a.plain, b.plain));
  }
  const DataType type = terms_.dtype(e);
  if (literal_of(a)) std::swap(a, b);
  if (const auto c = literal_of(b)) {
    // Neutral and absorbing literals fold for forms too.
    if (*c == 0) return Plain(terms_.IntImm(type, 0));
    if (*c == 1) return a;
    if (a.kind == Kind::kSum) {
      std::shared_ptr<SumTerm> sum = ToSum(std::move(a));
      sum->Multiply(*c);
      CanonicalValue out;
      out.kind = Kind::kSum;
      out.dtype = type;
      out.sum = std::move(sum);
      return out;
    }
    SplitTerm split = ToSplit(a);
    split.scale = static_cast<int64_t>(static_cast<uint64_t>(split.scale) * static_cast<uint64_t>(*c));
    return Of(split, type);
  }
  const PrimExpr x = Normalize(a);
  const PrimExpr y = Normalize(b);
  // A product of factors, the literals collected after; one more factor after such a product leaves one.
  const bool has_literal = terms_.kind(x) == kMul && terms_.AsInt(terms_.operand(x, 1));
  if (x == left && y == right && terms_.kind(y) != kMul && !has_literal) return Plain(e);
  // The factors of x are in a list already, because x is normal; y is one more.
  const bool is_next = terms_.kind(y) != kMul && !has_literal && !terms_.AsInt(x) && !terms_.AsInt(y);
  if (is_next || HasManyFactors(y)) return Plain(Fold(terms_, kMul, x, y));
  PrimExpr scale = terms_.IntImm(type, 1);
  PrimExpr r = scale;
  for (const PrimExpr side : {x, y}) {
    ForEachFactor(terms_, side, [&](PrimExpr factor) {
      PrimExpr& product = terms_.AsInt(factor) ? scale : r;
      product = Fold(terms_, kMul, product, factor);
      return true;
    });
  }
  return Plain(Fold(terms_, kMul, r, scale));
}

auto CanonicalSimplifier::Divide(PrimExpr e, bool floor) -> CanonicalValue {
  CanonicalValue a = TakeForm(terms_.operand(e, 0), e);
  CanonicalValue b = terms_.operand(e, 0) == terms_.operand(e, 1) ? a : TakeForm(terms_.operand(e, 1), e);
  const PrimKind kind = terms_.kind(e);
  if (a.kind == Kind::kPlain && b.kind == Kind::kPlain) {
    if (const auto folded = TryFold(terms_, kind, a.plain, b.plain)) return Plain(*folded);
  }
  const auto c = b.kind == Kind::kPlain ? terms_.AsInt(b.plain) : std::nullopt;
  if (c && *c > 0) return *c == 1 ? a : DivideByLiteral(a, *c, floor);
  return Plain(DivideProducts(e, Normalize(a), Normalize(b)));
}

auto CanonicalSimplifier::DivideByLiteral(const CanonicalValue& a, int64_t c, bool floor) -> CanonicalValue {
  const DataType type = a.dtype;
  if (a.kind != Kind::kSum) {
    const ConstBound bound = analyzer_.Bound(Normalize(a));
    if (bound.min >= 0 && bound.max < c) return Plain(terms_.IntImm(type, 0));
    return SplitDiv(ToSplit(a), type, c, floor);
  }
  auto [divisible, rest] = Separate(*a.sum, c);
  if (rest.is_zero()) {
    divisible.DivideBy(c);
    return Of(std::move(divisible), type);
  }
  // Truncation may be taken apart only where nothing is negative.
  if (!floor && !(analyzer_.CanProveGreaterEqual(Normalize(divisible, type), 0) &&
                  analyzer_.CanProveGreaterEqual(Normalize(rest, type), 0))) {
    return SplitDiv(ToSplit(a), type, c, floor);
  }
  divisible.DivideBy(c);
  const PrimExpr plain = Normalize(rest, type);
  if (const auto literal = terms_.AsInt(plain)) {
    divisible.AddLiteral(floor ? FloorDivInt(*literal, c) : TruncDivInt(*literal, c));
  } else if (TryCompare(plain, c) != kIsLT || (floor && !analyzer_.CanProveGreaterEqual(plain, 0))) {
    if (MayOverflow(*a.sum, rest, type)) return SplitDiv(ToSplit(a), type, c, floor);
    const CanonicalValue quotient = SplitDiv(ToSplit(Of(std::move(rest), type)), type, c, floor);
    divisible.Add(ToSplit(quotient), 1);
  }
  return Of(std::move(divisible), type);
}

auto CanonicalSimplifier::Remainder(PrimExpr e, bool floor) -> CanonicalValue {
  CanonicalValue a = TakeForm(terms_.operand(e, 0), e);
  CanonicalValue b = terms_.operand(e, 0) == terms_.operand(e, 1) ? a : TakeForm(terms_.operand(e, 1), e);
  if (a.kind == Kind::kPlain && b.kind == Kind::kPlain) {
    if (const auto folded = TryFold(terms_, terms_.kind(e), a.plain, b.plain)) return Plain(*folded);
  }
  const auto c = b.kind == Kind::kPlain ? terms_.AsInt(b.plain) : std::nullopt;
  // The greatest integer as a modulus would be taken for none.
  if (c && *c > 0 && *c != SplitTerm::kNoUpper) {
    return *c == 1 ? Plain(terms_.IntImm(terms_.dtype(e), 0)) : RemainderByLiteral(std::move(a), *c, floor);
  }
  return Plain(DivideProducts(e, Normalize(a), Normalize(b)));
}

auto CanonicalSimplifier::MayOverflow(const SumTerm& sum, const SumTerm& part, DataType type) -> bool {
  // The terms of the part are terms of the sum.
  const bool is_near_end = std::ranges::any_of(sum.segments, [this](const SumTerm::Segment& segment) {
    return std::ranges::any_of(segment,
                               [this](const SplitTerm& split) { return HasLiteralNearEnd(terms_, split.index); });
  });
  if (!is_near_end && !sum.IsNearEndOf(type) && !part.IsNearEndOf(type)) return false;
  return !FitsByBounds(Normalize(part, type));
}

auto CanonicalSimplifier::RemainderByLiteral(CanonicalValue a, int64_t c, bool floor) -> CanonicalValue {
  const DataType type = a.dtype;
  if (a.kind != Kind::kSum) {
    const ConstBound bound = analyzer_.Bound(Normalize(a));
    if (bound.min >= 0 && bound.max < c) return a;
    return SplitMod(ToSplit(a), type, c, floor);
  }
  auto [divisible, rest] = Separate(*a.sum, c);
  if (!floor && rest.is_zero()) return Plain(terms_.IntImm(type, 0));
  if (floor || (analyzer_.CanProveGreaterEqual(Normalize(divisible, type), 0) &&
                analyzer_.CanProveGreaterEqual(Normalize(rest, type), 0))) {
    const PrimExpr plain = Normalize(rest, type);
    if (const auto literal = terms_.AsInt(plain)) {
      return Plain(MakeConst(terms_, type, floor ? FloorModInt(*literal, c) : TruncModInt(*literal, c)));
    }
    if (TryCompare(plain, c) == kIsLT && (!floor || analyzer_.CanProveGreaterEqual(plain, 0))) return Plain(plain);
    if (MayOverflow(*a.sum, rest, type)) return SplitMod(ToSplit(a), type, c, floor);
    a = Of(std::move(rest), type);
  }
  const int64_t base = a.sum->base;
  const int64_t new_base = floor ? FloorModInt(base, c) : TruncModInt(base, c);
  bool reduce = floor;
  if (!floor) {
    // (x - 5) tmod 3 is (x - 2) tmod 3 only if x is at least 5.
    const ConstBound bound = analyzer_.Bound(Normalize(a));
    reduce = bound.min >= 0 && static_cast<__int128>(bound.min) - base + new_base >= 0;
  }
  if (reduce) {
    SumTerm sum = *a.sum;
    sum.base = new_base;
    if (!MayOverflow(*a.sum, sum, type)) a = Of(std::move(sum), type);
  }
  return SplitMod(ToSplit(a), type, c, floor);
}

// Cancels common factors of the products a and b: (x*y*6) div (y*4) is (x*3) div 2; of remainders the common factor
// comes back as a factor of the result.
auto CanonicalSimplifier::DivideProducts(PrimExpr e, PrimExpr a, PrimExpr b) -> PrimExpr {
  const PrimKind kind = terms_.kind(e);
  const PrimExpr operands[] = {a, b};
  if (terms_.kind(b) == kIntImm) return terms_.WithOperands(e, operands);
  const DataType type = terms_.dtype(e);
  const auto unpack = [&](PrimExpr product, std::vector<PrimExpr>& factors) {
    __int128 literal = 1;
    ForEachFactor(terms_, product, [&](PrimExpr factor) {
      if (const auto value = terms_.AsInt(factor)) {
        literal = literal * *value;
        if (literal > INT32_MAX || literal < -INT32_MAX) literal = 0;  // too large to be cancelled
      } else {
        factors.push_back(factor);
      }
      return true;
    });
    return static_cast<int64_t>(literal);
  };
  std::vector<PrimExpr> of_a;
  std::vector<PrimExpr> of_b;
  const int64_t literal_a = unpack(a, of_a);
  const int64_t literal_b = unpack(b, of_b);
  // Literals of 0 have nothing in common.
  if (literal_a == 0 || literal_b == 0) return terms_.WithOperands(e, operands);
  PrimExpr new_a = terms_.IntImm(type, 1);
  PrimExpr new_b = new_a;
  PrimExpr common = new_a;
  absl::flat_hash_map<PrimExpr, int> available;
  for (const PrimExpr factor : of_a) ++available[factor];
  absl::flat_hash_map<PrimExpr, int> cancelled;
  for (const PrimExpr factor : of_b) {
    const auto found = available.find(factor);
    if (found != available.end() && found->second > 0) {
      --found->second;
      ++cancelled[factor];
      common = Fold(terms_, kMul, common, factor);
    } else {
      new_b = Fold(terms_, kMul, new_b, factor);
    }
  }
  const int64_t g = Gcd(literal_a, literal_b);
  if (cancelled.empty() && g <= 1) return terms_.WithOperands(e, operands);
  for (const PrimExpr factor : of_a) {
    const auto found = cancelled.find(factor);
    if (found != cancelled.end() && found->second > 0) {
      --found->second;
    } else {
      new_a = Fold(terms_, kMul, new_a, factor);
    }
  }
  new_a = Fold(terms_, kMul, new_a, MakeConst(terms_, type, literal_a / g));
  new_b = Fold(terms_, kMul, new_b, MakeConst(terms_, type, literal_b / g));
  const PrimExpr r = Fold(terms_, kind, new_a, new_b);
  if (kind == kDiv || kind == kFloorDiv) return r;
  return Fold(terms_, kMul, r, Fold(terms_, kMul, common, MakeConst(terms_, type, g)));
}

auto CanonicalSimplifier::PushCast(PrimExpr e) -> CanonicalValue {
  const DataType type = terms_.dtype(e);
  const PrimExpr operand = terms_.operand(e, 0);
  CanonicalValue v = TakeForm(operand, e);
  const DataType from = v.dtype;
  const auto cast = [&](SplitTerm split) {
    split.index = CastTo(terms_, type, split.index);
    return split;
  };
  if (v.kind == Kind::kSum && CanPushCast(*v.sum, from, type)) {
    SumTerm sum;
    sum.base = v.sum->base;
    for (const SumTerm::Segment& segment : v.sum->segments) {
      for (const SplitTerm& split : segment) sum.Add(cast(split), 1);
    }
    return Of(std::move(sum), type);
  }
  if (v.kind == Kind::kSplit && CanPushCast(v.split, from, type)) return Of(cast(v.split), type);
  return Plain(CastTo(terms_, type, Normalize(v)));
}

auto CanonicalSimplifier::SplitDiv(SplitTerm s, DataType type, int64_t c, bool floor) -> CanonicalValue {
  s = ConvertMode(s, type, floor);
  if (s.scale % c == 0) {
    s.scale /= c;
    return Of(s, type);
  }
  // A negative scale may be taken into the divisor only of the whole index.
  if (c % s.scale == 0 && (s.scale > 0 || s.is_whole())) {
    const int64_t q = c / s.scale;
    int64_t lower = 0;
    if (!__builtin_mul_overflow(s.lower, q, &lower) && FitsType(type, lower)) {
      if (s.upper == SplitTerm::kNoUpper || s.upper % lower == 0) {
        s.scale = 1;
        s.lower = lower;
        return Of(s, type);
      }
      if (s.upper <= lower) return Plain(terms_.IntImm(type, 0));
      s.index = Fold(terms_, floor ? kFloorMod : kMod, s.index, MakeConst(terms_, type, s.upper));
      s.upper = SplitTerm::kNoUpper;
      s.scale = 1;
      s.lower = lower;
      return Of(s, type);
    }
  }
  return Of(SplitTerm{.index = Normalize(s, type), .lower = c, .floor = floor}, type);
}

auto CanonicalSimplifier::SplitMod(SplitTerm s, DataType type, int64_t c, bool floor) -> CanonicalValue {
  s = ConvertMode(s, type, floor);
  if (s.scale % c == 0) {
    s.scale = 0;
    return Of(s, type);
  }
  if (c % s.scale == 0 && (s.scale > 0 || s.is_whole())) {
    const int64_t q = c / s.scale;
    int64_t upper = 0;
    if (!__builtin_mul_overflow(s.lower, q, &upper) && FitsType(type, upper) && upper != SplitTerm::kNoUpper) {
      if (s.upper == SplitTerm::kNoUpper) {
        s.upper = upper;
        return Of(s, type);
      }
      if (s.upper % upper == 0) {
        if (upper >= s.upper) return Of(s, type);
        // With the smaller factor the index may become simpler.
        const PrimKind mod = floor ? kFloorMod : kMod;
        const PrimExpr index = Visit(Fold(terms_, mod, s.index, MakeConst(terms_, type, upper)));
        CanonicalValue r = Of(SplitTerm{.index = index}, type);
        if (s.lower != 1) r = SplitDiv(r.split, type, s.lower, floor);
        SplitTerm split = ToSplit(r);
        split.scale = static_cast<int64_t>(static_cast<uint64_t>(split.scale) * static_cast<uint64_t>(s.scale));
        return Of(split, type);
      }
      if (upper % s.upper == 0) return Of(s, type);
    }
  }
  return Of(SplitTerm{.index = Normalize(s, type), .upper = c, .floor = floor}, type);
}

// a < b as a - b < 0: with g dividing all scales but those of E, D + E < 0 is D/g < 0 where 0 <= E < g.
auto CanonicalSimplifier::StepLT(size_t at) -> bool {
  const PrimExpr e = stack_[at].e;
  const DataType type = terms_.dtype(terms_.operand(e, 0));
  if (stack_[at].step == 0 && !DifferenceMayWrap(terms_.operand(e, 0), terms_.operand(e, 1))) {
    const PrimExpr difference = Sub(terms_, terms_.operand(e, 0), terms_.operand(e, 1));
    if (!NeedForm(difference)) return false;
    const CanonicalValue d = TakeForm(difference, e);
    if (d.kind == Kind::kSum) {
      int64_t g = d.sum->base;
      bool scaled = false;
      for (const SumTerm::Segment& segment : d.sum->segments) {
        for (const SplitTerm& split : segment) {
          if (split.scale >= -1 && split.scale <= 1) continue;
          scaled = true;
          g = Gcd(g, split.scale);
        }
      }
      if (scaled && g > 1) {
        auto [divisible, rest] = Separate(*d.sum, g);
        const PrimExpr extra = Normalize(rest, type);
        const PrimExpr zero = terms_.IntImm(type, 0);
        std::optional<PrimExpr> smaller;
        if (analyzer_.CanProve(Lt(terms_, extra, MakeConst(terms_, type, g))) &&
            analyzer_.CanProve(Ge(terms_, extra, zero))) {
          divisible.DivideBy(g);
          smaller = Lt(terms_, Normalize(divisible, type), zero);
        } else if (rest.num_splits() == 1 && rest.base == 0) {
          const SplitTerm& split = rest.segments.front().front();
          int64_t lower = 0;
          const bool exact = split.scale == 1 && split.floor && split.upper != SplitTerm::kNoUpper &&
                             !__builtin_mul_overflow(g, split.lower, &lower) && split.upper % lower == 0;
          if (exact) {
            divisible.DivideBy(g);
            const PrimExpr quotient = FloorDiv(terms_, split.index, MakeConst(terms_, type, lower));
            const PrimExpr digit = FloorMod(terms_, quotient, MakeConst(terms_, type, split.upper / lower));
            smaller = Lt(terms_, Add(terms_, Normalize(divisible, type), digit), zero);
          }
        }
        if (smaller) {
          Remember(e, Visit(*smaller));
          return true;
        }
      }
    }
    stack_[at].step = 1;
  }
  if (!NeedOperands(e)) return false;
  Remember(e, Finish(Rebuilt(e)));
  return true;
}

}  // namespace relayopt::arith
