// Which elements of two sequences correspond.
#include "relayopt/support/align.h"

#include <catch2/catch.hpp>

namespace relayopt::testing {
namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;

auto Of(std::vector<uint64_t> a, std::vector<uint64_t> b) -> Pairs { return Align(a, b); }

TEST_CASE("equal sequences correspond element by element") {
  CHECK(Of({1, 2, 3}, {1, 2, 3}) == Pairs{{0, 0}, {1, 1}, {2, 2}});
  CHECK(Of({}, {}).empty());
  CHECK(Of({}, {1}).empty());
  CHECK(Of({1}, {2}).empty());
}

TEST_CASE("what was added or removed has no partner") {
  CHECK(Of({1, 3}, {1, 2, 3}) == Pairs{{0, 0}, {1, 2}});
  CHECK(Of({1, 2, 3}, {1, 3}) == Pairs{{0, 0}, {2, 1}});
  CHECK(Of({1, 2, 3, 4}, {1, 9, 3, 8, 4}) == Pairs{{0, 0}, {2, 2}, {3, 4}});
}

TEST_CASE("a longest common subsequence is found in the middle") {
  CHECK(Of({7, 1, 2, 3, 8}, {9, 1, 5, 2, 3, 6}) == Pairs{{1, 1}, {2, 3}, {3, 4}});
}

TEST_CASE("sequences with thousands of differences correspond at their ends") {
  std::vector<uint64_t> a = {1};
  std::vector<uint64_t> b = {1};
  for (uint64_t i = 0; i < 10'000; ++i) {
    a.push_back(10 + i);
    b.push_back(100'000 + i);
  }
  a.push_back(2);
  b.push_back(2);
  CHECK(Align(a, b) == Pairs{{0, 0}, {10'001, 10'001}});
}

}  // namespace
}  // namespace relayopt::testing
