// Operators that read or write elements at computed positions.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `take`.
struct TakeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.TakeAttrs";
  Dim batch_dims = 0;
  Dim axis = {};
  std::string mode = "clip";
  static constexpr auto Fields() {
    return std::array{
        Field<&TakeAttrs::batch_dims>("how many leading axes data and indices share"),
        Field<&TakeAttrs::axis>("axis that the indices are about; None: the flattened data"),
        Field<&TakeAttrs::mode>("clip limits indices to the axis, wrap takes them modulo, fast trusts them"),
    };
  }
};

// The attributes of `gather`.
struct GatherAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.GatherAttrs";
  Dim axis = {};
  static constexpr auto Fields() { return std::array{Field<&GatherAttrs::axis>("axis that the indices are about")}; }
};

// The attributes of `gather_nd`.
struct GatherNDAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.GatherNDAttrs";
  Dim batch_dims = 0;
  Dim index_rank = {};
  static constexpr auto Fields() {
    return std::array{
        Field<&GatherNDAttrs::batch_dims>("how many leading axes data and indices share"),
        Field<&GatherNDAttrs::index_rank>("length of an index where the shape does not tell it"),
    };
  }
};

// The attributes of `scatter_elements`.
struct ScatterElementsAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ScatterElementsAttrs";
  Dim axis = 0;
  std::string reduction = "update";
  static constexpr auto Fields() {
    return std::array{
        Field<&ScatterElementsAttrs::axis>("axis that the indices are about"),
        Field<&ScatterElementsAttrs::reduction>("update, add, mul, mean, min or max"),
    };
  }
};

// The attributes of `scatter_nd`.
struct ScatterNDAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ScatterNDAttrs";
  std::string mode = "update";
  static constexpr auto Fields() { return std::array{Field<&ScatterNDAttrs::mode>("update, add, mul, min or max")}; }
};

// The attributes of `sequence_mask`.
struct SequenceMaskAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SequenceMaskAttrs";
  double mask_value = 0;
  int64_t axis = 0;
  static constexpr auto Fields() {
    return std::array{
        Field<&SequenceMaskAttrs::mask_value>("what masked elements become"),
        Field<&SequenceMaskAttrs::axis>("axis of the sequence, 0 or 1; the other one is the batch"),
    };
  }
};

}  // namespace relayopt
