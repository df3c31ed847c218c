// Reductions, softmax and the positions of extremes.
#include <algorithm>
#include <iterator>
#include <limits>

#include "builders.h"
#include "families.h"
#include "relayopt/core/extents.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// Returns the axes, or nothing if there is nothing to do or after an error.
auto AxesOf(Node& n, ExprId x, bool& is_noop) -> std::optional<Ints> {
  Emitter& em = n.em();
  // Sum moved its axes from an attribute to an input before the others did.
  const int64_t moved = n.row().name == "ReduceSum" ? 13 : 18;
  std::optional<Ints> axes = n.opset() < moved ? n.IntList("axes") : std::nullopt;
  const bool is_given = n.has(1);
  if (is_given && em.Extent(n.in(1), 0) != 0) {
    axes = n.NeedInts(1);
    if (!axes) return std::nullopt;
  } else if (!is_given && !axes) {
    axes = n.IntList("axes");
  }
  if (!axes || axes->empty()) {
    is_noop = (is_given || n.opset() >= 13) && n.Flag("noop_with_empty_axes");
    return Iota(em.rank(x));
  }
  for (const int64_t axis : *axes) n.Axis(axis, em.rank(x));
  return n.failed() ? std::nullopt : axes;
}

// Returns the result of reducing no elements.
auto Neutral(std::string_view name, DataType dtype) -> double {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double most = dtype.is_float()  ? kInfinity
                      : dtype.is_bool() ? 1
                                        : std::ldexp(1.0, dtype.bits - (dtype.is_int() ? 1 : 0)) - 1;
  const double least = dtype.is_float() ? -kInfinity : dtype.is_int() ? -std::ldexp(1.0, dtype.bits - 1) : 0;
  if (name == "ReduceMax") return least;
  if (name == "ReduceMin") return most;
  if (name == "ReduceProd") return 1;
  if (name == "ReduceLogSum" || name == "ReduceLogSumExp") return -kInfinity;
  return name == "ReduceMean" ? std::numeric_limits<double>::quiet_NaN() : 0;
}

auto OverNothing(Node& n, ExprId x, const Ints& axes, bool keepdims) -> std::optional<ExprId> {
  Emitter& em = n.em();
  const auto shape = em.StaticShape(x);
  if (!shape || Product(*shape) != 0) return std::nullopt;
  std::vector<bool> is_reduced(shape->size());
  for (const int64_t axis : axes) is_reduced[static_cast<size_t>(n.Axis(axis, em.rank(x)))] = true;
  Ints out;
  for (size_t i = 0; i < shape->size(); ++i) {
    if (!is_reduced[i])
      out.push_back((*shape)[i]);
    else if (keepdims)
      out.push_back(1);
  }
  const auto count = n.Elements(out);
  if (!count) return ExprId();
  const std::vector<double> values(*count, Neutral(n.row().name, em.dtype(x)));
  return em.Array(values, out, em.dtype(x));
}

// Returns the extreme as ONNX defines it: NaN if there is one, and infinite where all elements are. As TVM: the
// operator itself compares with the largest finite number, too.
auto ExtremeOf(Node& n, ExprId x, const Ints& axes, bool keepdims) -> ExprId {
  Emitter& em = n.em();
  const bool is_max = n.row().relay == "max"_op;
  ExprId result = Reduce(em, n.row().relay, x, axes, keepdims);
  if (!n.keeps_nan(x)) return result;
  const DataType dtype = em.dtype(x);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const ExprId bound = em.Scalar(dtype, is_max ? -kInfinity : kInfinity);
  const ExprId all = Reduce(em, "all"_op, em.Call("equal"_op, {x, bound}), axes, keepdims);
  const ExprId any = Reduce(em, "any"_op, IsNaN(em, x), axes, keepdims);
  result = Where(em, all, bound, result);
  return Where(em, any, em.Scalar(dtype, std::numeric_limits<double>::quiet_NaN()), result);
}

auto LogSumExp(Node& n, ExprId x, const Ints& axes, bool keepdims) -> ExprId {
  Emitter& em = n.em();
  ExprId max = Reduce(em, "max"_op, x, axes, true);
  // Infinities are not subtracted from each other.
  if (n.exact()) {
    const ExprId zero = em.Scalar(em.dtype(x), 0.0);
    max = Where(em, em.Call("equal"_op, {Mul(em, max, zero), zero}), max, zero);
  }
  const ExprId sum = Reduce(em, "sum"_op, em.Call("exp"_op, {Sub(em, x, max)}), axes, true);
  const ExprId result = Add(em, em.Call("log"_op, {sum}), max);
  return keepdims ? result : Squeeze(em, result, axes);
}

auto ConvertReduce(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = n.in(0);
  const std::string_view name = n.row().name;
  bool is_noop = false;
  const auto axes = AxesOf(n, x, is_noop);
  if (!axes) return {};
  const bool keepdims = n.Flag("keepdims");
  if (!is_noop) {
    if (const auto nothing = OverNothing(n, x, *axes, keepdims)) return *nothing;
  }
  const DataType dtype = em.dtype(x);
  const bool is_trivial = is_noop || em.rank(x) == 0;
  // Truth values are compared as numbers.
  if (dtype.is_bool()) x = Cast(em, x, DataType::UInt(8));
  // Roots and logarithms of integers are those of floats, cut.
  const bool cuts = (dtype.is_int() || dtype.is_uint()) &&
                    (name == "ReduceL2" || name == "ReduceLogSum" || name == "ReduceLogSumExp");
  if (cuts) x = Cast(em, x, DataType::Float(64));
  const auto reduce = [&](const OpDef* op, ExprId data) {
    return is_trivial ? data : Reduce(em, op, data, *axes, keepdims);
  };
  ExprId result;
  if (name == "ReduceL1") {
    result = reduce("sum"_op, em.Call("abs"_op, {x}));
  } else if (name == "ReduceL2") {
    result = em.Call("sqrt"_op, {reduce("sum"_op, Mul(em, x, x))});
  } else if (name == "ReduceSumSquare") {
    result = reduce("sum"_op, Mul(em, x, x));
  } else if (name == "ReduceLogSum") {
    result = em.Call("log"_op, {reduce("sum"_op, x)});
  } else if (name == "ReduceLogSumExp") {
    result = is_trivial ? x : LogSumExp(n, x, *axes, keepdims);
  } else if (!is_trivial && (name == "ReduceMax" || name == "ReduceMin")) {
    result = ExtremeOf(n, x, *axes, keepdims);
  } else {
    result = reduce(n.row().relay, x);
  }
  return dtype.is_bool() || cuts ? Cast(em, result, dtype) : result;
}

auto ConvertArgReduce(Node& n) -> Results {
  Emitter& em = n.em();
  const int64_t axis = n.Int("axis");
  n.Axis(axis, em.rank(n.in(0)));
  const ExprId place = em.Call(
      n.row().relay, {n.in(0)},
      {{"axis", Ints{axis}}, {"keepdims", n.Flag("keepdims")}, {"select_last_index", n.Flag("select_last_index")}});
  const ExprId wide = Cast(em, place, DataType::Int(64));
  if (!n.exact() || !em.dtype(n.in(0)).is_float()) return wide;
  // As TVM: the position among infinities alone is -1.
  const ExprId zero = em.Scalar(DataType::Int(64), 0);
  if (!n.Flag("select_last_index")) return Maximum(em, wide, zero);
  const ExprId extent = Take(em, em.ShapeOf(n.in(0)), em.Scalar(DataType::Int(64), n.Axis(axis, em.rank(n.in(0)))));
  return Where(em, Less(em, wide, zero), Sub(em, extent, em.Scalar(DataType::Int(64), 1)), wide);
}

// Returns the axis, which has another default before version 13.
auto SoftmaxAxis(Node& n) -> int64_t {
  return n.Axis(n.Has("axis") ? n.Int("axis") : n.opset() < 13 ? 1 : -1, n.em().rank(n.in(0)));
}

// Returns all axes from `axis` on.
auto AxesFrom(Emitter& em, ExprId x, int64_t axis) -> Ints {
  Ints axes = Iota(em.rank(x));
  axes.erase(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(axis));
  return axes;
}

// Softmax over all axes from `axis` on, for data whose extents are not all known. One axis is enough where the others
// have one element.
auto SoftmaxOver(Emitter& em, ExprId x, int64_t axis) -> ExprId {
  const Ints axes = AxesFrom(em, x, axis);
  Ints longer;
  std::ranges::copy_if(axes, std::back_inserter(longer), [&](int64_t i) { return em.Extent(x, i) != 1; });
  if (longer.size() < 2) {
    return em.Call("nn.softmax"_op, {x}, {{"axis", longer.empty() ? axis : longer.front()}});
  }
  const ExprId exp = em.Call("exp"_op, {Sub(em, x, Reduce(em, "max"_op, x, axes, true))});
  return Div(em, exp, Reduce(em, "sum"_op, exp, axes, true));
}

// Before version 13 all axes from `axis` on are one.
auto OldSoftmax(Node& n, ExprId x, int64_t axis) -> ExprId {
  Emitter& em = n.em();
  const auto softmax = [&](ExprId data, int64_t along) { return em.Call("nn.softmax"_op, {data}, {{"axis", along}}); };
  if (axis == em.rank(x) - 1) return softmax(x, axis);
  const auto shape = em.StaticShape(x);
  if (!shape) return SoftmaxOver(em, x, axis);
  if (Product(*shape) == 0) return x;
  const Ints flat = axis == 0 ? Ints{-1} : Ints{Product(std::span(*shape).first(static_cast<size_t>(axis))), -1};
  return Reshape(em, softmax(Reshape(em, x, flat), -1), *shape);
}

auto ConvertSoftmax(Node& n) -> Results { return Softmax(n, n.in(0)); }

auto ConvertLogSoftmax(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  // As TVM: very negative scores become -inf.
  if (!n.exact()) return em.Call("log"_op, {Softmax(n, x)});
  const int64_t axis = SoftmaxAxis(n);
  if (n.failed()) return {};
  const Ints axes = n.opset() >= 13 ? Ints{axis} : AxesFrom(em, x, axis);
  const ExprId shifted = Sub(em, x, Reduce(em, "max"_op, x, axes, true));
  return Sub(em, shifted, em.Call("log"_op, {Reduce(em, "sum"_op, em.Call("exp"_op, {shifted}), axes, true)}));
}

// One where `place` says along the axis of `x`, whose extent is not known.
auto OneHotAlong(Emitter& em, ExprId place, ExprId x, int64_t axis, ExprId on, ExprId off) -> ExprId {
  const ExprId depth = Take(em, em.ShapeOf(x), em.Scalar(DataType::Int(64), axis));
  return em.Call("dyn.one_hot"_op, {place, on, off, depth}, {{"depth", 0}, {"axis", axis}, {"dtype", em.dtype(x)}});
}

auto ConvertHardmax(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const auto shape = em.StaticShape(x);
  const int64_t axis = SoftmaxAxis(n);
  if (n.failed()) return {};
  if (shape && Product(*shape) == 0) return x;
  const ExprId on = em.Scalar(dtype, 1.0);
  const ExprId off = em.Scalar(dtype, 0.0);
  if (n.opset() >= 13) {
    const ExprId place = em.Call("argmax"_op, {x}, {{"axis", Ints{axis}}});
    if (const auto depth = em.Extent(x, axis)) return OneHot(em, place, on, off, *depth, axis, dtype);
    return OneHotAlong(em, place, x, axis, on, off);
  }
  if (!shape) {
    const ExprId flat = FlattenAt(n, x, axis);
    const ExprId place = em.Call("argmax"_op, {flat}, {{"axis", Ints{1}}});
    return ReshapeBy(em, OneHotAlong(em, place, flat, 1, on, off), em.ShapeOf(x));
  }
  const int64_t before = Product(std::span(*shape).first(static_cast<size_t>(axis)));
  const int64_t behind = Product(std::span(*shape).subspan(static_cast<size_t>(axis)));
  const ExprId place = em.Call("argmax"_op, {Reshape(em, x, {before, behind})}, {{"axis", Ints{1}}});
  return Reshape(em, OneHot(em, place, on, off, behind, 1, dtype), *shape);
}

constexpr auto Reduction(std::string_view name, std::string_view versions, const OpDef* relay) -> OpRow {
  return OpRow(name, versions, "data, axes?", "ints axes; int keepdims = 1; int noop_with_empty_axes = 0",
               ConvertReduce)
      .Of(relay);
}

constexpr auto ArgReduction(std::string_view name, const OpDef* relay) -> OpRow {
  return OpRow(name, "1 11 12 13", "data", "int axis = 0; int keepdims = 1; int select_last_index = 0",
               ConvertArgReduce)
      .Of(relay)
      .ByTypes();
}

constexpr OpRow kReductionRows[] = {
    Reduction("ReduceL1", "1 11 13 18", nullptr),
    Reduction("ReduceL2", "1 11 13 18", nullptr),
    Reduction("ReduceLogSum", "1 11 13 18", nullptr),
    Reduction("ReduceLogSumExp", "1 11 13 18", nullptr),
    Reduction("ReduceMax", "1 11 12 13 18 20", "max"_op),
    Reduction("ReduceMean", "1 11 13 18", "mean"_op),
    Reduction("ReduceMin", "1 11 12 13 18 20", "min"_op),
    Reduction("ReduceProd", "1 11 13 18", "prod"_op),
    Reduction("ReduceSum", "1 11 13", "sum"_op),
    Reduction("ReduceSumSquare", "1 11 13 18", nullptr),
    ArgReduction("ArgMax", "argmax"_op),
    ArgReduction("ArgMin", "argmin"_op),
    OpRow("Softmax", "1 11 13", "input", "int axis", ConvertSoftmax).ByTypes(),
    OpRow("LogSoftmax", "1 11 13", "input", "int axis", ConvertLogSoftmax).ByTypes(),
    {"Hardmax", "1 11 13", "input", "int axis", ConvertHardmax},
};

}  // namespace

auto Softmax(Node& n, ExprId x) -> ExprId {
  const int64_t axis = SoftmaxAxis(n);
  if (n.failed()) return {};
  if (n.opset() < 13) return OldSoftmax(n, x, axis);
  return n.em().Call("nn.softmax"_op, {x}, {{"axis", axis}});
}

auto ReductionRows() -> std::span<const OpRow> { return kReductionRows; }

}  // namespace relayopt::onnx
