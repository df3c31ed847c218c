#include "relayopt/relay/analysis/extent_table.h"

#include <catch2/catch.hpp>

namespace relayopt {

TEST_CASE("extents are equal whichever way they are computed", "[extents]") {
  ExtentTable table;
  const ExtentId b = table.Unknown();
  const ExtentId s = table.Named("s");
  const ExtentId two = table.Number(2);
  CHECK(table.Product(table.Sum(b, two), s) == table.Sum(table.Product(s, two), table.Product(s, b)));
  CHECK(table.Difference(table.Sum(b, s), b) == s);
  CHECK(table.Named("s") == s);
  CHECK(table.Unknown() != b);
  CHECK(table.NumberOf(table.Difference(table.Product(b, s), table.Product(s, b))) == 0);
}

TEST_CASE("a quotient by a factor is the other factor, any other one an unknown", "[extents]") {
  ExtentTable table;
  const ExtentId b = table.Unknown();
  const ExtentId four = table.Number(4);
  CHECK(table.Quotient(table.Product(b, four), four) == b);
  CHECK(table.Quotient(table.Sum(table.Product(b, b), table.Product(b, four)), b) == table.Sum(b, four));
  const ExtentId rest = table.Quotient(b, four);
  CHECK(rest == table.Quotient(b, four));
  CHECK_FALSE(table.Without(b, four));
  CHECK(table.Product(rest, four) != b);
}

TEST_CASE("what is broadcast against one element keeps its extent", "[extents]") {
  ExtentTable table;
  const ExtentId b = table.Unknown();
  const ExtentId s = table.Unknown();
  const ExtentId one = table.Number(1);
  CHECK(table.Broadcast(b, one) == b);
  CHECK(table.Broadcast(table.Number(8), b) == table.Number(8));
  CHECK(table.Broadcast(b, s) == table.Broadcast(s, b));
  CHECK(table.Broadcast(b, s) != b);
  // A part of at most s elements fits s where it has all of them.
  CHECK(table.Broadcast(s, table.Minimum(table.Number(64), s)) == s);
  CHECK(table.Maximum(one, b) == b);
  // Of numbers there is nothing to assume.
  CHECK(table.Maximum(one, table.Number(0)) == one);
}

TEST_CASE("differences may be negative, extents are not", "[extents]") {
  ExtentTable table;
  const ExtentId b = table.Unknown();
  const ExtentId s = table.Unknown();
  CHECK(table.IsNeverNegative(table.Sum(b, s)));
  CHECK_FALSE(table.IsNeverNegative(table.Difference(b, s)));
  CHECK_FALSE(table.IsNeverNegative(table.Number(-1)));
}

TEST_CASE("sums and products that get long are unknowns of their own", "[extents]") {
  ExtentTable table;
  ExtentId sum = table.Number(0);
  ExtentId product = table.Number(1);
  for (int i = 0; i < 1000; ++i) {
    sum = table.Sum(sum, table.Unknown());
    product = table.Product(product, table.Sum(table.Unknown(), table.Number(1)));
  }
  CHECK_FALSE(table.NumberOf(sum));
  CHECK_FALSE(table.NumberOf(product));
  CHECK(table.NumberOf(table.Product(table.Number(INT64_MAX), table.Number(2))) == std::nullopt);
}

TEST_CASE("quotients that no integer holds are unknowns", "[extents]") {
  ExtentTable table;
  CHECK(table.NumberOf(table.Quotient(table.Number(INT64_MIN), table.Number(-1))) == std::nullopt);
  CHECK(table.NumberOf(table.Quotient(table.Number(INT64_MIN), table.Number(2))) == INT64_MIN / 2);
  CHECK(table.NumberOf(table.Quotient(table.Number(7), table.Number(0))) == std::nullopt);
}

}  // namespace relayopt
