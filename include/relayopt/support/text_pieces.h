// Numbers, words and blanks in short texts.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "relayopt/support/characters.h"

namespace relayopt {

// Returns the number that the whole text is, as std::from_chars reads it: without blanks or a plus sign. Returns
// nothing if the text is anything else, or if the number does not fit T.
template <typename T>
auto ParseNumber(std::string_view text) -> std::optional<T> {
  T value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Returns the text without white space at its ends.
constexpr auto Trimmed(std::string_view text) -> std::string_view {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Returns the pieces between separators. An empty text has none, and a separator at the end begins none.
inline auto SplitText(std::string_view text, char separator) -> std::vector<std::string_view> {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    pieces.push_back(text.substr(0, text.find(separator)));
    text.remove_prefix(std::min(pieces.back().size() + 1, text.size()));
  }
  return pieces;
}

}  // namespace relayopt
