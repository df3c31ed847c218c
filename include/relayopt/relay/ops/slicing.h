// Operators that take or replace regular parts of a tensor.
#pragma once

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

// The attributes of `slice_like`.
struct SliceLikeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SliceLikeAttrs";
  DimList axes = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&SliceLikeAttrs::axes>("axes to cut; None: all that both have")};
  }
};

}  // namespace relayopt
