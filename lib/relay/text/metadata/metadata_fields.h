// How the metadata section spells the members of attribute records.
#pragma once

#include <string_view>

#include "relayopt/core/attrs.h"

namespace relayopt {

// Most string members are objects of their own there; those of the classes below are plain text.
inline auto IsPlainString(const AttrsSchema& schema, std::string_view field) -> bool {
  struct Member {
    std::string_view type_key;
    // Empty: all of them.
    std::string_view field;
  };
  constexpr Member kPlain[] = {
      {"relay.attrs.AllClassNonMaximumSuppressionAttrs", ""},
      {"relay.attrs.AutoSchedulerLayoutTransformAttrs", ""},
      {"relay.attrs.CompilerAttrs", ""},
      {"relay.attrs.LayoutTransformAttrs", ""},
      {"relay.attrs.MeshgridAttrs", ""},
      {"relay.attrs.ROIAlignAttrs", ""},
      {"relay.attrs.ROIPoolAttrs", ""},
      {"relay.attrs.RequantizeAttrs", ""},
      {"relay.attrs.Resize1DAttrs", ""},
      {"relay.attrs.Resize2DAttrs", ""},
      {"relay.attrs.Resize3DAttrs", ""},
      {"relay.attrs.TopkAttrs", "ret_type"},
      {"relay.attrs.UpSampling3DAttrs", ""},
  };
  for (const Member& member : kPlain) {
    if (member.type_key == schema.type_key && (member.field.empty() || member.field == field)) return true;
  }
  return false;
}

}  // namespace relayopt
