// Operators that read or write elements at computed positions.
#pragma once

#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct TakeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.TakeAttrs";
  Dim batch_dims = 0;
  Dim axis = {};
  std::string mode = "clip";
  static constexpr auto Fields() {
    return std::array{
        Field<&TakeAttrs::batch_dims>("batch_dims", "how many leading axes data and indices share"),
        Field<&TakeAttrs::axis>("axis", "axis that the indices are about; None: the flattened data"),
        Field<&TakeAttrs::mode>("mode", "clip limits indices to the axis, wrap takes them modulo, fast trusts them"),
    };
  }
};

struct GatherAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.GatherAttrs";
  Dim axis = {};
  static constexpr auto Fields() {
    return std::array{Field<&GatherAttrs::axis>("axis", "axis that the indices are about")};
  }
};

struct GatherNDAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.GatherNDAttrs";
  Dim batch_dims = 0;
  Dim index_rank = {};
  static constexpr auto Fields() {
    return std::array{
        Field<&GatherNDAttrs::batch_dims>("batch_dims", "how many leading axes data and indices share"),
        Field<&GatherNDAttrs::index_rank>("index_rank", "length of an index where the shape does not tell it"),
    };
  }
};

struct ScatterElementsAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ScatterElementsAttrs";
  Dim axis = 0;
  std::string reduction = "update";
  static constexpr auto Fields() {
    return std::array{
        Field<&ScatterElementsAttrs::axis>("axis", "axis that the indices are about"),
        Field<&ScatterElementsAttrs::reduction>("reduction", "update, add, mul, mean, min or max"),
    };
  }
};

struct ScatterNDAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ScatterNDAttrs";
  std::string mode = "update";
  static constexpr auto Fields() {
    return std::array{Field<&ScatterNDAttrs::mode>("mode", "update, add, mul, min or max")};
  }
};

struct SequenceMaskAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SequenceMaskAttrs";
  double mask_value = 0;
  int64_t axis = 0;
  static constexpr auto Fields() {
    return std::array{
        Field<&SequenceMaskAttrs::mask_value>("mask_value", "what masked elements become"),
        Field<&SequenceMaskAttrs::axis>("axis", "axis of the sequence, 0 or 1; the other one is the batch"),
    };
  }
};

auto AdvIndexRule(RuleContext& rule) -> RuleStatus;
auto ArgWhereRule(RuleContext& rule) -> RuleStatus;
auto GatherRule(RuleContext& rule) -> RuleStatus;
auto GatherNDRule(RuleContext& rule) -> RuleStatus;
auto ScatterElementsRule(RuleContext& rule) -> RuleStatus;
auto ScatterNDRule(RuleContext& rule) -> RuleStatus;
auto SequenceMaskRule(RuleContext& rule) -> RuleStatus;
auto TakeRule(RuleContext& rule) -> RuleStatus;
auto UnravelIndexRule(RuleContext& rule) -> RuleStatus;
auto WhereRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kIndexingOps[] = {
    {.name = "adv_index",
     .inputs = "inputs",
     .type = AdvIndexRule,
     .kernel = AdvIndexKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "the slices of the first field at the positions that the other fields give"},
    {.name = "argwhere",
     .inputs = "condition",
     .type = ArgWhereRule,
     .kernel = ArgWhereKernel,
     .fusion = Fusion::kOpaque,
     .shape_function = "d",
     .precision = Precision::kFollow,
     .doc = "the positions of all elements that are not zero"},
    {.name = "gather",
     .inputs = "data, indices",
     .attrs = &kSchema<GatherAttrs>,
     .type = GatherRule,
     .kernel = GatherKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "for each index the element there along an axis"},
    {.name = "gather_nd",
     .inputs = "data, indices",
     .attrs = &kSchema<GatherNDAttrs>,
     .type = GatherNDRule,
     .kernel = GatherNDKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "the slices at the positions that the first axis of indices gives"},
    {.name = "scatter_elements",
     .inputs = "data, indices, updates",
     .attrs = &kSchema<ScatterElementsAttrs>,
     .type = ScatterElementsRule,
     .kernel = ScatterElementsKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "the data with the element at each index along an axis updated"},
    {.name = "scatter_nd",
     .inputs = "data, indices, updates",
     .attrs = &kSchema<ScatterNDAttrs>,
     .type = ScatterNDRule,
     .kernel = ScatterNDKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "the data with the slices at positions updated"},
    {.name = "sequence_mask",
     .inputs = "data, valid_length",
     .attrs = &kSchema<SequenceMaskAttrs>,
     .type = SequenceMaskRule,
     .kernel = SequenceMaskKernel,
     .fusion = Fusion::kInjective,
     .doc = "sets what lies behind the valid length of each sequence"},
    {.name = "take",
     .inputs = "data, indices",
     .attrs = &kSchema<TakeAttrs>,
     .type = TakeRule,
     .kernel = TakeKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "the slices at indices along an axis"},
    {.name = "unravel_index",
     .inputs = "data, shape",
     .type = UnravelIndexRule,
     .kernel = UnravelIndexKernel,
     .fusion = Fusion::kInjective,
     .doc = "the coordinates of flat indices"},
    {.name = "where",
     .inputs = "condition, x, y",
     .type = WhereRule,
     .kernel = WhereKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "x where the condition is not zero, else y"},
};

}  // namespace relayopt
