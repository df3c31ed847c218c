// Counts in messages.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace relayopt {

// Returns a number and its noun, which is in the singular: `1 pass`, `2 passes`, `3 axes`, `0 errors`.
template <typename T>
auto Counted(T count, std::string_view noun) -> std::string {
  if (count == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with("is")) return fmt::format("{} {}es", count, noun.substr(0, noun.size() - 2));
  const bool hisses = noun.ends_with('s') || noun.ends_with('x') || noun.ends_with("ch") || noun.ends_with("sh");
  return fmt::format("{} {}{}", count, noun, hisses ? "es" : "s");
}

}  // namespace relayopt
