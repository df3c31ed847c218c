// Type rules and rows of the slicing operators.
#include "relayopt/relay/ops/slicing.h"

#include <algorithm>

#include "lib/relay/ops/operand_checks.h"
#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/plural.h"

namespace relayopt {

KernelFunction SliceLikeKernel, StridedSetKernel, StridedSliceKernel;
LayoutRuleFunction SliceLikeLayout, StridedSliceLayout;

namespace {

// Whether the lists have as many elements as there are axes, or at most that where none are named.
auto HaveLengths(RuleContext& rule, const StridedSliceAttrs& attrs, size_t rank) -> bool {
  const std::pair<std::string_view, const DimList*> given[] = {
      {"begin", &attrs.begin}, {"end", &attrs.end}, {"strides", &attrs.strides}};
  for (const auto& [name, list] : given) {
    if (!NeedLength(rule, name, *list, 0)) return false;
    if (attrs.axes.null ? list->size() <= rank : list->size() == attrs.axes.size()) continue;
    rule.Error("strided_slice: {} has {} for {}", name, Counted(list->size(), "element"),
               Counted(attrs.axes.null ? rank : attrs.axes.size(), "axis"));
    return false;
  }
  return true;
}

auto AreAxes(RuleContext& rule, const DimList& axes, size_t rank) -> bool {
  const auto values = IntegersOf(rule, "axes", axes);
  if (!values) return false;
  if (values->size() > rank) {
    rule.Error("strided_slice: axes has {}, data has {}", Counted(values->size(), "element"), Counted(rank, "axis"));
    return false;
  }
  for (const int64_t axis : *values) {
    if (axis >= 0 && axis < static_cast<int64_t>(rank)) continue;
    rule.Error("strided_slice: axes must be between 0 and {}, found {}", rank - 1, axis);
    return false;
  }
  return true;
}

// Whether the elements at a position of the lists are numbers, the stride another one than 0.
auto AreNumbers(RuleContext& rule, const StridedSliceAttrs& attrs, size_t i) -> bool {
  if (i < attrs.strides.size()) {
    const auto stride = IntegerOf(rule, "strides", attrs.strides[i]);
    if (!stride) return false;
    if (*stride == 0) {
      rule.Error("strided_slice: strides must not be 0, found 0 at position {}", i);
      return false;
    }
  }
  const auto is_number = [&](std::string_view name, const DimList& list) {
    return i >= list.size() || list[i].is_null() || IntegerOf(rule, name, list[i]).has_value();
  };
  return is_number("begin", attrs.begin) && is_number("end", attrs.end);
}

// Returns the slice of each axis, or nothing after a diagnostic.
auto CheckedSlices(RuleContext& rule, const StridedSliceAttrs& attrs, size_t rank)
    -> std::optional<std::vector<AxisSlice>> {
  if (!HaveLengths(rule, attrs, rank)) return std::nullopt;
  if (!attrs.begin.empty() && attrs.begin[0].is_null()) {
    rule.Error("strided_slice: the first element of begin must not be None");
    return std::nullopt;
  }
  if (!attrs.axes.null && !AreAxes(rule, attrs.axes, rank)) return std::nullopt;
  for (size_t i = 0; i < (attrs.axes.null ? rank : attrs.axes.size()); ++i) {
    if (!AreNumbers(rule, attrs, i)) return std::nullopt;
  }
  return SlicesOf(attrs, rank);
}

// Returns the position of `index` in an axis of `extent` elements, clamped to at most one before its beginning or after
// its end.
auto Canonical(int64_t index, int64_t extent, int64_t stride) -> int64_t {
  if (index < 0) index += extent;
  const int64_t lowest = stride > 0 ? 0 : -1;
  const int64_t highest = stride > 0 ? extent : extent - 1;
  return std::min(std::max(index, lowest), highest);
}

// How many elements of an axis of `extent` elements a slice has; nothing after a diagnostic.
auto SliceExtent(RuleContext& rule, const AxisSlice& slice, int64_t extent) -> std::optional<int64_t> {
  const int64_t begin = Canonical(slice.begin, extent, slice.stride);
  const int64_t end = Canonical(slice.end, extent, slice.stride);
  if (slice.stride > 0 ? begin > end : begin < end) {
    rule.Error("strided_slice: begin {} is after end {} on axis {} of extent {} with stride {}", slice.begin, slice.end,
               slice.axis, extent, slice.stride);
    return std::nullopt;
  }
  const auto span = static_cast<uint64_t>(begin < end ? end - begin : begin - end);
  const uint64_t step = slice.stride < 0 ? -static_cast<uint64_t>(slice.stride) : static_cast<uint64_t>(slice.stride);
  return static_cast<int64_t>(span / step + (span % step != 0 ? 1 : 0));
}

auto StridedSlice(RuleContext& rule, const StridedSliceAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Type& data = rule.type(0);
  if (data.shape.empty()) return rule.ErrorAt(0, "strided_slice: data must have an axis to slice, found a scalar");
  const auto slices = CheckedSlices(rule, attrs, data.rank());
  if (!slices) return RuleStatus::kFailed;
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  for (size_t i = 0; i < slices->size(); ++i) {
    const AxisSlice& slice = (*slices)[i];
    const size_t axis = slice.axis;
    if (!data.shape[axis].is_int()) {
      shape[axis] = Dim::Any();
      continue;
    }
    const auto extent = SliceExtent(rule, slice, data.shape[axis].value());
    if (!extent) return RuleStatus::kFailed;
    // As TVM: the width is that of the axis at the position in the list, not of the axis itself.
    // This shows in types.
    const bool wide = (shape[i].is_int() && shape[i].bits() == 64) || *extent != static_cast<int32_t>(*extent);
    shape[axis] = Dim(*extent, wide ? 64 : 32);
  }
  return rule.Done(shape, data.dtype);
}

auto SliceLike(RuleContext& rule, const SliceLikeAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const Type& data = rule.type(0);
  const Shape like = rule.type(1).shape;
  std::vector<size_t> axes;
  if (attrs.axes.null) {
    for (size_t i = 0; i < std::min(data.rank(), like.size()); ++i) axes.push_back(i);
  } else {
    if (attrs.axes.empty()) return rule.Error("slice_like: axes must not be an empty list");
    const auto given = AxesOf(rule, "axes", attrs.axes, data.rank());
    if (!given) return RuleStatus::kFailed;
    axes = *given;
  }
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  for (const size_t axis : axes) {
    if (axis >= like.size()) {
      return rule.ErrorAt(1, "slice_like: shape_like has no axis {}, its shape is {}", axis, ToString(like));
    }
    if (like[axis].is_int() && data.shape[axis].is_int() && like[axis].value() > data.shape[axis].value()) {
      return rule.ErrorAt(0, "slice_like: axis {} of data has extent {}, {} are required", axis,
                          ToString(data.shape[axis]), ToString(like[axis]));
    }
    shape[axis] = like[axis];
  }
  return rule.Done(shape, data.dtype);
}

auto StridedSliceRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, StridedSlice); }

auto SliceLikeRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, SliceLike); }

}  // namespace

constinit const OpRows<OpFamily::kSlicing> kSlicingOps = NumberedRows<OpFamily::kSlicing>({
    {.name = "slice_like",
     .inputs = "data, shape_like",
     .attrs = &kSchema<SliceLikeAttrs>,
     .type = SliceLikeRule,
     .kernel = SliceLikeKernel,
     .fusion = Fusion::kInjective,
     .layout = SliceLikeLayout,
     .doc = "the first elements along each axis, as many as another tensor has"},
    {.name = "strided_set",
     .inputs = "data, v, begin, end, strides",
     .type = IdentityRule,
     .kernel = StridedSetKernel,
     .fusion = Fusion::kInjective,
     .doc = "replaces the elements of a slice"},
    {.name = "strided_slice",
     .inputs = "data",
     .attrs = &kSchema<StridedSliceAttrs>,
     .type = StridedSliceRule,
     .kernel = StridedSliceKernel,
     .fusion = Fusion::kInjective,
     .variable_dimensions = true,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .layout = StridedSliceLayout,
     .doc = "the elements between two indices along each axis, with a step"},
});

}  // namespace relayopt
