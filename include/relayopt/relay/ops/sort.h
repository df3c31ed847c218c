// Sorting and searching.
#pragma once

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The attributes of `argsort` and `sort`.
struct ArgsortAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ArgsortAttrs";
  int64_t axis = -1;
  bool is_ascend = true;
  DataType dtype = {};
  static constexpr auto Fields() {
    return std::array{
        Field<&ArgsortAttrs::axis>("axis along which to sort"),
        Field<&ArgsortAttrs::is_ascend>("smallest first"),
        Field<&ArgsortAttrs::dtype>("element type of the positions"),
    };
  }
};

// The attributes of `dyn.topk` and `topk`.
struct TopkAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.TopkAttrs";
  Dim k = {};
  int64_t axis = -1;
  std::string ret_type = "both";
  bool is_ascend = false;
  DataType dtype = {};
  static constexpr auto Fields() {
    return std::array{
        Required<&TopkAttrs::k>("how many elements; below 1: all"),
        Field<&TopkAttrs::axis>("axis along which to select"),
        Field<&TopkAttrs::ret_type>("values, indices or both"),
        Field<&TopkAttrs::is_ascend>("the smallest elements instead of the largest"),
        Field<&TopkAttrs::dtype>("element type of the indices"),
    };
  }
};

// The attributes of `searchsorted`.
struct SearchSortedAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SearchSortedAttrs";
  bool right = false;
  DataType dtype = DataType::Int(32);
  static constexpr auto Fields() {
    return std::array{
        Field<&SearchSortedAttrs::right>("the position behind equal elements instead of before them"),
        Field<&SearchSortedAttrs::dtype>("element type of the positions"),
    };
  }
};

// Returns the result type of topk, and of its dynamic form, for `k` elements along the axis.
auto TopkResult(RuleContext& rule, const TopkAttrs& attrs, const Dim& k) -> RuleStatus;

}  // namespace relayopt
