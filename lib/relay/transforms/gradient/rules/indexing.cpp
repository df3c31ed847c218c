// Gradients of operators that select elements: zeros, except for the gradient at the selected positions.
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ir/call_view.h"

#include <algorithm>

#include "gradient_rules.h"
#include "relayopt/relay/ops/slicing.h"
#include "take_gradient.h"

namespace relayopt {

namespace {

auto GatherNDGradient(GradientContext& r) -> Gradients {
  ScatterNDAttrs attrs;
  attrs.mode = "add";
  const ExprId data = r.CallWith("scatter_nd"_op, attrs, {r.ZerosLike(r.arg(0)), r.arg(1), r.gradient()});
  return std::vector<ExprId>{data, r.ZerosLike(r.arg(1))};
}

// A slice by begin, end and stride along the first axes.
struct Slice {
  std::vector<int64_t> begin;
  std::vector<int64_t> end;
  std::vector<int64_t> strides;
};

// Returns the slice with entries for all axes up to the last one that is listed: others are taken whole.
auto OfFirstAxes(GradientContext& r, const Slice& listed, const std::vector<int64_t>& axes) -> Result<Slice> {
  RELAYOPT_TRY(const std::vector<int64_t> shape, r.StaticShape(r.arg(0)));
  Slice slice{std::vector<int64_t>(shape.size(), 0), shape, std::vector<int64_t>(shape.size(), 1)};
  const auto rank = static_cast<int64_t>(shape.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank) return r.Error("axis {} of {}", axes[i], rank);
    const auto at = static_cast<size_t>(axis);
    if (i < listed.begin.size()) slice.begin[at] = listed.begin[i];
    if (i < listed.end.size()) slice.end[at] = listed.end[i];
    if (i < listed.strides.size()) slice.strides[at] = listed.strides[i];
  }
  return slice;
}

auto StridedSliceGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<StridedSliceAttrs>();
  const ExprId x = r.arg(0);
  const auto begin = KnownExtents(attrs.begin.values);
  auto end = KnownExtents(attrs.end.values);
  auto strides = KnownExtents(attrs.strides.values);
  const auto axes = KnownExtents(attrs.axes.values);
  if (!begin || !end || !strides || !axes) return r.Error("begin, end, strides and axes must be known");
  if (attrs.slice_mode == "size") {
    // Sizes are converted to end positions; strides are ignored.
    const Type* type = r.tensor(x);
    for (size_t i = 0; i < end->size() && i < begin->size(); ++i) {
      const int64_t listed = attrs.axes.null ? static_cast<int64_t>(i) : i < axes->size() ? (*axes)[i] : -1;
      const auto rank = static_cast<int64_t>(type == nullptr ? 0 : type->rank());
      const auto axis = static_cast<size_t>(listed < 0 ? listed + rank : listed);
      if ((*end)[i] != -1) {
        (*end)[i] += (*begin)[i];
      } else if (type != nullptr && axis < type->rank() && type->shape[axis].is_int()) {
        (*end)[i] = type->shape[axis].value();
      } else {
        return r.Error("the shape must be known");
      }
    }
    strides = std::vector<int64_t>{1};
  }
  if (strides->empty()) strides = std::vector<int64_t>{1};
  Slice slice{*begin, *std::move(end), *std::move(strides)};
  if (!attrs.axes.null) {
    RELAYOPT_TRY(slice, OfFirstAxes(r, slice, *axes));
  }
  FunctionBuilder& to = r.to();
  const ExprId zeros = r.ZerosLike(x);
  const ExprId positions[] = {EmitInts(to, slice.begin), EmitInts(to, slice.end), EmitInts(to, slice.strides)};
  return std::vector<ExprId>{r.Call("strided_set"_op, {zeros, r.gradient(), positions[0], positions[1], positions[2]})};
}

constexpr GradientRow kIndexingRows[] = {
    {"gather_nd"_op, GatherNDGradient},
    {"strided_slice"_op, StridedSliceGradient},
    {"take"_op, TakeGradient},
};

}  // namespace

auto IndexingGradients() -> std::span<const GradientRow> { return kIndexingRows; }

}  // namespace relayopt
