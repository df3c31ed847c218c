// How far results agree.
#include "relayopt/check/agreement.h"

#include <cmath>
#include <limits>

#include "test/relay/eval/eval_harness.h"

namespace relayopt::testing {
namespace {

auto Measure(const Tensor& expected, const Tensor& got, AgreementOptions options = {}) -> Agreement {
  Agreement agreement(options);
  agreement.Add(Value(expected), Value(got));
  return agreement;
}

TEST_CASE("equal tensors agree, NaN with NaN and infinities of one sign") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(Measure(Floats({4}, {1, nan, inf, -inf}), Floats({4}, {1, nan, inf, -inf})).agrees());
  CHECK_FALSE(Measure(Floats({1}, {nan}), Floats({1}, {1})).agrees());
  CHECK_FALSE(Measure(Floats({1}, {inf}), Floats({1}, {-inf})).agrees());
  CHECK_FALSE(Measure(Floats({1}, {1}), Floats({1}, {inf})).agrees());
}

TEST_CASE("floats may differ by the usual bounds, or by those given") {
  const Tensor one = Floats({1}, {1});
  CHECK(Measure(one, Floats({1}, {1.0001F})).agrees());
  CHECK_FALSE(Measure(one, Floats({1}, {1.001F})).agrees());
  CHECK(Measure(one, Floats({1}, {1.001F}), {.rtol = 1e-2}).agrees());
  CHECK(Measure(one, Floats({1}, {1.001F}), {.atol = 1e-2}).agrees());
  CHECK_FALSE(Measure(one, Floats({1}, {1.0001F}), {.atol = 0}).agrees());
}

TEST_CASE("representable numbers between two floats are counted through zero") {
  const float next = std::nextafter(1.0F, 2.0F);
  CHECK(Measure(Floats({1}, {1}), Floats({1}, {next}), {.ulps = 1}).agrees());
  CHECK_FALSE(Measure(Floats({1}, {1}), Floats({1}, {std::nextafter(next, 2.0F)}), {.ulps = 1}).agrees());
  const float small = std::numeric_limits<float>::denorm_min();
  const Agreement around_zero = Measure(Floats({1}, {-small}), Floats({1}, {small}), {.ulps = 2});
  CHECK(around_zero.agrees());
  CHECK(around_zero.outputs()[0].max_ulps == 2);
}

TEST_CASE("integers agree when they are equal, or within bounds that are given") {
  CHECK_FALSE(Measure(Ints({1}, {5}), Ints({1}, {6})).agrees());
  CHECK(Measure(Ints({1}, {5}), Ints({1}, {6}), {.atol = 1}).agrees());
  const int64_t large = int64_t{1} << 60;
  const Tensor a = Make<int64_t>(DataType::Int(64), {1}, {large});
  const Agreement agreement = Measure(a, Make<int64_t>(DataType::Int(64), {1}, {large + 1}));
  CHECK_FALSE(agreement.agrees());
  CHECK(agreement.outputs()[0].max_absolute == 1);
}

TEST_CASE("rows with the largest element at the same place count instead of elements") {
  const Tensor expected = Floats({2, 3}, {1, 2, 3, 9, 8, 7});
  const Tensor got = Floats({2, 3}, {0, 1, 5, 1, 2, 0});
  CHECK_FALSE(Measure(expected, got).agrees());
  CHECK(Measure(expected, got, {.top1 = 0.5}).agrees());
  CHECK_FALSE(Measure(expected, got, {.top1 = 0.51}).agrees());
  CHECK(Measure(expected, got).outputs()[0].top1_same == 1);
  CHECK(Measure(expected, got).outputs()[0].top1_rows == 2);
  // A scalar has no rows: the usual bounds count.
  CHECK_FALSE(Measure(Floats({}, {1}), Floats({}, {2}), {.top1 = 0}).agrees());
}

TEST_CASE("results of another form do not agree") {
  CHECK_FALSE(Measure(Floats({2}, {1, 1}), Floats({1, 2}, {1, 1})).agrees());
  CHECK_FALSE(Measure(Floats({1}, {1}), Ints({1}, {1})).agrees());
  Agreement fewer({});
  fewer.Add(Value::Tuple({Value(Floats({1}, {1})), Value(Floats({1}, {1}))}), Value(Floats({1}, {1})));
  CHECK_FALSE(fewer.agrees());
  CHECK(fewer.outputs()[1].form == "is missing");
}

TEST_CASE("sets of arguments add up") {
  Agreement agreement({});
  agreement.Add(Value(Floats({2}, {1, 2})), Value(Floats({2}, {1, 2})));
  agreement.Add(Value(Floats({2}, {1, 2})), Value(Floats({2}, {1, 3})));
  CHECK(agreement.outputs()[0].elements == 4);
  CHECK(agreement.outputs()[0].apart == 1);
  CHECK(agreement.outputs()[0].worst == "[1]  expected 2  got 3");
}

}  // namespace
}  // namespace relayopt::testing
