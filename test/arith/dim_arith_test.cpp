// Arithmetic on extents.
#include "relayopt/arith/dim_arith.h"

#include <catch2/catch.hpp>

#include <limits>

namespace relayopt {

namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

TEST_CASE("constants are computed, in the wider of two widths", "[dim]") {
  Context context;
  CHECK(Add(context, 2, 3) == Dim(5));
  CHECK(Sub(context, 2, 3) == Dim(-1));
  CHECK(Mul(context, Dim(2, 64), 3) == Dim(6, 64));
  CHECK(Max(context, 2, 3) == Dim(3));
  CHECK(Min(context, 2, 3) == Dim(2));
}

TEST_CASE("a result that int32 does not hold is widened", "[dim]") {
  Context context;
  const Dim sum = Add(context, std::numeric_limits<int32_t>::max(), 1);
  CHECK(sum.is(int64_t{1} << 31));
  CHECK(sum.bits() == 64);
}

TEST_CASE("what 64 bits do not hold is null", "[dim]") {
  Context context;
  CHECK(Add(context, kLargest, 1).is_null());
  CHECK(Sub(context, kSmallest, 1).is_null());
  CHECK(Mul(context, kLargest, 2).is_null());
  CHECK(TruncDiv(context, kSmallest, -1).is_null());
}

TEST_CASE("division rounds as its name says, and zero divides nothing", "[dim]") {
  Context context;
  CHECK(TruncDiv(context, -7, 2).is(-3));
  CHECK(FloorDiv(context, -7, 2).is(-4));
  CHECK(FloorMod(context, -7, 2).is(1));
  CHECK(TruncDiv(context, 7, 0).is_null());
  CHECK(FloorDiv(context, 7, 0).is_null());
  CHECK(FloorMod(context, 7, 0).is_null());
}

TEST_CASE("only trivial cases fold with an unknown extent", "[dim]") {
  Context context;
  const Dim any = Dim::Any();
  CHECK(Add(context, any, 0) == any);
  CHECK(Mul(context, any, 1) == any);
  CHECK(Mul(context, any, 0).is(0));
  CHECK(Mul(context, any, 2).is_expr());
}

TEST_CASE("terms over a symbolic extent are simplified on demand only", "[dim]") {
  Context context;
  const Dim n = Mul(context, Dim::Any(), 2);
  const Dim same = Sub(context, Add(context, n, 3), 3);
  CHECK(same.is_expr());
  CHECK_FALSE(ProvablyDifferent(n, 4));
  CHECK(Simplify(context, Dim(3)) == Dim(3));
  CHECK(Simplify(context, Dim::Any()) == Dim::Any());
}

TEST_CASE("extents print as they are written", "[dim]") {
  CHECK(ToString(Dim(3)) == "3");
  CHECK(ToString(Dim::Any()) == "?");
  const Dim shape[] = {2, Dim::Any()};
  CHECK(ToString(Shape(shape)) == "(2, ?)");
}

TEST_CASE("extents are equal or different when both are known", "[dim]") {
  Context context;
  CHECK(ProvablyEqual(context, Dim(3), Dim(3, 64)));
  CHECK(ProvablyDifferent(3, 4));
  CHECK_FALSE(ProvablyDifferent(3, Dim::Any()));
}

TEST_CASE("elements are counted where all extents are known and 64 bits hold the number", "[dim]") {
  const Dim shape[] = {2, 3, 4};
  CHECK(NumElements(shape) == 24);
  CHECK(NumElements(Shape()) == 1);
  const Dim open[] = {2, Dim::Any()};
  CHECK_FALSE(NumElements(open));
  const Dim large[] = {kLargest, 2};
  CHECK_FALSE(NumElements(large));
}

}  // namespace

}  // namespace relayopt
