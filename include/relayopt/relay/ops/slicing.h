// Operators that take or replace regular parts of a tensor.
#pragma once

#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct StridedSliceAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.StridedSliceAttrs";
  DimList begin = DimList::Null();
  DimList end = DimList::Null();
  DimList strides = DimList::Null();
  std::string slice_mode = "end";
  DimList axes = DimList::Null();
  static constexpr auto Fields() {
    return std::array{
        Required<&StridedSliceAttrs::begin>("begin", "first index along each axis; negative counts from the end"),
        Required<&StridedSliceAttrs::end>("end", "index before which to stop, or the length where slice_mode is size"),
        Required<&StridedSliceAttrs::strides>("strides", "distance of neighbouring indices; negative goes backwards"),
        Field<&StridedSliceAttrs::slice_mode>("slice_mode", "end, or size: end holds lengths and strides are 1"),
        Required<&StridedSliceAttrs::axes>("axes", "the axes that the lists are about; None: the first ones"),
    };
  }
};

struct SliceLikeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SliceLikeAttrs";
  DimList axes = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&SliceLikeAttrs::axes>("axes", "axes to cut; None: all that both have")};
  }
};

auto StridedSliceRule(RuleContext& rule) -> RuleStatus;
auto SliceLikeRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kSlicingOps[] = {
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
};

}  // namespace relayopt
