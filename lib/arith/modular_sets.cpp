// Modular sets.
#include "lib/arith/modular_sets.h"

#include <algorithm>
#include <cstdlib>

#include "lib/arith/const_bounds.h"
#include "relayopt/arith/fold.h"

namespace relayopt::arith {

// NOLINTBEGIN(misc-no-recursion): operands have their sets before that of their user is asked for.

namespace {

using enum PrimKind;

constexpr ModularSet kEverything = {1, 0};
// As TVM: reads as "the constant 1".
constexpr ModularSet kNothing = {0, 1};

// Signs and base brought to normal; what leaves 64 bits on the way is everything.
auto MakeModular(__int128 coefficient, __int128 base) -> ModularSet {
  if (coefficient < 0) {
    coefficient = -coefficient;
    base = -base;
  }
  if (coefficient != 0) {
    base %= coefficient;
    if (base < 0) base += coefficient;
  }
  if (coefficient > INT64_MAX || base > INT64_MAX || base < -INT64_MAX) return kEverything;
  return {static_cast<int64_t>(coefficient), static_cast<int64_t>(base)};
}

auto Gcd128(__int128 a, __int128 b) -> __int128 {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const __int128 r = a % b;
    a = b;
    b = r;
  }
  return a;
}

// Returns the set of the numbers modulo 2^bits.
auto Wrapped(ModularSet set, DataType type) -> ModularSet {
  const int64_t words = int64_t{1} << std::min<int>(type.bits, 62);
  return MakeModular(Gcd128(set.coefficient, words), set.base);
}

auto Union(ModularSet a, ModularSet b) -> ModularSet {
  const int64_t g = Gcd(a.coefficient, b.coefficient);
  if (g == 0) return a.base == b.base ? a : kEverything;
  const int64_t ra = FloorModInt(a.base, g);
  const int64_t rb = FloorModInt(b.base, g);
  if (ra == rb) return {g, ra};
  return MakeModular(Gcd(Gcd(ra, rb), g), ra);
}

auto Intersect(ModularSet x, ModularSet y) -> ModularSet {
  if (x.is_const() && y.is_const()) return x.base == y.base ? x : kNothing;
  const ExtendedGcd gcd = FindExtendedGcd(x.coefficient, y.coefficient);
  const int64_t v = y.base - x.base;
  if (gcd.g == 0 || v % gcd.g != 0) return kNothing;
  const __int128 coefficient = static_cast<__int128>(x.coefficient / gcd.g) * y.coefficient;
  // Modulo the new coefficient nothing overflows.
  __int128 steps = static_cast<__int128>(v / gcd.g) * gcd.x;
  if (y.coefficient != 0) steps %= y.coefficient / gcd.g;
  return MakeModular(coefficient, steps * x.coefficient + x.base);
}

}  // namespace

auto Gcd(int64_t a, int64_t b) -> int64_t {
  const __int128 g = Gcd128(a, b);
  return g > INT64_MAX ? INT64_MAX : static_cast<int64_t>(g);
}

auto FindExtendedGcd(int64_t a, int64_t b) -> ExtendedGcd {
  __int128 s = 0, old_s = 1;
  __int128 r = b, old_r = a < 0 ? -static_cast<__int128>(a) : a;
  while (r != 0) {
    const __int128 q = old_r / r;
    std::swap(r, old_r);
    r -= q * old_r;
    std::swap(s, old_s);
    s -= q * old_s;
  }
  const __int128 x = a < 0 ? -old_s : old_s;
  const __int128 y = b != 0 ? (old_r - x * a) / b : 1;
  return {static_cast<int64_t>(old_r), static_cast<int64_t>(x), static_cast<int64_t>(y)};
}

auto ModularSets::Get(PrimExpr e) -> ModularSet {
  if (terms_.kind(e) == kIntImm) return {0, terms_.int_value(e)};
  if (const ModularSet* known = memo_.Find(e.value())) return *known;
  const size_t bottom = stack_.size();
  stack_.push_back(e);
  while (stack_.size() > bottom) {
    const PrimExpr top = stack_.back();
    if (memo_.Find(top.value()) != nullptr) {
      stack_.pop_back();
      continue;
    }
    const auto operands = terms_.operands(top);
    const size_t pending = stack_.size();
    const auto need = [&](PrimExpr operand) {
      if (terms_.kind(operand) != kIntImm && memo_.Find(operand.value()) == nullptr) stack_.push_back(operand);
    };
    if (terms_.kind(top) == kLet) {
      need(operands[1]);
      if (stack_.size() == pending) {
        sets_.try_emplace(operands[0], Get(operands[1]));
        need(operands[2]);
      }
    } else {
      for (size_t i = operands.size(); i-- > 0;) need(operands[i]);
    }
    if (stack_.size() != pending) continue;
    stack_.pop_back();
    const ModularSet set = Compute(top);
    memo_.Insert(top.value(), set);
  }
  return *memo_.Find(e.value());
}

auto ModularSets::Compute(PrimExpr e) -> ModularSet {
  const PrimKind kind = terms_.kind(e);
  if (terms_.is_var(e)) {
    const auto known = sets_.find(e);
    if (known != sets_.end()) return known->second;
    seen_.insert(e);
    return kEverything;
  }
  const auto operands = terms_.operands(e);
  if (kind == kCast) return Cast(operands[0], terms_.dtype(e));
  if (kind == kLet) return Get(operands[2]);
  if (kind == kSelect) return Union(Get(operands[1]), Get(operands[2]));
  if (kind == kCall) {
    const auto& ops = terms_.ops();
    if (operands.size() != 2) return kEverything;
    const auto amount = terms_.AsInt(operands[1]);
    if (!amount) return kEverything;
    if (terms_.call_op(e) == ops.shift_right && *amount >= 0 && *amount < 62) {
      return Divide(operands[0], Get(operands[0]), {0, int64_t{1} << *amount}, true);
    }
    const bool is_mask = *amount > 0 && *amount < INT64_MAX && (*amount & (*amount + 1)) == 0;
    if (terms_.call_op(e) == ops.bitwise_and && is_mask) {
      return Remainder(operands[0], Get(operands[0]), {0, *amount + 1}, true);
    }
    return kEverything;
  }
  if (!IsArithmetic(kind)) return kEverything;
  const ModularSet a = Get(operands[0]);
  const ModularSet b = Get(operands[1]);
  const ModularSet exact = Combine(kind, operands[0], a, b);
  const DataType type = terms_.dtype(e);
  return WrapsAround(type) && (kind == kAdd || kind == kSub || kind == kMul) ? Wrapped(exact, type) : exact;
}

// Returns the set of the result in mathematics.
auto ModularSets::Combine(PrimKind kind, PrimExpr dividend, ModularSet a, ModularSet b) -> ModularSet {
  switch (kind) {
    case kAdd: return MakeModular(Gcd(a.coefficient, b.coefficient), static_cast<__int128>(a.base) + b.base);
    case kSub: return MakeModular(Gcd(a.coefficient, b.coefficient), static_cast<__int128>(a.base) - b.base);
    case kMul: {
      const __int128 pq = static_cast<__int128>(a.coefficient) * b.coefficient;
      const __int128 pr = static_cast<__int128>(a.coefficient) * b.base;
      const __int128 qr = static_cast<__int128>(a.base) * b.coefficient;
      return MakeModular(Gcd128(pq, Gcd128(pr, qr)), static_cast<__int128>(a.base) * b.base);
    }
    case kDiv: return Divide(dividend, a, b, false);
    case kFloorDiv: return Divide(dividend, a, b, true);
    case kMod: return Remainder(dividend, a, b, false);
    case kFloorMod: return Remainder(dividend, a, b, true);
    default: return Union(a, b);  // min and max
  }
}

auto ModularSets::Cast(PrimExpr value, DataType type) -> ModularSet {
  const ModularSet set = Get(value);
  const DataType from = terms_.dtype(value);
  if (!IsInteger(from) || !IsInteger(type)) return set;
  const bool is_wider = type.bits >= from.bits && type.code == from.code;
  return is_wider || KeepsValue(analyzer_.Bound(value), from, type) ? set : Wrapped(set, type);
}

auto ModularSets::Divide(PrimExpr dividend, ModularSet a, ModularSet divisor, bool floor) -> ModularSet {
  const int64_t v = divisor.base;
  if (!divisor.is_const() || v == 0 || v == INT64_MIN || a.coefficient % v != 0) return kEverything;
  if (a.base == 0 && a.coefficient != INT64_MIN) return {std::abs(a.coefficient / v), 0};
  if (a.base > 0 && v > 0 && (floor || analyzer_.CanProveGreaterEqual(dividend, 0))) {
    return {a.coefficient / v, a.base / v};
  }
  return kEverything;
}

auto ModularSets::Remainder(PrimExpr dividend, ModularSet a, ModularSet divisor, bool floor) -> ModularSet {
  const int64_t v = divisor.base;
  if (!divisor.is_const() || v == 0) return kEverything;
  const int64_t g = Gcd(a.coefficient, v);
  if (g != 0 && (a.base % g == 0 || (a.base > 0 && (floor || analyzer_.CanProveGreaterEqual(dividend, 0))))) {
    return MakeModular(g, a.base % g);
  }
  return kEverything;
}

void ModularSets::Set(PrimExpr var, ModularSet set, bool is_new) {
  sets_[var] = set;
  if (!is_new) memo_.Invalidate();
}

void ModularSets::EnterConstraint(PrimExpr condition) {
  std::pair<PrimExpr, ModularSet> restored;
  if (terms_.kind(condition) == kEQ) {
    const PrimExpr left = terms_.operand(condition, 0);
    const auto base = terms_.AsInt(terms_.operand(condition, 1));
    const PrimKind kind = terms_.kind(left);
    if (base && (kind == kMod || kind == kFloorMod) && terms_.is_var(terms_.operand(left, 0))) {
      const auto coefficient = terms_.AsInt(terms_.operand(left, 1));
      // A truncated remainder implies the same residue class.
      if (coefficient && *coefficient != 0) {
        const PrimExpr var = terms_.operand(left, 0);
        const auto known = sets_.find(var);
        const ModularSet old = known == sets_.end() ? kEverything : known->second;
        restored = {var, old};
        sets_[var] = Intersect(old, MakeModular(*coefficient, *base));
      }
    }
  }
  scopes_.push_back(restored);
  memo_.Push();
}

void ModularSets::LeaveConstraint() {
  const auto [var, set] = scopes_.back();
  scopes_.pop_back();
  memo_.Pop();
  if (var) sets_[var] = set;
}

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt::arith
