// Operators that move data between layouts.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `layout_transform`.
struct LayoutTransformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.LayoutTransformAttrs";
  std::string src_layout;
  std::string dst_layout;
  static constexpr auto Fields() {
    return std::array{
        Required<&LayoutTransformAttrs::src_layout>("layout of the data"),
        Required<&LayoutTransformAttrs::dst_layout>("layout of the result"),
    };
  }
};

// The attributes of `auto_scheduler_layout_transform`.
struct AutoSchedulerLayoutTransformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AutoSchedulerLayoutTransformAttrs";
  std::string src_layout;
  std::string dst_layout;
  static constexpr auto Fields() {
    return std::array{
        Required<&AutoSchedulerLayoutTransformAttrs::src_layout>("extents and names of the data's axes"),
        Required<&AutoSchedulerLayoutTransformAttrs::dst_layout>("those of the result, such as 1N2C16c"),
    };
  }
};

// The attributes of `meta_schedule_layout_transform`.
struct MetaScheduleLayoutTransformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MetaScheduleLayoutTransformAttrs";
  ObjectId index_map;
  static constexpr auto Fields() {
    return std::array{
        Required<&MetaScheduleLayoutTransformAttrs::index_map>("where each element goes, a tir.IndexMap"),
    };
  }
};

}  // namespace relayopt
