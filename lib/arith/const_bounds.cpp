// Constant bounds: one rule for each kind of node, with infinite ends.
#include "lib/arith/const_bounds.h"

#include <algorithm>
#include <cmath>

#include "relayopt/arith/fold.h"

namespace relayopt::arith {

// NOLINTBEGIN(misc-no-recursion): operands have their bounds before those of their user are asked for.

namespace {

using enum PrimKind;

constexpr int64_t kPosInf = ConstBound::kPosInf;
constexpr int64_t kNegInf = ConstBound::kNegInf;

auto IsInf(int64_t x) -> bool { return x == kPosInf || x == kNegInf; }

// Returns the interval. A start at +inf and an end at -inf are moved back by one.
auto MakeBound(int64_t min, int64_t max) -> ConstBound {
  // The smallest 64-bit integer counts as -inf, so that every end can be negated.
  min = std::max(min, kNegInf);
  max = std::max(max, kNegInf);
  if (min == kPosInf) --min;
  if (max == kNegInf) ++max;
  return {min, max};
}

auto Clamp(__int128 value) -> int64_t {
  if (value >= kPosInf) return kPosInf;
  if (value <= kNegInf) return kNegInf;
  return static_cast<int64_t>(value);
}

auto AddInf(int64_t x, int64_t y) -> int64_t {
  if (IsInf(x)) return x;
  if (IsInf(y)) return y;
  return Clamp(static_cast<__int128>(x) + y);
}

auto MulInf(int64_t x, int64_t y) -> int64_t { return Clamp(static_cast<__int128>(x) * y); }

// A divisor of 0 comes only from bounds that contradict each other, under which everything holds.
auto DivInf(int64_t x, int64_t y) -> int64_t {
  if (y == 0) return 0;
  if (IsInf(x)) return y > 0 ? x : -x;
  return TruncDivInt(x, y);
}

auto FloorDivInf(int64_t x, int64_t y) -> int64_t {
  if (y == 0) return 0;
  if (IsInf(x)) return y > 0 ? x : -x;
  return FloorDivInt(x, y);
}

auto ShiftLeftInf(int64_t x, int64_t y) -> int64_t {
  if (IsInf(x)) return x;
  if (x == 0) return 0;
  if (y >= 63) return kPosInf;
  return MulInf(x, int64_t{1} << y);
}

auto ShiftRightInf(int64_t x, int64_t y) -> int64_t { return IsInf(x) ? x : x >> std::min<int64_t>(y, 63); }

template <typename F>
auto Corners(ConstBound a, ConstBound b, F f) -> ConstBound {
  const int64_t values[] = {f(a.min, b.min), f(a.min, b.max), f(a.max, b.min), f(a.max, b.max)};
  return {*std::min_element(std::begin(values), std::end(values)),
          *std::max_element(std::begin(values), std::end(values))};
}

auto Union(ConstBound a, ConstBound b) -> ConstBound { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }
auto Intersect(ConstBound a, ConstBound b) -> ConstBound { return {std::max(a.min, b.min), std::min(a.max, b.max)}; }

// Returns the bound of a result computed modulo 2^bits, given the bound of the result in mathematics.
auto Wrapped(ConstBound bound, DataType type) -> ConstBound {
  const bool fits = KeepsValue(bound, type, type) && (bound.max != kPosInf || type.bits < 64);
  return fits ? bound : EverythingOf(type);
}

template <typename F>
auto DivideBounds(ConstBound a, ConstBound b, DataType type, F divide) -> ConstBound {
  if (b.min == 0 && b.max == 0) return EverythingOf(type);
  // A divisor is taken not to be zero.
  if (b.min == 0) b.min = 1;
  if (b.min <= 0 && b.max >= 0 && !type.is_uint()) {
    const ConstBound everything = EverythingOf(type);
    // As TVM: the half that is empty counts as everything.
    const ConstBound negative = b.min < 0 ? ConstBound{b.min, -1} : everything;
    const ConstBound positive = b.max > 0 ? ConstBound{1, b.max} : everything;
    return Union(Corners(a, negative, divide), Corners(a, positive, divide));
  }
  return Corners(a, b, divide);
}

auto TruncModBounds(ConstBound a, ConstBound b, DataType type) -> ConstBound {
  if (b.min == 0) b.min = 1;
  if (b.min <= 0) return EverythingOf(type);
  const int64_t largest = AddInf(b.max, -1);
  if (a.min >= 0) {
    if (a.max < b.min) return a;
    return MakeBound(0, std::min(a.max, largest));
  }
  return MakeBound(std::max(a.min, -largest), std::min(std::max<int64_t>(a.max, 0), largest));
}

auto FloorModBounds(ConstBound a, ConstBound b, DataType type) -> ConstBound {
  if (b.min == 0) b.min = 1;
  if (b.min > 0) {
    const int64_t largest = AddInf(b.max, -1);
    if (a.min < 0) return MakeBound(0, largest);
    if (a.max < b.min) return a;
    return MakeBound(0, std::min(a.max, largest));
  }
  const ConstBound range = {std::min<int64_t>(0, AddInf(b.min, 1)), std::max<int64_t>(0, AddInf(b.max, -1))};
  return Intersect(range, EverythingOf(type));
}

}  // namespace

auto EverythingOf(DataType type) -> ConstBound {
  if (!IsInteger(type)) return {};
  if (type.is_int()) {
    if (type.bits >= 64) return {};
    const int64_t end = int64_t{1} << (type.bits - 1);
    return {-end, end - 1};
  }
  if (type.bits >= 63) return {0, kPosInf};
  return {0, (int64_t{1} << type.bits) - 1};
}

auto KeepsValue(ConstBound bound, DataType from, DataType to) -> bool {
  const ConstBound range = EverythingOf(to);
  if (bound.min < range.min || bound.max > range.max) return false;
  // The infinite end of words without a sign is beyond the greatest integer with one.
  return bound.max != kPosInf || !to.is_int() || !from.is_uint();
}

auto ConstBounds::Lookup(PrimExpr e) const -> const ConstBound* { return memo_.Find(e.value()); }

auto ConstBounds::Get(PrimExpr e) -> ConstBound {
  if (terms_.kind(e) == kIntImm) return MakeBound(terms_.int_value(e), terms_.int_value(e));
  if (const ConstBound* known = Lookup(e)) return *known;
  const size_t bottom = stack_.size();
  stack_.push_back(e);
  while (stack_.size() > bottom) {
    const PrimExpr top = stack_.back();
    if (Lookup(top) != nullptr) {
      stack_.pop_back();
      continue;
    }
    const auto operands = terms_.operands(top);
    const size_t pending = stack_.size();
    const auto need = [&](PrimExpr operand) {
      if (terms_.kind(operand) != kIntImm && Lookup(operand) == nullptr) stack_.push_back(operand);
    };
    if (terms_.kind(top) == kLet) {
      // The value first: inside of the body the variable has its bound. Nothing outside asks for it.
      need(operands[1]);
      if (stack_.size() == pending) {
        bound_.try_emplace(operands[0], Get(operands[1]));
        need(operands[2]);
      }
    } else {
      for (size_t i = operands.size(); i-- > 0;) need(operands[i]);
    }
    if (stack_.size() != pending) continue;
    stack_.pop_back();
    ConstBound bound = Compute(top);
    if (!constraints_.empty()) {
      if (const auto known = constraints_of_.find(top); known != constraints_of_.end()) {
        bound = Intersect(bound, known->second.back());
      }
    }
    memo_.Insert(top.value(), bound);
  }
  return *Lookup(e);
}

auto ConstBounds::Compute(PrimExpr e) -> ConstBound {
  const DataType type = terms_.dtype(e);
  const PrimKind kind = terms_.kind(e);
  switch (kind) {
    case kVar:
    case kSizeVar: {
      const auto known = bound_.find(e);
      if (known != bound_.end()) return known->second;
      seen_.insert(e);
      return kind == kSizeVar ? MakeBound(0, kPosInf) : EverythingOf(type);
    }
    case kSelect: return Union(Operand(e, 1), Operand(e, 2));
    case kLet: return Operand(e, 2);
    case kCast: return ComputeCast(e);
    case kBroadcast: return Operand(e, 0);
    case kRamp: {
      const PrimExpr base = terms_.operand(e, 0);
      const DataType element = terms_.dtype(base);
      if (!IsInteger(element)) return EverythingOf(type);
      const PrimExpr steps = MakeConst(terms_, element, terms_.lanes(e) - 1);
      const PrimExpr last = Add(terms_, base, Mul(terms_, steps, terms_.operand(e, 1)));
      return Union(Get(base), Get(last));
    }
    case kCall: return ComputeCall(e);
    default: return IsArithmetic(kind) ? ComputeBinary(e) : EverythingOf(type);
  }
}

auto ConstBounds::ComputeBinary(PrimExpr e) -> ConstBound {
  const DataType type = terms_.dtype(e);
  const PrimKind kind = terms_.kind(e);
  const ConstBound exact = ComputeExact(kind, Operand(e, 0), Operand(e, 1), type);
  const bool is_division = kind == kDiv || kind == kFloorDiv;
  const bool may_leave = kind == kAdd || kind == kSub || kind == kMul || (is_division && type.is_int());
  return may_leave && WrapsAround(type) ? Wrapped(exact, type) : exact;
}

auto ConstBounds::ComputeExact(PrimKind kind, ConstBound a, ConstBound b, DataType type) -> ConstBound {
  switch (kind) {
    case kAdd: return MakeBound(AddInf(a.min, b.min), AddInf(a.max, b.max));
    case kSub: return MakeBound(AddInf(a.min, -b.max), AddInf(a.max, -b.min));
    case kMul: return Corners(a, b, MulInf);
    case kDiv: return DivideBounds(a, b, type, DivInf);
    case kFloorDiv: return DivideBounds(a, b, type, FloorDivInf);
    case kMod: return TruncModBounds(a, b, type);
    case kFloorMod: return FloorModBounds(a, b, type);
    case kMin: return {std::min(a.min, b.min), std::min(a.max, b.max)};
    case kMax: return {std::max(a.min, b.min), std::max(a.max, b.max)};
    default: return EverythingOf(type);
  }
}

auto ConstBounds::ComputeCast(PrimExpr e) -> ConstBound {
  const DataType type = terms_.dtype(e);
  const PrimExpr value = terms_.operand(e, 0);
  const auto& ops = terms_.ops();
  // ceil(log2(x)) as an integer.
  if (type.is_int() && terms_.IsCall(value, ops.ceil) && terms_.IsCall(terms_.operand(value, 0), ops.log2)) {
    const PrimExpr x = terms_.operand(terms_.operand(value, 0), 0);
    const auto log2 = [](double v) { return static_cast<int64_t>(std::ceil(std::log2(v))); };
    if (terms_.kind(x) == kFloatImm && terms_.float_value(x) > 0 && std::isfinite(terms_.float_value(x))) {
      const int64_t exact = log2(terms_.float_value(x));
      return MakeBound(exact, exact);
    }
    const ConstBound bound = Get(x);
    if (bound.max < 1) return EverythingOf(type);
    const int64_t low = log2(static_cast<double>(std::max<int64_t>(bound.min, 1)));
    // The logarithm of a number below 1 is negative.
    return {bound.min < 1 ? EverythingOf(type).min : low,
            bound.max == kPosInf ? kPosInf : log2(static_cast<double>(bound.max))};
  }
  // A number outside of the new type wraps.
  const ConstBound bound = Get(value);
  return KeepsValue(bound, terms_.dtype(value), type) ? bound : EverythingOf(type);
}

auto ConstBounds::ComputeCall(PrimExpr e) -> ConstBound {
  const DataType type = terms_.dtype(e);
  const auto& ops = terms_.ops();
  const CallOpId op = terms_.call_op(e);
  const bool is_shift = op == ops.shift_left || op == ops.shift_right;
  if ((!is_shift && op != ops.bitwise_and) || terms_.num_operands(e) != 2) return EverythingOf(type);
  const ConstBound a = Operand(e, 0);
  const ConstBound b = Operand(e, 1);
  if (op == ops.bitwise_and) {
    if (a.min >= 0 && b.min >= 0) return MakeBound(0, std::min(a.max, b.max));
    if (b.min >= 0) return MakeBound(0, b.max);
    if (a.min >= 0) return MakeBound(0, a.max);
    return EverythingOf(type);
  }
  // An invalid shift amount gives no information.
  if (b.min < 0 || b.max >= type.bits) return EverythingOf(type);
  if (op == ops.shift_right) return Corners(a, b, ShiftRightInf);
  if (a.min < 0) return EverythingOf(type);
  const ConstBound exact = Corners(a, b, ShiftLeftInf);
  return WrapsAround(type) ? Wrapped(exact, type) : exact;
}

void ConstBounds::Set(PrimExpr var, ConstBound bound, bool is_new) {
  bound_[var] = bound;
  if (!is_new) memo_.Invalidate();
}

void ConstBounds::Bind(PrimExpr var, const Range& range) {
  const ConstBound min = Get(range.min);
  const ConstBound extent = Get(range.extent);
  const ConstBound exact = MakeBound(min.min, AddInf(min.max, AddInf(extent.max, -1)));
  Set(var, WrapsAround(terms_.dtype(var)) ? Wrapped(exact, terms_.dtype(var)) : exact);
}

void ConstBounds::Learn(PrimExpr part) {
  const PrimKind kind = terms_.kind(part);
  if (!IsComparison(kind) || kind == kNE) return;
  const PrimExpr a = terms_.operand(part, 0);
  const PrimExpr b = terms_.operand(part, 1);
  const auto ia = terms_.AsInt(a);
  const auto ib = terms_.AsInt(b);
  if (ia.has_value() == ib.has_value()) return;
  // As `term OP c`.
  const PrimExpr term = ia ? b : a;
  const int64_t c = ia ? *ia : *ib;
  PrimKind op = kind;
  if (ia) op = kind == kLT ? kGT : kind == kLE ? kGE : kind == kGT ? kLT : kind == kGE ? kLE : kEQ;
  ConstBound bound;
  switch (op) {
    case kLT: bound = {kNegInf, AddInf(c, -1)}; break;
    case kLE: bound = {kNegInf, c}; break;
    case kGT: bound = {AddInf(c, 1), kPosInf}; break;
    case kGE: bound = {c, kPosInf}; break;
    default: bound = {c, c}; break;
  }
  constraints_.push_back({term, bound});
  auto& bounds = constraints_of_[term];
  bounds.push_back(bounds.empty() ? bound : Intersect(bounds.back(), bound));
}

void ConstBounds::EnterConstraint(PrimExpr condition) {
  scopes_.push_back(constraints_.size());
  for (const PrimExpr part : ExtractConstraints(terms_, condition)) Learn(part);
  memo_.Push();
}

void ConstBounds::LeaveConstraint() {
  for (; constraints_.size() > scopes_.back(); constraints_.pop_back()) {
    const auto known = constraints_of_.find(constraints_.back().term);
    known->second.pop_back();
    if (known->second.empty()) constraints_of_.erase(known);
  }
  scopes_.pop_back();
  memo_.Pop();
}

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt::arith
