// Rules of SimplifyExpr for casts that preserve every value, casts of clipped values, and clips without effect.
#include <cmath>
#include <limits>

#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/transform.h"
#include "rules.h"

namespace relayopt {

namespace {

auto IsCast(const Simplifier& to, ExprId id) -> bool {
  return to.IsCallOf(id, "cast"_op) || to.IsCallOf(id, "cast_like"_op);
}

auto DTypeOf(const Simplifier& to, TypeId type) -> std::optional<DataType> {
  const Type* tensor = to.TensorType(type);
  return tensor == nullptr ? std::nullopt : std::optional(tensor->dtype);
}

// Returns the number of bits in a float's significand, including the hidden bit, or 0 for unknown formats.
auto Precision(DataType dtype) -> int {
  if (dtype.code == TypeCode::kBFloat) return 8;
  if (dtype.code != TypeCode::kFloat) return 0;
  return dtype.bits == 64 ? 53 : dtype.bits == 32 ? 24 : dtype.bits == 16 ? 11 : 0;
}

// Whether every value of `from` is one of `to`. As TVM: never for a cast from unsigned to signed integers, even to
// wider ones.
auto IsLossless(DataType from, DataType to) -> bool {
  if (from.lanes != to.lanes) return false;
  if (from.code == to.code) return from.bits <= to.bits;
  if (to.code != TypeCode::kFloat || !(from.is_int() || from.is_uint())) return false;
  return from.bits - (from.is_int() ? 1 : 0) <= Precision(to);
}

}  // namespace

auto simplify_rules::SimplifySameCast(Simplifier& to, const CallSite& call) -> ExprId {
  const auto from = DTypeOf(to, to.type(call.args[0]));
  if (!from || from != DTypeOf(to, call.type)) return {};
  if (call.args.size() == 2 && !to.MayDrop({call.args[1]})) return {};
  to.Commit(call);
  return call.args[0];
}

auto simplify_rules::SimplifyConsecutiveCast(Simplifier& to, const CallSite& call) -> ExprId {
  const ExprId inner = call.args[0];
  if (!IsCast(to, inner)) return {};
  const ExprId data = to.made().operand(inner, 0);
  const auto from = DTypeOf(to, to.type(data));
  const auto middle = DTypeOf(to, to.type(inner));
  const auto result = DTypeOf(to, call.type);
  if (!from || !middle || !result || !IsLossless(*from, *middle)) return {};
  if (!to.IsInner(inner)) return {};
  const ExprId like = call.args.size() == 2 ? call.args[1] : ExprId();
  const ExprId inner_like = to.IsCallOf(inner, "cast_like"_op) ? to.made().operand(inner, 1) : ExprId();
  if (!to.MayDrop({like, inner_like})) return {};
  to.Commit(call, {inner});
  return to.EmitWith("cast"_op, CastAttrs{.dtype = *result}, {data});
}

namespace {

struct Interval {
  double low = 0;
  double high = 0;
  auto Contains(const Interval& other) const -> bool { return low <= other.low && other.high <= high; }
};

// Returns the range of an integer type; as doubles, so that the ends of 64-bit types are rounded outwards.
auto RangeOf(DataType dtype) -> std::optional<Interval> {
  if (dtype.lanes != 1 || dtype.bits == 0 || dtype.bits > 64) return std::nullopt;
  if (dtype.is_uint()) return Interval{0, std::ldexp(1.0, dtype.bits) - (dtype.bits < 64 ? 1 : 0)};
  if (!dtype.is_int()) return std::nullopt;
  return Interval{-std::ldexp(1.0, dtype.bits - 1), std::ldexp(1.0, dtype.bits - 1) - (dtype.bits < 64 ? 1 : 0)};
}

// Follows the values of a clip through the casts after it, and keeps those casts that change some of them.
class ClippedValues {
 public:
  ClippedValues(DataType dtype, Interval bounds) : dtype_(dtype), values_(bounds), integral_(!dtype.is_float()) {
    if (!integral_) return;
    // The bounds of a clip of integers are cast to their type.
    values_ = {std::trunc(bounds.low), std::trunc(bounds.high)};
    const auto range = RangeOf(dtype);
    if (!range || !range->Contains(values_)) known_ = false;
  }

  void Cast(DataType to) {
    if (Keeps(to)) return;
    if (known_ && !integral_ && Holds(to)) {
      // Truncates, as any integer type would that holds the values.
      truncation_ = to;
      integral_ = true;
      values_ = {std::trunc(values_.low), std::trunc(values_.high)};
      return;
    }
    Flush();
    Keep(to);
  }

  // Returns the casts that are left for a result of this type.
  auto Finish(DataType result) -> std::vector<DataType> {
    if (truncation_ && Holds(result)) truncation_ = result;
    Flush();
    if (dtype_ != result) casts_.push_back(result);
    return casts_;
  }

 private:
  auto Holds(DataType to) const -> bool {
    const auto range = RangeOf(to);
    return !to.is_bool() && range && range->Contains(values_);
  }

  // Whether a cast of these values to `to` changes none of them.
  auto Keeps(DataType to) const -> bool {
    if (!known_ || to.is_bool()) return false;
    if (integral_ && !to.is_float()) return Holds(to);
    const double exact = std::ldexp(1.0, Precision(to));
    if (integral_) return Precision(to) != 0 && -exact <= values_.low && values_.high <= exact;
    return to.code == dtype_.code && dtype_.bits <= to.bits;
  }

  void Flush() {
    if (!truncation_) return;
    casts_.push_back(*truncation_);
    dtype_ = *truncation_;
    truncation_.reset();
  }

  void Keep(DataType to) {
    casts_.push_back(to);
    dtype_ = to;
    integral_ = !to.is_float();
    const auto range = RangeOf(to);
    known_ = range.has_value();
    if (range) values_ = *range;
  }

  std::vector<DataType> casts_;
  // The type after the casts that are kept.
  DataType dtype_;
  Interval values_;
  bool integral_;
  // Whether `values_` holds.
  bool known_ = true;
  // A pending cast to integers: it will be made to this type, or to a later one that can represent the values.
  std::optional<DataType> truncation_;
};

// Casts after a clip that are looked at together. Without a limit each cast of a long chain would look at all before
// it.
constexpr size_t kMostCasts = 64;

}  // namespace

auto simplify_rules::SimplifyClipAndConsecutiveCast(Simplifier& to, const CallSite& call) -> ExprId {
  const auto result = DTypeOf(to, call.type);
  if (!result) return {};
  std::vector<DataType> casts = {*result};
  std::vector<ExprId> inner;
  ExprId data = call.args[0];
  for (; to.IsCallOf(data, "cast"_op); data = to.made().operand(data, 0)) {
    const auto dtype = DTypeOf(to, to.type(data));
    if (!dtype || casts.size() == kMostCasts) return {};
    casts.push_back(*dtype);
    inner.push_back(data);
  }
  const auto clipped = DTypeOf(to, to.type(data));
  if (!to.IsCallOf(data, "clip"_op) || !clipped) return {};
  const auto* clip = to.AttrsOf<ClipAttrs>(data);
  if (clip == nullptr || !(clip->a_min <= clip->a_max)) return {};
  ClippedValues values(*clipped, {clip->a_min, clip->a_max});
  for (size_t i = casts.size(); i-- > 0;) values.Cast(casts[i]);
  const std::vector<DataType> left = values.Finish(*result);
  if (left.size() >= casts.size() || !to.IsInner(data)) return {};
  for (const ExprId cast : inner) {
    if (!to.IsInner(cast)) return {};
  }
  to.Commit(call, inner);
  for (const DataType dtype : left) data = to.EmitWith("cast"_op, CastAttrs{.dtype = dtype}, {data});
  return data;
}

auto simplify_rules::SimplifyClip(Simplifier& to, const CallSite& call) -> ExprId {
  const auto dtype = DTypeOf(to, call.type);
  const auto* clip = to.context().As<ClipAttrs>(call.attrs);
  if (!dtype || clip == nullptr) return {};
  // Code generators of TVM look for a clip after these.
  if (to.IsCallOf(call.args[0], "qnn.requantize"_op) || to.IsCallOf(call.args[0], "qnn.add"_op)) return {};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Interval range = RangeOf(*dtype).value_or(Interval{-kInfinity, kInfinity});
  if (!Interval{clip->a_min, clip->a_max}.Contains(range)) return {};
  to.Commit(call);
  return call.args[0];
}

}  // namespace relayopt
