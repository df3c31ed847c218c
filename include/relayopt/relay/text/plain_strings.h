// How graph JSON writes the string members of attribute records.
#pragma once

#include <string_view>

namespace relayopt {

// Whether a member is written as plain text. Most string members are objects of their own in graph JSON; those of the
// classes below are plain.
inline auto IsPlainString(std::string_view type_key, std::string_view field) -> bool {
  struct Member {
    std::string_view type_key;
    // Empty stands for all members.
    std::string_view field;
  };
  constexpr Member kPlain[] = {
      {"relay.attrs.AdaptivePool1DAttrs", "layout"},
      {"relay.attrs.AdaptivePool2DAttrs", "layout"},
      {"relay.attrs.AdaptivePool3DAttrs", "layout"},
      {"relay.attrs.AllClassNonMaximumSuppressionAttrs", ""},
      {"relay.attrs.AutoSchedulerLayoutTransformAttrs", ""},
      {"relay.attrs.AvgPool1DAttrs", "layout"},
      {"relay.attrs.AvgPool3DAttrs", "layout"},
      {"relay.attrs.BitPackAttrs", "name"},
      {"relay.attrs.CompilerAttrs", ""},
      {"relay.attrs.DeformableConv2DAttrs", ""},
      {"relay.attrs.LayoutTransformAttrs", ""},
      {"relay.attrs.MaxPool1DAttrs", "layout"},
      {"relay.attrs.MaxPool3DAttrs", "layout"},
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
    if (member.type_key == type_key && (member.field.empty() || member.field == field)) return true;
  }
  return false;
}

}  // namespace relayopt
