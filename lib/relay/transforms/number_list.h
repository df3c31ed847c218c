// Options of passes that are lists of numbers: `[0, 2]`.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "relayopt/pass/options.h"

namespace relayopt {

// Returns the elements of a JSON list, or nothing if it is not a list, or has other elements.
inline auto ParseNumbers(const JsonText& list) -> std::optional<std::vector<int64_t>> {
  const auto json = nlohmann::json::parse(list.text, nullptr, false);
  if (!json.is_array()) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const auto& element : json) {
    if (!element.is_number_integer()) return std::nullopt;
    numbers.push_back(element.get<int64_t>());
  }
  return numbers;
}

}  // namespace relayopt
