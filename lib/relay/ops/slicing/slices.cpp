// What the lists of a strided_slice say of each axis.
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

namespace {

// Element `i`; the fallback if there is none or it is None. Nothing if it is not a number.
auto NumberAt(const DimList& list, size_t i, int64_t fallback) -> std::optional<int64_t> {
  if (list.null || i >= list.size() || list[i].is_null()) return fallback;
  return list[i].is_int() ? std::optional(list[i].value()) : std::nullopt;
}

auto SliceAt(const StridedSliceAttrs& attrs, size_t i, size_t axis) -> std::optional<AxisSlice> {
  const auto given = NumberAt(attrs.strides, i, 1);
  if (!given) return std::nullopt;
  // As TVM: the default of a missing bound depends on the stride, even in a mode that ignores strides.
  const int64_t stride = attrs.slice_mode == "end" ? *given : 1;
  const int64_t begin_stride = i < attrs.begin.size() ? stride : *given;
  const int64_t end_stride = i < attrs.end.size() ? stride : *given;
  const auto begin = NumberAt(attrs.begin, i, begin_stride > 0 ? 0 : INT64_MAX);
  const auto end = NumberAt(attrs.end, i, end_stride < 0 ? 0 : INT64_MAX);
  if (!begin || !end) return std::nullopt;
  AxisSlice slice{axis, *begin, *end, stride};
  const bool is_length = attrs.slice_mode == "size" && !(i < attrs.end.size() && attrs.end[i].is_null());
  // If the sum overflows, the index is past the end anyway.
  if (is_length && (*end < 0 || __builtin_add_overflow(*begin, *end, &slice.end))) slice.end = INT64_MAX;
  return slice;
}

}  // namespace

auto SlicesOf(const StridedSliceAttrs& attrs, size_t rank) -> std::optional<std::vector<AxisSlice>> {
  const size_t count = attrs.axes.null ? rank : attrs.axes.size();
  std::vector<AxisSlice> slices;
  for (size_t i = 0; i < count; ++i) {
    if (!attrs.axes.null && !attrs.axes[i].is_int()) return std::nullopt;
    const auto axis = NormalizeAxis(attrs.axes.null ? static_cast<int64_t>(i) : attrs.axes[i].value(), rank);
    const auto slice = axis ? SliceAt(attrs, i, *axis) : std::nullopt;
    if (!slice) return std::nullopt;
    slices.push_back(*slice);
  }
  return slices;
}

}  // namespace relayopt
