// Operators that join tensors, and that split one.
#pragma once

#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct ConcatenateAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ConcatenateAttrs";
  int64_t axis = 0;
  static constexpr auto Fields() {
    return std::array{Field<&ConcatenateAttrs::axis>("axis", "axis along which the tensors follow each other")};
  }
};

struct StackAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.StackAttrs";
  Dim axis = 0;
  static constexpr auto Fields() {
    return std::array{
        Field<&StackAttrs::axis>("axis", "position of the new axis; negative counts from behind the last")};
  }
};

struct SplitAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SplitAttrs";
  ObjectId indices_or_sections;
  int64_t axis = 0;
  static constexpr auto Fields() {
    return std::array{
        Required<&SplitAttrs::indices_or_sections>("indices_or_sections",
                                                   "number of equal parts, or the positions between parts"),
        Field<&SplitAttrs::axis>("axis", "axis to cut"),
    };
  }
};

auto ConcatenateRule(RuleContext& rule) -> RuleStatus;
auto SplitRule(RuleContext& rule) -> RuleStatus;
auto StackRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kJoinOps[] = {
    {.name = "concatenate",
     .inputs = "data",
     .attrs = &kSchema<ConcatenateAttrs>,
     .type = ConcatenateRule,
     .kernel = ConcatenateKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .layout = ConcatenateLayout,
     .doc = "joins a tuple of tensors along an axis"},
    {.name = "split",
     .inputs = "data",
     .attrs = &kSchema<SplitAttrs>,
     .type = SplitRule,
     .kernel = SplitKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .layout = SplitLayout,
     .doc = "cuts a tensor along an axis into a tuple"},
    {.name = "stack",
     .inputs = "data",
     .attrs = &kSchema<StackAttrs>,
     .type = StackRule,
     .kernel = StackKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "joins a tuple of tensors along a new axis"},
};

}  // namespace relayopt
