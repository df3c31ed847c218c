// How large passes may make code.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "relayopt/pass/pass_context.h"

namespace relayopt {

inline constexpr std::string_view kMaxOpsKey = "relayopt.max_ops";

// Returns the number that --max-ops gives, or nullopt.
inline auto GivenGrowthLimit(const PassContext& context) -> std::optional<int64_t> {
  const int64_t given = context.ConfigInt(kMaxOpsKey);
  return given > 0 ? std::optional(given) : std::nullopt;
}

// Returns the number of expressions or statements up to which a pass that copies code may let a function grow: that of
// --max-ops, or a million. A pass asks before it makes a copy, and leaves the code as it is when the result would be
// larger.
inline auto GrowthLimit(const PassContext& context) -> int64_t {
  constexpr int64_t kDefault = 1'000'000;
  return std::min(GivenGrowthLimit(context).value_or(kDefault), kDefault);
}

// Returns the number of expressions and statements of all functions.
inline auto SizeOf(const Module& module) -> size_t {
  size_t size = 0;
  for (const GlobalId id : module.SortedFunctions())
    size += DefOf(module.function(id)->function_kind()).size(*module.function(id));
  return size;
}

}  // namespace relayopt
