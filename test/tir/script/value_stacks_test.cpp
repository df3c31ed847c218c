// The values of tuples and the like while TVMScript is read.
#include "lib/tir/script/value_stacks.h"

#include <catch2/catch.hpp>

namespace relayopt::tir {

namespace {

TEST_CASE("what a statement added is overwritten by the next one") {
  ValueTable table;
  const Value lasting[] = {Value::Int(1), Value::Int(2)};
  const Value passing[] = {Value::Int(3), Value::Int(4), Value::Int(5)};
  const uint32_t first = table.Add(lasting);
  const uint32_t size = table.size();
  for (int i = 0; i < 2000; ++i) {
    CHECK(table.Add(passing) == size);
    table.Reuse(size);
  }
  CHECK(table.Elements(first, 2)[1].integer == 2);
}

TEST_CASE("a statement that needed another block of values leaves it to the next one") {
  ValueTable table;
  const Value pair[] = {Value::Int(1), Value::Int(2)};
  // One element short of a block: the pair begins the next one.
  for (int i = 0; i < 1023; ++i) table.Add({pair, 1});
  const uint32_t size = table.size();
  const uint32_t moved = table.Add(pair);
  table.Reuse(size);
  CHECK(moved > size);
  const uint32_t after = table.size();
  CHECK(after == moved + 2);
  const uint32_t next = table.Add(pair);
  table.Reuse(after);
  CHECK(table.Add(pair) == next);
}

}  // namespace

}  // namespace relayopt::tir
