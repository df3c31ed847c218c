// Lists of extents.
#include "relayopt/core/extents.h"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

namespace relayopt {

namespace {

using Values = std::vector<int64_t>;

TEST_CASE("the number of elements is a product that does not overflow", "[extents]") {
  CHECK(Product({}) == 1);
  CHECK(Product(Values{2, 3, 4}) == 24);
  CHECK(Product(Values{int64_t{1} << 40, int64_t{1} << 40}) == std::numeric_limits<int64_t>::max());
  CHECK(Product(Values{int64_t{1} << 40, int64_t{1} << 40, 0}) == 0);
}

TEST_CASE("a shape is repeated to another one from its last extent on", "[extents]") {
  const Dim any = Dim::Any();
  const auto may = [](std::vector<Dim> from, std::vector<Dim> to) { return MayBroadcastTo(from, to); };
  CHECK(may({}, {2, 3}));
  CHECK(may({3}, {2, 3}));
  CHECK(may({1, 3}, {2, 3}));
  CHECK(may({any, 3}, {2, any}));
  CHECK_FALSE(may({2}, {2, 3}));
  CHECK_FALSE(may({1, 2, 3}, {2, 3}));
}

}  // namespace

}  // namespace relayopt
