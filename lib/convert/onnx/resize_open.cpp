// Resizing of data whose extents are not known while importing. Along each axis the positions in the data are computed
// when the program runs, and each element of the result is the nearest one there, or a weighted sum of its neighbours:
//
//   linear, scale 2:   position = (x + 0.5) / 2 - 0.5,  base = floor(position)
//                      take(data, base) * (1 - (position - base)) + take(data, base + 1) * (position - base)
#include "resize.h"

#include "builders.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// An axis, with its extents as scalars of float64. They may be known only when the program runs.
struct OpenAxis {
  int64_t axis = 0;
  // The extent of the result where it is known.
  std::optional<int64_t> known{};
  ExprId from{};
  ExprId to{};
  ExprId scale{};
  // Whether the scale is the ratio of the extents, which is a fraction.
  bool is_ratio = false;
  // The extent of the result before it is cut to a whole number.
  ExprId exact{};
};

// SourcePosition for all elements of the result.
auto OpenPositions(Emitter& em, const OpenAxis& axis, const std::string& mode) -> ExprId {
  const DataType f64 = DataType::Float(64);
  const DataType i64 = DataType::Int(64);
  const auto number = [&](double value) { return em.Scalar(f64, value); };
  const ExprId zero = em.Scalar(i64, 0);
  const ExprId one = em.Scalar(i64, 1);
  const ExprId count = axis.known ? em.Scalar(i64, static_cast<double>(*axis.known)) : Cast(em, axis.to, i64);
  const ExprId places = em.Call("arange"_op, {zero, count, one}, ArangeAttributes(em, zero, count, one, i64));
  const ExprId x = Cast(em, places, f64);
  const auto unscaled = [&](ExprId place) {
    return axis.is_ratio ? Div(em, Mul(em, place, axis.from), axis.to) : Div(em, place, axis.scale);
  };
  if (mode == "asymmetric") return unscaled(x);
  if (mode == "align_corners") {
    const ExprId steps = Sub(em, axis.exact, number(1));
    const ExprId is_one = em.Call("equal"_op, {steps, number(0)});
    const ExprId moved = Div(em, Mul(em, x, Sub(em, axis.from, number(1))), Where(em, is_one, number(1), steps));
    return Where(em, is_one, number(0), moved);
  }
  const ExprId middle = unscaled(Add(em, x, number(0.5)));
  if (mode == "tf_half_pixel_for_nn") return middle;
  const ExprId position = Sub(em, middle, number(0.5));
  if (mode == "pytorch_half_pixel") return Where(em, Greater(em, axis.to, number(1)), position, number(-0.5));
  if (mode != "half_pixel_symmetric") return position;
  const ExprId adjustment = Div(em, axis.to, Mul(em, axis.from, axis.scale));
  return Add(em, Mul(em, Div(em, axis.from, number(2)), Sub(em, number(1), adjustment)), position);
}

auto RoundPositions(Emitter& em, ExprId x, const std::string& rounding) -> ExprId {
  if (rounding == "floor" || rounding == "ceil") return em.Call(rounding == "floor" ? "floor"_op : "ceil"_op, {x});
  const ExprId half = em.Scalar(DataType::Float(64), 0.5);
  return rounding == "round_prefer_ceil" ? em.Call("floor"_op, {Add(em, x, half)})
                                         : em.Call("ceil"_op, {Sub(em, x, half)});
}

// CubicWeight of distances between `near` and `near + 1`.
auto CubicWeights(Emitter& em, ExprId distance, int64_t near, double a) -> ExprId {
  const auto number = [&](double value) { return em.Scalar(DataType::Float(64), value); };
  const auto step = [&](ExprId sum, double next) { return Add(em, Mul(em, sum, distance), number(next)); };
  if (near == 0) return step(Mul(em, step(number(a + 2), -(a + 3)), distance), 1);
  return step(step(step(number(a), -5 * a), 8 * a), -4 * a);
}

// The data along one axis: the nearest element, or the sum of two or four neighbours.
auto ResizeAlongOpen(Emitter& em, ExprId x, const OpenAxis& axis, const ResizeAttributes& attrs) -> ExprId {
  const DataType f64 = DataType::Float(64);
  const DataType i64 = DataType::Int(64);
  const ExprId last = Sub(em, axis.from, em.Scalar(f64, 1.0));
  const ExprId first = em.Scalar(f64, 0.0);
  const auto element = [&](ExprId place) {
    return Take(em, x, Cast(em, Minimum(em, Maximum(em, place, first), last), i64), axis.axis);
  };
  const ExprId position = OpenPositions(em, axis, attrs.coordinates);
  if (attrs.mode == "nearest") return element(RoundPositions(em, position, attrs.rounding));
  const bool is_cubic = attrs.mode == "cubic";
  const ExprId base = em.Call("floor"_op, {position});
  const ExprId rest = Sub(em, position, base);
  const DataType dtype = em.dtype(x);
  const DataType compute = dtype.is_float() ? dtype : DataType::Float(32);
  const int64_t behind = em.rank(x) - axis.axis - 1;
  Exprs places;
  Exprs weights;
  ExprId total;
  for (int64_t k = is_cubic ? -1 : 0; k <= (is_cubic ? 2 : 1); ++k) {
    const ExprId offset = em.Scalar(f64, static_cast<double>(k));
    const ExprId distance = k <= 0 ? Sub(em, rest, offset) : Sub(em, offset, rest);
    const int64_t near = k == -1 || k == 2 ? 1 : 0;
    ExprId weight =
        is_cubic ? CubicWeights(em, distance, near, attrs.cubic_alpha) : Sub(em, em.Scalar(f64, 1.0), distance);
    places.push_back(Add(em, base, offset));
    if (attrs.exclude_outside) {
      const ExprId is_late = Greater(em, places.back(), last);
      const ExprId is_outside = em.Call("logical_or"_op, {Less(em, places.back(), first), is_late});
      weight = Where(em, is_outside, first, weight);
    }
    weights.push_back(weight);
    total = total ? Add(em, total, weight) : weight;
  }
  ExprId sum;
  for (size_t i = 0; i < places.size(); ++i) {
    ExprId weight = attrs.exclude_outside ? Div(em, weights[i], total) : weights[i];
    weight = CastTo(em, weight, compute);
    if (behind > 0) weight = ExpandDims(em, weight, 1, behind);
    const ExprId part = Mul(em, CastTo(em, element(places[i]), compute), weight);
    sum = sum ? Add(em, sum, part) : part;
  }
  return CastTo(em, sum, dtype);
}

// Returns axis `i` of the target, or nothing, with an error, if there is no such result.
auto OpenAxisOf(Node& n, ExprId x, const ResizeTarget& target, size_t i) -> std::optional<OpenAxis> {
  Emitter& em = n.em();
  const DataType f64 = DataType::Float(64);
  OpenAxis axis{.axis = target.axes[i]};
  const auto extent = em.Extent(x, axis.axis);
  axis.from = extent ? em.Scalar(f64, static_cast<double>(*extent))
                     : Cast(em, Take(em, em.ShapeOf(x), em.Scalar(DataType::Int(64), axis.axis)), f64);
  if (target.scales) {
    const double scale = (*target.scales)[i];
    if (extent) axis.known = ScaledExtent(*extent, scale);
    if (!(scale > 0) || (extent && !axis.known)) {
      n.Fail("a scale is {}", scale);
      return std::nullopt;
    }
    axis.scale = em.Scalar(f64, scale);
    axis.exact = Mul(em, axis.from, axis.scale);
    axis.to = em.Call("floor"_op, {Add(em, axis.exact, em.Scalar(f64, 1e-6))});
  } else {
    const int64_t size = (*target.sizes)[i];
    if (size < 0) {
      n.Fail("a size is {}", size);
      return std::nullopt;
    }
    axis.known = size;
    axis.to = axis.exact = em.Scalar(f64, static_cast<double>(size));
    axis.scale = Div(em, axis.to, axis.from);
    axis.is_ratio = true;
  }
  if (axis.known && !n.Elements({*axis.known})) return std::nullopt;
  return axis;
}

}  // namespace

auto ResizeOpen(Node& n, ExprId x, const ResizeTarget& target, const ResizeAttributes& attrs) -> ExprId {
  const size_t count = target.axes.size();
  if ((target.scales && target.scales->size() != count) || (target.sizes && target.sizes->size() != count))
    return n.Fail("scales or sizes do not match the axes");
  for (size_t i = 0; i < count; ++i) {
    const auto extent = n.em().Extent(x, target.axes[i]);
    if (target.scales ? (*target.scales)[i] == 1 : extent == (*target.sizes)[i]) continue;
    const auto axis = OpenAxisOf(n, x, target, i);
    if (!axis) return {};
    x = ResizeAlongOpen(n.em(), x, *axis, attrs);
  }
  return x;
}

}  // namespace relayopt::onnx
