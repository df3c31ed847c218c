// Myers' greedy algorithm, with a bound on its work.
#include "relayopt/support/align.h"

#include <algorithm>

namespace relayopt {

namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;

// Sequences with more differences than this count as replaced: the search is quadratic in their number.
constexpr int64_t kMaxDifferences = 2000;

// The search in a and b, whose first elements differ, as do their last.
class Search {
 public:
  Search(std::span<const uint64_t> a, std::span<const uint64_t> b)
      : a_(a), b_(b), n_(static_cast<int64_t>(a.size())), m_(static_cast<int64_t>(b.size())) {}

  auto Run() -> Pairs {
    const int64_t limit = std::min(n_ + m_, kMaxDifferences);
    // For each diagonal k = x - y, the furthest position in `a` that is reached with this number of differences.
    std::vector<int64_t> furthest(static_cast<size_t>(2 * limit + 3), 0);
    const auto at = [&](int64_t k) -> int64_t& { return furthest[static_cast<size_t>(k + limit + 1)]; };
    std::vector<std::vector<int64_t>> trace;
    for (int64_t d = 0; d <= limit; ++d) {
      for (int64_t k = -d; k <= d; k += 2) {
        int64_t x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
        while (x < n_ && x - k < m_ && Same(x, x - k)) ++x;
        at(k) = x;
        if (x >= n_ && x - k >= m_) return Walk(trace, d);
      }
      // The positions reached on the diagonals -d..d.
      trace.emplace_back(&at(-d), &at(d) + 1);
    }
    return {};
  }

 private:
  auto Same(int64_t x, int64_t y) const -> bool { return a_[static_cast<size_t>(x)] == b_[static_cast<size_t>(y)]; }

  auto Walk(const std::vector<std::vector<int64_t>>& trace, int64_t d) const -> Pairs {
    Pairs pairs;
    int64_t x = n_;
    int64_t y = m_;
    const auto keep = [&](int64_t until) {
      while (x > until) pairs.emplace_back(static_cast<size_t>(--x), static_cast<size_t>(--y));
    };
    for (; d > 0; --d) {
      const std::vector<int64_t>& before = trace[static_cast<size_t>(d - 1)];
      const auto reached = [&](int64_t k) { return before[static_cast<size_t>(k + d - 1)]; };
      const int64_t k = x - y;
      const bool down = k == -d || (k != d && (k - 1 < 1 - d || (k + 1 <= d - 1 && reached(k - 1) < reached(k + 1))));
      const int64_t from = down ? k + 1 : k - 1;
      keep(down ? reached(from) : reached(from) + 1);
      --(down ? y : x);
    }
    keep(0);
    std::ranges::reverse(pairs);
    return pairs;
  }

  std::span<const uint64_t> a_;
  std::span<const uint64_t> b_;
  int64_t n_;
  int64_t m_;
};

}  // namespace

auto Align(std::span<const uint64_t> a, std::span<const uint64_t> b) -> std::vector<std::pair<size_t, size_t>> {
  Pairs pairs;
  size_t head = 0;
  for (; head < a.size() && head < b.size() && a[head] == b[head]; ++head) pairs.emplace_back(head, head);
  size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const auto middle = [&](std::span<const uint64_t> all) { return all.subspan(head, all.size() - head - tail); };
  for (const auto& [x, y] : Search(middle(a), middle(b)).Run()) pairs.emplace_back(head + x, head + y);
  for (; tail != 0; --tail) pairs.emplace_back(a.size() - tail, b.size() - tail);
  return pairs;
}

}  // namespace relayopt
