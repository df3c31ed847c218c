// Operators that take or replace regular parts of a tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `dyn.strided_slice` and `strided_slice`.
struct StridedSliceAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.StridedSliceAttrs";
  DimList begin = DimList::Null();
  DimList end = DimList::Null();
  DimList strides = DimList::Null();
  std::string slice_mode = "end";
  DimList axes = DimList::Null();
  static constexpr auto Fields() {
    return std::array{
        Required<&StridedSliceAttrs::begin>("first index along each axis; negative counts from the end"),
        Required<&StridedSliceAttrs::end>("index before which to stop, or the length where slice_mode is size"),
        Required<&StridedSliceAttrs::strides>("distance of neighbouring indices; negative goes backwards"),
        Field<&StridedSliceAttrs::slice_mode>("end, or size: end holds lengths and strides are 1"),
        Required<&StridedSliceAttrs::axes>("the axes that the lists are about; None: the first ones"),
    };
  }
};

// What a strided_slice takes of one axis. Bounds may count from the end or be beyond it; the end of lengths is the sum.
struct AxisSlice {
  size_t axis = 0;
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 1;
};

// Returns the slices of the axes that the lists are about, of all where none are named, with the defaults of missing
// numbers; nothing if a number is not known or an axis is not one of `rank` axes.
auto SlicesOf(const StridedSliceAttrs& attrs, size_t rank) -> std::optional<std::vector<AxisSlice>>;

// The attributes of `slice_like`.
struct SliceLikeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SliceLikeAttrs";
  DimList axes = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&SliceLikeAttrs::axes>("axes to cut; None: all that both have")};
  }
};

}  // namespace relayopt
