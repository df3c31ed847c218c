// Loops over the ids of a table.
#include <catch2/catch.hpp>

#include <vector>

#include "relayopt/support/id_range.h"
#include "relayopt/support/ids.h"

namespace relayopt {

namespace {

TEST_CASE("ids go up, and reversed they go down", "[support]") {
  std::vector<uint32_t> up;
  std::vector<uint32_t> down;
  for (const ExprId id : IdRange<ExprId>(3)) up.push_back(id.value());
  for (const ExprId id : IdRange<ExprId>(3).reversed()) down.push_back(id.value());
  CHECK(up == std::vector<uint32_t>{0, 1, 2});
  CHECK(down == std::vector<uint32_t>{2, 1, 0});
}

TEST_CASE("an empty table has no ids", "[support]") {
  for (const ExprId id : IdRange<ExprId>(0)) FAIL(id.value());
  for (const ExprId id : IdRange<ExprId>(0).reversed()) FAIL(id.value());
}

}  // namespace

}  // namespace relayopt
