// Operators that give the elements of a tensor, in their order, another shape.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `contrib_reverse_reshape`, `dyn.reshape` and `reshape`.
struct ReshapeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReshapeAttrs";
  DimList newshape = DimList::Null();
  bool allowzero = false;
  static constexpr auto Fields() {
    return std::array{
        Required<&ReshapeAttrs::newshape>(
            "extents; 0 keeps one, -1 infers one, -2 keeps the rest, -3 merges two, -4 splits one in two"),
        Field<&ReshapeAttrs::allowzero>("0 means an extent of 0"),
    };
  }
};

// The attributes of `reshape_like`.
struct ReshapeLikeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReshapeLikeAttrs";
  int64_t lhs_begin = 0;
  Dim lhs_end;
  int64_t rhs_begin = 0;
  Dim rhs_end;
  static constexpr auto Fields() {
    return std::array{
        Field<&ReshapeLikeAttrs::lhs_begin>("first axis of the data that is replaced"),
        Field<&ReshapeLikeAttrs::lhs_end>("end of the replaced axes; None: all"),
        Field<&ReshapeLikeAttrs::rhs_begin>("first axis of shape_like that replaces them"),
        Field<&ReshapeLikeAttrs::rhs_end>("end of the replacing axes; None: all"),
    };
  }
};

}  // namespace relayopt
