// Myers' greedy algorithm on lines, with a bound on its work.
#include "relayopt/support/line_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace relayopt {

namespace {

using Lines = std::vector<std::string_view>;

// Texts with more differences than this count as replaced: the search is quadratic in their number.
constexpr int64_t kMaxDifferences = 2000;

auto SplitLines(std::string_view text) -> Lines {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// A line of the result: kept (in both), removed or added.
struct Edit {
  char sign;
  std::string_view line;
};

// The edits from a[0, n) to b[0, m), which differ in their first and last lines.
class Search {
 public:
  Search(const std::string_view* a, int64_t n, const std::string_view* b, int64_t m) : a_(a), n_(n), b_(b), m_(m) {}

  auto Run() -> std::vector<Edit> {
    const int64_t limit = std::min(n_ + m_, kMaxDifferences);
    // The furthest position in `a` on each diagonal, k = x - y, reached with so many differences.
    std::vector<int64_t> furthest(static_cast<size_t>(2 * limit + 3), 0);
    const auto at = [&](int64_t k) -> int64_t& { return furthest[static_cast<size_t>(k + limit + 1)]; };
    std::vector<std::vector<int64_t>> trace;
    for (int64_t d = 0; d <= limit; ++d) {
      for (int64_t k = -d; k <= d; k += 2) {
        int64_t x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
        while (x < n_ && x - k < m_ && a_[x] == b_[x - k]) ++x;
        at(k) = x;
        if (x >= n_ && x - k >= m_) return Walk(trace, d);
      }
      // What the diagonals -d..d have reached.
      trace.emplace_back(&at(-d), &at(d) + 1);
    }
    return Replace();
  }

 private:
  auto Walk(const std::vector<std::vector<int64_t>>& trace, int64_t d) const -> std::vector<Edit> {
    std::vector<Edit> edits;
    int64_t x = n_;
    int64_t y = m_;
    for (; d > 0; --d) {
      const std::vector<int64_t>& before = trace[static_cast<size_t>(d - 1)];
      const auto reached = [&](int64_t k) { return before[static_cast<size_t>(k + d - 1)]; };
      const int64_t k = x - y;
      const bool down = k == -d || (k != d && (k - 1 < 1 - d || (k + 1 <= d - 1 && reached(k - 1) < reached(k + 1))));
      const int64_t from = down ? k + 1 : k - 1;
      const int64_t start = down ? reached(from) : reached(from) + 1;
      for (; x > start; --x, --y) edits.push_back({' ', a_[x - 1]});
      if (down) {
        edits.push_back({'+', b_[--y]});
      } else {
        edits.push_back({'-', a_[--x]});
      }
    }
    for (; x > 0; --x) edits.push_back({' ', a_[x - 1]});
    std::reverse(edits.begin(), edits.end());
    return edits;
  }

  auto Replace() const -> std::vector<Edit> {
    std::vector<Edit> edits;
    for (int64_t i = 0; i < n_; ++i) edits.push_back({'-', a_[i]});
    for (int64_t i = 0; i < m_; ++i) edits.push_back({'+', b_[i]});
    return edits;
  }

  const std::string_view* a_;
  int64_t n_;
  const std::string_view* b_;
  int64_t m_;
};

auto FindEdits(const Lines& a, const Lines& b) -> std::vector<Edit> {
  size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::vector<Edit> edits;
  for (size_t i = 0; i < head; ++i) edits.push_back({' ', a[i]});
  const auto length = [&](const Lines& lines) { return static_cast<int64_t>(lines.size() - head - tail); };
  const std::vector<Edit> middle = Search(a.data() + head, length(a), b.data() + head, length(b)).Run();
  edits.insert(edits.end(), middle.begin(), middle.end());
  for (size_t i = a.size() - tail; i < a.size(); ++i) edits.push_back({' ', a[i]});
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
  const std::vector<Edit> edits = FindEdits(SplitLines(before), SplitLines(after));
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
