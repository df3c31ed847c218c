// Counts in messages.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace relayopt {

// Returns a number and its noun, which is in the singular: `1 pass`, `2 passes`, `0 errors`.
template <typename T>
auto Counted(T count, std::string_view noun) -> std::string {
  const bool hisses = noun.ends_with('s') || noun.ends_with('x') || noun.ends_with("ch") || noun.ends_with("sh");
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : hisses ? "es" : "s");
}

}  // namespace relayopt
