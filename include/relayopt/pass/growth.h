// How large passes may make code: a limit for a pass that copies code, and one for a module that passes make larger one
// after the other.
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
auto SizeOf(const Module& module) -> size_t;

// Remembers in the context the size of the module before the outermost pass that runs in it, for as long as it lives.
class GrowthScope {
 public:
  GrowthScope(const Module& module, PassContext& context);
  GrowthScope(const GrowthScope&) = delete;
  auto operator=(const GrowthScope&) -> GrowthScope& = delete;
  ~GrowthScope();

  // Returns an error if `module`, the result of the pass `pass`, is larger than --max-ops allows. Without --max-ops the
  // limit is two million, and sixteen for each expression before the outermost pass: each of the passes that copy code
  // stays below that, but not many runs of a pass that doubles the module.
  static auto Check(std::string_view pass, const Module& module, const PassContext& context)
      -> std::optional<Diagnostic>;

 private:
  PassContext& context_;
  bool is_outermost_;
};

}  // namespace relayopt
