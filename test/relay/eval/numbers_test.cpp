// Arithmetic at the edges of the element types: rounding, wrapping around, saturation, and what has no result.
#include <bit>
#include <cmath>
#include <limits>

#include "eval_harness.h"
#include "lib/relay/ops/kernels/numbers.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt::testing {
namespace {

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

auto Bytes(const std::vector<int8_t>& values) -> Tensor {
  return Make<int8_t>(DataType::Int(8), {static_cast<int64_t>(values.size())}, values);
}
auto Halves(const std::vector<float>& values) -> Tensor {
  return Make<Half>(DataType::Float(16), {static_cast<int64_t>(values.size())}, {values.begin(), values.end()});
}
auto CastTo(DataType dtype) -> CastAttrs { return {dtype}; }

TEST_CASE("casts to float16 round to nearest, ties to even") {
  OpRunner run;
  const auto cast = [&](float x) { return run.Text("cast"_op, {Floats({1}, {x})}, CastTo(DataType::Float(16))); };
  // Between 2048 and 4096 every second integer is a number.
  CHECK(cast(2049) == "2048");
  CHECK(cast(2051) == "2052");
  CHECK(cast(2049.001F) == "2050");
  CHECK(cast(65504) == "65504");
  CHECK(cast(65519.996F) == "65504");
  CHECK(cast(65520) == "inf");
  CHECK(cast(-65520) == "-inf");
  // The least number, half of it, and a little more than half of it.
  CHECK(cast(0x1p-24F) == "5.9604645e-08");
  CHECK(cast(0x1p-25F) == "0");
  CHECK(cast(-0x1p-25F) == "-0");
  CHECK(cast(0x1.000002p-25F) == "5.9604645e-08");
  CHECK(cast(kNaN) == "nan");
}

TEST_CASE("float64 becomes float16 in one rounding") {
  OpRunner run;
  // As float32 this is 2049 exactly, a tie.
  const Tensor above = Make<double>(DataType::Float(64), {1}, {2049.0000000001});
  CHECK(run.Text("cast"_op, {above}, CastTo(DataType::Float(16))) == "2050");
}

TEST_CASE("casts to bfloat16 round to nearest, ties to even") {
  OpRunner run;
  const auto cast = [&](float x) { return run.Text("cast"_op, {Floats({1}, {x})}, CastTo(DataType::BFloat(16))); };
  CHECK(cast(257) == "256");
  CHECK(cast(259) == "260");
  CHECK(cast(257.01F) == "258");
  CHECK(cast(std::numeric_limits<float>::max()) == "inf");
  CHECK(cast(-kInf) == "-inf");
  CHECK(cast(kNaN) == "nan");
}

TEST_CASE("sums of halves are rounded after every operation") {
  OpRunner run;
  CHECK(run.Text("add"_op, {Halves({2048, 65504, 65504}), Halves({1, 1, 16})}) == "2048 65504 inf");
  CHECK(run.Text("multiply"_op, {Halves({0x1p-20F}), Halves({0x1p-5F})}) == "0");
}

TEST_CASE("casts of floats to integers truncate; what is out of range has no result") {
  OpRunner run;
  const auto cast = [&](float x, DataType dtype) { return run.Text("cast"_op, {Floats({1}, {x})}, CastTo(dtype)); };
  CHECK(cast(-1.9F, DataType::Int(32)) == "-1");
  CHECK(cast(127.9F, DataType::Int(8)) == "127");
  CHECK(cast(-128.9F, DataType::Int(8)) == "-128");
  CHECK(cast(-0.9F, DataType::UInt(8)) == "0");
  CHECK(cast(255.9F, DataType::UInt(8)) == "255");
  CHECK(cast(128, DataType::Int(8)) == "127 undefined");
  CHECK(cast(-1, DataType::UInt(8)) == "0 undefined");
  CHECK(cast(0x1p31F, DataType::Int(32)) == "2147483647 undefined");
  CHECK(cast(-0x1p31F, DataType::Int(32)) == "-2147483648");
  CHECK(cast(0x1p63F, DataType::Int(64)) == "9223372036854775807 undefined");
  CHECK(cast(0x1p64F, DataType::UInt(64)) == "18446744073709551615 undefined");
  CHECK(cast(kNaN, DataType::Int(32)) == "0 undefined");
  CHECK(cast(-kInf, DataType::Int(16)) == "-32768 undefined");
}

TEST_CASE("casts to bool ask for anything but zero, NaN being none") {
  OpRunner run;
  const Tensor floats = Floats({5}, {0, -0.0F, 0x1p-149F, kNaN, -kInf});
  CHECK(run.Text("cast"_op, {floats}, CastTo(DataType::Bool())) == "False False True False True");
  CHECK(run.Text("cast"_op, {Ints({3}, {0, 256, -1})}, CastTo(DataType::Bool())) == "False True True");
}

TEST_CASE("casts of integers wrap around") {
  OpRunner run;
  CHECK(run.Text("cast"_op, {Ints({4}, {128, 255, 256, -129})}, CastTo(DataType::Int(8))) == "-128 -1 0 127");
  CHECK(run.Text("cast"_op, {Ints({2}, {-1, kMin})}, CastTo(DataType::UInt(64))) ==
        "18446744073709551615 18446744071562067968");
}

TEST_CASE("integers wrap around, in every width") {
  OpRunner run;
  CHECK(run.Text("add"_op, {Bytes({127, -128}), Bytes({1, -1})}) == "-128 127");
  CHECK(run.Text("multiply"_op, {Bytes({64, -128}), Bytes({2, -1})}) == "-128 -128");
  CHECK(run.Text("subtract"_op, {Ints({1}, {kMin}), Ints({1}, {1})}) == "2147483647");
  CHECK(run.Text("negative"_op, {Ints({1}, {kMin})}) == "-2147483648");
  CHECK(run.Text("abs"_op, {Bytes({-128})}) == "-128");
  const Tensor wide = Make<int64_t>(DataType::Int(64), {1}, {std::numeric_limits<int64_t>::min()});
  CHECK(run.Text("multiply"_op, {wide, wide}) == "0");
}

TEST_CASE("the least integer by -1 wraps around, in quotients and remainders") {
  OpRunner run;
  const std::vector<Tensor> operands = {Ints({1}, {kMin}), Ints({1}, {-1})};
  for (const OpDef* op : {"divide"_op, "trunc_divide"_op, "floor_divide"_op})
    CHECK(run.Text(op, operands) == "-2147483648");
  for (const OpDef* op : {"mod"_op, "trunc_mod"_op, "floor_mod"_op}) CHECK(run.Text(op, operands) == "0");
}

TEST_CASE("quotients round toward zero or down") {
  OpRunner run;
  const std::vector<Tensor> operands = {Ints({4}, {7, -7, 7, -7}), Ints({4}, {2, 2, -2, -2})};
  CHECK(run.Text("divide"_op, operands) == "3 -3 -3 3");
  CHECK(run.Text("floor_divide"_op, operands) == "3 -4 -4 3");
  CHECK(run.Text("trunc_mod"_op, operands) == "1 -1 1 -1");
  CHECK(run.Text("floor_mod"_op, operands) == "1 1 -1 -1");
}

TEST_CASE("integers are not divided by zero, floats are, nothing is nothing") {
  OpRunner run;
  for (const OpDef* op :
       {"divide"_op, "trunc_divide"_op, "floor_divide"_op, "mod"_op, "trunc_mod"_op, "floor_mod"_op}) {
    INFO(op->name);
    CHECK(run.Text(op, {Ints({2}, {1, 2}), Ints({2}, {1, 0})}).ends_with("division by zero"));
    CHECK(run.Text(op, {Ints({0}, {}), Ints({}, {0})}).empty());
  }
  CHECK(run.Text("divide"_op, {Floats({3}, {1, -1, 0}), Floats({3}, {0, 0, 0})}) == "inf -inf nan");
}

TEST_CASE("shifts by the width or more have no result") {
  OpRunner run;
  CHECK(run.Text("left_shift"_op, {Ints({2}, {1, 3}), Ints({2}, {31, 31})}) == "-2147483648 -2147483648");
  CHECK(run.Text("right_shift"_op, {Ints({2}, {kMin, kMax}), Ints({2}, {31, 31})}) == "-1 0");
  CHECK(run.Text("left_shift"_op, {Ints({1}, {1}), Ints({1}, {32})}).ends_with(" undefined"));
  CHECK(run.Text("right_shift"_op, {Ints({1}, {1}), Ints({1}, {-1})}).ends_with(" undefined"));
  CHECK(run.Text("right_shift"_op, {Bytes({1}), Bytes({8})}).ends_with(" undefined"));
}

TEST_CASE("integers of odd widths keep their width") {
  OpRunner run;
  // Elements of 4 bits take a byte each.
  const DataType int4 = DataType::Int(4);
  const Tensor data = Make<int8_t>(int4, {3}, {7, -8, 3});
  CHECK(run.Text("add"_op, {data, data}) == "-2 0 6");
  CHECK(run.Text("cast"_op, {Ints({2}, {8, -9})}, CastTo(int4)) == "-8 7");
}

TEST_CASE("which floats are integers of a type") {
  CHECK(InRange<int8_t>(127.99F));
  CHECK_FALSE(InRange<int8_t>(128.0F));
  CHECK(InRange<int8_t>(-128.99F));
  CHECK_FALSE(InRange<int8_t>(-129.0F));
  CHECK(InRange<uint8_t>(-0.99F));
  CHECK_FALSE(InRange<uint8_t>(-1.0F));
  CHECK(InRange<int64_t>(-0x1p63));
  CHECK_FALSE(InRange<int64_t>(0x1p63));
  CHECK(InRange<uint64_t>(0x1.fffffffffffffp63));
  CHECK_FALSE(InRange<uint64_t>(0x1p64));
  CHECK_FALSE(InRange<int32_t>(kNaN));
  CHECK_FALSE(InRange<int32_t>(kInf));
}

TEST_CASE("products of matrices of float16 round after every operation") {
  // Every float16 times a factor, and added to another one, by way of a matrix of one row.
  std::vector<Half> all;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) all.push_back(std::bit_cast<Half>(static_cast<uint16_t>(bits)));
  const auto count = static_cast<int64_t>(all.size());
  for (const float factor : {1.0F, -0.333F, 3.7e-4F, 1.5F, 60000.0F}) {
    for (const float addend : {0.0F, 1.0F, -2e-6F, 65504.0F}) {
      std::vector<Half> columns = all;
      columns.resize(all.size() * 2, Half(1.0F));
      const Tensor left = Make<Half>(DataType::Float(16), {1, 2}, {Half(factor), Half(addend)});
      const Tensor right = Make<Half>(DataType::Float(16), {2, count}, columns);
      OpRunner run;
      const auto product = run.Run("nn.matmul"_op, {left, right}, MatmulAttrs());
      REQUIRE(product.has_value());
      const auto got = product->tensors[0].elements<Half>();
      size_t wrong = 0;
      for (size_t i = 0; i < all.size(); ++i) {
        const Half expected(Half(Half(0.0F + Half(Half(factor) * all[i]))) + Half(addend));
        const bool is_nan = std::isnan(static_cast<float>(expected));
        wrong += is_nan ? !std::isnan(static_cast<float>(got[i])) : got[i].bits != expected.bits;
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace
}  // namespace relayopt::testing
