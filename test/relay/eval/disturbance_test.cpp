// What evaluations change on purpose: rounding that decides truth values, and results that are open.
#include <cmath>
#include <set>

#include "eval_harness.h"

namespace relayopt::testing {
namespace {

// What the element is in eight disturbed evaluations that share a log.
auto TruthValues(std::string_view program, const Tensor& argument) -> std::set<bool> {
  const Module module = ReadProgram(program);
  ZeroLog zeros;
  std::set<bool> values;
  for (uint64_t run = 1; run <= 8; ++run) {
    Evaluator evaluator(module);
    evaluator.Disturb(run, &zeros);
    const auto result = evaluator.Call(module.FindGlobal("main"), evaluator.Disturbed({Value(argument)}));
    REQUIRE(result);
    values.insert(result->tensor().data<Bool>()[0]);
  }
  return values;
}

// The elements that differ from the first evaluation in eight with other open results.
auto OpenElements(std::string_view program, const Tensor& argument, bool domain_errors = true) -> std::set<int64_t> {
  const Module module = ReadProgram(program);
  const auto expected = Evaluator(module).Call(module.FindGlobal("main"), {Value(argument)});
  REQUIRE(expected);
  std::set<int64_t> open;
  for (uint64_t run = 1; run <= 8; ++run) {
    Evaluator evaluator(module);
    evaluator.ReplaceOpen(run, domain_errors);
    const auto result = evaluator.Call(module.FindGlobal("main"), {Value(argument)});
    REQUIRE(result);
    for (int64_t i = 0; i < result->tensor().size(); ++i) {
      if (FormatElement(result->tensor(), i) != FormatElement(expected->tensor(), i)) open.insert(i);
    }
  }
  return open;
}

TEST_CASE("a difference that rounding may make zero is true and false as a truth value") {
  constexpr std::string_view kDifference = R"(
def @main(%x: Tensor[(1), float32]) -> Tensor[(1), bool] {
  cast(subtract(add(add(%x, 0.1f), 0.2f), add(%x, 0.3f)), dtype="bool")
})";
  CHECK(TruthValues(kDifference, Floats({1}, {-0.7F})) == std::set<bool>{false, true});
  constexpr std::string_view kSize = R"(
def @main(%x: Tensor[(1), float32]) -> Tensor[(1), bool] {
  greater(abs(subtract(add(%x, 0.1f), multiply(add(%x, 0.1f), 1f))), 0f)
})";
  CHECK(TruthValues(kSize, Floats({1}, {-0.7F})) == std::set<bool>{false, true});
}

TEST_CASE("a divisor that rounding may make zero makes infinities") {
  constexpr std::string_view kQuotient = R"(
def @main(%x: Tensor[(1), float32]) -> Tensor[(1), bool] {
  less(abs(divide(%x, subtract(add(add(%x, 0.1f), 0.2f), add(%x, 0.3f)))), inff)
})";
  CHECK(TruthValues(kQuotient, Floats({1}, {-0.7F})) == std::set<bool>{false, true});
  constexpr std::string_view kClear = R"(
def @main(%x: Tensor[(1), float32]) -> Tensor[(1), bool] { less(abs(divide(%x, subtract(%x, 1f))), inff) })";
  CHECK(TruthValues(kClear, Floats({1}, {1.01F})) == std::set<bool>{true});
}

TEST_CASE("a remainder that is zero has the rounding error of its dividend") {
  constexpr std::string_view kRemainder = R"(
def @main(%x: Tensor[(1), float32]) -> Tensor[(1), bool] { greater(abs(trunc_mod(%x, 0.075f)), 1f) })";
  CHECK(TruthValues(kRemainder, Floats({1}, {0})).contains(false));
  CHECK(TruthValues(kRemainder, Floats({1}, {1e19F})).contains(true));
}

TEST_CASE("a difference that rounding does not reach is one truth value") {
  constexpr std::string_view kCast = R"(
def @main(%x: Tensor[(1), float32]) -> Tensor[(1), bool] { cast(subtract(%x, 1f), dtype="bool") })";
  CHECK(TruthValues(kCast, Floats({1}, {1.01F})) == std::set<bool>{true});
  CHECK(TruthValues(kCast, Floats({1}, {1e-5F})) == std::set<bool>{true});
  constexpr std::string_view kLess = R"(
def @main(%x: Tensor[(1), float32]) -> Tensor[(1), bool] { less(%x, 1f) })";
  CHECK(TruthValues(kLess, Floats({1}, {1.01F})) == std::set<bool>{false});
}

TEST_CASE("NaN of infinities and infinities of numbers are open, those of arguments are not") {
  constexpr std::string_view kDifference = R"(
def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] { subtract(%x, %x) })";
  CHECK(OpenElements(kDifference, Floats({4}, {1, kInf, kNaN, -kInf})) == std::set<int64_t>{1, 3});
  constexpr std::string_view kProduct = R"(
def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] { multiply(%x, 1e30f) })";
  CHECK(OpenElements(kProduct, Floats({4}, {1, kInf, kNaN, 1e30F})) == std::set<int64_t>{3});
}

TEST_CASE("NaN that an operator makes of numbers is open on demand") {
  constexpr std::string_view kRoot = R"(
def @main(%x: Tensor[(3), float32]) -> Tensor[(3), float32] { sqrt(%x) })";
  CHECK(OpenElements(kRoot, Floats({3}, {4, -1, kNaN})) == std::set<int64_t>{1});
  CHECK(OpenElements(kRoot, Floats({3}, {4, -1, kNaN}), /*domain_errors=*/false).empty());
}

TEST_CASE("the largest of numbers is open where NaN is among them") {
  constexpr std::string_view kMax = R"(
def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(2), float32] { max(%x, axis=[1]) })";
  CHECK(OpenElements(kMax, Floats({2, 3}, {1, kNaN, 2, 3, 4, 5})) == std::set<int64_t>{0});
  CHECK(OpenElements(kMax, Floats({2, 3}, {1, 0, 2, 3, 4, 5})).empty());
}

TEST_CASE("products with nothing but zeros are open where the other operand is NaN") {
  constexpr std::string_view kZeros = R"(
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { multiply(zeros_like(%x), %x) })";
  CHECK(OpenElements(kZeros, Floats({2}, {kNaN, 1})) == std::set<int64_t>{0});
  constexpr std::string_view kMixed = R"(
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { multiply(subtract(%x, 1f), %x) })";
  CHECK(OpenElements(kMixed, Floats({2}, {kNaN, 1})).empty());
}

TEST_CASE("the largest of infinities is open, because the search starts at a finite number") {
  constexpr std::string_view kMax = R"(
def @main(%x: Tensor[(2, 2), float32]) -> Tensor[(2), float32] { max(%x, axis=[1]) })";
  CHECK(OpenElements(kMax, Floats({2, 2}, {-kInf, -kInf, -kInf, 1})) == std::set<int64_t>{0});
}

TEST_CASE("sums of products are open where scaled parts of them leave the range") {
  constexpr std::string_view kProducts = R"(
def @main(%x: Tensor[(2, 2), float32]) -> Tensor[(2, 2), float32] { nn.dense(%x, %x, units=2) })";
  CHECK(OpenElements(kProducts, Floats({2, 2}, {1e15F, 1, 1, 1})) == std::set<int64_t>{0});
  CHECK(OpenElements(kProducts, Floats({2, 2}, {kNaN, 1, 1, 1})).empty());
}

TEST_CASE("interpolated integers may be one off, other integers may not") {
  const auto results = [](std::string_view program) {
    const Module module = ReadProgram(program);
    std::set<std::string> found;
    for (uint64_t run = 1; run <= 8; ++run) {
      Evaluator evaluator(module);
      evaluator.Disturb(run);
      const auto result = evaluator.Call(module.FindGlobal("main"), {Value(Ints({1, 1, 2}, {1, 4}))});
      REQUIRE(result);
      found.insert(FormatElement(result->tensor(), 0));
    }
    return found;
  };
  CHECK(results(R"(
def @main(%x: Tensor[(1, 1, 2), int32]) { image.resize1d(%x, size=[4], roi=[0f, 0f]) })") ==
        std::set<std::string>{"0", "1", "2"});
  CHECK(results(R"(
def @main(%x: Tensor[(1, 1, 2), int32]) { multiply(%x, %x) })") == std::set<std::string>{"1"});
}

TEST_CASE("operators that let few values through show open results") {
  constexpr std::string_view kMinimum = R"(
def @main(%x: Tensor[(300), float32]) -> Tensor[(300), float32] { minimum(subtract(%x, %x), -1e30f) })";
  CHECK(OpenElements(kMinimum, Floats({300}, std::vector<float>(300, INFINITY))).size() == 300);
}

}  // namespace
}  // namespace relayopt::testing
