// Gradients of reductions: broadcast over the reduced axes.

#include "relayopt/relay/ops/reduce.h"
#include "gradient_rules.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

namespace {

// The reduced axes, ascending; `all` if the call names none.
struct ReducedAxes {
  bool all = false;
  std::vector<int64_t> axes;
};

template <typename A>
auto FindReducedAxes(GradientContext& r, const A& attrs) -> Result<ReducedAxes> {
  const Type* data = r.tensor(r.arg(0));
  if (data == nullptr) return r.Error("its operand is not a tensor of known type");
  const auto rank = static_cast<int64_t>(data->rank());
  ReducedAxes found;
  found.all = attrs.axis.null;
  std::vector<bool> named(static_cast<size_t>(rank), found.all);
  for (const Dim& dim : attrs.axis) {
    const int64_t axis = !dim.is_int() ? -1 : dim.value() < 0 ? dim.value() + rank : dim.value();
    if (axis < 0 || axis >= rank) return r.Error("an axis is not one of {}", rank);
    named[static_cast<size_t>(axis)] = true;
  }
  for (int64_t i = 0; i < rank; ++i) {
    if (named[static_cast<size_t>(i)] != (attrs.exclude && !found.all)) found.axes.push_back(i);
  }
  return found;
}

// Puts the reduced axes back, with extent 1.
auto Expand(GradientContext& r, ExprId value, std::span<const int64_t> axes) -> ExprId {
  for (const int64_t axis : axes) value = r.CallWith("expand_dims"_op, ExpandDimsAttrs{.axis = axis}, {value});
  return value;
}

// Returns the number of elements that were reduced to one.
auto Count(std::span<const int64_t> shape, std::span<const int64_t> axes) -> double {
  double count = 1;
  for (const int64_t axis : axes) count *= static_cast<double>(shape[static_cast<size_t>(axis)]);
  return count;
}

auto SumGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<ReduceAttrs>();
  RELAYOPT_TRY(const ReducedAxes reduced, FindReducedAxes(r, attrs));
  const ExprId gradient = attrs.keepdims ? r.gradient() : Expand(r, r.gradient(), reduced.axes);
  return std::vector<ExprId>{r.Call("broadcast_to_like"_op, {gradient, r.arg(0)})};
}

auto MeanGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<ReduceAttrs>();
  const ExprId x = r.arg(0);
  RELAYOPT_TRY(const ReducedAxes reduced, FindReducedAxes(r, attrs));
  RELAYOPT_TRY(const std::vector<int64_t> shape, r.StaticShape(x));
  const ExprId gradient = attrs.keepdims ? r.gradient() : Expand(r, r.gradient(), reduced.axes);
  // As TVM: axis by axis, which decides the rounding.
  double share = 1;
  for (const int64_t axis : reduced.axes) share /= static_cast<double>(shape[static_cast<size_t>(axis)]);
  return std::vector<ExprId>{r.Call("broadcast_to_like"_op, {r.Multiply(gradient, r.Scalar(x, share)), x})};
}

// The mean is the second operand of variance, and gets a gradient of its own.
auto VarianceGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<VarianceAttrs>();
  const ExprId x = r.arg(0);
  RELAYOPT_TRY(const ReducedAxes reduced, FindReducedAxes(r, attrs));
  RELAYOPT_TRY(const std::vector<int64_t> shape, r.StaticShape(x));
  const ExprId gradient = attrs.keepdims ? r.gradient() : Expand(r, r.gradient(), reduced.axes);
  double count = Count(shape, reduced.axes);
  double of_mean = -2;
  if (attrs.unbiased) {
    of_mean = of_mean * count / (count - 1);
    count -= 1;
  }
  return std::vector<ExprId>{r.Multiply(r.Multiply(gradient, r.Scalar(x, 2 / count)), x),
                             r.Multiply(r.Multiply(r.Scalar(x, of_mean), gradient), r.arg(1))};
}

// All elements that are equal to the maximum share the gradient.
auto MaxGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<ReduceAttrs>();
  const ExprId x = r.arg(0);
  RELAYOPT_TRY(const ReducedAxes reduced, FindReducedAxes(r, attrs));
  RELAYOPT_TRY(const std::vector<int64_t> shape, r.StaticShape(x));
  ExprId gradient = r.gradient();
  ExprId repeated = r.call();
  ReduceAttrs sum{.axis = DimList::Null(), .keepdims = true};
  if (reduced.all) {
    // When its axes are kept, the maximum is not a scalar.
    if (attrs.keepdims && !shape.empty()) {
      repeated = r.Call("broadcast_to_like"_op, {repeated, x});
    } else {
      repeated = r.Call("full_like"_op, {x, repeated});
    }
  } else {
    if (!attrs.keepdims) {
      repeated = Expand(r, repeated, reduced.axes);
      gradient = Expand(r, gradient, reduced.axes);
    }
    sum.axis = DimList();
    for (const int64_t axis : reduced.axes) {
      const RepeatAttrs repeat{.repeats = Dim(shape[static_cast<size_t>(axis)]), .axis = Dim(axis)};
      repeated = r.CallWith("repeat"_op, repeat, {repeated});
      sum.axis.values.emplace_back(axis);
    }
  }
  const ExprId selected = r.Call("cast_like"_op, {r.Call("equal"_op, {repeated, x}), gradient});
  return std::vector<ExprId>{r.Divide(r.Multiply(selected, gradient), r.CallWith("sum"_op, sum, {selected}))};
}

constexpr GradientRow kReduceRows[] = {
    {"max"_op, MaxGradient},
    {"mean"_op, MeanGradient},
    {"sum"_op, SumGradient},
    {"variance"_op, VarianceGradient},
};

}  // namespace

auto ReduceGradients() -> std::span<const GradientRow> { return kReduceRows; }

}  // namespace relayopt
