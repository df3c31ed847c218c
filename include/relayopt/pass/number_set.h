// Sets of positive numbers, as users write them: `1-10,12`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace relayopt {

// A set of numbers of things that are counted from 1.
class NumberSet {
 public:
  // Reads comma-separated numbers and ranges, such as `1-3,7,9-`; a range without an end is unbounded. Returns nothing
  // if the text is malformed, contains 0, or its numbers do not ascend.
  static auto Parse(std::string_view text) -> std::optional<NumberSet>;
  // Returns the numbers from 1 to `last`; the empty set when `last` is 0.
  static auto UpTo(uint64_t last) -> NumberSet;

  auto Contains(uint64_t number) const -> bool;

 private:
  // Closed ranges in ascending order.
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;
};

}  // namespace relayopt
