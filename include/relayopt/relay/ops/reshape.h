// Operators that give the elements of a tensor, in their order, another shape.
#pragma once

#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct ReshapeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReshapeAttrs";
  DimList newshape = DimList::Null();
  bool allowzero = false;
  static constexpr auto Fields() {
    return std::array{
        Required<&ReshapeAttrs::newshape>(
            "newshape", "extents; 0 keeps one, -1 infers one, -2 keeps the rest, -3 merges two, -4 splits one in two"),
        Field<&ReshapeAttrs::allowzero>("allowzero", "0 means an extent of 0"),
    };
  }
};

struct ReshapeLikeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReshapeLikeAttrs";
  int64_t lhs_begin = 0;
  Dim lhs_end;
  int64_t rhs_begin = 0;
  Dim rhs_end;
  static constexpr auto Fields() {
    return std::array{
        Field<&ReshapeLikeAttrs::lhs_begin>("lhs_begin", "first axis of the data that is replaced"),
        Field<&ReshapeLikeAttrs::lhs_end>("lhs_end", "end of the replaced axes; None: all"),
        Field<&ReshapeLikeAttrs::rhs_begin>("rhs_begin", "first axis of shape_like that replaces them"),
        Field<&ReshapeLikeAttrs::rhs_end>("rhs_end", "end of the replacing axes; None: all"),
    };
  }
};

auto ReshapeRule(RuleContext& rule) -> RuleStatus;
auto ReverseReshapeRule(RuleContext& rule) -> RuleStatus;
auto ReshapeLikeRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kReshapeOps[] = {
    {.name = "contrib_reverse_reshape",
     .inputs = "data",
     .attrs = &kSchema<ReshapeAttrs>,
     .type = ReverseReshapeRule,
     .kernel = SameElementsKernel,
     .fusion = Fusion::kInjective,
     .reshape_only = true,
     .doc = "reshape with the special values of newshape taken from right to left"},
    {.name = "reshape",
     .inputs = "data",
     .attrs = &kSchema<ReshapeAttrs>,
     .type = ReshapeRule,
     .kernel = SameElementsKernel,
     .fusion = Fusion::kInjective,
     .reshape_only = true,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kRearranges,
     .doc = "another shape for the same elements in the same order"},
    {.name = "reshape_like",
     .inputs = "data, shape_like",
     .attrs = &kSchema<ReshapeLikeAttrs>,
     .type = ReshapeLikeRule,
     .kernel = SameElementsKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "reshape with a range of axes taken from another tensor's shape"},
};

}  // namespace relayopt
