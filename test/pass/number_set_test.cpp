// Sets of ordinals.
#include "relayopt/pass/number_set.h"

#include <catch2/catch.hpp>

namespace relayopt {

namespace {

TEST_CASE("number sets are read and asked", "[number_set]") {
  const auto set = NumberSet::Parse("1-3,7,9-");
  REQUIRE(set);
  CHECK(set->Contains(1));
  CHECK(set->Contains(3));
  CHECK_FALSE(set->Contains(4));
  CHECK(set->Contains(7));
  CHECK_FALSE(set->Contains(8));
  CHECK(set->Contains(UINT64_MAX));
  CHECK_FALSE(NumberSet::UpTo(0).Contains(1));
  CHECK(NumberSet::UpTo(2).Contains(2));
  CHECK_FALSE(NumberSet::UpTo(2).Contains(3));
}

TEST_CASE("text that is not a number set is refused", "[number_set]") {
  for (const char* text : {"", ",", "0", "a", "1,", "3-1", "2,1", "1-3,3", "-1", "1--2", "99999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(NumberSet::Parse(text));
  }
}

}  // namespace

}  // namespace relayopt
