// When results count as equal.
#include "relayopt/relay/eval/compare.h"

#include "relay/eval/eval_harness.h"

namespace relayopt::testing {
namespace {

constexpr Tolerance kExact;
const Tolerance kDefault = {.exact = false};

auto AreEqual(const Value& a, const Value& b, const Tolerance& tolerance) -> bool {
  return !Compare(a, b, tolerance).has_value();
}
auto One(float x) -> Value { return Floats({1}, {x}); }

TEST_CASE("exactly equal are the same bits, up to those of NaN") {
  CHECK(AreEqual(One(1.5F), One(1.5F), kExact));
  CHECK_FALSE(AreEqual(One(1), One(std::nextafter(1.0F, 2.0F)), kExact));
  CHECK_FALSE(AreEqual(One(0), One(-0.0F), kExact));
  CHECK(AreEqual(One(kNaN), One(-kNaN), kExact));
  CHECK_FALSE(AreEqual(One(kNaN), One(1), kExact));
  CHECK_FALSE(AreEqual(One(1), One(kNaN), kExact));
  CHECK(AreEqual(One(kInf), One(kInf), kExact));
  CHECK_FALSE(AreEqual(One(kInf), One(-kInf), kExact));
}

TEST_CASE("within a tolerance zeros are equal, and numbers near each other") {
  CHECK(AreEqual(One(0), One(-0.0F), kDefault));
  CHECK(AreEqual(One(1), One(1.0001F), kDefault));
  CHECK_FALSE(AreEqual(One(1), One(1.0002F), kDefault));
  CHECK(AreEqual(One(0), One(1e-5F), kDefault));
  CHECK_FALSE(AreEqual(One(0), One(1.1e-5F), kDefault));
  CHECK_FALSE(AreEqual(One(1), One(kNaN), kDefault));
  CHECK_FALSE(AreEqual(One(1), One(kInf), kDefault));
}

TEST_CASE("within a tolerance NaN and infinities keep their class") {
  CHECK(AreEqual(One(kInf), One(kInf), kDefault));
  CHECK(AreEqual(One(kNaN), One(-kNaN), kDefault));
  CHECK_FALSE(AreEqual(One(kInf), One(3e38F), kDefault));
  CHECK_FALSE(AreEqual(One(kInf), One(-kInf), kDefault));
  CHECK_FALSE(AreEqual(One(kNaN), One(1), kDefault));
  CHECK_FALSE(AreEqual(One(kNaN), One(kInf), kDefault));
}

TEST_CASE("where rounding decides whether an element is a number it may be anything") {
  Tolerance tolerance = kDefault;
  Widen(tolerance.slack, Floats({3}, {kInf, kNaN, 1}), Floats({3}, {3e38F, kNaN, 1.25F}), 2);
  CHECK(tolerance.slack[0].distance == 0.5);
  CHECK(AreEqual(Floats({3}, {kInf, kNaN, 1}), Floats({3}, {7, kNaN, 1.5F}), tolerance));
  CHECK_FALSE(AreEqual(Floats({3}, {kInf, kNaN, 1}), Floats({3}, {kInf, 7, 1}), tolerance));
  CHECK_FALSE(AreEqual(Floats({3}, {kInf, kNaN, 1}), Floats({3}, {kInf, kNaN, 2}), tolerance));
}

TEST_CASE("tolerances that are given hold for float32, other floats have their own") {
  const Tolerance wide = {.exact = false, .rtol = 0.5, .atol = 0};
  CHECK(AreEqual(One(2), One(3), wide));
  CHECK_FALSE(AreEqual(One(2), One(3.1F), wide));
  const auto real = [](double x) -> Value { return Make<double>(DataType::Float(64), {1}, {x}); };
  CHECK_FALSE(AreEqual(real(2), real(3), wide));
  CHECK(AreEqual(real(1), real(1 + 1e-10), wide));
  const auto half = [](float x) -> Value { return Make<Half>(DataType::Float(16), {1}, {Half(x)}); };
  CHECK(AreEqual(half(1), half(1.01F), kDefault));
  CHECK_FALSE(AreEqual(half(1), half(1.05F), kDefault));
}

TEST_CASE("integers, shapes and element types are equal or not") {
  CHECK_FALSE(AreEqual(Ints({1}, {1000000}), Ints({1}, {1000001}), kDefault));
  CHECK(AreEqual(Ints({2}, {1, 2}), Ints({2}, {1, 2}), kDefault));
  CHECK(Compare(Ints({1}, {1}), Floats({1}, {1}), kDefault)->form == "float32 instead of int32");
  CHECK(Compare(Ints({2}, {1, 1}), Ints({1, 2}, {1, 1}), kDefault)->form == "shape (1, 2) instead of (2)");
  CHECK(Compare(Floats({0, 2}, {}), Floats({0, 3}, {}), kDefault)->form == "shape (0, 3) instead of (0, 2)");
}

TEST_CASE("integers may differ by their slack, and anything where rounding decides") {
  Tolerance tolerance = kDefault;
  tolerance.slack = {{.distance = 3, .undecided = {false, true}}};
  CHECK(AreEqual(Ints({2}, {10, 0}), Ints({2}, {13, 1000000}), tolerance));
  CHECK_FALSE(AreEqual(Ints({2}, {10, 0}), Ints({2}, {14, 0}), tolerance));
}

TEST_CASE("the worst element of the first tensor that differs is reported") {
  const Value expected = Value::Tuple({Ints({1}, {7}), Floats({2, 2}, {1, 2, 3, 4})});
  const Value got = Value::Tuple({Ints({1}, {7}), Floats({2, 2}, {1, 2.5F, 5, 4})});
  const auto mismatch = Compare(expected, got, kExact);
  REQUIRE(mismatch.has_value());
  CHECK(mismatch->output == 1);
  CHECK(mismatch->index == std::vector<int64_t>{1, 0});
  CHECK(ToString(*mismatch) == "output 1 [1,0]  expected 3  got 5  abs 2.0e+00  rel 6.7e-01");
}

TEST_CASE("tuples are compared as the tensors in them") {
  const Value flat = Value::Tuple({One(1), One(2)});
  const Value nested = Value::Tuple({Value::Tuple({One(1)}), One(2)});
  CHECK(AreEqual(flat, nested, kExact));
  CHECK(Compare(flat, One(1), kExact)->form == "1 tensors instead of 2");
}

}  // namespace
}  // namespace relayopt::testing
