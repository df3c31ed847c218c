// Differences between two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace relayopt {

struct LineDiffOptions {
  // Unchanged lines around changes.
  size_t context = 3;
  // Removed lines red, added lines green.
  bool color = false;
};

// The unified diff from `before` to `after` without file names; empty when they are equal. Shortest where the texts
// have few differences; linear in their size, and then no longer shortest, where they have thousands.
auto LineDiff(std::string_view before, std::string_view after, const LineDiffOptions& options = {}) -> std::string;

}  // namespace relayopt
