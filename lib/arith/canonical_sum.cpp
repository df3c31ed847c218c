// Collecting splits into sums, and writing both as plain terms.
#include <algorithm>

#include "lib/arith/canonical.h"
#include "lib/arith/overflow.h"
#include "lib/arith/parts.h"
#include "relayopt/arith/fold.h"

namespace relayopt::arith {

// NOLINTBEGIN(misc-no-recursion): a sum becomes splits, and a split a sum, once.

namespace {

using enum PrimKind;

auto WrapAdd(int64_t a, int64_t b) -> int64_t {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
auto WrapMul(int64_t a, int64_t b) -> int64_t {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace

auto SumTerm::Find(PrimExpr index) const -> size_t {
  if (!places_.empty()) {
    const auto found = places_.find(index);
    return found == places_.end() ? segments.size() : found->second;
  }
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].front().index == index) return i;
  }
  return segments.size();
}

void SumTerm::Add(const SplitTerm& split, int64_t scale) {
  if (split.scale == 0) return;
  SplitTerm s = split;
  s.scale = WrapMul(s.scale, scale);
  const size_t at = Find(s.index);
  if (at == segments.size()) {
    segments.push_back({s});
    if (segments.size() > kFew) {
      if (places_.empty()) {
        for (size_t i = 0; i < segments.size(); ++i) places_[segments[i].front().index] = i;
      } else {
        places_[s.index] = at;
      }
    }
    return;
  }
  Segment& segment = segments[at];
  for (auto it = segment.begin(); it != segment.end(); ++it) {
    if (s.lower > it->lower) {
      segment.insert(it, s);
      return;
    }
    if (s.lower == it->lower && s.upper == it->upper && it->compatible(s.floor)) {
      it->scale = WrapAdd(it->scale, s.scale);
      return;
    }
  }
  segment.push_back(s);
}

void SumTerm::Add(const SumTerm& other, int64_t scale) {
  for (const Segment& segment : other.segments) {
    for (const SplitTerm& split : segment) Add(split, scale);
  }
  AddLiteral(WrapMul(other.base, scale));
}

void SumTerm::AddLiteral(int64_t value) { base = WrapAdd(base, value); }

void SumTerm::Multiply(int64_t by) {
  for (Segment& segment : segments) {
    for (SplitTerm& split : segment) split.scale = WrapMul(split.scale, by);
  }
  base = WrapMul(base, by);
}

void SumTerm::DivideBy(int64_t by) {
  for (Segment& segment : segments) {
    for (SplitTerm& split : segment) split.scale /= by;
  }
  base /= by;
}

auto SumTerm::IsNearEndOf(DataType type) const -> bool {
  if (IsNearEnd(type, base)) return true;
  return std::ranges::any_of(segments, [type](const Segment& segment) {
    return std::ranges::any_of(segment, [type](const SplitTerm& split) { return IsNearEnd(type, split.scale); });
  });
}

auto SumTerm::num_splits() const -> size_t {
  size_t count = 0;
  for (const Segment& segment : segments) count += segment.size();
  return count;
}

auto CanonicalSimplifier::Normalize(const CanonicalValue& v) -> PrimExpr {
  switch (v.kind) {
    case CanonicalValue::Kind::kSplit:
      if (!FitsType(v.dtype, v.split.scale)) return Normalize(*ToSum(v), v.dtype);
      return Normalize(v.split, v.dtype);
    case CanonicalValue::Kind::kSum: return Normalize(*v.sum, v.dtype);
    default: return v.plain;
  }
}

auto CanonicalSimplifier::Normalize(const SplitTerm& s, DataType type, int64_t scale) -> PrimExpr {
  if (s.scale == 0) return MakeConst(terms_, type, 0);
  PrimExpr r = s.index;
  if (s.upper != SplitTerm::kNoUpper) {
    r = Fold(terms_, s.floor ? kFloorMod : kMod, r, MakeConst(terms_, type, s.upper));
  }
  if (s.lower != 1) r = Fold(terms_, s.floor ? kFloorDiv : kDiv, r, MakeConst(terms_, type, s.lower));
  const int64_t total = WrapMul(s.scale, scale);
  return total == 1 ? r : Fold(terms_, kMul, r, MakeConst(terms_, type, total));
}

namespace {

// Joins splits of one index: equal ones, and neighbours such as (z//6)*6 and (z%6)//3*3, which are z//3*3.
void MergeSegment(SumTerm::Segment& segment) {
  for (size_t i = 0; i < segment.size(); ++i) {
    if (segment[i].scale == 0) continue;
    for (size_t j = i + 1; j < segment.size(); ++j) {
      SplitTerm& a = segment[i];
      SplitTerm& b = segment[j];
      if (a.upper < b.lower) break;
      const bool compatible = b.compatible(a.floor);
      if (a.upper == b.upper && a.lower == b.lower && compatible) {
        b.scale = WrapAdd(b.scale, a.scale);
        a.scale = 0;
        break;
      }
      if (a.lower == b.upper && b.scale != 0 && a.scale % b.scale == 0 && compatible &&
          a.lower == WrapMul(a.scale / b.scale, b.lower)) {
        b.upper = a.upper;
        if (b.is_whole()) b.floor = a.floor;
        a.scale = 0;
        break;
      }
    }
  }
}

}  // namespace

// A literal that the type does not have is added in steps, as many at most. Wrapped, it would be another number for all
// who reason about the sum: with 2147483647 - (j - 4) as j less than something negative, `j - 4 <= 2147483647` would be
// false.
static constexpr int64_t kMostSteps = 4;
static constexpr int64_t kLargestStep = INT32_MAX;

// Replaces splits with a scale that the type does not have, or not with the other sign, by several with scales that it
// has.
static void SplitLargeScales(std::vector<SplitTerm>& splits, DataType type) {
  for (size_t i = splits.size(); i-- > 0;) {
    const int64_t scale = splits[i].scale;
    const bool fits = FitsType(type, scale) && scale != INT64_MIN && FitsType(type, -scale);
    if (fits || std::abs(scale / kLargestStep) >= kMostSteps) continue;
    splits[i].scale = scale % kLargestStep;
    SplitTerm step = splits[i];
    step.scale = scale > 0 ? kLargestStep : -kLargestStep;
    splits.insert(splits.end(), static_cast<size_t>(std::abs(scale / kLargestStep)), step);
  }
}

auto CanonicalSimplifier::Normalize(const SumTerm& s, DataType type) -> PrimExpr {
  std::vector<SplitTerm> splits;
  for (SumTerm::Segment segment : s.segments) {
    if (segment.size() > 1) MergeSegment(segment);
    splits.insert(splits.end(), segment.begin(), segment.end());
  }
  const bool fits = FitsType(type, s.base) || std::abs(s.base / kLargestStep) >= kMostSteps;
  if (splits.empty() && fits) return MakeConst(terms_, type, s.base);
  SplitLargeScales(splits, type);
  // As TVM: never by index, so that ties keep the order of appearance.
  std::stable_sort(splits.begin(), splits.end(), [](const SplitTerm& a, const SplitTerm& b) {
    if (a.scale != b.scale) return a.scale > b.scale;
    if (a.lower != b.lower) return a.lower > b.lower;
    if (a.upper != b.upper) return a.upper > b.upper;
    return a.floor && !b.floor;
  });
  if (!fits) {
    SumTerm rest = s;
    rest.base = s.base % kLargestStep;
    PrimExpr r = Normalize(rest, type);
    const PrimExpr step = MakeConst(terms_, type, s.base > 0 ? kLargestStep : -kLargestStep);
    for (int64_t i = std::abs(s.base / kLargestStep); i > 0; --i) r = FoldUnlessOverflow(terms_, kAdd, r, step);
    return r;
  }
  const bool smallest = !FitsType(type, WrapMul(s.base, -1)) || s.base == INT64_MIN;
  PrimExpr r = MakeConst(terms_, type, 0);
  for (const SplitTerm& split : splits) {
    if (split.scale > 0) r = Fold(terms_, kAdd, r, Normalize(split, type));
  }
  if (s.base > 0 || smallest) r = Fold(terms_, kAdd, r, MakeConst(terms_, type, s.base));
  for (const SplitTerm& split : splits) {
    if (split.scale < 0) r = Fold(terms_, kSub, r, Normalize(split, type, -1));
  }
  if (s.base < 0 && !smallest) r = Fold(terms_, kSub, r, MakeConst(terms_, type, -s.base));
  return r;
}

auto CanonicalSimplifier::Plain(PrimExpr e) const -> CanonicalValue {
  CanonicalValue v;
  v.kind = CanonicalValue::Kind::kPlain;
  v.dtype = terms_.dtype(e);
  v.plain = e;
  return v;
}

auto CanonicalSimplifier::Of(const SplitTerm& split, DataType type) -> CanonicalValue {
  CanonicalValue v;
  v.kind = CanonicalValue::Kind::kSplit;
  v.dtype = type;
  v.split = split;
  return v;
}

auto CanonicalSimplifier::Of(SumTerm sum, DataType type) -> CanonicalValue {
  CanonicalValue v;
  v.kind = CanonicalValue::Kind::kSum;
  v.dtype = type;
  v.sum = std::make_shared<SumTerm>(std::move(sum));
  return v;
}

auto CanonicalSimplifier::ToSplit(const CanonicalValue& v) -> SplitTerm {
  if (v.kind == CanonicalValue::Kind::kSplit) return v.split;
  if (v.kind == CanonicalValue::Kind::kSum && v.sum->base == 0 && v.sum->num_splits() == 1) {
    return v.sum->segments.front().front();
  }
  return {.index = Normalize(v)};
}

auto CanonicalSimplifier::ToSum(CanonicalValue v) -> std::shared_ptr<SumTerm> {
  if (v.kind == CanonicalValue::Kind::kSum) {
    return v.sum.use_count() == 1 ? std::move(v.sum) : std::make_shared<SumTerm>(*v.sum);
  }
  auto sum = std::make_shared<SumTerm>();
  if (v.kind == CanonicalValue::Kind::kPlain) {
    if (const auto literal = terms_.AsInt(v.plain)) {
      sum->base = *literal;
      return sum;
    }
  }
  sum->Add(ToSplit(v), 1);
  return sum;
}

auto CanonicalSimplifier::ConvertMode(const SplitTerm& s, DataType type, bool floor) -> SplitTerm {
  SplitTerm out = s.compatible(floor) ? s : SplitTerm{.index = Normalize(s, type)};
  out.floor = floor;
  return out;
}

auto CanonicalSimplifier::Separate(const SumTerm& s, int64_t c) -> std::pair<SumTerm, SumTerm> {
  std::pair<SumTerm, SumTerm> out;
  (s.base % c == 0 ? out.first : out.second).base = s.base;
  for (const SumTerm::Segment& segment : s.segments) {
    for (const SplitTerm& split : segment) (split.scale % c == 0 ? out.first : out.second).Add(split, 1);
  }
  return out;
}

auto CanonicalSimplifier::FitsBits(PrimExpr e, DataType type) -> bool {
  if (terms_.dtype(e).bits <= type.bits) return true;
  const ConstBound bound = analyzer_.Bound(e);
  const ConstBound range = {-(int64_t{1} << (type.bits - 1)), (int64_t{1} << (type.bits - 1)) - 1};
  return bound.min >= range.min && bound.max <= range.max;
}

// A cast may move to the index where nothing on the way leaves the narrower type.
auto CanonicalSimplifier::CanPushCast(const SplitTerm& s, DataType from, DataType to) -> bool {
  if (to.bits >= from.bits || s.scale == 0) return true;
  SplitTerm part{.index = s.index, .floor = s.floor};
  if (!FitsBits(s.index, to)) return false;
  part.upper = s.upper;
  if (!FitsBits(Normalize(part, from), to)) return false;
  part.lower = s.lower;
  return FitsBits(Normalize(part, from), to) && FitsBits(Normalize(s, from), to);
}

auto CanonicalSimplifier::CanPushCast(const SumTerm& s, DataType from, DataType to) -> bool {
  if (to.bits >= from.bits) return true;
  // Every partial sum in the order in which it is written. As TVM: unsorted.
  PrimExpr r = MakeConst(terms_, from, 0);
  const auto fits = [&](PrimKind kind, PrimExpr x) {
    r = Fold(terms_, kind, r, x);
    return FitsBits(r, to);
  };
  for (const bool positive : {true, false}) {
    for (const SumTerm::Segment& segment : s.segments) {
      for (const SplitTerm& split : segment) {
        if (positive && split.scale > 0 && !fits(kAdd, Normalize(split, from))) return false;
        if (!positive && split.scale < 0 && !fits(kSub, Normalize(split, from, -1))) return false;
      }
    }
    if (positive == (s.base > 0) && s.base != 0 && !fits(kAdd, MakeConst(terms_, from, s.base))) return false;
  }
  for (const SumTerm::Segment& segment : s.segments) {
    for (const SplitTerm& split : segment) {
      if (!CanPushCast(split, from, to)) return false;
    }
  }
  return true;
}

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt::arith
