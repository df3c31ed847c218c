// Sets of ids in pages.
#include <catch2/catch.hpp>

#include <vector>

#include "relayopt/support/id_set.h"
#include "relayopt/support/ids.h"

namespace relayopt {

namespace {

TEST_CASE("a set of ids tells whether an id is new", "[support]") {
  IdSet<ExprId> set;
  // Neighbours, both sides of a page, and far away, twice.
  const std::vector<uint32_t> ids = {0, 1, 63, 64, 511, 512, 1'000'000'000, UINT32_MAX - 1};
  for (const uint32_t id : ids) CHECK(set.Insert(ExprId(id)));
  for (const uint32_t id : ids) CHECK(!set.Insert(ExprId(id)));
  for (const uint32_t id : ids) CHECK(set.Contains(ExprId(id)));
  for (const uint32_t id : {2U, 62U, 65U, 513U, 999'999'999U}) CHECK(!set.Contains(ExprId(id)));
}

TEST_CASE("an id that was removed from a set is new again", "[support]") {
  IdSet<ExprId> set;
  set.Insert(ExprId(7U));
  set.Insert(ExprId(7'000U));
  set.Remove(ExprId(7U));
  CHECK(!set.Contains(ExprId(7U)));
  CHECK(set.Contains(ExprId(7'000U)));
  CHECK(set.Insert(ExprId(7U)));
}

}  // namespace

}  // namespace relayopt
