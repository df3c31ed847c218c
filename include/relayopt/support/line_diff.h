// Differences between two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace relayopt {

// How differences are shown.
struct LineDiffOptions {
  // Number of unchanged lines shown around each change.
  size_t context = 3;
  // Whether removed lines are red and added lines green.
  bool color = false;
};

// Returns the unified diff from `before` to `after`, without file names, or empty if they are equal. The diff is a
// shortest one where the texts have few differences. Where they have thousands it takes linear time and may be longer.
auto LineDiff(std::string_view before, std::string_view after, const LineDiffOptions& options = {}) -> std::string;

}  // namespace relayopt
