// Differences between two texts, line by line.
#include "relayopt/support/line_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/align.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

using Lines = std::vector<std::string_view>;

// A line of the result: kept (in both), removed or added.
struct Edit {
  char sign;
  std::string_view line;
};

auto FindEdits(const Lines& a, const Lines& b) -> std::vector<Edit> {
  absl::flat_hash_map<std::string_view, uint64_t> numbers;
  const auto number = [&](const Lines& lines) {
    return MapToVector<uint64_t>(
        lines, [&](std::string_view line) { return numbers.try_emplace(line, numbers.size()).first->second; });
  };
  std::vector<Edit> edits;
  size_t x = 0;
  size_t y = 0;
  const auto change_to = [&](size_t end_a, size_t end_b) {
    for (; x < end_a; ++x) edits.push_back({'-', a[x]});
    for (; y < end_b; ++y) edits.push_back({'+', b[y]});
  };
  for (const auto& [in_a, in_b] : Align(number(a), number(b))) {
    change_to(in_a, in_b);
    edits.push_back({' ', a[x++]});
    ++y;
  }
  change_to(a.size(), b.size());
  return edits;
}

void WriteEdit(const Edit& edit, const LineDiffOptions& options, std::string& out) {
  const bool colored = options.color && edit.sign != ' ';
  if (colored) out += edit.sign == '-' ? "\x1b[31m" : "\x1b[32m";
  out += edit.sign;
  out += edit.line;
  if (colored) out += "\x1b[0m";
  out += '\n';
}

}  // namespace

auto LineDiff(std::string_view before, std::string_view after, const LineDiffOptions& options) -> std::string {
  if (before == after) return "";
  const std::vector<Edit> edits = FindEdits(SplitText(before, '\n'), SplitText(after, '\n'));
  std::string out;
  size_t old_line = 1;
  size_t new_line = 1;
  // Lines up to here have been counted.
  size_t counted = 0;
  const auto count_to = [&](size_t end) {
    for (; counted < end; ++counted) {
      old_line += edits[counted].sign != '+' ? 1 : 0;
      new_line += edits[counted].sign != '-' ? 1 : 0;
    }
  };
  for (size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].sign == ' ') continue;
    const size_t begin = std::max(counted, i - std::min(i, options.context));
    // A hunk goes on while the next change is near.
    size_t last = i;
    for (size_t k = i; k < edits.size() && k <= last + 2 * options.context + 1; ++k) {
      if (edits[k].sign != ' ') last = k;
    }
    const size_t end = std::min(edits.size(), last + 1 + options.context);
    count_to(begin);
    const size_t old_first = old_line;
    const size_t new_first = new_line;
    count_to(end);
    fmt::format_to(std::back_inserter(out), "@@ -{},{} +{},{} @@\n", old_first, old_line - old_first, new_first,
                   new_line - new_first);
    for (size_t k = begin; k < end; ++k) WriteEdit(edits[k], options, out);
    i = end - 1;
  }
  return out;
}

}  // namespace relayopt
