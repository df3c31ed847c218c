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

// One axis' part of a strided_slice.
struct AxisSlice {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 1;
};

// The three lists of a call and the axes that they refer to; a missing element of a list is null.
class SliceLists {
 public:
  // Returns nothing after a diagnostic.
  static auto Make(RuleContext& rule, const StridedSliceAttrs& attrs, size_t rank) -> std::optional<SliceLists> {
    SliceLists lists(attrs);
    const std::pair<std::string_view, const DimList*> given[] = {
        {"begin", &attrs.begin}, {"end", &attrs.end}, {"strides", &attrs.strides}};
    for (const auto& [name, list] : given) {
      if (!NeedLength(rule, name, *list, 0)) return std::nullopt;
      if (attrs.axes.null ? list->size() <= rank : list->size() == attrs.axes.size()) continue;
      rule.Error("strided_slice: {} has {} for {}", name, Counted(list->size(), "element"),
                 Counted(attrs.axes.null ? rank : attrs.axes.size(), "axis"));
      return std::nullopt;
    }
    if (attrs.begin.size() != 0 && attrs.begin[0].is_null()) {
      rule.Error("strided_slice: the first element of begin must not be None");
      return std::nullopt;
    }
    if (attrs.axes.null) {
      for (size_t i = 0; i < rank; ++i) lists.axes_.push_back(i);
    } else if (!lists.TakeAxes(rule, attrs.axes, rank)) {
      return std::nullopt;
    }
    return lists;
  }

  auto axes() const -> const std::vector<size_t>& { return axes_; }

  // Returns the slice of the i-th axis, with defaults for missing values, or nothing after a diagnostic.
  auto Get(RuleContext& rule, size_t i) const -> std::optional<AxisSlice> {
    int64_t stride = 1;
    if (i < attrs_.strides.size()) {
      const auto given = IntegerOf(rule, "strides", attrs_.strides[i]);
      if (!given) return std::nullopt;
      stride = *given;
    }
    if (stride == 0) {
      rule.Error("strided_slice: strides must not be 0, found 0 at position {}", i);
      return std::nullopt;
    }
    // When a list is too short, the default depends on the stride, even in a mode that ignores strides.
    const int64_t effective = attrs_.slice_mode == "end" ? stride : 1;
    const int64_t begin_stride = i < attrs_.begin.size() ? effective : stride;
    const int64_t end_stride = i < attrs_.end.size() ? effective : stride;
    const auto begin = Bound(rule, "begin", attrs_.begin, i, begin_stride > 0 ? 0 : INT64_MAX);
    const auto end = Bound(rule, "end", attrs_.end, i, end_stride < 0 ? 0 : INT64_MAX);
    if (!begin || !end) return std::nullopt;
    AxisSlice slice{*begin, *end, effective};
    const bool is_length = attrs_.slice_mode == "size" && !(i < attrs_.end.size() && attrs_.end[i].is_null());
    // If the sum overflows, the index is past the end anyway.
    if (is_length && (*end < 0 || __builtin_add_overflow(*begin, *end, &slice.end))) slice.end = INT64_MAX;
    return slice;
  }

 private:
  explicit SliceLists(const StridedSliceAttrs& attrs) : attrs_(attrs) {}

  auto TakeAxes(RuleContext& rule, const DimList& axes, size_t rank) -> bool {
    const auto values = IntegersOf(rule, "axes", axes);
    if (!values) return false;
    if (values->size() > rank) {
      rule.Error("strided_slice: axes has {}, data has {}", Counted(values->size(), "element"), Counted(rank, "axis"));
      return false;
    }
    for (const int64_t axis : *values) {
      if (axis < 0 || axis >= static_cast<int64_t>(rank)) {
        rule.Error("strided_slice: axes must be between 0 and {}, found {}", rank - 1, axis);
        return false;
      }
      axes_.push_back(static_cast<size_t>(axis));
    }
    return true;
  }

  static auto Bound(RuleContext& rule, std::string_view name, const DimList& list, size_t i, int64_t fallback)
      -> std::optional<int64_t> {
    if (i >= list.size() || list[i].is_null()) return fallback;
    return IntegerOf(rule, name, list[i]);
  }

  const StridedSliceAttrs& attrs_;
  std::vector<size_t> axes_;
};

// Returns the position of `index` in an axis of `extent` elements, clamped to at most one before its beginning or after
// its end.
auto Canonical(int64_t index, int64_t extent, int64_t stride) -> int64_t {
  if (index < 0) index += extent;
  const int64_t lowest = stride > 0 ? 0 : -1;
  const int64_t highest = stride > 0 ? extent : extent - 1;
  return std::min(std::max(index, lowest), highest);
}

// How many elements of an axis of `extent` elements a slice has; nothing after a diagnostic.
auto SliceExtent(RuleContext& rule, size_t axis, const AxisSlice& slice, int64_t extent) -> std::optional<int64_t> {
  const int64_t begin = Canonical(slice.begin, extent, slice.stride);
  const int64_t end = Canonical(slice.end, extent, slice.stride);
  if (slice.stride > 0 ? begin > end : begin < end) {
    rule.Error("strided_slice: begin {} is after end {} on axis {} of extent {} with stride {}", slice.begin, slice.end,
               axis, extent, slice.stride);
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
  const auto lists = SliceLists::Make(rule, attrs, data.rank());
  if (!lists) return RuleStatus::kFailed;
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  for (size_t i = 0; i < lists->axes().size(); ++i) {
    const size_t axis = lists->axes()[i];
    const auto slice = lists->Get(rule, i);
    if (!slice) return RuleStatus::kFailed;
    if (!data.shape[axis].is_int()) {
      shape[axis] = Dim::Any();
      continue;
    }
    const auto extent = SliceExtent(rule, axis, *slice, data.shape[axis].value());
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
