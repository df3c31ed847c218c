// How large passes may make code.
#pragma once

#include <algorithm>
#include <string_view>

#include "relayopt/pass/pass_context.h"

namespace relayopt {

inline constexpr std::string_view kMaxOpsKey = "relayopt.max_ops";

// Returns the number of expressions or statements up to which a pass that copies code may let a function grow: that of
// --max-ops, or a million. A pass asks before it makes a copy, and leaves the code as it is when the result would be
// larger.
inline auto GrowthLimit(const PassContext& context) -> int64_t {
  constexpr int64_t kDefault = 1'000'000;
  const int64_t given = context.ConfigInt(kMaxOpsKey);
  return given > 0 ? std::min(given, kDefault) : kDefault;
}

}  // namespace relayopt
