// Operators that move data between layouts.
#pragma once

#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct LayoutTransformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.LayoutTransformAttrs";
  std::string src_layout;
  std::string dst_layout;
  static constexpr auto Fields() {
    return std::array{
        Required<&LayoutTransformAttrs::src_layout>("src_layout", "layout of the data"),
        Required<&LayoutTransformAttrs::dst_layout>("dst_layout", "layout of the result"),
    };
  }
};

struct AutoSchedulerLayoutTransformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AutoSchedulerLayoutTransformAttrs";
  std::string src_layout;
  std::string dst_layout;
  static constexpr auto Fields() {
    return std::array{
        Required<&AutoSchedulerLayoutTransformAttrs::src_layout>("src_layout", "extents and names of the data's axes"),
        Required<&AutoSchedulerLayoutTransformAttrs::dst_layout>("dst_layout", "those of the result, such as 1N2C16c"),
    };
  }
};

struct MetaScheduleLayoutTransformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MetaScheduleLayoutTransformAttrs";
  ObjectId index_map;
  static constexpr auto Fields() {
    return std::array{
        Required<&MetaScheduleLayoutTransformAttrs::index_map>("index_map", "where each element goes, a tir.IndexMap"),
    };
  }
};

auto AutoSchedulerLayoutTransformRule(RuleContext& rule) -> RuleStatus;
auto LayoutTransformRule(RuleContext& rule) -> RuleStatus;
auto MetaScheduleLayoutTransformRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kLayoutTransformOps[] = {
    {.name = "auto_scheduler_layout_transform",
     .inputs = "data",
     .attrs = &kSchema<AutoSchedulerLayoutTransformAttrs>,
     .type = AutoSchedulerLayoutTransformRule,
     .kernel = AutoSchedulerLayoutTransformKernel,
     .fusion = Fusion::kInjective,
     .doc = "moves data into a layout that the auto scheduler chose"},
    {.name = "layout_transform",
     .inputs = "data",
     .attrs = &kSchema<LayoutTransformAttrs>,
     .type = LayoutTransformRule,
     .kernel = LayoutTransformKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "moves data from one layout to another; padding is 0"},
    {.name = "meta_schedule_layout_transform",
     .inputs = "data",
     .attrs = &kSchema<MetaScheduleLayoutTransformAttrs>,
     .type = MetaScheduleLayoutTransformRule,
     .kernel = MetaScheduleLayoutTransformKernel,
     .fusion = Fusion::kInjective,
     .doc = "moves data as an index map says"},
};

}  // namespace relayopt
