// Sets of ordinals, as people write them: `1-10,12`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace relayopt {

// Which of a row of things numbered from 1 are meant.
class NumberSet {
 public:
  // Reads comma-separated numbers and ranges, `1-3,7,9-` (a missing end: without end). Nothing when it is none of that,
  // when a number is 0, or when the numbers do not rise.
  static auto Parse(std::string_view text) -> std::optional<NumberSet>;
  // 1 to `last`; none of them when `last` is 0.
  static auto UpTo(uint64_t last) -> NumberSet;

  auto Contains(uint64_t number) const -> bool;

 private:
  // Closed ranges, rising.
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;
};

}  // namespace relayopt
