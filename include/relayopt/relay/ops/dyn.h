// Operators whose shapes or counts are given by tensors instead of attributes.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `dyn.expand_dims`.
struct DynExpandDimsAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DynExpandDimsAttrs";
  int64_t num_newaxis = 1;
  static constexpr auto Fields() {
    return std::array{Field<&DynExpandDimsAttrs::num_newaxis>("how many axes to insert")};
  }
};

}  // namespace relayopt
